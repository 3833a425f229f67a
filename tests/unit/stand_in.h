/* stand_in.h - a target stands for a matrix: it must grow the same trees as the matrix, and predict the same distances.
 *
 * stand_in_trials draws data sets and options of all sorts. The caller makes the target for one data set, and fills in
 * the matrix that it stands for, in numbers that float32 holds exactly. */
#ifndef TESTS_UNIT_STAND_IN_H
#define TESTS_UNIT_STAND_IN_H

#include "tests/unit/forests.h"

/*   z  [n][n] out: what the target stands for */
typedef smerf_target *(*stand_in_maker)(size_t n, sm_random *random, float *z);

static inline smerf_options draw_options(sm_random *random, const data_plan *plan) {
    smerf_options options = options_for(3);
    options.seed = sm_random_below(random, 1000);
    options.splits = sm_random_below(random, 3) == 0 ? SMERF_OBLIQUE : SMERF_AXIS;
    size_t n_features = plan->n_numbers + plan->n_categories;
    if (sm_random_below(random, 2) == 0) options.candidates = 1 + sm_random_below(random, (uint32_t)n_features);
    options.sample = (smerf_sample)sm_random_below(random, 3);
    if (options.sample == SMERF_SUBSAMPLE) options.sample_fraction = 0.7;
    options.min_parent = 2 + sm_random_below(random, 3);
    if (sm_random_below(random, 4) == 0) options.max_depth = sm_random_below(random, 4);
    options.self_distance = (smerf_self)sm_random_below(random, 3);
    if (options.self_distance == SMERF_SELF_VALUE) options.self_value = 0.5 * sm_random_below(random, 3);
    return options;
}

static inline void assert_close(double a, double b, double scale) {
    if (isnan(a) && isnan(b)) return;
    if (!(fabs(a - b) <= 1e-9 * scale)) fail_msg("%.17g is not %.17g", a, b);
}

static inline void assert_same_trees(const smerf_model *a, const smerf_model *b, size_t n_trees) {
    for (size_t t = 0; t < n_trees; t++) {
        smerf_tree_view left = SMERF_INIT(smerf_tree_view), right = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(a, t, &left, NULL);
        smerf_model_tree(b, t, &right, NULL);
        assert_int_equal(left.n_leaves, right.n_leaves);
        assert_memory_equal(left.is_leaf, right.is_leaf, left.n_nodes * sizeof *left.is_leaf);
        assert_memory_equal(left.threshold, right.threshold, left.n_splits * sizeof *left.threshold);
        assert_memory_equal(left.missing_left, right.missing_left, left.n_splits * sizeof *left.missing_left);
        assert_memory_equal(left.is_category, right.is_category, left.n_splits * sizeof *left.is_category);
        assert_memory_equal(left.first_term, right.first_term, (left.n_splits + 1) * sizeof *left.first_term);
        size_t n_terms = left.first_term[left.n_splits];
        assert_memory_equal(left.term_feature, right.term_feature, n_terms * sizeof *left.term_feature);
        assert_memory_equal(left.term_weight, right.term_weight, n_terms * sizeof *left.term_weight);
        if (left.first_left != NULL) {
            size_t n_left = left.first_left[left.n_splits];
            assert_int_equal(n_left, right.first_left[right.n_splits]);
            assert_memory_equal(left.left_level, right.left_level, n_left * sizeof *left.left_level);
        }
        size_t n_members = left.first_member[left.n_leaves];
        assert_memory_equal(left.first_member, right.first_member, (left.n_leaves + 1) * sizeof *left.first_member);
        assert_memory_equal(left.member_item, right.member_item, n_members * sizeof *left.member_item);
        double scale = 1;
        for (size_t s = 0; s < left.n_splits; s++) scale = fmax(scale, fabs(right.gain[s]));
        for (size_t s = 0; s < left.n_splits; s++) assert_close(left.gain[s], right.gain[s], scale);
    }
}

typedef struct collected {
    double *distances;
} collected;

static inline int collect_row(void *context, size_t row, const double *distances, size_t n_columns) {
    collected *to = context;
    memcpy(to->distances + row * n_columns, distances, n_columns * sizeof *distances);
    return 0;
}

