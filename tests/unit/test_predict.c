/* test_predict.c - a predicted distance is the mean over the trees of the mean between two leaves, the same to the last
 * bit whoever asks and however; out of bag only those speak who may. */
#include "tests/unit/questions.h"

#include "model/model.h"

/* ---- as the paper says ---- */

/* Eq. (3), and the spread over the trees. In the bag: a NULL rule. */
static double slow_distance(const smerf_model *model, const data_set *data, const double *weights, size_t i, size_t j,
                            const smerf_oob_rule *rule, double *spread) {
    smerf_description description = SMERF_INIT(smerf_description);
    double values[500], sum = 0, squares = 0;
    size_t n = 0;
    smerf_model_describe(model, &description, NULL);
    for (size_t b = 0; b < description.options->n_trees; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        if (rule != NULL && !may_speak(&tree, i, j, *rule)) continue;
        size_t from = slow_leaf(model, &tree, data, i), to = slow_leaf(model, &tree, data, j);
        sum += values[n++] = slow_leaf_distance(data, &tree, from, to, weights, NULL);
    }
    double mean = sum / (double)n; /* NaN if no tree speaks */
    for (size_t k = 0; k < n; k++) squares += (values[k] - mean) * (values[k] - mean);
    if (spread != NULL) *spread = n == 1 ? 0 : n == 0 ? NAN : sqrt(squares / (double)(n - 1));
    return mean;
}

static void assert_as_told(const smerf_model *model, const data_set *data, const double *weights,
                           const smerf_oob_rule *rule) {
    size_t n = data->plan.n_items;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = rule != NULL,
                                             .oob_rule = rule != NULL ? *rule : SMERF_OOB_AS_FITTED);
    double *found = predict_all(model, &request, NULL);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            assert_near(found[i * n + j], slow_distance(model, data, weights, i, j, rule, NULL), 1e-12);
    free(found);
}

static void a_distance_is_the_mean_over_trees_of_the_mean_between_leaves(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    for (int splits = 0; splits < 2; splits++) {
        smerf_model *model = fit_small(data, splits == 0 ? SMERF_AXIS : SMERF_OBLIQUE);
        assert_as_told(model, data, NULL, NULL);
        smerf_model_free(model);
    }
    data_set_free(data);
}

static void item_weights_weigh_the_mean_between_leaves(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    double weights[N];
    for (size_t i = 0; i < N; i++) weights[i] = 0.25 + (double)(i * 7 % 11);
    smerf_error error;
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    assert_as_told(model, data, weights, NULL);
    smerf_model_free(model);
    data_set_free(data);
}

static void out_of_bag_only_trees_speak_that_have_not_seen_the_items(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    const smerf_oob_rule both = SMERF_OOB_BOTH, either = SMERF_OOB_EITHER;
    smerf_model *model = fit_small(data, SMERF_AXIS);
    assert_as_told(model, data, NULL, &both);
    assert_as_told(model, data, NULL, &either);
    smerf_model_free(model);
    data_set_free(data);
}

static void the_rule_is_the_models_unless_the_request_has_one(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    const smerf_oob_rule rules[2] = {SMERF_OOB_BOTH, SMERF_OOB_EITHER};
    for (size_t k = 0; k < 2; k++) {
        smerf_options options = options_for(N_TREES);
        options.oob_rule = rules[k];
        smerf_model *model = fit_with(data, &options, NULL);
        const smerf_request fitted =
            SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_AS_FITTED);
        const smerf_request told =
            SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true, .oob_rule = rules[k]);
        assert_same_predictor(model, &fitted, &told);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* One tree: a pair that it has seen has nobody to speak for it. */
static void a_pair_that_no_tree_can_speak_for_is_nan(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    const smerf_options options = options_for(1);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request request =
        SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_BOTH);
    double *found = predict_all(model, &request, NULL);
    smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
    smerf_model_tree(model, 0, &tree, NULL);
    for (size_t i = 0; i < 20; i++)
        for (size_t j = 0; j < 20; j++)
            assert_int_equal(isnan(found[i * 20 + j]) != 0, !may_speak(&tree, i, j, SMERF_OOB_BOTH));
    free(found);
    smerf_model_free(model);
    data_set_free(data);
}

