/* pair_forest_fit.c - learns rfd (a forest on pairs) and plugin (a regression forest, and the variance of its out-of-bag
 * residuals). Both grow our own forest on the way, and keep what prediction needs of it. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "method/fit/grow_part.h"
#include "method/pair_forest/fit/rfd_pairs.h"
#include "method/pair_forest/pair_forest.h"
#include "method/trainer.h"
#include "target/vectors/vectors.h"

/* ---- growing, as a part of the whole job ---- */

/* The options that are about growing; the target is taken as it is. */
static smerf_options growing_options(const smerf_options *options) {
    smerf_options inner = *options;
    inner.method = SMERF_METHOD_FOREST;
    inner.self_distance = SMERF_SELF_GIVEN;
    inner.complete = SMERF_COMPLETE_OFF;
    inner.rank = 0;
    return inner;
}

/* ---- rfd: the forest ---- */

/* Trees are grown so many at a time: while they grow they take several times what is kept of them. */
enum { TREES_AT_A_TIME = 64 };

/* The pairs as items with a response. */
typedef struct pair_items {
    double *values; /* [n_features][n] */
    double *z;      /* [n] times 1 / scale */
    double *weight; /* [n] or NULL */
    size_t n, n_features;
    double scale; /* a power of two: the largest |z| becomes one digit or less, which squares can take */
    smerf_items *items;
    smerf_target *target;
} pair_items;

static void pair_items_free(pair_items *made) {
    smerf_items_free(made->items);
    smerf_target_free(made->target);
    sm_free(made->values);
    sm_free(made->z);
    sm_free(made->weight);
}

/* A forest needs two items: one pair is listed twice, which changes no mean. */
static size_t listed_pair(const sm_rfd_pairs *pairs, size_t k) { return k < pairs->n ? k : 0; }

static double scale_of_distances(const sm_rfd_pairs *pairs) {
    double largest = 0;
    int exponent;
    for (size_t p = 0; p < pairs->n; p++) largest = fmax(largest, fabs(pairs->z[p]));
    frexp(largest, &exponent);
    return largest > 0 ? ldexp(1, exponent) : 1;
}

static void fill_pair_items(pair_items *made, const sm_rfd_pairs *pairs, const sm_item_numbers *numbers) {
    for (size_t k = 0; k < made->n; k++) {
        size_t p = listed_pair(pairs, k);
        const double *x = sm_item_numbers_of(numbers, pairs->left[p]),
                     *y = sm_item_numbers_of(numbers, pairs->right[p]);
        for (size_t f = 0; f < made->n_features; f++) made->values[f * made->n + k] = sm_pair_feature(x, y, f);
        made->z[k] = pairs->z[p] / made->scale;
        if (made->weight != NULL) made->weight[k] = pairs->weight[p];
    }
}

/* The columns are called by their numbers: nobody will see their names. */
static smerf_status make_pair_items(pair_items *made, smerf_error *error) {
    static const char *const response[] = {"z"};
    const double *z = made->z;
    smerf_column *columns = sm_array(made->n_features, sizeof *columns);
    char(*names)[24] = sm_array(made->n_features, sizeof *names);
    smerf_status status = columns != NULL && names != NULL ? SMERF_OK : sm_no_memory(error, "describing pairs");
    for (size_t f = 0; f < made->n_features && status == SMERF_OK; f++) {
        snprintf(names[f], sizeof names[f], "%zu", f);
        columns[f] = (smerf_column){.name = names[f], .kind = SMERF_NUMBER, .values = made->values + f * made->n};
    }
    if (status == SMERF_OK) status = smerf_items_new(columns, made->n_features, made->n, &made->items, error);
    if (status == SMERF_OK && made->weight != NULL)
        status = smerf_items_set_weights(made->items, "weight", made->weight, error);
    if (status == SMERF_OK) status = smerf_target_new_response(response, &z, 1, made->n, &made->target, error);
    sm_free(columns);
    sm_free(names);
    return status;
}

