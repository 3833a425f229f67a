/* test_asking.c - asking a model: rows come in order and can be cancelled, and out of bag the items must be those that it
 * was trained on. */
#include "tests/unit/questions.h"

#include <pthread.h>

/* ---- the sink ---- */

typedef struct listener {
    pthread_t caller;
    size_t n_rows, n_columns, stop_at, n_wrong;
} listener;

static int listen_to_row(void *context, size_t row, const double *distances, size_t n_columns) {
    listener *here = context;
    bool is_right = row == here->n_rows && n_columns == here->n_columns && isfinite(distances[n_columns - 1]) &&
                    pthread_equal(pthread_self(), here->caller);
    here->n_wrong += !is_right;
    return here->n_rows++ == here->stop_at;
}

static void rows_come_in_order_on_the_calling_thread(void **state) {
    (void)state;
    data_set *data = mixed_data(150);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    smerf_error error;
    for (size_t n_threads = 1; n_threads <= 4; n_threads++) {
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
        listener here = {.caller = pthread_self(), .n_columns = 150, .stop_at = SIZE_MAX};
        demand_ok(smerf_predict_rows(model, &request, &run, listen_to_row, &here, &error), &error);
        assert_true(here.n_rows == 150 && here.n_wrong == 0);
    }
    smerf_model_free(model);
    data_set_free(data);
}

static void the_sink_can_cancel_at_any_row(void **state) {
    (void)state;
    data_set *data = mixed_data(70);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    smerf_error error;
    for (size_t stop_at = 0; stop_at < 70; stop_at += 23) {
        listener here = {.caller = pthread_self(), .n_columns = 70, .stop_at = stop_at};
        assert_int_equal(smerf_predict_rows(model, &request, NULL, listen_to_row, &here, &error), SMERF_CANCELLED);
        assert_int_equal(here.n_rows, stop_at + 1);
        assert_string_equal(error.message, "cancelled");
    }
    smerf_model_free(model);
    data_set_free(data);
}

static int no_more(void *context, double fraction_done) {
    (void)context;
    (void)fraction_done;
    return 1;
}

static void progress_can_cancel_every_request(void **state) {
    (void)state;
    data_set *data = mixed_data(70);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_request request =
        SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_AS_FITTED);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = no_more);
    const uint32_t place = 0;
    double distance, importance[5], errors[5];
    listener here = {.caller = pthread_self(), .n_columns = 70, .stop_at = SIZE_MAX};
    smerf_scores scores = SMERF_INIT(smerf_scores);
    assert_int_equal(smerf_predict_rows(model, &request, &run, listen_to_row, &here, NULL), SMERF_CANCELLED);
    assert_int_equal(smerf_predict_pairs(model, &request, &(smerf_pair_list){.n = 1, .left = &place, .right = &place},
                                         &run, &SMERF_INIT(smerf_pair_result, .distance = &distance), NULL),
                     SMERF_CANCELLED);
    assert_int_equal(smerf_evaluate(model, &request, NULL, 0, &run, &scores, NULL), SMERF_CANCELLED);
    assert_int_equal(smerf_importance_permutation(model, data->items, NULL, &run, importance, errors, NULL),
                     SMERF_CANCELLED);
    assert_int_equal(here.n_rows, 0);
    smerf_model_free(model);
    data_set_free(data);
}

/* ---- recognising items ---- */

static void items_are_known_by_id_in_any_order_and_number(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    name_items(data, NULL);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    size_t rows[40];
    for (size_t k = 0; k < 40; k++) rows[k] = (k * 37 + 11) % N;
    data_set *some = data_set_pick(data, rows, 40);
    name_items(some, rows);
    const smerf_request all =
        SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_BOTH);
    const smerf_request picked =
        SMERF_INIT(smerf_request, .rows = some->items, .out_of_bag = true, .oob_rule = SMERF_OOB_BOTH);
    double *whole = predict_all(model, &all, NULL), *found = predict_all(model, &picked, NULL);
    for (size_t i = 0; i < 40; i++)
        for (size_t j = 0; j < 40; j++)
            assert_memory_equal(&found[i * 40 + j], &whole[rows[i] * N + rows[j]], sizeof *found);
    free(whole);
    free(found);
    smerf_model_free(model);
    data_set_free(some);
    data_set_free(data);
}