/* All distances; to be freed. */
static inline double *all_distances(const smerf_model *model, const data_set *data, bool out_of_bag) {
    size_t n = data->plan.n_items;
    collected to = {.distances = calloc(n * n, sizeof *to.distances)};
    smerf_error error;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = out_of_bag);
    demand_ok(smerf_predict_rows(model, &request, NULL, collect_row, &to, &error), &error);
    return to.distances;
}

static inline void assert_same_distances(const smerf_model *a, const smerf_model *b, const data_set *data,
                                         bool out_of_bag) {
    size_t n = data->plan.n_items;
    double *left = all_distances(a, data, out_of_bag), *right = all_distances(b, data, out_of_bag), scale = 1;
    for (size_t k = 0; k < n * n; k++)
        if (!isnan(right[k])) scale = fmax(scale, fabs(right[k]));
    for (size_t k = 0; k < n * n; k++) assert_close(left[k], right[k], scale);
    for (size_t i = 0; i < n; i++) /* symmetric to the last bit */
        for (size_t j = 0; j < i; j++)
            assert_true(left[i * n + j] == left[j * n + i] || (isnan(left[i * n + j]) && isnan(left[j * n + i])));
    free(left);
    free(right);
}

/* Listed pairs are the same as whole rows, to the last bit. */
static inline void assert_pairs_are_rows(const smerf_model *model, const data_set *data) {
    size_t n = data->plan.n_items;
    uint32_t *left = calloc(n * n, sizeof *left), *right = calloc(n * n, sizeof *right);
    double *distance = calloc(n * n, sizeof *distance), *rows = all_distances(model, data, false);
    smerf_error error;
    for (size_t k = 0; k < n * n; k++) {
        left[k] = (uint32_t)(k / n);
        right[k] = (uint32_t)(k % n);
    }
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    demand_ok(smerf_predict_pairs(model, &request, &(smerf_pair_list){.n = n * n, .left = left, .right = right}, NULL,
                                  &SMERF_INIT(smerf_pair_result, .distance = distance), &error),
              &error);
    assert_memory_equal(distance, rows, n * n * sizeof *rows);
    free(left);
    free(right);
    free(distance);
    free(rows);
}

static inline void stand_in_trial(size_t trial, stand_in_maker make) {
    sm_random random;
    sm_random_start(&random, trial, 1234, 5);
    data_plan plan = {.n_items = trial % 7 == 0 ? 2 : 2 + sm_random_below(&random, 50),
                      .n_numbers = 1 + sm_random_below(&random, 4),
                      .n_categories = sm_random_below(&random, 3),
                      .missing = sm_random_below(&random, 2) * 0.2,
                      .seed = trial};
    data_set *data = data_set_new(plan);
    for (size_t k = 0; k < plan.n_numbers * plan.n_items && trial % 3 == 0; k++) /* ties */
        data->values[k] = round(2 * data->values[k]);
    smerf_error error;
    smerf_target_free(data->target);
    smerf_target *target = make(plan.n_items, &random, data->z);
    demand_ok(smerf_target_new_distances(data->z, plan.n_items, &data->target, &error), &error);
    double weights[64];
    for (size_t i = 0; i < plan.n_items; i++) weights[i] = 0.25 * (1 + sm_random_below(&random, 8));
    if (trial % 4 == 1) demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);

    smerf_options options = draw_options(&random, &plan);
    options.complete = SMERF_COMPLETE_OFF;
    smerf_model *dense = fit_with(data, &options, NULL), *model = NULL, *loaded = NULL;
    demand_ok(smerf_fit(data->items, target, &options, NULL, &model, &error), &error);
    assert_same_trees(model, dense, options.n_trees);
    assert_same_distances(model, dense, data, false);
    if (options.sample != SMERF_NO_SAMPLE) assert_same_distances(model, dense, data, true);
    assert_pairs_are_rows(model, data);
    demand_ok(smerf_model_save(model, "stand-in.smerf", &error), &error);
    demand_ok(smerf_model_load("stand-in.smerf", &loaded, &error), &error);
    assert_same_model(model, loaded);
    smerf_model_free(loaded);
    smerf_model_free(model);
    smerf_model_free(dense);
    smerf_target_free(target);
    data_set_free(data);
}

static inline void stand_in_trials(size_t n_trials, stand_in_maker make) {
    n_trials = repetitions(n_trials, 24); /* sizes, ties, weights and options take turns */
    for (size_t trial = 0; trial < n_trials; trial++) stand_in_trial(trial, make);
}

#endif
