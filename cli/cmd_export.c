/* cmd_export.c - smerf export MODEL --format json: the whole forest, for other programs. */
#include "commands.h"
#include "common.h"
#include "report/report.h"

static const cli_option own_options[] = {
    {"--format", "json", "the form (default, and the only one)"},
    {"-o", "FILE", "where it goes (default: standard output)"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_general_options, NULL};

static smerf_status check_forest(const cli_args *args, const smerf_model *model, smerf_error *error) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    if (description.options->method == SMERF_METHOD_FOREST) return SMERF_OK;
    return cli_fail(args, error, "%s was made by the method '%s': only a forest can be exported", args->words[0],
                    description.method);
}

static smerf_status run_export(const cli_args *args, smerf_error *error) {
    static const char *const formats[] = {"json"};
    unsigned format = 0;
    smerf_model *model = NULL;
    sm_output *output = NULL;
    smerf_status status = cli_get_word(args, "--format", formats, 1, &format, error);
    if (status == SMERF_OK) status = smerf_model_load(args->words[0], &model, error);
    if (status == SMERF_OK) status = check_forest(args, model, error);
    if (status == SMERF_OK)
        status = sm_text_output_open(cli_has(args, "-o") ? cli_get(args, "-o") : "-", &output, error);
    if (status == SMERF_OK) {
        status = sm_forest_write(model, output, error);
        if (status == SMERF_OK)
            status = sm_output_finish(output, error);
        else
            sm_output_abandon(output);
    }
    smerf_model_free(model);
    return status;
}

static const char *const examples[] = {
    "smerf export model.smerf --format json -o forest.json",
    "smerf export animals.smerf --format json",
    NULL,
};

const cli_command cli_export = {.name = "export",
                                .usage = "export MODEL --format json [-o FILE]",
                                .summary = "the whole forest as JSON",
                                .fewest_words = 1,
                                .most_words = 1,
                                .option_groups = options,
                                .output = CLI_JSON,
                                .examples = examples,
                                .run = run_export};