static void assert_unasked(const smerf_model *model, const smerf_request *request, const char *sentence) {
    listener here = {.caller = pthread_self()};
    const uint32_t place = 0;
    double distance;
    smerf_error error;
    assert_int_equal(smerf_predict_rows(model, request, NULL, listen_to_row, &here, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, sentence);
    assert_int_equal(smerf_predict_pairs(model, request, &(smerf_pair_list){.n = 1, .left = &place, .right = &place},
                                         NULL, &SMERF_INIT(smerf_pair_result, .distance = &distance), &error),
                     SMERF_BAD_INPUT);
    assert_string_equal(error.message, sentence);
    assert_int_equal(here.n_rows, 0);
}

static void foreign_items_are_not_query_out_of_bag(void **state) {
    (void)state;
    data_set *data = mixed_data(20);
    size_t rows[20], names[20];
    for (size_t k = 0; k < 20; k++) rows[k] = names[k] = 19 - k;
    data_set *turned = data_set_pick(data, rows, 20);
    smerf_model *by_row = fit_small(data, SMERF_AXIS);
    const smerf_request request =
        SMERF_INIT(smerf_request, .rows = turned->items, .out_of_bag = true, .oob_rule = SMERF_OOB_BOTH);
    assert_unasked(by_row, &request, "row 0 is not the model's training item 0; out of bag is about those");
    name_items(data, NULL);
    smerf_model *by_id = fit_small(data, SMERF_AXIS);
    names[3] = 77;
    name_items(turned, names);
    assert_unasked(by_id, &request, "item 't77' is not one of the model's training items; out of bag is about those");
    names[3] = rows[3];
    turned->values[5] = 1e9; /* known by its name, but not by its features */
    name_items(turned, names);
    assert_unasked(by_id, &request, "item 't14' is not one of the model's training items; out of bag is about those");
    smerf_model_free(by_row);
    smerf_model_free(by_id);
    data_set_free(turned);
    data_set_free(data);
}

static void more_rows_than_training_items_are_foreign(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    size_t rows[11];
    for (size_t k = 0; k < 11; k++) rows[k] = k % 10;
    data_set *more = data_set_pick(data, rows, 11);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_request request =
        SMERF_INIT(smerf_request, .rows = more->items, .out_of_bag = true, .oob_rule = SMERF_OOB_BOTH);
    assert_unasked(model, &request, "row 10 is not the model's training item 10; out of bag is about those");
    smerf_model_free(model);
    data_set_free(more);
    data_set_free(data);
}

static void out_of_bag_has_no_second_set_and_needs_a_sample(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    smerf_options options = options_for(3);
    smerf_model *sampled = fit_with(data, &options, NULL);
    options.sample = SMERF_NO_SAMPLE;
    smerf_model *whole = fit_with(data, &options, NULL);
    smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .columns = data->items, .out_of_bag = true);
    assert_unasked(sampled, &request, "out of bag is about pairs of training items: there is no second set");
    request.columns = NULL;
    assert_unasked(whole, &request,
                   "the model was fitted with sample none: every tree has seen every item, nothing is out of bag");
    smerf_model_free(sampled);
    smerf_model_free(whole);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_in_order_on_the_calling_thread),
        cmocka_unit_test(the_sink_can_cancel_at_any_row),
        cmocka_unit_test(progress_can_cancel_every_request),
        cmocka_unit_test(items_are_known_by_id_in_any_order_and_number),
        cmocka_unit_test(foreign_items_are_not_query_out_of_bag),
        cmocka_unit_test(more_rows_than_training_items_are_foreign),
        cmocka_unit_test(out_of_bag_has_no_second_set_and_needs_a_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
