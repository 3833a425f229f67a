/* linear_data.h - for tests of the linear methods: every kind of target over random items, with what it says of each pair
 * told as two plain matrices, and sums over all of them. */
#ifndef TESTS_UNIT_LINEAR_DATA_H
#define TESTS_UNIT_LINEAR_DATA_H

#include "tests/unit/stand_in.h"

#include "method/linear/linear.h"
#include "model/model.h"
#include "target/target.h"

enum { MOST_N = 60, MOST_P = 24 };

typedef enum target_sort {
    MATRIX,
    NO_DIAGONAL,
    LABELS,
    RESPONSE,
    PRODUCT,
    ABSOLUTE,
    GRAPH,
    PAIRS,
    WEIGHTED_PAIRS,
    OBSERVED,
    N_SORTS
} target_sort;

typedef struct linear_data {
    data_set *data;
    smerf_target *target;
    size_t n, p;
    double x[MOST_N][MOST_P];                         /* the design */
    double z[MOST_N][MOST_N], weight[MOST_N][MOST_N]; /* 0: the pair has no say */
    double item_weight[MOST_N];
} linear_data;

/* One-hot, and means for what is missing. */
static inline void lay_out(linear_data *at) {
    const smerf_items *items = at->data->items;
    for (size_t f = 0; f < items->features.n; f++) {
        size_t width = sm_are_numbers(&items->numbers[f]) ? 1 : items->features.feature[f].levels.n;
        assert_true(at->p + width <= MOST_P);
        for (size_t c = 0; c < width; c++) {
            double sum = 0, count = 0;
            for (size_t i = 0; i < at->n; i++) {
                bool is_missing = sm_are_numbers(&items->numbers[f]) ? isnan(sm_number_at(&items->numbers[f], i))
                                                                     : items->codes[f][i] == SMERF_MISSING;
                double value =
                    sm_are_numbers(&items->numbers[f]) ? sm_number_at(&items->numbers[f], i) : items->codes[f][i] == c;
                at->x[i][at->p + c] = is_missing ? NAN : value;
                if (!is_missing) sum += value, count++;
            }
            for (size_t i = 0; i < at->n; i++)
                if (isnan(at->x[i][at->p + c])) at->x[i][at->p + c] = count > 0 ? sum / count : 0;
        }
        at->p += width;
    }
}

static inline smerf_target *draw_columns(const linear_data *at, target_sort sort, sm_random *random) {
    static const char *const names[] = {"t0", "t1"};
    static const char *const classes[] = {"a", "b", "c"};
    double values[2][MOST_N];
    uint32_t codes[MOST_N];
    const double *columns[] = {values[0], values[1]};
    smerf_target *target = NULL;
    smerf_error error;
    for (size_t i = 0; i < at->n; i++) {
        codes[i] = (uint32_t)(fabs(hidden(at->data, i)) * 1.7) % 3;
        values[0][i] = 1000 + hidden(at->data, i) + 0.1 * sm_random_normal(random);
        values[1][i] = sm_random_normal(random);
        if (sort == PRODUCT) values[0][i] -= 999;
    }
    if (sort == LABELS)
        demand_ok(smerf_target_new_labels("t", codes, at->n, classes, 3, &target, &error), &error);
    else if (sort == ABSOLUTE)
        demand_ok(smerf_target_new_absolute("t", values[0], at->n, &target, &error), &error);
    else
        demand_ok((sort == RESPONSE ? smerf_target_new_response : smerf_target_new_product)(names, columns, 2, at->n,
                                                                                            &target, &error),
                  &error);
    return target;
}

