/* sparse_forests.h - for tests of targets that are lists of pairs: forests on them against those on the matrix. */
#ifndef TESTS_UNIT_SPARSE_FORESTS_H
#define TESTS_UNIT_SPARSE_FORESTS_H

#include "tests/unit/sparse.h"

/* Draws a data set, and options: everything that a forest may have. */
static inline data_set *draw_data(sm_random *random, size_t n_items, uint64_t seed) {
    data_plan plan = {.n_items = n_items,
                      .n_numbers = 1 + sm_random_below(random, 4),
                      .n_categories = sm_random_below(random, 3),
                      .missing = sm_random_below(random, 2) == 0 ? 0 : 0.15,
                      .seed = seed};
    data_set *data = data_set_new(plan);
    smerf_error error;
    double weights[MOST_ITEMS];
    bool are_whole = sm_random_below(random, 2) == 0;
    for (size_t i = 0; i < n_items; i++)
        weights[i] = are_whole ? 1 + sm_random_below(random, 5) : 0.1 + 3 * sm_random_uniform(random);
    if (sm_random_below(random, 2) == 0) demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    return data;
}

static inline smerf_options draw_options(sm_random *random) {
    static const smerf_sample samples[] = {SMERF_BOOTSTRAP, SMERF_BOOTSTRAP, SMERF_NO_SAMPLE, SMERF_SUBSAMPLE};
    static const double selves[] = {0, 1, 0.5};
    smerf_options options = options_for(3);
    options.seed = sm_random_word(random);
    options.sample = samples[sm_random_below(random, 4)];
    if (options.sample == SMERF_SUBSAMPLE) options.sample_fraction = 0.7;
    if (sm_random_below(random, 3) == 0) {
        options.splits = SMERF_OBLIQUE;
        options.density = 0.6;
    }
    options.self_distance = (smerf_self)sm_random_below(random, 3);
    if (options.self_distance == SMERF_SELF_VALUE) options.self_value = selves[sm_random_below(random, 3)];
    options.min_parent = 2 + sm_random_below(random, 2) * sm_random_below(random, 8);
    if (sm_random_below(random, 5) == 0) options.max_depth = 1 + sm_random_below(random, 4);
    options.complete = SMERF_COMPLETE_OFF;
    return options;
}

/* The float32 matrix that a target stands for. */
static inline void put_matrix(data_set *data, const known *all) {
    for (size_t i = 0; i < all->n; i++)
        for (size_t j = 0; j < all->n; j++) data->z[i * all->n + j] = (float)all->z[i][j];
}

#define ASSERT_SAME_ARRAY(left, right, field, n)                                                                       \
    do {                                                                                                               \
        if ((n) == 0) break;                                                                                           \
        assert_int_equal((left).field == NULL, (right).field == NULL);                                                 \
        if ((left).field != NULL) assert_memory_equal((left).field, (right).field, (n) * sizeof *(left).field);        \
    } while (0)

static inline void assert_same_tree(const smerf_model *a, const smerf_model *b, size_t tree, double largest) {
    smerf_tree_view left = SMERF_INIT(smerf_tree_view), right = SMERF_INIT(smerf_tree_view);
    double weights[2 * MOST_ITEMS];
    smerf_model_tree(a, tree, &left, NULL);
    smerf_model_tree(b, tree, &right, NULL);
    smerf_model_node_weights(a, tree, weights);
    assert_int_equal(left.n_nodes, right.n_nodes);
    size_t n_splits = left.n_splits, n_leaves = left.n_leaves;
    ASSERT_SAME_ARRAY(left, right, is_leaf, left.n_nodes);
    ASSERT_SAME_ARRAY(left, right, index, left.n_nodes);
    ASSERT_SAME_ARRAY(left, right, right, n_splits);
    ASSERT_SAME_ARRAY(left, right, threshold, n_splits);
    ASSERT_SAME_ARRAY(left, right, missing_left, n_splits);
    ASSERT_SAME_ARRAY(left, right, is_category, n_splits);
    ASSERT_SAME_ARRAY(left, right, first_term, n_splits + 1);
    ASSERT_SAME_ARRAY(left, right, term_feature, left.first_term[n_splits]);
    ASSERT_SAME_ARRAY(left, right, term_weight, left.first_term[n_splits]);
    ASSERT_SAME_ARRAY(left, right, term_level, left.first_term[n_splits]);
    ASSERT_SAME_ARRAY(left, right, first_left, n_splits + 1);
    if (left.first_left != NULL) ASSERT_SAME_ARRAY(left, right, left_level, left.first_left[n_splits]);
    ASSERT_SAME_ARRAY(left, right, first_member, n_leaves + 1);
    ASSERT_SAME_ARRAY(left, right, member_item, left.first_member[n_leaves]);
    ASSERT_SAME_ARRAY(left, right, member_draws, left.first_member[n_leaves]);
    for (size_t node = 0; node < left.n_nodes; node++) {
        if (left.is_leaf[node]) continue;
        double gain = right.gain[right.index[node]], slack = 1e-9 * fabs(gain) + 1e-12 * weights[node] * largest;
        assert_near(left.gain[left.index[node]], gain, slack);
    }
}