static void a_level_never_seen_counts_as_missing(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    static const char *const strange[N_LEVELS] = {"q", "r", "s", "t", "u"};
    uint32_t missing[N];
    for (size_t i = 0; i < N; i++) missing[i] = SMERF_MISSING;
    smerf_column columns[5];
    memcpy(columns, data->columns, sizeof columns);
    columns[3].levels = strange;
    smerf_items *unknown, *absent;
    smerf_error error;
    demand_ok(smerf_items_new(columns, 5, N, &unknown, &error), &error);
    columns[3].codes = missing;
    demand_ok(smerf_items_new(columns, 5, N, &absent, &error), &error);
    const smerf_request first = SMERF_INIT(smerf_request, .rows = unknown),
                        second = SMERF_INIT(smerf_request, .rows = absent);
    assert_same_predictor(model, &first, &second);
    smerf_items_free(unknown);
    smerf_items_free(absent);
    smerf_model_free(model);
    data_set_free(data);
}

/* ---- to the last bit ---- */

static void assert_pairs_are_rows(const smerf_model *model, const smerf_request *request) {
    size_t n = smerf_items_count(request->rows), m = n;
    if (request->columns != NULL) m = smerf_items_count(request->columns);
    double *rows = predict_all(model, request, NULL), *pairs = malloc(n * m * sizeof *pairs);
    ask_all_pairs(model, request, NULL, n, m, pairs, NULL);
    assert_memory_equal(rows, pairs, n * m * sizeof *rows);
    for (size_t i = 0; i < n && request->columns == NULL; i++)
        for (size_t j = 0; j < i; j++) assert_memory_equal(&rows[i * n + j], &rows[j * n + i], sizeof *rows);
    free(rows);
    free(pairs);
}

/* Few large leaves and many small ones are found in different ways; all that may change the sums is tried. */
static void pairs_are_the_cells_of_rows_and_swapping_changes_nothing(void **state) {
    (void)state;
    data_set *data = mixed_data(260);
    double weights[260];
    for (size_t i = 0; i < 260; i++) weights[i] = 1 / (1.0 + (double)(i % 7));
    smerf_error error;
    for (size_t way = 0; way < 8; way++) {
        smerf_options options = options_for(5);
        options.min_parent = way % 2 == 0 ? 2 : 30; /* some 160 leaves, or a dozen */
        if (way & 2) options.self_distance = SMERF_SELF_EXCLUDE;
        if (way == 4) demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
        smerf_model *model = fit_with(data, &options, NULL);
        smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
        assert_pairs_are_rows(model, &request);
        request.out_of_bag = true;
        request.oob_rule = SMERF_OOB_EITHER;
        assert_pairs_are_rows(model, &request);
        smerf_model_free(model);
    }
    data_set_free(data);
}

static void threads_and_saving_change_no_bit(void **state) {
    (void)state;
    data_set *data = mixed_data(150);
    smerf_model *model = fit_small(data, SMERF_OBLIQUE), *again;
    smerf_error error;
    demand_ok(smerf_model_save(model, "p.smerf", &error), &error);
    demand_ok(smerf_model_load("p.smerf", &again, &error), &error);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    double *expected = predict_all(model, &request, &one_thread), *pairs = malloc(150 * 150 * sizeof *pairs);
    for (size_t n_threads = 0; n_threads <= 7; n_threads++) {
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
        double *found = predict_all(n_threads % 2 == 0 ? model : again, &request, &run);
        ask_all_pairs(n_threads % 2 == 0 ? again : model, &request, &run, 150, 150, pairs, NULL);
        assert_memory_equal(found, expected, 150 * 150 * sizeof *found);
        assert_memory_equal(pairs, expected, 150 * 150 * sizeof *pairs);
        free(found);
    }
    free(expected);
    free(pairs);
    smerf_model_free(model);
    smerf_model_free(again);
    data_set_free(data);
}

