/* test_value_scores.c - accuracy, log-loss, confusion and R^2 against a plain re-telling of their definitions, from the
 * predicted values. */
#include "tests/unit/column_targets.h"

enum { N = 60, N_CLASSES = 4 };

static smerf_value_scores value_scores_of(const smerf_model *model, const data_set *data, const smerf_target *truth,
                                          bool is_out, size_t *confusion) {
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = is_out);
    smerf_value_scores scores = SMERF_INIT(smerf_value_scores, .confusion = confusion);
    smerf_error error;
    demand_ok(smerf_evaluate_values(model, &request, truth, NULL, &scores, &error), &error);
    return scores;
}

static double *values_of(const smerf_model *model, const data_set *data, bool is_out) {
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = is_out);
    double *values = malloc(data->plan.n_items * smerf_model_n_values(model) * sizeof *values);
    smerf_error error;
    assert_non_null(values);
    demand_ok(smerf_predict_values(model, &request, NULL, values, &error), &error);
    return values;
}

static uint32_t class_of(const data_set *data, size_t i, size_t n_classes) { /* as labels_for has it */
    return (uint32_t)(fabs(floor(3 * hidden(data, i)))) % (uint32_t)n_classes;
}

/* Labels that occur, and the model's: class c is called by the letter 'a' + c. */
static void assert_label_scores(const smerf_model *model, const data_set *data, const smerf_target *truth,
                                size_t n_classes, bool is_out) {
    size_t confusion[(N_CLASSES + 1) * N_CLASSES], expected[(N_CLASSES + 1) * N_CLASSES] = {0};
    size_t n_known = smerf_model_n_values(model), n = 0, n_of[N_CLASSES] = {0}, n_right = 0, n_most = 0;
    double log_loss = 0, entropy = 0, *values = values_of(model, data, is_out);
    for (size_t i = 0; i < data->plan.n_items; i++) {
        const double *row = values + i * n_known;
        size_t best = 0, own = n_known;
        if (isnan(row[0])) continue;
        for (size_t c = 0; c < n_known; c++) {
            if (row[c] > row[best]) best = c;
            if (smerf_model_value_name(model, c)[0] == (char)('a' + class_of(data, i, n_classes))) own = c;
        }
        n++;
        n_of[class_of(data, i, n_classes)]++;
        n_right += own == best;
        expected[own * n_known + best]++;
        log_loss -= log(own < n_known && row[own] > pow(2, -52) ? row[own] : pow(2, -52));
    }
    for (size_t c = 0; c < n_classes; c++) {
        if (n_of[c] > n_most) n_most = n_of[c];
        if (n_of[c] > 0) entropy -= (double)n_of[c] / (double)n * log((double)n_of[c] / (double)n);
    }
    smerf_value_scores found = value_scores_of(model, data, truth, is_out, confusion);
    assert_int_equal(found.n_items, n);
    assert_int_equal(found.n_unpredicted, data->plan.n_items - n);
    assert_near(found.accuracy, (double)n_right / (double)n, 0);
    assert_near(found.accuracy_by_chance, (double)n_most / (double)n, 0);
    assert_near(found.log_loss, log_loss / (double)n, 1e-14);
    assert_near(found.log_loss_by_chance, entropy, 1e-14);
    assert_true(isnan(found.r_squared));
    assert_memory_equal(confusion, expected, (n_known + 1) * n_known * sizeof *confusion);
    free(values);
}

static void scores_of_labels_are_as_defined(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    for (size_t n_classes = 1; n_classes <= N_CLASSES; n_classes++) {
        smerf_target *truth = labels_for(data, n_classes);
        smerf_model *model =
            fit_to(data, labels_for(data, n_classes), 3, 8); /* of three trees, some items are in all */
        assert_label_scores(model, data, truth, n_classes, false);
        assert_label_scores(model, data, truth, n_classes, true);
        assert_label_scores(model, data, NULL, n_classes, true);
        smerf_model_free(model);
        smerf_target_free(truth);
    }
    data_set_free(data);
}

static void a_label_that_the_model_does_not_know_is_never_predicted(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_to(data, labels_for(data, 2), 5, 8);
    smerf_target *truth = labels_for(data, 3);
    assert_label_scores(model, data, truth, 3, false);
    smerf_target_free(truth);
    smerf_model_free(model);
    data_set_free(data);
}

static void r_squared_is_as_defined(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_to(data, numbers_for(data, false, 2), 3, 8);
    for (int is_out = 0; is_out < 2; is_out++) {
        double *values = values_of(model, data, is_out), expected = 0;
        for (size_t c = 0; c < 2; c++) {
            double mean = 0, errors = 0, deviations = 0, n = 0;
            for (int round = 0; round < 2; round++)
                for (size_t i = 0; i < N; i++) {
                    double y = c == 0 ? hidden(data, i) : cos(3 * hidden(data, i) + (double)(i % 5));
                    if (isnan(values[i * 2])) continue;
                    n += round == 0;
                    mean += round == 0 ? y : 0;
                    errors += round == 1 ? pow(y - values[i * 2 + c], 2) : 0;
                    deviations += round == 1 ? pow(y - mean / n, 2) : 0;
                }
            expected += (1 - errors / deviations) / 2;
        }
        smerf_value_scores found =
            value_scores_of(model, data, is_out ? NULL : smerf_model_target(model), is_out, NULL);
        assert_near(found.r_squared, expected, 1e-12);
        assert_true(isnan(found.accuracy) && isnan(found.log_loss));
        free(values);
    }
    smerf_model_free(model);
    data_set_free(data);
}

static void a_response_that_does_not_vary_has_no_r_squared(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_to(data, response_for(data), 3, 8);
    double same[N];
    const double *column = same;
    const char *name = "y";
    smerf_target *truth = NULL;
    for (size_t i = 0; i < N; i++) same[i] = 0.1;
    assert_int_equal(smerf_target_new_response(&name, &column, 1, N, &truth, NULL), SMERF_OK);
    assert_true(isnan(value_scores_of(model, data, truth, false, NULL).r_squared));
    smerf_target_free(truth);
    smerf_model_free(model);
    data_set_free(data);
}

static void what_cannot_be_scored_is_refused(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *labels = fit_to(data, labels_for(data, 3), 3, 8), *plain;
    const smerf_options options = options_for(2);
    plain = fit_with(data, &options, NULL);
    smerf_target *response = response_for(data);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    smerf_value_scores scores = SMERF_INIT(smerf_value_scores);
    smerf_error error;
    assert_int_equal(smerf_evaluate_values(labels, &request, NULL, NULL, &scores, &error), SMERF_BAD_INPUT);
    assert_int_equal(smerf_evaluate_values(labels, &request, response, NULL, &scores, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "the model predicts a target of kind 'labels', and this one is 'response'");
    assert_int_equal(smerf_evaluate_values(plain, &request, response, NULL, &scores, &error), SMERF_BAD_INPUT);
    smerf_target_free(response);
    smerf_model_free(labels);
    smerf_model_free(plain);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_of_labels_are_as_defined),
        cmocka_unit_test(a_label_that_the_model_does_not_know_is_never_predicted),
        cmocka_unit_test(r_squared_is_as_defined),
        cmocka_unit_test(a_response_that_does_not_vary_has_no_r_squared),
        cmocka_unit_test(what_cannot_be_scored_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
