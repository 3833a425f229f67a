/* cmd_importance.c - smerf importance MODEL [ITEMS TARGET --permutation] */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"

static const cli_option own_options[] = {
    {"--permutation", NULL, "by shuffling features out of bag: needs the training ITEMS (and a TARGET, or its own)"},
    {"--json", NULL, "as JSON"},
    {"-o", "FILE", "where the result goes (default: standard output)"},
    {"--id", "COLUMN", "names the items (default: as in training, or a column called 'id')"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_target_options, cli_general_options, NULL};

typedef struct ranked {
    const char *name;
    size_t place;
    double importance, standard_error;
} ranked;

static int largest_first(const void *a, const void *b) {
    const ranked *left = a, *right = b;
    if (left->importance != right->importance) return left->importance > right->importance ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

static void put_json(sm_output *output, const ranked *features, size_t n, bool has_errors) {
    sm_output_print(output, "{\"features\": [");
    for (size_t f = 0; f < n; f++) {
        sm_output_print(output, "%s{\"feature\": ", f == 0 ? "\n  " : ",\n  ");
        sm_put_json_string(output, features[f].name);
        sm_output_print(output, ", \"importance\": ");
        sm_put_json_number(output, features[f].importance);
        if (has_errors) {
            sm_output_print(output, ", \"se\": ");
            sm_put_json_number(output, features[f].standard_error);
        }
        sm_output_print(output, "}");
    }
    sm_output_print(output, "]}\n");
}

static void put_csv(sm_output *output, const ranked *features, size_t n, bool has_errors) {
    sm_output_print(output, "feature,importance%s\n", has_errors ? ",se" : "");
    for (size_t f = 0; f < n; f++) {
        sm_put_cell(output, features[f].name);
        sm_output_print(output, ",");
        sm_put_number(output, features[f].importance);
        if (has_errors) {
            sm_output_print(output, ",");
            sm_put_number(output, features[f].standard_error);
        }
        sm_output_print(output, "\n");
    }
}

static smerf_status put_result(const cli_args *args, ranked *features, size_t n, bool has_errors, smerf_error *error) {
    sm_output *output;
    smerf_status status = sm_output_open(cli_has(args, "-o") ? cli_get(args, "-o") : "-", &output, error);
    if (status != SMERF_OK) return status;
    qsort(features, n, sizeof *features, largest_first);
    if (cli_has(args, "--json"))
        put_json(output, features, n, has_errors);
    else
        put_csv(output, features, n, has_errors);
    return sm_output_finish(output, error);
}

static smerf_status by_permutation(const cli_args *args, const smerf_model *model, double *importance,
                                   double *standard_error, smerf_error *error) {
    cli_items items = {0};
    cli_target truth = {0};
    cli_follow follow;
    smerf_run run;
    smerf_status status = cli_read_known_items(args, model, args->words[1], &items, error);
    if (status == SMERF_OK) status = cli_read_target(args, &items, NULL, true, &truth, error);
    if (status == SMERF_OK) status = cli_start_run(args, "shuffling features", &run, &follow, error);
    if (status == SMERF_OK) {
        status =
            smerf_importance_permutation(model, items.items, truth.target, &run, importance, standard_error, error);
        cli_stop_following(&follow);
    }
    if (status == SMERF_OK) {
        cli_tell_target(args, &truth);
        cli_compare_similarities(args, model, &truth);
    }
    cli_free_target(&truth);
    cli_free_items(&items);
    return status;
}

static smerf_status run_importance(const cli_args *args, smerf_error *error) {
    bool is_permutation = cli_has(args, "--permutation");
    if (is_permutation && args->n_words < 2)
        return cli_fail(args, error, "--permutation needs the training items: smerf %s", args->command->usage);
    smerf_model *model = NULL;
    smerf_status status = cli_check_target_options(args, true, error);
    if (status == SMERF_OK && !is_permutation && (args->n_words > 1 || cli_has_target(args)))
        status = cli_fail(args, error, "items and a target go with --permutation");
    if (status == SMERF_OK) status = smerf_model_load(args->words[0], &model, error);
    if (status != SMERF_OK) return status;
    smerf_description description;
    smerf_model_describe(model, &description);
    size_t n = description.n_features;
    double *importance = calloc(2 * n, sizeof *importance);
    ranked *features = calloc(n, sizeof *features);
    if (importance == NULL || features == NULL) {
        strcpy(error->message, "out of memory while ranking features");
        status = SMERF_NO_MEMORY;
    } else if (is_permutation) {
        status = by_permutation(args, model, importance, importance + n, error);
    } else {
        status = smerf_importance_gain(model, importance, error);
    }
    for (size_t f = 0; f < n && status == SMERF_OK; f++) {
        smerf_column column;
        smerf_model_feature(model, f, &column);
        features[f] =
            (ranked){.name = column.name, .place = f, .importance = importance[f], .standard_error = importance[n + f]};
    }
    if (status == SMERF_OK) status = put_result(args, features, n, is_permutation, error);
    free(importance);
    free(features);
    smerf_model_free(model);
    return status;
}

const cli_command cli_importance = {.name = "importance",
                                    .usage = "importance MODEL [ITEMS [TARGET] --permutation]",
                                    .summary = "which features drive the distance",
                                    .fewest_words = 1,
                                    .most_words = 2,
                                    .option_groups = options,
                                    .run = run_importance};