/* Some pairs; where they are weighted, (i, i) of some items too. */
static inline smerf_target *draw_pairs(linear_data *at, target_sort sort, sm_random *random) {
    static uint32_t left[MOST_N * MOST_N], right[MOST_N * MOST_N];
    static double value[MOST_N * MOST_N], weight[MOST_N * MOST_N];
    smerf_pair_list list = {.left = left, .right = right, .value = value};
    smerf_target *target = NULL;
    smerf_error error;
    if (sort == WEIGHTED_PAIRS) list.weight = weight;
    for (size_t i = 0; i < at->n; i++)
        for (size_t j = 0; j <= i; j++) {
            if (i == j ? sort != WEIGHTED_PAIRS || i % 2 == 0 : sm_random_uniform(random) < 0.4) continue;
            left[list.n] = (uint32_t)i;
            right[list.n] = (uint32_t)j;
            value[list.n] = (double)at->data->z[i * at->n + j];
            weight[list.n] = sort == WEIGHTED_PAIRS ? exp(sm_random_normal(random)) : 1;
            at->weight[i][j] = at->weight[j][i] = weight[list.n++];
        }
    if (sort != OBSERVED) {
        demand_ok(smerf_target_new_pairs(&list, at->n, &target, &error), &error);
        return target;
    }
    smerf_pair_list edges = {.n = list.n / 3, .left = left, .right = right, .value = value};
    demand_ok(smerf_target_new_graph(&edges, &list, at->n, &target, &error), &error);
    return target;
}

static inline smerf_target *draw_target(linear_data *at, target_sort sort, sm_random *random) {
    smerf_target *target = NULL;
    smerf_error error;
    if (sort == PAIRS || sort == WEIGHTED_PAIRS || sort == OBSERVED) return draw_pairs(at, sort, random);
    for (size_t i = 0; i < at->n; i++)
        for (size_t j = 0; j < at->n; j++) at->weight[i][j] = i != j || (sort != NO_DIAGONAL && sort != GRAPH);
    if (sort == MATRIX || sort == NO_DIAGONAL) {
        demand_ok(smerf_target_new_distances(at->data->z, at->n, &target, &error), &error);
        if (sort == NO_DIAGONAL) smerf_target_note_no_diagonal(target);
        return target;
    }
    if (sort != GRAPH) return draw_columns(at, sort, random);
    uint32_t left[3 * MOST_N], right[3 * MOST_N];
    double value[3 * MOST_N];
    smerf_pair_list edges = {.left = left, .right = right, .value = value};
    for (size_t i = 0; i < at->n; i++)
        for (size_t step = 1; step < 4 && i + step * step < at->n; step++) {
            left[edges.n] = (uint32_t)i;
            right[edges.n] = (uint32_t)(i + step * step);
            value[edges.n++] = 0.2 + sm_random_uniform(random);
        }
    demand_ok(smerf_target_new_graph(&edges, NULL, at->n, &target, &error), &error);
    return target;
}

static inline linear_data *linear_data_new(data_plan plan, target_sort sort, bool has_weights) {
    linear_data *at = calloc(1, sizeof *at);
    sm_random random;
    smerf_error error;
    assert_non_null(at);
    sm_random_start(&random, plan.seed, 8, sort);
    at->data = data_set_new(plan);
    at->n = plan.n_items;
    lay_out(at);
    at->target = draw_target(at, sort, &random);
    for (size_t i = 0; i < at->n; i++) at->item_weight[i] = has_weights ? exp(sm_random_normal(&random)) : 1;
    if (has_weights) demand_ok(smerf_items_set_weights(at->data->items, "w", at->item_weight, &error), &error);
    for (size_t i = 0; i < at->n; i++) {
        at->target->kind->data.true_row(at->target, i, at->z[i]);
        for (size_t j = 0; j < at->n; j++) at->weight[i][j] *= at->item_weight[i] * at->item_weight[j];
    }
    return at;
}

static inline void linear_data_free(linear_data *at) {
    smerf_target_free(at->target);
    data_set_free(at->data);
    free(at);
}

static inline smerf_model *fit_linear(const linear_data *at, smerf_method method, size_t n_threads) {
    smerf_options options = options_for(1);
    options.method = method;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    smerf_model *model = NULL;
    smerf_error error;
    demand_ok(smerf_fit(at->data->items, at->target, &options, &run, &model, &error), &error);
    return model;
}

static inline double diagnostic(const smerf_model *model, const char *name) {
    for (size_t k = 0; k < model->diagnostics.n; k++)
        if (strcmp(model->diagnostics.diagnostic[k].name, name) == 0) return model->diagnostics.diagnostic[k].value;
    fail_msg("there is no finding '%s'", name);
    return NAN;
}

#endif
