/* test_leaves.c - where items end in the trees, against a walk down each tree by hand. */
#include "tests/unit/fake_kinds.h"

enum { N_TREES = 7 };

static uint32_t *predict_leaves(const smerf_model *model, const data_set *data, const sm_limits *limits,
                                size_t n_threads) {
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    smerf_error error;
    uint32_t *leaves = malloc(data->plan.n_items * N_TREES * sizeof *leaves);
    assert_non_null(leaves);
    demand_ok(sm_predict_leaves(model, data->items, limits, &run, leaves, &error), &error);
    return leaves;
}

static void assert_leaves(const smerf_model *model, const data_set *data) {
    uint32_t *found = predict_leaves(model, data, &sm_usual_limits, 2);
    for (size_t b = 0; b < N_TREES; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        for (size_t i = 0; i < data->plan.n_items; i++)
            assert_int_equal(found[i * N_TREES + b], slow_leaf(model, &tree, data, i));
    }
    free(found);
}

static void leaves_are_those_of_a_walk_down_each_tree(void **state) {
    (void)state;
    data_set *data = mixed_data(50);
    smerf_options options = options_for(N_TREES);
    for (int is_oblique = 0; is_oblique < 2; is_oblique++) {
        options.splits = is_oblique ? SMERF_OBLIQUE : SMERF_AXIS;
        smerf_model *model = fit_with(data, &options, NULL);
        assert_leaves(model, data);
        data_set *others = data_set_new((data_plan){
            .n_items = 700, .n_numbers = 3, .n_categories = 2, .missing = 0.1, .seed = 9}); /* several tasks */
        assert_leaves(model, others);
        data_set_free(others);
        smerf_model_free(model);
    }
    data_set_free(data);
}

static void threads_and_limits_change_no_leaf(void **state) {
    (void)state;
    data_set *data = mixed_data(300);
    smerf_options options = options_for(N_TREES);
    smerf_model *model = fit_with(data, &options, NULL);
    uint32_t *expected = predict_leaves(model, data, &sm_usual_limits, 1);
    for (size_t k = 0; k < N_LIMITS; k++)
        for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
            uint32_t *found = predict_leaves(model, data, &small_limits[k], n_threads);
            assert_memory_equal(found, expected, 300 * N_TREES * sizeof *found);
            free(found);
        }
    free(expected);
    smerf_model_free(model);
    data_set_free(data);
}

static void a_model_without_trees_has_no_leaves(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    smerf_options options = options_for(N_TREES);
    options.method = SMERF_METHOD_EUCLIDEAN;
    smerf_model *model = fit_with(data, &options, NULL);
    uint32_t leaves[10 * N_TREES];
    smerf_error error;
    assert_int_equal(smerf_predict_leaves(model, data->items, NULL, leaves, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "the model was made by the method 'euclidean', which has no notion of leaves");
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_are_those_of_a_walk_down_each_tree),
        cmocka_unit_test(threads_and_limits_change_no_leaf),
        cmocka_unit_test(a_model_without_trees_has_no_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
