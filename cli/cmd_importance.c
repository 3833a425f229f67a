/* cmd_importance.c - smerf importance MODEL [ITEMS TARGET --permutation [--interactions N]] */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"

static const cli_option own_options[] = {
    {"--permutation", NULL, "by shuffling features out of bag: needs the training ITEMS (and a TARGET, or its own)"},
    {"--interactions", "N", "with --permutation: what each two of the N most important features do together"},
    {"--json", NULL, "as JSON"},
    {"-o", "FILE", "where the result goes (default: standard output)"},
    {"--id", "COLUMN", "names the items (default: as in training, or a column called 'id')"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_target_options, cli_general_options, NULL};

/* A feature, or two of them and what they do together. */
typedef struct ranked {
    const char *name, *other; /* other: NULL, or the second one */
    size_t place;
    double value, standard_error;
} ranked;

static int largest_first(const void *a, const void *b) {
    const ranked *left = a, *right = b;
    if (left->value != right->value) return left->value > right->value ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

/* Some that are ranked, and what their value is called. */
typedef struct ranking {
    ranked *rows;
    size_t n;
    bool are_pairs, has_errors;
} ranking;

static const char *value_name(const ranking *result) { return result->are_pairs ? "interaction" : "importance"; }

static void put_json(sm_output *output, const ranking *result) {
    sm_output_print(output, "{\"%s\": [", result->are_pairs ? "interactions" : "features");
    for (size_t k = 0; k < result->n; k++) {
        const ranked *row = &result->rows[k];
        sm_output_print(output, "%s{\"feature\": ", k == 0 ? "\n  " : ",\n  ");
        sm_put_json_string(output, row->name);
        if (result->are_pairs) {
            sm_output_print(output, ", \"with\": ");
            sm_put_json_string(output, row->other);
        }
        sm_output_print(output, ", \"%s\": ", value_name(result));
        sm_put_json_number(output, row->value);
        if (result->has_errors) {
            sm_output_print(output, ", \"se\": ");
            sm_put_json_number(output, row->standard_error);
        }
        sm_output_print(output, "}");
    }
    sm_output_print(output, "]}\n");
}

static void put_csv(sm_output *output, const ranking *result) {
    sm_output_print(output, "feature%s,%s%s\n", result->are_pairs ? ",with" : "", value_name(result),
                    result->has_errors ? ",se" : "");
    for (size_t k = 0; k < result->n; k++) {
        const ranked *row = &result->rows[k];
        sm_put_cell(output, row->name);
        if (result->are_pairs) {
            sm_output_print(output, ",");
            sm_put_cell(output, row->other);
        }
        sm_output_print(output, ",");
        sm_put_number(output, row->value);
        if (result->has_errors) {
            sm_output_print(output, ",");
            sm_put_number(output, row->standard_error);
        }
        sm_output_print(output, "\n");
    }
}

static smerf_status put_result(const cli_args *args, const ranking *result, smerf_error *error) {
    sm_output *output;
    smerf_status status = sm_output_open(cli_has(args, "-o") ? cli_get(args, "-o") : "-", &output, error);
    if (status != SMERF_OK) return status;
    (cli_has(args, "--json") ? put_json : put_csv)(output, result);
    return sm_output_finish(output, error);
}

static smerf_status no_memory(smerf_error *error) {
    strcpy(error->message, "out of memory while ranking features");
    return SMERF_NO_MEMORY;
}

/* Names the features, and puts them in order.   importance  [2][n] with the standard errors */
static void rank_features(const smerf_model *model, const double *importance, ranking *result) {
    for (size_t f = 0; f < result->n; f++) {
        smerf_column column;
        smerf_model_feature(model, f, &column);
        result->rows[f] = (ranked){
            .name = column.name, .place = f, .value = importance[f], .standard_error = importance[result->n + f]};
    }
    qsort(result->rows, result->n, sizeof *result->rows, largest_first);
}

/* Puts what the first `top` features do together in place of the features. */
static smerf_status join_features(const smerf_model *model, const smerf_items *items, const smerf_target *truth,
                                  size_t top, const smerf_run *run, ranking *result, smerf_error *error) {
    uint32_t *places = calloc(top, sizeof *places);
    double *numbers = calloc(2 * top * top, sizeof *numbers);
    ranking pairs = {.rows = calloc(top * top, sizeof *pairs.rows), .are_pairs = true, .has_errors = true};
    smerf_status status = SMERF_OK;
    if (places == NULL || numbers == NULL || pairs.rows == NULL) status = no_memory(error);
    for (size_t k = 0; k < top && status == SMERF_OK; k++) places[k] = (uint32_t)result->rows[k].place;
    if (status == SMERF_OK)
        status = smerf_importance_interaction(
            model,
            &SMERF_INIT(smerf_interactions, .items = items, .truth = truth, .features = places, .n_features = top), run,
            numbers, numbers + top * top, error);
    for (size_t j = 0; j < top && status == SMERF_OK; j++)
        for (size_t k = j + 1; k < top; k++, pairs.n++)
            pairs.rows[pairs.n] = (ranked){.name = result->rows[j].name,
                                           .other = result->rows[k].name,
                                           .place = pairs.n,
                                           .value = numbers[j * top + k],
                                           .standard_error = numbers[top * top + j * top + k]};
    if (status == SMERF_OK) {
        qsort(pairs.rows, pairs.n, sizeof *pairs.rows, largest_first);
        free(result->rows);
        *result = pairs;
    } else {
        free(pairs.rows);
    }
    free(places);
    free(numbers);
    return status;
}

static smerf_status by_permutation(const cli_args *args, const smerf_model *model, double *importance, ranking *result,
                                   smerf_error *error) {
    cli_items items = {0};
    cli_target truth = {0};
    cli_follow follow;
    smerf_run run;
    size_t top = 0;
    smerf_status status = cli_get_size(args, "--interactions", 2, &top, error);
    if (status == SMERF_OK && top > result->n)
        status = cli_fail(args, error, "--interactions %zu: the model has %zu features", top, result->n);
    if (status == SMERF_OK) status = cli_read_known_items(args, model, args->words[1], &items, error);
    if (status == SMERF_OK) status = cli_read_target(args, &items, NULL, true, &truth, error);
    if (status == SMERF_OK) status = cli_start_run(args, "shuffling features", &run, &follow, error);
    if (status == SMERF_OK) {
        status = smerf_importance_permutation(model, items.items, truth.target, &run, importance,
                                              importance + result->n, error);
        if (status == SMERF_OK) rank_features(model, importance, result);
        if (status == SMERF_OK && top > 0)
            status = join_features(model, items.items, truth.target, top, &run, result, error);
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
    if (cli_has(args, "--interactions") && !is_permutation)
        return cli_fail(args, error, "--interactions goes with --permutation");
    smerf_model *model = NULL;
    smerf_status status = cli_check_target_options(args, true, error);
    if (status == SMERF_OK && !is_permutation && (args->n_words > 1 || cli_has_target(args)))
        status = cli_fail(args, error, "items and a target go with --permutation");
    if (status == SMERF_OK) status = smerf_model_load(args->words[0], &model, error);
    if (status != SMERF_OK) return status;
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    ranking result = {.n = description.n_features, .has_errors = is_permutation};
    double *importance = calloc(2 * result.n, sizeof *importance);
    result.rows = calloc(result.n, sizeof *result.rows);
    if (importance == NULL || result.rows == NULL) {
        status = no_memory(error);
    } else if (is_permutation) {
        status = by_permutation(args, model, importance, &result, error);
    } else {
        status = smerf_importance_gain(model, importance, error);
        if (status == SMERF_OK) rank_features(model, importance, &result);
    }
    if (status == SMERF_OK) status = put_result(args, &result, error);
    free(importance);
    free(result.rows);
    smerf_model_free(model);
    return status;
}

const cli_command cli_importance = {.name = "importance",
                                    .usage = "importance MODEL [ITEMS [TARGET] --permutation [--interactions N]]",
                                    .summary = "which features drive the distance",
                                    .fewest_words = 1,
                                    .most_words = 2,
                                    .option_groups = options,
                                    .output = CLI_TABLE,
                                    .run = run_importance};