static void a_block_is_cut_out_of_the_square(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    size_t left[17], right[45];
    for (size_t k = 0; k < 17; k++) left[k] = (k * 23 + 5) % N;
    for (size_t k = 0; k < 45; k++) right[k] = (k * 7 + 1) % N;
    data_set *rows = data_set_pick(data, left, 17), *columns = data_set_pick(data, right, 45);
    for (int self = 0; self < 2; self++) {
        smerf_options options = options_for(N_TREES);
        options.self_distance = self == 0 ? SMERF_SELF_GIVEN : SMERF_SELF_EXCLUDE;
        options.min_parent = 6;
        smerf_model *model = fit_with(data, &options, NULL);
        const smerf_request all = SMERF_INIT(smerf_request, .rows = data->items),
                            some = SMERF_INIT(smerf_request, .rows = rows->items, .columns = columns->items);
        double *whole = predict_all(model, &all, NULL), *block = predict_all(model, &some, NULL);
        for (size_t i = 0; i < 17; i++)
            for (size_t j = 0; j < 45; j++)
                assert_memory_equal(&block[i * 45 + j], &whole[left[i] * N + right[j]], sizeof *block);
        assert_pairs_are_rows(model, &some);
        free(whole);
        free(block);
        smerf_model_free(model);
    }
    data_set_free(data);
    data_set_free(rows);
    data_set_free(columns);
}

/* Leaves are then asked for one by one. */
static void few_columns_of_a_large_tree_are_cut_out_of_the_square(void **state) {
    (void)state;
    data_set *data = mixed_data(260);
    size_t right[5] = {3, 250, 99, 100, 3};
    data_set *columns = data_set_pick(data, right, 5);
    for (int self = 0; self < 2; self++) {
        smerf_options options = options_for(5);
        options.self_distance = self == 0 ? SMERF_SELF_GIVEN : SMERF_SELF_EXCLUDE;
        smerf_model *model = fit_with(data, &options, NULL);
        assert_true(model->trees[0].n_leaves > 96);
        const smerf_request all = SMERF_INIT(smerf_request, .rows = data->items),
                            some = SMERF_INIT(smerf_request, .rows = data->items, .columns = columns->items);
        double *whole = predict_all(model, &all, NULL), *block = predict_all(model, &some, NULL);
        for (size_t i = 0; i < 260; i++)
            for (size_t j = 0; j < 5; j++)
                assert_memory_equal(&block[i * 5 + j], &whole[i * 260 + right[j]], sizeof *block);
        free(whole);
        free(block);
        smerf_model_free(model);
    }
    data_set_free(columns);
    data_set_free(data);
}

/* ---- pairs ---- */

static void the_spread_is_the_standard_deviation_over_the_trees(void **state) {
    (void)state;
    data_set *data = mixed_data(30);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_oob_rule rules[2] = {SMERF_OOB_BOTH, SMERF_OOB_EITHER};
    double *distance = malloc(900 * sizeof *distance), *spread = malloc(900 * sizeof *spread);
    for (size_t way = 0; way < 3; way++) {
        const smerf_oob_rule *rule = way == 0 ? NULL : &rules[way - 1];
        const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = way > 0,
                                                 .oob_rule = way > 0 ? *rule : SMERF_OOB_BOTH);
        ask_all_pairs(model, &request, NULL, 30, 30, distance, spread);
        for (size_t k = 0; k < 900; k++) {
            double expected, mean = slow_distance(model, data, NULL, k / 30, k % 30, rule, &expected);
            assert_near(distance[k], mean, 1e-12);
            assert_near(spread[k], expected, 1e-12);
        }
    }
    free(distance);
    free(spread);
    smerf_model_free(model);
    data_set_free(data);
}

