/* cmd_report.c - smerf report MODEL ITEMS [TARGET] -o FILE */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "report/report.h"

static const cli_option own_options[] = {
    {"-o", "FILE", "where the page goes"},
    {"--title", "TEXT", "what the page is called (default: the name of the model's file)"},
    {"--clusters", "K", "how many clusters (default: as many as fit best)"},
    {"--json", NULL, "only the numbers that the page is made of"},
    {"--id", "COLUMN", "names the items (default: as in training, or a column called 'id')"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_target_options, cli_general_options, NULL};

/* ---- words ---- */

/* A text that grows; NULL once memory ran out. */
typedef struct text {
    char *bytes;
    size_t n;
} text;

static void add(text *to, const char *bytes, size_t n) {
    char *grown = to->bytes != NULL ? realloc(to->bytes, to->n + n + 1) : NULL;
    if (grown == NULL) {
        free(to->bytes);
        to->bytes = NULL;
        return;
    }
    memcpy(grown + to->n, bytes, n);
    grown[to->n + n] = '\0';
    *to = (text){.bytes = grown, .n = to->n + n};
}

static void add_text(text *to, const char *more) { add(to, more, strlen(more)); }

/* A word as a shell reads it. */
static void add_word(text *to, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=+@%-";
    if (to->n > 0) add_text(to, " ");
    if (*word != '\0' && strspn(word, plain) == strlen(word)) {
        add_text(to, word);
        return;
    }
    add_text(to, "'");
    for (const char *c = word; *c != '\0'; c++)
        if (*c == '\'')
            add_text(to, "'\\''");
        else
            add(to, c, 1);
    add_text(to, "'");
}

/* The options that say what the target is, as they were given. */
static void add_target(text *to, const cli_args *args) {
    for (size_t g = 0; g < args->n_given; g++)
        for (const cli_option *option = cli_target_options; option->name != NULL; option++)
            if (*option->name != '\0' && strcmp(option->name, args->given[g]->name) == 0) {
                add_word(to, option->name);
                if (option->argument != NULL) add_word(to, args->values[g]);
            }
}

static void add_explain(text *to, const cli_args *args) {
    add_text(to, "smerf explain");
    add_word(to, args->words[0]);
    add_word(to, args->words[1]);
    if (cli_has(args, "--id")) {
        add_word(to, "--id");
        add_word(to, cli_get(args, "--id"));
    }
    add_text(to, " --pair");
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* ---- columns ---- */

static sm_report_column shown_column(const sm_table_column *column, const char *role) {
    return (sm_report_column){.column = {.name = column->name,
                                         .kind = column->is_category ? SMERF_CATEGORY : SMERF_NUMBER,
                                         .values = column->values,
                                         .codes = column->codes,
                                         .levels = (const char *const *)column->levels,
                                         .n_levels = column->n_levels},
                              .role = role};
}

static const char *role_of(const smerf_description *about, const char *name) {
    for (size_t k = 0; k < about->n_target_columns; k++)
        if (strcmp(about->target_columns[k], name) == 0) return "target";
    return "other";
}

/* All that the file has of the items: what the target is, the other columns, the features. */
static sm_report_column *list_columns(const smerf_model *model, const sm_table *table, size_t *n) {
    smerf_description about = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &about, NULL);
    sm_report_column *columns = calloc(table->n_columns + table->n_targets + table->n_others + 1, sizeof *columns);
    *n = 0;
    if (columns == NULL) return NULL;
    for (size_t k = 0; k < table->n_targets; k++) columns[(*n)++] = shown_column(&table->targets[k], "target");
    for (size_t k = 0; k < table->n_others; k++)
        columns[(*n)++] = shown_column(&table->others[k], role_of(&about, table->others[k].name));
    for (size_t k = 0; k < table->n_columns; k++) columns[(*n)++] = shown_column(&table->columns[k], "feature");
    return columns;
}

/* ---- the command ---- */

static smerf_status write(const cli_args *args, const sm_report *wanted, smerf_error *error) {
    sm_output *output;
    cli_follow follow;
    smerf_run run;
    const char *path = cli_get_output(args);
    smerf_status status = sm_text_output_open(path, &output, error);
    if (status != SMERF_OK) return status;
    status = cli_start_run(args, "writing a report", &run, &follow, error);
    if (status == SMERF_OK) {
        status = sm_report_write(wanted, cli_has(args, "--json"), &run, output, error);
        cli_stop_following(&follow);
    }
    if (status == SMERF_OK || sm_output_has_failed(output)) return sm_output_finish(output, error);
    sm_output_abandon(output);
    return status;
}

static smerf_status report(const cli_args *args, const smerf_model *model, const cli_items *items,
                           const cli_target *truth, size_t n_clusters, smerf_error *error) {
    text target = {.bytes = calloc(1, 1)}, explain = {.bytes = calloc(1, 1)};
    sm_report wanted = {.model = model,
                        .items = items->items,
                        .ids = (const char *const *)items->table.ids,
                        .truth = truth->target,
                        .ceiling = truth->n_judges > 0 && !isnan(truth->ceiling.rmse) ? &truth->ceiling : NULL,
                        .n_clusters = n_clusters,
                        .title = cli_has(args, "--title") ? cli_get(args, "--title") : file_name(args->words[0]),
                        .model_file = args->words[0],
                        .items_file = args->words[1]};
    sm_report_column *columns = list_columns(model, &items->table, &wanted.n_columns);
    add_target(&target, args);
    add_explain(&explain, args);
    wanted.columns = columns;
    wanted.target_text = truth->target != NULL ? target.bytes : NULL;
    wanted.explain_command = explain.bytes;
    smerf_status status = SMERF_OK;
    if (columns == NULL || target.bytes == NULL || explain.bytes == NULL) {
        strcpy(error->message, "out of memory while writing a report");
        status = SMERF_NO_MEMORY;
    }
    if (status == SMERF_OK) status = write(args, &wanted, error);
    free(columns);
    free(target.bytes);
    free(explain.bytes);
    return status;
}

static smerf_status run_report(const cli_args *args, smerf_error *error) {
    smerf_model *model = NULL;
    cli_items items = {0};
    cli_target truth = {0};
    size_t n_clusters = 0;
    if (cli_get_output(args) == NULL) return cli_fail(args, error, "-o FILE says where the page goes");
    if (cli_has(args, "--triplets"))
        return cli_fail(args, error,
                        "the page has no scores of triplets: evaluate --triplets says how many are in order");
    smerf_status status = cli_get_size(args, "--clusters", 1, &n_clusters, error);
    if (status == SMERF_OK) status = cli_check_target_options(args, true, error);
    if (status == SMERF_OK && strcmp(cli_get_output(args), "-") != 0)
        status = sm_output_check(cli_get_output(args), error);
    if (status == SMERF_OK) status = smerf_model_load(args->words[0], &model, error);
    if (status == SMERF_OK) status = cli_read_shown_items(args, model, args->words[1], &items, error);
    if (status == SMERF_OK && n_clusters > items.table.n_rows)
        status =
            cli_fail(args, error, "--clusters %zu is more than there are items, %zu", n_clusters, items.table.n_rows);
    if (status == SMERF_OK) status = cli_read_target(args, &items, NULL, true, &truth, error);
    if (status == SMERF_OK) status = report(args, model, &items, &truth, n_clusters, error);
    if (status == SMERF_OK) {
        char rows[40];
        cli_compare_similarities(args, model, &truth);
        cli_say(args, "reported on %s, written to %s", cli_count(items.table.n_rows, "item", rows),
                cli_output_name(cli_get_output(args)));
    }
    cli_free_target(&truth);
    cli_free_items(&items);
    smerf_model_free(model);
    return status;
}

static const char *const examples[] = {
    "smerf report model.smerf items.csv -o report.html",
    "smerf report animals.smerf animals.csv --title Animals -o animals.html",
    NULL,
};

const cli_command cli_report = {.name = "report",
                                .usage = "report MODEL ITEMS [TARGET] -o FILE [--title TEXT] [--clusters K] [--json]",
                                .summary =
                                    "a page for the browser: scores (without TARGET: out of bag), map, explanations",
                                .fewest_words = 2,
                                .most_words = 2,
                                .option_groups = options,
                                .output = CLI_PAGE,
                                .examples = examples,
                                .run = run_report};
