/* cmd_merge.c - smerf merge MODEL... -o MODEL */
#include "commands.h"
#include "common.h"

static const cli_option own_options[] = {{"-o", "MODEL", "where the joined model goes (required)"}, {0}};
static const cli_option *const options[] = {own_options, cli_general_options, NULL};

static smerf_status run_merge(const cli_args *args, smerf_error *error) {
    if (cli_get_output(args) == NULL)
        return cli_fail(args, error, "-o MODEL is missing: where shall the joined model go?");
    smerf_model *parts[CLI_MOST_WORDS] = {NULL}, *merged = NULL;
    smerf_status status = SMERF_OK;
    for (size_t i = 0; i < args->n_words && status == SMERF_OK; i++)
        status = smerf_model_load(args->words[i], &parts[i], error);
    if (status == SMERF_OK)
        status = smerf_model_merge((const smerf_model *const *)parts, args->n_words, &merged, error);
    if (status == SMERF_OK) status = smerf_model_save(merged, cli_get(args, "-o"), error);
    if (status == SMERF_OK) {
        smerf_description description = SMERF_INIT(smerf_description);
        smerf_model_describe(merged, &description, NULL);
        char parts_text[40];
        cli_say(args, "joined %s: trees %zu to %zu, written to %s", cli_count(args->n_words, "part", parts_text),
                description.options->first_tree, description.options->first_tree + description.options->n_trees - 1,
                cli_output_name(cli_get_output(args)));
    }
    for (size_t i = 0; i < args->n_words; i++) smerf_model_free(parts[i]);
    smerf_model_free(merged);
    return status;
}

static const char *const examples[] = {
    "smerf fit items.csv --distances distances.npy --trees 0:250 -o part-1.smerf",
    "smerf fit items.csv --distances distances.npy --trees 250:500 -o part-2.smerf",
    "smerf merge part-1.smerf part-2.smerf -o merged.smerf",
    NULL,
};

const cli_command cli_merge = {.name = "merge",
                               .usage = "merge MODEL... -o MODEL",
                               .summary = "joins parts of one forest",
                               .fewest_words = 1,
                               .most_words = CLI_MOST_WORDS,
                               .option_groups = options,
                               .output = CLI_MODEL,
                               .examples = examples,
                               .run = run_merge};