static void one_tree_has_no_spread(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    const smerf_options options = options_for(1);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    double distance[100], spread[100];
    ask_all_pairs(model, &request, NULL, 10, 10, distance, spread);
    for (size_t k = 0; k < 100; k++) assert_true(spread[k] == 0);
    smerf_model_free(model);
    data_set_free(data);
}

static void a_pair_of_no_items_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    size_t few[4] = {0, 1, 2, 3};
    data_set *columns = data_set_pick(data, few, 4);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .columns = columns->items);
    const uint32_t left[3] = {9, 0, 10}, right[3] = {3, 4, 0};
    double distance[3];
    smerf_error error;
    demand_ok(smerf_predict_pairs(model, &request, &(smerf_pair_list){.n = 1, .left = left, .right = right}, NULL,
                                  &SMERF_INIT(smerf_pair_result, .distance = distance), &error),
              &error);
    assert_int_equal(smerf_predict_pairs(model, &request, &(smerf_pair_list){.n = 3, .left = left, .right = right},
                                         NULL, &SMERF_INIT(smerf_pair_result, .distance = distance), &error),
                     SMERF_BAD_INPUT);
    assert_string_equal(error.message, "pair 1 is (0, 4), and there are 10 and 4 items");
    assert_int_equal(smerf_predict_pairs(model, &request,
                                         &(smerf_pair_list){.n = 1, .left = left + 2, .right = right + 2}, NULL,
                                         &SMERF_INIT(smerf_pair_result, .distance = distance), &error),
                     SMERF_BAD_INPUT);
    demand_ok(smerf_predict_pairs(model, &request, &(smerf_pair_list){.n = 0, .left = NULL, .right = NULL}, NULL,
                                  &SMERF_INIT(smerf_pair_result, .distance = NULL), &error),
              &error);
    smerf_model_free(model);
    data_set_free(columns);
    data_set_free(data);
}

/* More pairs than one task takes, each asked for twice. */
static void many_pairs_are_answered_each_for_itself(void **state) {
    (void)state;
    enum { N_PAIRS = 5000 };
    data_set *data = mixed_data(N);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 3);
    double *whole = predict_all(model, &request, NULL);
    static uint32_t left[N_PAIRS], right[N_PAIRS];
    static double distance[N_PAIRS];
    for (uint32_t k = 0; k < N_PAIRS; k++) {
        left[k] = k * 31 % N;
        right[k] = k * 17 % 59;
    }
    smerf_error error;
    demand_ok(smerf_predict_pairs(model, &request, &(smerf_pair_list){.n = N_PAIRS, .left = left, .right = right}, &run,
                                  &SMERF_INIT(smerf_pair_result, .distance = distance), &error),
              &error);
    for (size_t k = 0; k < N_PAIRS; k++)
        assert_memory_equal(&distance[k], &whole[left[k] * N + right[k]], sizeof *distance);
    free(whole);
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_distance_is_the_mean_over_trees_of_the_mean_between_leaves),
        cmocka_unit_test(item_weights_weigh_the_mean_between_leaves),
        cmocka_unit_test(out_of_bag_only_trees_speak_that_have_not_seen_the_items),
        cmocka_unit_test(the_rule_is_the_models_unless_the_request_has_one),
        cmocka_unit_test(a_pair_that_no_tree_can_speak_for_is_nan),
        cmocka_unit_test(a_level_never_seen_counts_as_missing),
        cmocka_unit_test(pairs_are_the_cells_of_rows_and_swapping_changes_nothing),
        cmocka_unit_test(threads_and_saving_change_no_bit),
        cmocka_unit_test(a_block_is_cut_out_of_the_square),
        cmocka_unit_test(few_columns_of_a_large_tree_are_cut_out_of_the_square),
        cmocka_unit_test(the_spread_is_the_standard_deviation_over_the_trees),
        cmocka_unit_test(one_tree_has_no_spread),
        cmocka_unit_test(a_pair_of_no_items_is_refused),
        cmocka_unit_test(many_pairs_are_answered_each_for_itself),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