static smerf_status pair_items_start(pair_items *made, const sm_rfd_pairs *pairs, const sm_item_numbers *numbers,
                                     smerf_error *error) {
    *made = (pair_items){
        .n = pairs->n > 1 ? pairs->n : 2, .n_features = 2 * numbers->n, .scale = scale_of_distances(pairs)};
    /* a feature also has its ranks */
    double bytes = (double)made->n * (double)made->n_features * (sizeof(double) + sizeof(uint32_t));
    smerf_status status = sm_check_memory(bytes, "describing pairs by their features", error);
    if (status != SMERF_OK) return status;
    made->values = sm_array(sm_size(made->n, made->n_features, 0), sizeof *made->values);
    made->z = sm_array(made->n, sizeof *made->z);
    if (pairs->weight != NULL) made->weight = sm_array(made->n, sizeof *made->weight);
    if (made->values == NULL || made->z == NULL || (pairs->weight != NULL && made->weight == NULL))
        return sm_no_memory(error, "describing pairs by their features");
    fill_pair_items(made, pairs, numbers);
    return make_pair_items(made, error);
}

/* Two thirds of the pair features, unless a number or power is given (the paper says nothing of this forest): where few matter, the usual third often misses them (docs/methods/forests.md has
 * numbers). */
static smerf_options pair_tree_options(const smerf_options *options, size_t n_features) {
    smerf_options inner = growing_options(options);
    bool is_free = inner.candidates == SMERF_CANDIDATES_AUTO || inner.candidates == SMERF_CANDIDATES_PAPER;
    if (is_free && inner.candidates_power == 0) inner.candidates = (2 * n_features + 2) / 3;
    return inner;
}

static smerf_status grow_pair_trees(const sm_training_set *training, const pair_items *made, sm_value_forest *forest,
                                    smerf_error *error) {
    smerf_options options = pair_tree_options(training->options, made->n_features);
    size_t n_trees = options.n_trees, first_tree = options.first_tree;
    smerf_status status = sm_value_forest_start(forest, n_trees, 1, error);
    for (size_t b = 0; b < n_trees && status == SMERF_OK; b += options.n_trees) {
        smerf_model *model = NULL;
        options.first_tree = first_tree + b;
        options.n_trees = n_trees - b < TREES_AT_A_TIME ? n_trees - b : TREES_AT_A_TIME;
        const double fractions[2] = {(double)b / (double)n_trees, (double)(b + options.n_trees) / (double)n_trees};
        status = sm_grow_part(made->items, made->target, &options, training->pool, fractions, &model, error);
        if (status == SMERF_OK) status = sm_value_forest_take(forest, b, model, made->scale, error);
        smerf_model_free(model);
    }
    return status;
}

smerf_status sm_rfd_grow(const sm_training_set *training, const sm_rfd_pairs *pairs, sm_value_forest *forest,
                         smerf_error *error) {
    sm_item_numbers numbers;
    pair_items made = {0};
    smerf_status status = sm_item_numbers_start(&numbers, training->view, training->features, error);
    if (status != SMERF_OK) return status;
    status = pair_items_start(&made, pairs, &numbers, error);
    sm_item_numbers_free(&numbers);
    if (status == SMERF_OK) status = grow_pair_trees(training, &made, forest, error);
    pair_items_free(&made);
    return status;
}

/* ---- rfd: steps 1 to 4 of rfd.c ---- */

static smerf_status rfd_check(const sm_training_set *training, smerf_error *error) {
    if (sm_rfd_n_known(training->target) == 0)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "rfd: no distance of two different items is known; a forest on pairs needs at least one");
    return SMERF_OK;
}

