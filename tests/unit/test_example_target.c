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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_kind_grows_and_predicts_what_its_matrix_does),
        cmocka_unit_test(another_target_grows_other_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
