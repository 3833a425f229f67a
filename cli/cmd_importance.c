/* cmd_importance.c - smerf importance MODEL [ITEMS TARGET --permutation [--interactions N]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "smerf_study.h"

static const cli_option own_options[] = {
    {"--permutation", NULL, "by shuffling features out of bag: needs the training ITEMS (and a TARGET, or its own)"},
    {"--interactions", "N", "with --permutation: what each two of the N most important features do together"},
    {"--sample-pairs", "N",
     "with --permutation: by the pairs among so many items that they are N at most (default 2000000)"},
    {"--json", NULL, "as JSON"},
    {"-o", "FILE", "where the result goes (default: standard output)"},
    {"--id", "COLUMN", "names the items (default: as in training, or a column called 'id')"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_target_options, cli_general_options, NULL};

/* A feature, or two of them and what they do together. */
typedef struct ranked {
    const char *name, *other; /* other: NULL, or the second one */
    size_t index;
    double value, standard_error;
} ranked;

static int by_size(double left, double right, size_t left_index, size_t right_index) {
    if (left != right) return left > right ? -1 : 1;
    return (left_index > right_index) - (left_index < right_index);
}

static int largest_first(const void *a, const void *b) {
    const ranked *left = a, *right = b;
    return by_size(left->value, right->value, left->index, right->index);
}

/* Interactions are below 0 as often as above it. */
static int largest_in_size_first(const void *a, const void *b) {
    const ranked *left = a, *right = b;
    return by_size(fabs(left->value), fabs(right->value), left->index, right->index);
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
    smerf_status status = sm_text_output_open(cli_has(args, "-o") ? cli_get(args, "-o") : "-", &output, error);
    if (status != SMERF_OK) return status;
    (cli_has(args, "--json") ? put_json : put_csv)(output, result);
    return sm_output_finish(output, error);
}

static smerf_status no_memory(smerf_error *error) {
    strcpy(error->message, "out of memory while ranking features");
    return SMERF_NO_MEMORY;
}

/* One line that names the features of which gains say too much. */
static smerf_status say_overstated(const cli_args *args, const smerf_model *model, const double *importance,
                                   const ranking *result, smerf_error *error) {
    bool *is_overstated = calloc(result->n, sizeof *is_overstated);
    char names[256] = "";
    size_t n_overstated = 0, used = 0;
    if (is_overstated == NULL) return no_memory(error);
    smerf_importance_overstated(model, importance, is_overstated);
    for (size_t k = 0; k < result->n; k++) {
        if (!is_overstated[result->rows[k].index]) continue;
        smerf_column column;
        smerf_model_feature(model, result->rows[k].index, &column);
        if (n_overstated++ < 3 && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s (%zu levels)",
                                     n_overstated == 1 ? "" : ", ", column.name, column.n_levels);
    }
    free(is_overstated);
    if (n_overstated > 0)
        cli_say(args, "%s%s: gains overstate a category with few items for each level; --permutation does not", names,
                n_overstated > 3 ? ", ..." : "");
    return SMERF_OK;
}

/* Names the features, and puts them in order.   importance  [2][n] with the standard errors */
static void rank_features(const smerf_model *model, const double *importance, ranking *result) {
    for (size_t f = 0; f < result->n; f++) {
        smerf_column column;
        smerf_model_feature(model, f, &column);
        result->rows[f] = (ranked){
            .name = column.name, .index = f, .value = importance[f], .standard_error = importance[result->n + f]};
    }
    qsort(result->rows, result->n, sizeof *result->rows, largest_first);
}

/* Puts what the first `top` features do together in place of the features. */
static smerf_status join_features(const smerf_model *model, const smerf_items *items, const smerf_target *truth,
                                  size_t top, const smerf_run *run, ranking *result, smerf_error *error) {
    uint32_t *features = calloc(top, sizeof *features);
    double *numbers = calloc(2 * top * top, sizeof *numbers);
    ranking pairs = {.rows = calloc(top * top, sizeof *pairs.rows), .are_pairs = true, .has_errors = true};
    smerf_status status = SMERF_OK;
    if (features == NULL || numbers == NULL || pairs.rows == NULL) status = no_memory(error);
    for (size_t k = 0; k < top && status == SMERF_OK; k++) features[k] = (uint32_t)result->rows[k].index;
    if (status == SMERF_OK)
        status = smerf_importance_interaction(
            model,
            &SMERF_INIT(smerf_interactions, .items = items, .truth = truth, .features = features, .n_features = top),
            run, numbers, numbers + top * top, error);
    for (size_t j = 0; j < top && status == SMERF_OK; j++)
        for (size_t k = j + 1; k < top; k++, pairs.n++)
            pairs.rows[pairs.n] = (ranked){.name = result->rows[j].name,
                                           .other = result->rows[k].name,
                                           .index = pairs.n,
                                           .value = numbers[j * top + k],
                                           .standard_error = numbers[top * top + j * top + k]};
    if (status == SMERF_OK) {
        qsort(pairs.rows, pairs.n, sizeof *pairs.rows, largest_in_size_first);
        free(result->rows);
        *result = pairs;
    } else {
        free(pairs.rows);
    }
    free(features);
    free(numbers);
    return status;
}

