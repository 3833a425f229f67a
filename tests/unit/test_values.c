/* test_values.c - a label or a response is the mean over the trees of what the leaf of an item holds; out of bag over
 * the trees that have not seen it. */
#include "tests/unit/fake_kinds.h"

enum { N = 50, N_TREES = 9 };

/* The mean of one value in the leaf of an item, weighed by draws times item weights. */
static double slow_leaf_value(const smerf_model *model, const smerf_tree_view *tree, const data_set *data, size_t item,
                              const double *weights, size_t value) {
    size_t leaf = slow_leaf(model, tree, data, item);
    double sum = 0, total = 0;
    for (size_t m = tree->first_member[leaf]; m < tree->first_member[leaf + 1]; m++) {
        double weight = tree->member_draws[m] * (weights != NULL ? weights[tree->member_item[m]] : 1);
        sum += weight * fake_value(tree->member_item[m], value);
        total += weight;
    }
    return sum / total;
}

static double slow_value(const smerf_model *model, const data_set *data, size_t item, const size_t *training_item,
                         const double *weights, size_t value) {
    smerf_description description = SMERF_INIT(smerf_description);
    double sum = 0, n = 0;
    smerf_model_describe(model, &description, NULL);
    for (size_t b = 0; b < description.options->n_trees; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        if (training_item != NULL && slow_draws(&tree, *training_item) > 0) continue;
        sum += slow_leaf_value(model, &tree, data, item, weights, value);
        n++;
    }
    return sum / n; /* NaN if no tree speaks */
}

static double *predict_values(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                              size_t n_threads) {
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    smerf_error error;
    double *values = malloc(smerf_items_count(request->rows) * N_VALUES * sizeof *values);
    assert_non_null(values);
    demand_ok(sm_predict_values(model, request, limits, &run, values, &error), &error);
    assert_int_equal(n_summaries, 0); /* all of them are freed */
    return values;
}

static smerf_model *fit_small(data_set *data, size_t n_trees) {
    smerf_options options = options_for(n_trees);
    options.min_parent = 4; /* so that leaves hold several items */
    smerf_model *model = fit_with(data, &options, NULL);
    pretend(data->target, WITH_VALUES);
    return model;
}

static void assert_values(const smerf_model *model, const data_set *data, const double *weights, bool is_out) {
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = is_out);
    double *found = predict_values(model, &request, &sm_usual_limits, 2);
    for (size_t i = 0; i < data->plan.n_items; i++)
        for (size_t v = 0; v < N_VALUES; v++)
            assert_near(found[i * N_VALUES + v], slow_value(model, data, i, is_out ? &i : NULL, weights, v), 1e-12);
    free(found);
}

static void a_value_is_the_mean_over_trees_of_the_mean_in_the_leaf(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_small(data, N_TREES);
    assert_values(model, data, NULL, false);
    assert_values(model, data, NULL, true);
    data_set *others = data_set_new(
        (data_plan){.n_items = 700, .n_numbers = 3, .n_categories = 2, .missing = 0.1, .seed = 9}); /* several tasks */
    assert_values(model, others, NULL, false);
    data_set_free(others);
    smerf_model_free(model);
    data_set_free(data);
}

static void item_weights_weigh_the_mean_in_the_leaf(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    double weights[N];
    for (size_t i = 0; i < N; i++) weights[i] = i % 5 == 0 ? 1e-100 : i % 5 == 1 ? 1e50 : 0.5 + (double)i;
    smerf_error error;
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    smerf_model *model = fit_small(data, N_TREES);
    assert_values(model, data, weights, false);
    assert_values(model, data, weights, true);
    smerf_model_free(model);
    data_set_free(data);
}

/* One tree: an item that it has seen has nobody to speak for it. */
static void an_item_that_every_tree_has_seen_is_nan(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    smerf_model *model = fit_small(data, 1);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true);
    double *found = predict_values(model, &request, &sm_usual_limits, 1);
    smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
    smerf_model_tree(model, 0, &tree, NULL);
    size_t n_out = 0;
    for (size_t i = 0; i < 20; i++) {
        bool is_out = slow_draws(&tree, i) == 0;
        n_out += is_out;
        for (size_t v = 0; v < N_VALUES; v++) assert_int_equal(isnan(found[i * N_VALUES + v]) == 0, is_out);
    }
    assert_true(n_out > 0 && n_out < 20);
    free(found);
    smerf_model_free(model);
    data_set_free(data);
}

