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

/* Two features, and what they do together. */
typedef struct joined {
    const char *name, *other;
    size_t place;
    double interaction, standard_error;
} joined;

static int largest_together(const void *a, const void *b) {
    const joined *left = a, *right = b;
    if (left->interaction != right->interaction) return left->interaction > right->interaction ? -1 : 1;
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

static void put_joined(sm_output *output, const joined *pairs, size_t n, bool is_json) {
    sm_output_print(output, is_json ? "{\"interactions\": [" : "feature,with,interaction,se\n");
    for (size_t p = 0; p < n; p++) {
        if (is_json) {
            sm_output_print(output, "%s{\"feature\": ", p == 0 ? "\n  " : ",\n  ");
            sm_put_json_string(output, pairs[p].name);
            sm_output_print(output, ", \"with\": ");
            sm_put_json_string(output, pairs[p].other);
            sm_output_print(output, ", \"interaction\": ");
            sm_put_json_number(output, pairs[p].interaction);
            sm_output_print(output, ", \"se\": ");
            sm_put_json_number(output, pairs[p].standard_error);
            sm_output_print(output, "}");
            continue;
        }
        sm_put_cell(output, pairs[p].name);
        sm_output_print(output, ",");
        sm_put_cell(output, pairs[p].other);
        sm_output_print(output, ",");
        sm_put_number(output, pairs[p].interaction);
        sm_output_print(output, ",");
        sm_put_number(output, pairs[p].standard_error);
        sm_output_print(output, "\n");
    }
    if (is_json) sm_output_print(output, "]}\n");
}

/* What there is to write: features, or pairs of them. */
typedef struct ranking {
    ranked *features;
    joined *pairs; /* NULL: features */
    size_t n, n_pairs;
    bool has_errors;
} ranking;

static smerf_status put_result(const cli_args *args, const ranking *result, smerf_error *error) {
    sm_output *output;
    smerf_status status = sm_output_open(cli_has(args, "-o") ? cli_get(args, "-o") : "-", &output, error);
    if (status != SMERF_OK) return status;
    if (result->pairs != NULL)
        put_joined(output, result->pairs, result->n_pairs, cli_has(args, "--json"));
    else if (cli_has(args, "--json"))
        put_json(output, result->features, result->n, result->has_errors);
    else
        put_csv(output, result->features, result->n, result->has_errors);
    return sm_output_finish(output, error);
}

static smerf_status no_memory(smerf_error *error) {
    strcpy(error->message, "out of memory while ranking features");
    return SMERF_NO_MEMORY;
}

/* Names the features, and puts them in order. */
static void rank_features(const smerf_model *model, const double *importance, ranking *result) {
    for (size_t f = 0; f < result->n; f++) {
        smerf_column column;
        smerf_model_feature(model, f, &column);
        result->features[f] = (ranked){
            .name = column.name, .place = f, .importance = importance[f], .standard_error = importance[result->n + f]};
    }
    qsort(result->features, result->n, sizeof *result->features, largest_first);
}

/* What the first `top` features do together. */
static smerf_status join_features(const smerf_model *model, const smerf_items *items, const smerf_target *truth,
                                  size_t top, const smerf_run *run, ranking *result, smerf_error *error) {
    uint32_t *places = calloc(top, sizeof *places);
    double *numbers = calloc(2 * top * top, sizeof *numbers);
    result->pairs = calloc(top * top, sizeof *result->pairs);
    smerf_status status = SMERF_OK;
    if (places == NULL || numbers == NULL || result->pairs == NULL) status = no_memory(error);
    for (size_t k = 0; k < top && status == SMERF_OK; k++) places[k] = (uint32_t)result->features[k].place;
    if (status == SMERF_OK)
        status =
            smerf_importance_interaction(model, items, truth, places, top, run, numbers, numbers + top * top, error);
    for (size_t j = 0; j < top && status == SMERF_OK; j++)
        for (size_t k = j + 1; k < top; k++, result->n_pairs++)
            result->pairs[result->n_pairs] = (joined){.name = result->features[j].name,
                                                      .other = result->features[k].name,
                                                      .place = result->n_pairs,
                                                      .interaction = numbers[j * top + k],
                                                      .standard_error = numbers[top * top + j * top + k]};
    if (status == SMERF_OK) qsort(result->pairs, result->n_pairs, sizeof *result->pairs, largest_together);
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
    smerf_description description;
    smerf_model_describe(model, &description);
    ranking result = {.n = description.n_features, .has_errors = is_permutation};
    double *importance = calloc(2 * result.n, sizeof *importance);
    result.features = calloc(result.n, sizeof *result.features);
    if (importance == NULL || result.features == NULL) {
        status = no_memory(error);
    } else if (is_permutation) {
        status = by_permutation(args, model, importance, &result, error);
    } else {
        status = smerf_importance_gain(model, importance, error);
        if (status == SMERF_OK) rank_features(model, importance, &result);
    }
    if (status == SMERF_OK) status = put_result(args, &result, error);
    free(importance);
    free(result.features);
    free(result.pairs);
    smerf_model_free(model);
    return status;
}

const cli_command cli_importance = {.name = "importance",
                                    .usage = "importance MODEL [ITEMS [TARGET] --permutation [--interactions N]]",
                                    .summary = "which features drive the distance",
                                    .fewest_words = 1,
                                    .most_words = 2,
                                    .option_groups = options,
                                    .run = run_importance};
