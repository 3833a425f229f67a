/* cmd_info.c - smerf info MODEL */
#include "commands.h"
#include "common.h"
#include "report/report.h"

static const cli_option own_options[] = {
    {"--json", NULL, "as JSON"}, {"-o", "FILE", "where the result goes (default: standard output)"}, {0}};
static const cli_option *const options[] = {own_options, cli_general_options, NULL};

/* The same facts go to both forms: a key, and a value that is a number or a text. */
typedef struct writer {
    sm_output *output;
    bool is_json, is_first;
} writer;

/* "first tree" is what people read, "first_tree" what programs do. */
static void put_key(writer *to, const char *key) {
    if (!to->is_json) {
        sm_output_print(to->output, "%-16s ", key);
        return;
    }
    sm_output_print(to->output, "%s\"", to->is_first ? "{" : ", ");
    for (const char *c = key; *c != '\0'; c++) sm_output_print(to->output, "%c", *c == ' ' || *c == '-' ? '_' : *c);
    sm_output_print(to->output, "\": ");
    to->is_first = false;
}

static void put_text(void *context, const char *key, const char *text) {
    writer *to = context;
    put_key(to, key);
    if (to->is_json)
        sm_put_json_string(to->output, text);
    else
        sm_output_print(to->output, "%s\n", text);
}

static void put_number(void *context, const char *key, double value) {
    writer *to = context;
    put_key(to, key);
    sm_put_json_number(to->output, value);
    if (!to->is_json) sm_output_print(to->output, "\n");
}

static void put_count(void *context, const char *key, size_t count) {
    writer *to = context;
    put_key(to, key);
    sm_output_print(to->output, to->is_json ? "%zu" : "%zu\n", count);
}

static void put_none(void *context, const char *key) {
    writer *to = context;
    put_key(to, key);
    sm_output_print(to->output, to->is_json ? "null" : "none\n");
}

static void put_list(void *context, const char *key, const char *const *names, size_t n) {
    writer *to = context;
    put_key(to, key);
    for (size_t i = 0; i < n; i++) {
        sm_output_print(to->output, "%s", i > 0 ? ", " : to->is_json ? "[" : "");
        if (to->is_json)
            sm_put_json_string(to->output, names[i]);
        else
            sm_output_print(to->output, "%s", names[i]);
    }
    sm_output_print(to->output, to->is_json ? "]" : "\n");
}

static void put_features(void *context, const char *key, const smerf_model *model, size_t n) {
    writer *to = context;
    put_key(to, key);
    for (size_t f = 0; f < n; f++) {
        smerf_column column;
        smerf_model_feature(model, f, &column);
        sm_output_print(to->output, "%s", f > 0 ? ", " : to->is_json ? "[" : "");
        if (to->is_json) {
            sm_put_json_string(to->output, column.name);
        } else {
            sm_output_print(to->output, "%s", column.name);
            if (column.kind == SMERF_CATEGORY) sm_output_print(to->output, " (%zu levels)", column.n_levels);
        }
    }
    sm_output_print(to->output, to->is_json ? "]" : "\n");
}

static smerf_status run_info(const cli_args *args, smerf_error *error) {
    smerf_model *model = NULL;
    writer to = {.is_json = cli_has(args, "--json"), .is_first = true};
    smerf_status status = smerf_model_load(args->words[0], &model, error);
    if (status == SMERF_OK)
        status = sm_text_output_open(cli_has(args, "-o") ? cli_get(args, "-o") : "-", &to.output, error);
    if (status == SMERF_OK) {
        const sm_fact_sink sink = {.text = put_text,
                                   .number = put_number,
                                   .count = put_count,
                                   .none = put_none,
                                   .list = put_list,
                                   .features = put_features,
                                   .context = &to};
        sm_facts_tell(model, &sink);
        if (to.is_json) sm_output_print(to.output, "}\n");
        status = sm_output_finish(to.output, error);
    }
    smerf_model_free(model);
    return status;
}

static const char *const examples[] = {
    "smerf info model.smerf",
    "smerf info model.smerf --json",
    NULL,
};

const cli_command cli_info = {.name = "info",
                              .usage = "info MODEL [--json]",
                              .summary = "what a model is",
                              .fewest_words = 1,
                              .most_words = 1,
                              .option_groups = options,
                              .examples = examples,
                              .run = run_info};