static inline void assert_same_predictions(const smerf_model *a, const smerf_model *b, const smerf_items *items,
                                           bool out_of_bag, double slack) {
    const smerf_request request = SMERF_INIT(smerf_request, .rows = items, .out_of_bag = out_of_bag);
    double *left = predict_all(a, &request, NULL), *right = predict_all(b, &request, NULL);
    size_t n = smerf_items_count(items);
    for (size_t k = 0; k < n * n; k++) {
        if (slack == 0 && !isnan(left[k])) assert_same_bits(left[k], right[k]);
        if (isnan(left[k]) != isnan(right[k])) fail_msg("%g and %g", left[k], right[k]);
        assert_near(left[k], right[k], slack);
    }
    free(left);
    free(right);
}

/* Saved and loaded, it is the same model in every bit. */
static inline void assert_survives(const smerf_model *model, const smerf_items *items) {
    smerf_model *again = NULL;
    smerf_error error;
    demand_ok(smerf_model_save(model, "survives.smerf", &error), &error);
    demand_ok(smerf_model_load("survives.smerf", &again, &error), &error);
    assert_same_model(model, again);
    assert_same_predictions(model, again, items, false, 0);
    smerf_model_free(again);
}

/* The forest on the target is the forest on the matrix. */
static inline void check_forest(data_set *data, smerf_target *target, const known *all, const smerf_options *options,
                                bool is_saved) {
    smerf_error error;
    smerf_model *model = NULL, *expected = NULL;
    double largest = 1;
    for (size_t i = 0; i < all->n; i++)
        for (size_t j = 0; j < all->n; j++) largest = fmax(largest, fabs(all->z[i][j]));
    put_matrix(data, all);
    demand_ok(smerf_fit(data->items, data->target, options, NULL, &expected, &error), &error);
    demand_ok(smerf_fit(data->items, target, options, NULL, &model, &error), &error);
    for (size_t b = 0; b < options->n_trees; b++) assert_same_tree(model, expected, b, largest);
    assert_same_predictions(model, expected, data->items, false, 1e-9 * largest);
    if (options->sample != SMERF_NO_SAMPLE) assert_same_predictions(model, expected, data->items, true, 1e-9 * largest);
    if (is_saved) assert_survives(model, data->items); /* which waits for the disk */
    smerf_model_free(model);
    smerf_model_free(expected);
}

/* Draws a target of n items, and what it knows. */
typedef smerf_target *(*sparse_maker)(known *all, size_t n, uint64_t round, sm_random *random);

/* A drawn target, data and options, so many times.   stream  of random numbers, other than those of other tests */
static inline void check_sparse_forests(sparse_maker draw, size_t n_rounds, uint32_t stream) {
    static known all;
    n_rounds = repetitions(n_rounds, 30); /* densities, values and files take turns */
    for (uint64_t round = 0; round < n_rounds; round++) {
        sm_random random;
        sm_random_start(&random, round, stream, 1);
        size_t n = 2 + sm_random_below(&random, 59);
        smerf_target *target = draw(&all, n, round, &random);
        data_set *data = draw_data(&random, n, round);
        smerf_options options = draw_options(&random);
        check_forest(data, target, &all, &options, round % 7 == 0);
        smerf_target_free(target);
        data_set_free(data);
    }
}

#endif
