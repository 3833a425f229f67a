/* test_first_trees.c - the first trees of a forest answer as the smaller forest that they are, to the last bit; and a sample of
 * the training items is known again by the rows that it was taken from. */
#include "tests/unit/questions.h"

#include "predict/limits.h"

enum { N_MORE = 12 };

/* ---- targets of every kind on the same items ---- */

static smerf_target *make_labels(void) {
    static const char *const classes[3] = {"a", "b", "c"};
    uint32_t codes[N];
    smerf_target *target;
    smerf_error error;
    for (size_t i = 0; i < N; i++) codes[i] = (uint32_t)(i * i % 7 % 3);
    demand_ok(smerf_target_new_labels("kind", codes, N, classes, 3, &target, &error), &error);
    return target;
}

static smerf_target *make_response(void) {
    static const char *const names[2] = {"y", "z"};
    double first[N], second[N];
    const double *columns[2] = {first, second};
    smerf_target *target;
    smerf_error error;
    for (size_t i = 0; i < N; i++) {
        first[i] = (double)(i % 9);
        second[i] = sqrt((double)i);
    }
    demand_ok(smerf_target_new_response(names, columns, 2, N, &target, &error), &error);
    return target;
}

/* A ring with chords: as a graph, or as the only pairs that are known. */
static smerf_target *make_links(bool is_graph) {
    uint32_t left[2 * N], right[2 * N];
    double value[2 * N];
    smerf_target *target;
    smerf_error error;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t c = 0; c < 2; c++) {
            left[2 * i + c] = i;
            right[2 * i + c] = (i + 1 + 6 * c) % N;
            value[2 * i + c] = is_graph ? 1 : 0.1 * i;
        }
    const smerf_pair_list pairs = {.n = 2 * N, .left = left, .right = right, .value = value};
    demand_ok(is_graph ? smerf_target_new_graph(&pairs, NULL, N, &target, &error)
                       : smerf_target_new_pairs(&pairs, N, &target, &error),
              &error);
    return target;
}

static smerf_target *make_target(const data_set *data, size_t kind) {
    smerf_target *target;
    smerf_error error;
    switch (kind) {
    case 0: demand_ok(smerf_target_new_distances(data->z, N, &target, &error), &error); return target;
    case 1: return make_labels();
    case 2: return make_response();
    case 3: return make_links(true);
    default: return make_links(false);
    }
}

static smerf_model *fit_on(const data_set *data, smerf_target *target, size_t n_trees, smerf_self self) {
    smerf_options options = options_for(n_trees);
    smerf_model *model;
    smerf_error error;
    options.min_parent = 4;
    options.self_distance = self;
    demand_ok(smerf_fit(data->items, target, &options, NULL, &model, &error), &error);
    return model;
}

/* ---- as a smaller forest ---- */

typedef struct predictor {
    double rows[N * N], tight[N * N], pairs[N * N], spread[N * N], values[N * 3];
    smerf_scores scores;
} predictor;

/* So little memory that every tree is a group of its own. */
static const sm_limits tight_limits = {
    .group_bytes = 1, .leaves_bytes = 1, .panel_bytes = 1, .most_panel_bytes = 1e6, .whole_bytes = 1};

static predictor *ask(const smerf_model *model, const smerf_request *request) {
    predictor *told = calloc(1, sizeof *told);
    smerf_error error;
    assert_non_null(told);
    told->scores = SMERF_INIT(smerf_scores);
    double *rows = predict_all(model, request, NULL);
    memcpy(told->rows, rows, sizeof told->rows);
    free(rows);
    square kept = {.distances = told->tight};
    demand_ok(sm_predict_rows(model, request, &tight_limits, NULL, keep_row, &kept, &error), &error);
    ask_all_pairs(model, request, NULL, N, N, told->pairs, told->spread);
    if (smerf_model_n_values(model) > 0)
        demand_ok(smerf_predict_values(model, request, NULL, told->values, &error), &error);
    if (request->out_of_bag) demand_ok(smerf_evaluate(model, request, NULL, 0, NULL, &told->scores, &error), &error);
    return told;
}