static void out_of_bag_items_are_known_in_any_order(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    name_items(data, NULL);
    smerf_model *model = fit_small(data, N_TREES);
    size_t rows[31];
    for (size_t k = 0; k < 31; k++) rows[k] = (k * 37 + 11) % N;
    data_set *some = data_set_pick(data, rows, 31);
    name_items(some, rows);
    const smerf_request all = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true);
    const smerf_request picked = SMERF_INIT(smerf_request, .rows = some->items, .out_of_bag = true);
    double *whole = predict_values(model, &all, &sm_usual_limits, 1);
    double *found = predict_values(model, &picked, &sm_usual_limits, 3);
    for (size_t k = 0; k < 31; k++)
        assert_memory_equal(found + k * N_VALUES, whole + rows[k] * N_VALUES, N_VALUES * sizeof *found);
    free(whole);
    free(found);
    smerf_model_free(model);
    data_set_free(some);
    data_set_free(data);
}

static void threads_and_limits_change_no_bit(void **state) {
    (void)state;
    data_set *data = mixed_data(300);
    smerf_model *model = fit_small(data, N_TREES);
    for (int is_out = 0; is_out < 2; is_out++) {
        const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = is_out == 1);
        double *expected = predict_values(model, &request, &sm_usual_limits, 1);
        for (size_t k = 0; k < N_LIMITS; k++)
            for (size_t n_threads = 1; n_threads <= 4; n_threads++) {
                most_summaries = 0;
                double *found = predict_values(model, &request, &small_limits[k], n_threads);
                assert_memory_equal(found, expected, 300 * N_VALUES * sizeof *found);
                size_t most = small_limits[k].group_bytes == 0 ? 1 : small_limits[k].group_bytes < 1e9 ? 2 : N_TREES;
                assert_in_range(most_summaries, 1, most);
                free(found);
            }
        free(expected);
    }
    smerf_model_free(model);
    data_set_free(data);
}

static void values_have_names(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    smerf_model *model = fit_small(data, 2);
    assert_int_equal(smerf_model_n_values(model), N_VALUES);
    assert_string_equal(smerf_model_value_name(model, 2), "three");
    data->target->kind = &sm_target_distances;
    assert_int_equal(smerf_model_n_values(model), 0);
    assert_null(smerf_model_value_name(model, 0));
    smerf_model_free(model);
    data_set_free(data);
}

static void assert_unasked(const smerf_model *model, const smerf_request *request, const char *sentence) {
    double values[10 * N_VALUES];
    smerf_error error;
    assert_int_equal(smerf_predict_values(model, request, NULL, values, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, sentence);
}

static void what_has_no_values_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(10), *other = plain_data(9);
    smerf_model *model = fit_small(data, 2);
    const smerf_request alone = SMERF_INIT(smerf_request, .rows = data->items),
                        two = SMERF_INIT(smerf_request, .rows = data->items, .columns = other->items);
    const smerf_request out = SMERF_INIT(smerf_request, .rows = other->items, .out_of_bag = true);
    assert_unasked(model, &two,
                   "labels and responses are predicted for items, not for pairs of them: there is no second set");
    other->values[0] = 1e9;
    assert_unasked(model, &out, "row 0 is not the model's training item 0; out of bag is about those");
    data->target->kind = &sm_target_distances;
    assert_unasked(model, &alone, "the model was fitted on distances: only labels and responses can be predicted");
    smerf_model_free(model);
    data_set_free(other);
    data_set_free(data);
}

static void progress_can_cancel(void **state) {
    (void)state;
    data_set *data = plain_data(30);
    smerf_model *model = fit_small(data, 5);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    double values[30 * N_VALUES];
    smerf_status status = SMERF_CANCELLED;
    size_t n_calls = 0;
    for (; status == SMERF_CANCELLED && n_calls < 1000; n_calls++) {
        patience left = {.n_left = n_calls};
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = run_out, .context = &left);
        status = sm_predict_values(model, &request, &small_limits[0], &run, values, NULL);
        assert_int_equal(n_summaries, 0);
    }
    assert_true(status == SMERF_OK && n_calls > 5);
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_the_mean_over_trees_of_the_mean_in_the_leaf),
        cmocka_unit_test(item_weights_weigh_the_mean_in_the_leaf),
        cmocka_unit_test(an_item_that_every_tree_has_seen_is_nan),
        cmocka_unit_test(out_of_bag_items_are_known_in_any_order),
        cmocka_unit_test(threads_and_limits_change_no_bit),
        cmocka_unit_test(values_have_names),
        cmocka_unit_test(what_has_no_values_is_refused),
        cmocka_unit_test(progress_can_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