/* ---- by permutation ---- */

/* What is shuffled and scored: all items that were given, or a sample of them. */
typedef struct scored {
    cli_items items;
    cli_target truth;
    smerf_items *few; /* NULL: all of them */
    smerf_target *few_truth;
    size_t n_few;
} scored;

static void free_scored(scored *of) {
    smerf_target_free(of->few_truth);
    smerf_items_free(of->few);
    cli_free_target(&of->truth);
    cli_free_items(&of->items);
}

/* Draws as many items as have at most so many pairs, by the model's seed: every choice of them is equally likely. */
static smerf_status sample_items(const smerf_model *model, size_t most_pairs, scored *of, smerf_error *error) {
    size_t n = of->items.table.n_rows, n_few = 2, n_taken = 0;
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    while (n_few < n && (n_few + 1) * n_few / 2 <= most_pairs) n_few++;
    if (n_few == n) return SMERF_OK;
    bool *is_taken = malloc(n * sizeof *is_taken);
    uint32_t *rows = malloc(n_few * sizeof *rows);
    smerf_status status = is_taken != NULL && rows != NULL ? SMERF_OK : no_memory(error);
    if (status == SMERF_OK) status = smerf_split(n, n_few, description.options->seed, is_taken, error);
    for (size_t i = 0; i < n && status == SMERF_OK; i++)
        if (is_taken[i]) rows[n_taken++] = (uint32_t)i;
    if (status == SMERF_OK) status = smerf_items_take(of->items.items, rows, n_few, &of->few, error);
    if (status == SMERF_OK) status = smerf_items_set_rows(of->few, rows, error);
    if (status == SMERF_OK && of->truth.target != NULL)
        status = smerf_target_take(of->truth.target, rows, n_few, &of->few_truth, error);
    of->n_few = n_few;
    free(is_taken);
    free(rows);
    return status;
}

static smerf_status shuffle(const cli_args *args, const smerf_model *model, const scored *of, size_t top,
                            double *importance, ranking *result, smerf_error *error) {
    const smerf_items *items = of->few != NULL ? of->few : of->items.items;
    const smerf_target *truth = of->few != NULL ? of->few_truth : of->truth.target;
    cli_follow follow;
    smerf_run run;
    smerf_status status = cli_start_run(args, "shuffling features", &run, &follow, error);
    if (status != SMERF_OK) return status;
    status = smerf_importance_permutation(model, items, truth, &run, importance, importance + result->n, error);
    if (status == SMERF_OK) rank_features(model, importance, result);
    if (status == SMERF_OK && top > 0) status = join_features(model, items, truth, top, &run, result, error);
    cli_stop_following(&follow);
    return status;
}

static smerf_status by_permutation(const cli_args *args, const smerf_model *model, double *importance, ranking *result,
                                   smerf_error *error) {
    scored of = {0};
    size_t top = 0, most_pairs = 2000000;
    smerf_status status = cli_get_size(args, "--interactions", 2, &top, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--sample-pairs", 1, &most_pairs, error);
    if (status == SMERF_OK && top > result->n)
        status = cli_fail(args, error, "--interactions %zu: the model has %zu features", top, result->n);
    if (status == SMERF_OK) status = cli_read_known_items(args, model, args->words[1], &of.items, error);
    if (status == SMERF_OK) status = cli_read_target(args, &of.items, NULL, true, &of.truth, error);
    if (status == SMERF_OK) status = sample_items(model, most_pairs, &of, error);
    if (status == SMERF_OK) status = shuffle(args, model, &of, top, importance, result, error);
    if (status == SMERF_OK) {
        if (of.few != NULL)
            cli_say(args, "by the pairs among %zu of %zu items, drawn at random; --sample-pairs takes more", of.n_few,
                    of.items.table.n_rows);
        cli_compare_similarities(args, model, &of.truth);
    }
    free_scored(&of);
    return status;
}

static smerf_status run_importance(const cli_args *args, smerf_error *error) {
    bool is_permutation = cli_has(args, "--permutation");
    if (is_permutation && args->n_words < 2)
        return cli_fail(args, error, "--permutation needs the training items: smerf %s", args->command->usage);
    if (cli_has(args, "--interactions") && !is_permutation)
        return cli_fail(args, error, "--interactions goes with --permutation");
    if (cli_has(args, "--sample-pairs") && !is_permutation)
        return cli_fail(args, error, "--sample-pairs goes with --permutation");
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
        if (status == SMERF_OK) status = say_overstated(args, model, importance, &result, error);
    }
    if (status == SMERF_OK) status = put_result(args, &result, error);
    free(importance);
    free(result.rows);
    smerf_model_free(model);
    return status;
}

static const char *const examples[] = {
    "smerf importance model.smerf",
    "smerf importance model.smerf items.csv --permutation --interactions 3",
    NULL,
};

const cli_command cli_importance = {.name = "importance",
                                    .usage = "importance MODEL [ITEMS [TARGET] --permutation [--interactions N]]",
                                    .summary = "which features drive the distance",
                                    .fewest_words = 1,
                                    .most_words = 2,
                                    .option_groups = options,
                                    .output = CLI_TABLE,
                                    .examples = examples,
                                    .run = run_importance};
