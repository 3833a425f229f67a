/* test_plugin.c - half the squared difference of regression forest means, plus the residual variance. */
#include "tests/unit/forests.h"

enum { N_ITEMS = 40, MOST_VALUES = 2 };

typedef struct request_data {
    data_set *data;
    double y[MOST_VALUES][N_ITEMS];
    smerf_target *target;
    size_t n_values;
    smerf_options options;
} request_data;

static request_data start(size_t n_values, bool is_mixed) {
    static const char *const names[MOST_VALUES] = {"y", "v"};
    request_data at = {.data = is_mixed ? mixed_data(N_ITEMS) : plain_data(N_ITEMS), .n_values = n_values};
    smerf_error error;
    for (size_t i = 0; i < N_ITEMS; i++) {
        at.y[0][i] = hidden(at.data, i) + 0.1 * (double)(i % 7);
        at.y[1][i] = 3 - 2 * hidden(at.data, i) + (double)(i % 3);
    }
    const double *columns[MOST_VALUES] = {at.y[0], at.y[1]};
    demand_ok(smerf_target_new_response(names, columns, n_values, N_ITEMS, &at.target, &error), &error);
    at.options = options_for(30);
    at.options.method = SMERF_METHOD_PLUGIN;
    return at;
}

static void finish(request_data *at) {
    smerf_target_free(at->target);
    data_set_free(at->data);
}

static smerf_model *fit(const request_data *at, smerf_method method) {
    smerf_options options = at->options;
    options.method = method;
    smerf_model *model;
    smerf_error error;
    demand_ok(smerf_fit(at->data->items, at->target, &options, NULL, &model, &error), &error);
    return model;
}

/* From the values of an ordinary forest.   weights  [N_ITEMS] or NULL */
static double slow_residual(const request_data *at, const smerf_model *forest, const double *weights) {
    double values[N_ITEMS * MOST_VALUES], sum = 0, total = 0;
    smerf_error error;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = at->data->items, .out_of_bag = true);
    demand_ok(smerf_predict_values(forest, &request, NULL, values, &error), &error);
    for (size_t i = 0; i < N_ITEMS; i++) {
        if (isnan(values[i * at->n_values])) continue;
        double weight = weights != NULL ? weights[i] : 1;
        for (size_t v = 0; v < at->n_values; v++)
            sum += weight * (values[i * at->n_values + v] - at->y[v][i]) * (values[i * at->n_values + v] - at->y[v][i]);
        total += weight;
    }
    return sum / total;
}

static void assert_plugged_in(const request_data *at, const double *weights) {
    smerf_model *forest = fit(at, SMERF_METHOD_FOREST), *model = fit(at, SMERF_METHOD_PLUGIN);
    double values[N_ITEMS * MOST_VALUES], told;
    smerf_error error;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = at->data->items);
    demand_ok(smerf_predict_values(forest, &request, NULL, values, &error), &error);
    double residual = slow_residual(at, forest, weights), *found = predict_all(model, &request, NULL);
    for (size_t i = 0; i < N_ITEMS; i++)
        for (size_t j = 0; j < N_ITEMS; j++) {
            double expected = residual;
            for (size_t v = 0; v < at->n_values; v++)
                expected += 0.5 * pow(values[i * at->n_values + v] - values[j * at->n_values + v], 2);
            assert_near(found[i * N_ITEMS + j], expected, 1e-13 * expected);
            assert_true(found[i * N_ITEMS + j] == found[j * N_ITEMS + i]);
        }
    assert_string_equal(smerf_model_diagnostic(model, 0, &told), "residual variance");
    assert_near(told, residual, 1e-13 * residual);
    assert_near(found[0], residual, 1e-13 * residual); /* an item and itself: the residual variance */
    free(found);
    smerf_model_free(model);
    smerf_model_free(forest);
}

static void distances_come_from_the_values_of_a_response_forest(void **state) {
    (void)state;
    for (size_t trial = 0; trial < 8; trial++) {
        request_data at = start(1 + trial % 2, trial >= 4);
        at.options.seed = trial;
        if (trial % 4 >= 2) at.options.splits = SMERF_OBLIQUE;
        if (trial == 5) at.options.sample = SMERF_SUBSAMPLE;
        if (trial == 5) at.options.sample_fraction = 0.5;
        assert_plugged_in(&at, NULL);
        finish(&at);
    }
}

static void items_that_every_tree_has_seen_do_not_count(void **state) {
    (void)state;
    request_data at = start(1, false);
    at.options.n_trees = 2; /* four of ten items are in both */
    assert_plugged_in(&at, NULL);
    finish(&at);
}

static void residuals_are_weighed_as_items_are(void **state) {
    (void)state;
    request_data at = start(2, true);
    double weights[N_ITEMS];
    smerf_error error;
    for (size_t i = 0; i < N_ITEMS; i++) weights[i] = 1 + (double)(i % 4);
    demand_ok(smerf_items_set_weights(at.data->items, "w", weights, &error), &error);
    assert_plugged_in(&at, weights);
    finish(&at);
}

static void a_saved_model_predictor_the_same(void **state) {
    (void)state;
    for (size_t trial = 0; trial < 4; trial++) {
        request_data at = start(1 + trial % 2, true);
        if (trial >= 2) at.options.splits = SMERF_OBLIQUE;
        smerf_model *model = fit(&at, SMERF_METHOD_PLUGIN), *loaded;
        smerf_error error;
        const size_t picked[] = {7, 0, 39};
        data_set *others = data_set_pick(at.data, picked, 3);
        const smerf_request request = SMERF_INIT(smerf_request, .rows = others->items, .columns = at.data->items);
        const smerf_run three = SMERF_INIT(smerf_run, .n_threads = 3);
        demand_ok(smerf_model_save(model, "plugin.smerf", &error), &error);
        demand_ok(smerf_model_load("plugin.smerf", &loaded, &error), &error);
        assert_same_model(model, loaded);
        double *before = predict_all(model, &request, NULL), *after = predict_all(loaded, &request, &three);
        assert_memory_equal(before, after, 3 * N_ITEMS * sizeof *before);
        free(before);
        free(after);
        data_set_free(others);
        smerf_model_free(model);
        smerf_model_free(loaded);
        finish(&at);
    }
}

static void assert_refused(const request_data *at, smerf_target *target, const char *why) {
    smerf_model *model = NULL;
    smerf_error error;
    assert_int_equal(smerf_fit(at->data->items, target, &at->options, NULL, &model, &error), SMERF_BAD_INPUT);
    if (strstr(error.message, why) == NULL) fail_msg("%s", error.message);
}

static void what_has_no_response_or_no_residuals_is_refused(void **state) {
    (void)state;
    request_data at = start(1, false);
    assert_refused(&at, at.data->target, "needs a response");
    at.options.sample = SMERF_NO_SAMPLE;
    assert_refused(&at, at.target, "no residuals");
    at.options.sample = SMERF_SUBSAMPLE;
    at.options.sample_fraction = 1;
    assert_refused(&at, at.target, "no residuals");
    finish(&at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_come_from_the_values_of_a_response_forest),
        cmocka_unit_test(items_that_every_tree_has_seen_do_not_count),
        cmocka_unit_test(residuals_are_weighed_as_items_are),
        cmocka_unit_test(a_saved_model_predictor_the_same),
        cmocka_unit_test(what_has_no_response_or_no_residuals_is_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
