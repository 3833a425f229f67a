/* test_example_target.c - a kind of target that is a file of 150 lines grows the trees that its distances grow when they are given as a
 * matrix, gain by gain, and predicts what these predict: on data with everything in it. */
#include "tests/unit/forests.h"

#include "tests/unit/example_target.c" /* as a newcomer would copy it: not part of the library */
#include "tests/unit/per_item.h"

static const data_plan plans[] = {
    {.n_items = 90, .n_numbers = 5, .seed = 1},
    {.n_items = 120, .n_numbers = 3, .n_categories = 2, .missing = 0.15, .seed = 2},
    {.n_items = 240, .n_numbers = 6, .missing = 0.05, .seed = 3}, /* large enough for approximate costs of the matrix */
};

/* Codes that have to do with the first columns; their distances as data->z. */
static data_set *draw_bits(data_plan plan, double self, smerf_target **target) {
    data_set *data = data_set_start(plan);
    size_t n = plan.n_items;
    uint32_t codes[512];
    smerf_error error;
    sm_random random;
    sm_random_start(&random, plan.seed, 79, n);
    draw_features(data, &random);
    assert_true(n <= sizeof codes / sizeof *codes);
    for (size_t i = 0; i < n; i++) {
        double x = hidden(data, i);
        codes[i] = (x > 0 ? 0xFFu : 0) | (x > 1 ? 0xFF00u : 0) | sm_random_below(&random, 8) << 16;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            data->z[i * n + j] = i == j ? (float)self : (float)__builtin_popcount(codes[i] ^ codes[j]);
    data_set_finish(data);
    demand_ok(new_bits(codes, n, self, target, &error), &error);
    return data;
}

static void assert_same_predictions(const smerf_model *a, const smerf_model *b, const data_set *data) {
    size_t n = data->plan.n_items;
    for (int out_of_bag = 0; out_of_bag < 2; out_of_bag++) {
        const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = out_of_bag);
        double *left = predict_all(a, &request, NULL), *right = predict_all(b, &request, NULL);
        assert_memory_equal(left, right, n * n * sizeof *left);
        free(left);
        free(right);
    }
}

/* Means of nodes are found from those of leaves, in another order than those of a matrix. */
static void assert_same_explanations(const smerf_model *a, const smerf_model *b, const data_set *data) {
    enum { N_PAIRS = 40, MOST_FEATURES = 8 };
    uint32_t left[N_PAIRS], right[N_PAIRS];
    double baseline[2][N_PAIRS], contributions[2][N_PAIRS * MOST_FEATURES] = {0}, distance[2][N_PAIRS];
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    for (uint32_t k = 0; k < N_PAIRS; k++) {
        left[k] = k;
        right[k] = (uint32_t)((7 * k + 5) % data->plan.n_items);
    }
    const smerf_pair_list pairs = {.n = N_PAIRS, .left = left, .right = right};
    for (int which = 0; which < 2; which++) {
        smerf_error error;
        smerf_explanation result = SMERF_INIT(smerf_explanation, .baseline = baseline[which],
                                              .contributions = contributions[which], .distance = distance[which]);
        demand_ok(smerf_explain_pairs(which == 0 ? a : b, &request, &pairs, NULL, &result, &error), &error);
    }
    assert_memory_equal(distance[0], distance[1], sizeof distance[0]);
    for (size_t k = 0; k < N_PAIRS; k++) assert_true(fabs(baseline[0][k] - baseline[1][k]) < 1e-9);
    for (size_t k = 0; k < N_PAIRS * MOST_FEATURES; k++)
        assert_true(fabs(contributions[0][k] - contributions[1][k]) < 1e-9);
}

/* Distances and weights are whole numbers, so that all sums are exact: nothing may differ, not even the last bit of a gain. */
static void a_new_kind_grows_and_predicts_what_its_matrix_does(void **state) {
    (void)state;
    for (unsigned way = 0; way < 12; way++) {
        smerf_target *target;
        data_set *data = draw_bits(plans[way % 3], way % 2 == 0 ? 0 : 2, &target);
        smerf_options options = options_for(6);
        options.splits = way % 4 == 3 ? SMERF_OBLIQUE : SMERF_AXIS;
        options.candidates = 5;
        options.min_parent = way < 6 ? 2 : 12;
        if (way % 5 == 4) {
            options.self_distance = SMERF_SELF_VALUE;
            options.self_value = 3;
        }
        smerf_model *model = NULL, *dense = fit_with(data, &options, NULL);
        smerf_error error;
        demand_ok(smerf_fit(data->items, target, &options, NULL, &model, &error), &error);
        assert_same_arrays(model, dense, options.n_trees);
        for (size_t t = 0; t < options.n_trees; t++) assert_true(same_tree(model, t, dense, t));
        assert_same_predictions(model, dense, data);
        assert_same_explanations(model, dense, data);
        smerf_model_free(model);
        smerf_model_free(dense);
        smerf_target_free(target);
        data_set_free(data);
    }
}

/* What it says of an item and itself is in the trees: the test above can tell. */
static void another_target_grows_other_trees(void **state) {
    (void)state;
    smerf_target *target, *other;
    data_set *data = draw_bits(plans[0], 0, &target), *same = draw_bits(plans[0], 9, &other);
    smerf_options options = options_for(1);
    smerf_model *a = NULL, *b = NULL;
    smerf_error error;
    demand_ok(smerf_fit(data->items, target, &options, NULL, &a, &error), &error);
    demand_ok(smerf_fit(data->items, other, &options, NULL, &b, &error), &error);
    assert_false(same_tree(a, 0, b, 0));
    smerf_model_free(a);
    smerf_model_free(b);
    smerf_target_free(target);
    smerf_target_free(other);
    data_set_free(data);
    data_set_free(same);
}

static size_t n_searches;
static bool does_fit;

static sm_search *count_search(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    n_searches++;
    return bits_engine.search_new(target, size, error);
}

static bool say_whether_it_fits(const smerf_target *target, const sm_search_size *size) {
    assert_ptr_equal(target->kind->engines[1], &bits_engine);
    assert_true(size->n_levels == 0 && size->are_draws);
    return does_fit;
}

static void the_first_engine_that_fits_grows_the_trees(void **state) {
    (void)state;
    smerf_target *target;
    data_set *data = draw_bits(plans[0], 0, &target);
    smerf_options options = options_for(2);
    const smerf_run one_thread = SMERF_INIT(smerf_run, .n_threads = 1);
    smerf_error error;
    sm_engine quicker = bits_engine;
    sm_target_kind kind = bits_kind;
    quicker.fits = say_whether_it_fits;
    quicker.search_new = count_search;
    kind.engines[0] = &quicker;
    kind.engines[1] = &bits_engine;
    target->kind = &kind;
    smerf_model *dense = fit_with(data, &options, &one_thread);
    for (size_t fits = 0; fits < 2; fits++) {
        smerf_model *model = NULL;
        n_searches = 0;
        does_fit = fits;
        demand_ok(smerf_fit(data->items, target, &options, &one_thread, &model, &error), &error);
        assert_int_equal(n_searches, fits);
        for (size_t t = 0; t < options.n_trees; t++) assert_true(same_tree(model, t, dense, t));
        smerf_model_free(model);
    }
    smerf_model_free(dense);
    smerf_target_free(target);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_kind_grows_and_predicts_what_its_matrix_does),
        cmocka_unit_test(another_target_grows_other_trees),
        cmocka_unit_test(the_first_engine_that_fits_grows_the_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