static void check_first_trees(const data_set *data, size_t kind, smerf_self self) {
    smerf_target *target = make_target(data, kind);
    smerf_model *whole = fit_on(data, target, N_MORE, self);
    const size_t numbers[] = {1, 2, 5, N_MORE};
    for (size_t k = 0; k < 8; k++) {
        smerf_model *part = fit_on(data, target, numbers[k / 2], self);
        smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = k % 2 == 1);
        predictor *expected = ask(part, &request);
        request.n_trees = numbers[k / 2];
        predictor *found = ask(whole, &request);
        assert_memory_equal(found, expected, sizeof *found);
        free(found);
        free(expected);
        smerf_model_free(part);
    }
    smerf_model_free(whole);
    smerf_target_free(target);
}

static void the_first_trees_answer_as_the_smaller_forest(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    for (size_t kind = 0; kind < 5; kind++) {
        check_first_trees(data, kind, SMERF_SELF_GIVEN);
        check_first_trees(data, kind, SMERF_SELF_EXCLUDE);
    }
    data_set_free(data);
}

static void no_more_trees_are_query_than_there_are(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    smerf_options options = options_for(3);
    smerf_model *model = fit_with(data, &options, NULL);
    options.method = SMERF_METHOD_EUCLIDEAN;
    smerf_model *other = fit_with(data, &options, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .n_trees = 4);
    double none[400];
    square kept = {.distances = none};
    smerf_error error;
    assert_int_equal(smerf_predict_rows(model, &request, NULL, keep_row, &kept, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "the first 4 trees are asked, and the model has 3");
    assert_int_equal(smerf_predict_rows(other, &request, NULL, keep_row, &kept, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message,
                        "the model was made by the method 'euclidean', which has no notion of its first trees");
    smerf_model_free(model);
    smerf_model_free(other);
    data_set_free(data);
}

/* ---- a sample of the training items ---- */

static void a_sample_is_known_by_the_rows_it_was_taken_from(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    uint32_t rows[20], places[20];
    for (uint32_t k = 0; k < 20; k++) rows[k] = (k * 7 + 3) % N;
    smerf_items *some;
    smerf_error error;
    demand_ok(smerf_items_take(data->items, rows, 20, &some, &error), &error);
    const smerf_request all = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true),
                        sample = SMERF_INIT(smerf_request, .rows = some, .out_of_bag = true);
    square kept = {.distances = calloc(400, sizeof(double))};
    assert_non_null(kept.distances);
    assert_int_equal(smerf_predict_rows(model, &sample, NULL, keep_row, &kept, &error), SMERF_BAD_INPUT);
    demand_ok(smerf_model_training_rows(model, some, places, &error), &error);
    for (size_t k = 0; k < 20; k++) assert_true(places[k] == SMERF_MISSING || places[k] == k);

    demand_ok(smerf_items_set_rows(some, rows, &error), &error);
    demand_ok(smerf_model_training_rows(model, some, places, &error), &error);
    assert_memory_equal(places, rows, sizeof rows);
    double *whole = predict_all(model, &all, NULL), *part = predict_all(model, &sample, NULL);
    for (size_t i = 0; i < 20; i++)
        for (size_t j = 0; j < 20; j++)
            assert_memory_equal(&part[i * 20 + j], &whole[rows[i] * N + rows[j]], sizeof *part);
    smerf_target *truth;
    smerf_scores own = SMERF_INIT(smerf_scores), told = SMERF_INIT(smerf_scores);
    demand_ok(smerf_target_take(smerf_model_target(model), rows, 20, &truth, &error), &error);
    demand_ok(smerf_evaluate(model, &sample, NULL, 0, NULL, &own, &error), &error);
    demand_ok(smerf_evaluate(model, &sample, truth, 0, NULL, &told, &error), &error);
    assert_memory_equal(own.value, told.value, sizeof own.value);
    smerf_target_free(truth);
    free(whole);
    free(part);
    free(kept.distances);
    smerf_items_free(some);
    smerf_model_free(model);
    data_set_free(data);
}

/* Fewer items than the model has, as many, and more, some of them strangers; of one the features have changed. */
static void items_with_ids_are_known_by_them_however_many_there_are(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    size_t every[N], some[20];
    for (size_t i = 0; i < N; i++) every[i] = (i * 7 + 5) % N;
    for (size_t k = 0; k < 20; k++) some[k] = (k * 11 + 2) % N;
    data_set *part = data_set_pick(data, some, 20), *mixed = data_set_pick(data, every, N),
             *moved = data_set_pick(data, some, 20);
    const size_t others[20] = {[0] = 999, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25};
    name_items(data, NULL);
    name_items(part, some);
    name_items(mixed, every);
    name_items(moved, others);
    smerf_model *of_all = fit_small(data, SMERF_AXIS), *of_some = fit_small(part, SMERF_AXIS);
    uint32_t rows[N];
    smerf_error error;
    demand_ok(smerf_model_training_rows(of_all, part->items, rows, &error), &error);
    for (size_t k = 0; k < 20; k++) assert_int_equal(rows[k], some[k]);
    demand_ok(smerf_model_training_rows(of_all, mixed->items, rows, &error), &error);
    for (size_t i = 0; i < N; i++) assert_int_equal(rows[i], every[i]);
    demand_ok(smerf_model_training_rows(of_some, mixed->items, rows, &error), &error);
    for (size_t i = 0; i < N; i++) {
        uint32_t expected = SMERF_MISSING;
        for (uint32_t k = 0; k < 20; k++)
            if (some[k] == every[i]) expected = k;
        assert_int_equal(rows[i], expected);
    }
    demand_ok(smerf_model_training_rows(of_all, moved->items, rows, &error), &error);
    for (size_t k = 0; k < 20; k++)
        assert_true(rows[k] == SMERF_MISSING || (rows[k] == others[k] && some[k] == rows[k]));
    assert_int_equal(rows[0], SMERF_MISSING);
    smerf_model_free(of_all);
    smerf_model_free(of_some);
    data_set *sets[4] = {data, part, mixed, moved};
    for (size_t d = 0; d < 4; d++) data_set_free(sets[d]);
}

static void rows_of_a_source_differ_from_each_other(void **state) {
    (void)state;
    data_set *data = plain_data(3);
    const uint32_t twice[3] = {7, 2, 7}, once[3] = {7, 2, 9};
    smerf_error error;
    assert_int_equal(smerf_items_set_rows(data->items, twice, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "two items are row 7; rows must differ");
    demand_ok(smerf_items_set_rows(data->items, once, &error), &error);
    demand_ok(smerf_items_set_rows(data->items, once, &error), &error);
    data_set_free(data);
}

static void a_form_of_low_rank_is_no_target_to_look_at(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_options options = options_for(2);
    smerf_model *whole = fit_with(data, &options, NULL);
    options.rank = 3;
    smerf_model *low = fit_with(data, &options, NULL);
    assert_ptr_equal(smerf_model_target(whole), data->target);
    assert_null(smerf_model_target(low));
    smerf_model_free(whole);
    smerf_model_free(low);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_trees_answer_as_the_smaller_forest),
        cmocka_unit_test(no_more_trees_are_query_than_there_are),
        cmocka_unit_test(a_sample_is_known_by_the_rows_it_was_taken_from),
        cmocka_unit_test(items_with_ids_are_known_by_them_however_many_there_are),
        cmocka_unit_test(rows_of_a_source_differ_from_each_other),
        cmocka_unit_test(a_form_of_low_rank_is_no_target_to_look_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