static smerf_status rfd_fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                            smerf_error *error) {
    sm_rfd_pairs pairs = {0};
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "learning");
    training->pool->fraction_to = 0; /* the forest is what progress is about */
    smerf_status status = sm_rfd_pairs_choose(&pairs, training, error);
    if (status == SMERF_OK) status = sm_rfd_grow(training, &pairs, &learned->forest, error);
    if (status == SMERF_OK) {
        sm_diagnostics_add(diagnostics, "pairs", (double)pairs.n);
        sm_diagnostics_add(diagnostics, "pairs known", (double)pairs.n_known);
        sm_diagnostics_add(diagnostics, "pair features", 2 * (double)sm_item_numbers_count(training->features));
        *out = learned;
        learned = NULL;
    }
    sm_rfd_pairs_free(&pairs);
    sm_pair_forest_free(learned);
    return status;
}

const sm_trainer sm_trainer_rfd = {.check = rfd_check, .fit = rfd_fit};

/* ---- plugin ---- */

static smerf_status plugin_check(const sm_training_set *training, smerf_error *error) {
    if (training->target->kind != &sm_target_response)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "plugin: needs a response, the number itself and not distances; the target is '%s'",
                       sm_target_public_name(training->target));
    if (training->options->sample == SMERF_NO_SAMPLE)
        return sm_fail(
            error, SMERF_BAD_INPUT,
            "plugin: {sample none} leaves no item out of a tree, and so no residuals; take {sample bootstrap}");
    return SMERF_OK;
}

/* By item weights, as everything in the forest. Items that every tree has seen do not count. */
static double mean_residual(const sm_training_set *training, const double *predicted, size_t n_values) {
    const sm_vectors *response = sm_columns_vectors(training->target);
    double sum = 0, total = 0;
    for (size_t i = 0; i < response->n_items; i++) {
        double square = 0, weight = training->weights != NULL ? training->weights[i] : 1;
        for (size_t v = 0; v < n_values; v++) {
            double difference = predicted[i * n_values + v] - response->u[i * n_values + v];
            square += difference * difference;
        }
        if (isnan(square)) continue;
        sum += weight * square;
        total += weight;
    }
    return sum / total;
}

static smerf_status find_residual(const sm_training_set *training, const smerf_model *model, double *residual,
                                  smerf_error *error) {
    size_t n_values = smerf_model_n_values(model);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = training->items, .out_of_bag = true);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = training->pool->n_threads);
    double *predicted = sm_array(sm_size(training->items->n_items, n_values, 0), sizeof *predicted);
    if (predicted == NULL) return sm_no_memory(error, "predicting responses");
    smerf_status status = smerf_predict_values(model, &request, &run, predicted, error);
    if (status == SMERF_OK) *residual = mean_residual(training, predicted, n_values);
    sm_free(predicted);
    if (status == SMERF_OK && !isfinite(*residual))
        return sm_fail(error, SMERF_BAD_INPUT,
                       "plugin: every tree has seen every item, so there are no residuals; take more trees");
    return status;
}

static smerf_status plugin_fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                               smerf_error *error) {
    static const double most_of_it[2] = {0, 0.98};
    const smerf_options options = growing_options(training->options);
    smerf_model *model = NULL;
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    smerf_status status = learned != NULL ? SMERF_OK : sm_no_memory(error, "learning");
    if (status == SMERF_OK)
        status = sm_grow_part(training->items, training->target, &options, training->pool, most_of_it, &model, error);
    if (status == SMERF_OK) status = find_residual(training, model, &learned->residual, error);
    if (status == SMERF_OK)
        status = sm_value_forest_start(&learned->forest, options.n_trees, smerf_model_n_values(model), error);
    if (status == SMERF_OK) status = sm_value_forest_take(&learned->forest, 0, model, 1, error);
    if (status == SMERF_OK) {
        sm_diagnostics_add(diagnostics, "residual variance", learned->residual);
        *out = learned;
        learned = NULL;
    }
    smerf_model_free(model);
    sm_pair_forest_free(learned);
    return status;
}

const sm_trainer sm_trainer_plugin = {.check = plugin_check, .fit = plugin_fit};
