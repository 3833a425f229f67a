/* test_methods.c - what holds for every method other than the forest: questions, files, threads, cancelling, refusals. */
#include "tests/unit/forests.h"

#include <xxhash.h>

enum { N = 24, N_NEW = 9 };

/* Data that a method can take. */
typedef struct method_data {
    smerf_method method;
    data_set *data, *new_data;
    smerf_target *target; /* its own, or NULL: that of the data */
    size_t n_rounds;      /* of boosting; 0: as many as are good for held-out pairs, of noise none */
} method_data;

static const smerf_run one_thread = {.size = sizeof(smerf_run), .n_threads = 1},
                       three_threads = {.size = sizeof(smerf_run), .n_threads = 3};

static smerf_target *make_graph(const data_set *data) {
    uint32_t left[N * N], right[N * N];
    size_t n = 0;
    smerf_target *target = NULL;
    smerf_error error;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < i; j++)
            if (data->z[i * N + j] < 0.5) {
                left[n] = i;
                right[n++] = j;
            }
    const smerf_pair_list edges = {.n = n, .left = left, .right = right};
    demand_ok(smerf_target_new_graph(&edges, NULL, N, &target, &error), &error);
    return target;
}

static smerf_target *make_response(const data_set *data) {
    static const char *const names[1] = {"y"};
    double y[N];
    const double *const columns[1] = {y};
    smerf_target *target = NULL;
    smerf_error error;
    for (size_t i = 0; i < N; i++) y[i] = hidden(data, i);
    demand_ok(smerf_target_new_response(names, columns, 1, N, &target, &error), &error);
    return target;
}

static method_data data_for(smerf_method method) {
    method_data made = {.method = method, .data = mixed_data(N), .new_data = mixed_data(N_NEW)};
    if (method == SMERF_METHOD_EPM || method == SMERF_METHOD_NARM) made.target = make_graph(made.data);
    if (method == SMERF_METHOD_PLUGIN) made.target = make_response(made.data);
    name_items(made.data, NULL);
    return made;
}

static void method_data_free(method_data *made) {
    smerf_target_free(made->target);
    data_set_free(made->data);
    data_set_free(made->new_data);
}

static smerf_status try_fit(const method_data *given, const smerf_run *run, smerf_model **model, smerf_error *error) {
    smerf_options options = options_for(7);
    options.method = given->method;
    smerf_baseline_options baselines;
    smerf_baseline_options_default(&baselines);
    baselines.n_factors = 4;
    baselines.n_burn = baselines.n_draws = 20;
    options.baselines = &baselines;
    smerf_boost_options boost;
    smerf_boost_options_default(&boost);
    boost.n_rounds = given->n_rounds;
    boost.most_rounds = 30;
    boost.min_leaf = 5;
    options.boost = &boost;
    smerf_target *target = given->target != NULL ? given->target : given->data->target;
    return smerf_fit(given->data->items, target, &options, run, model, error);
}

static smerf_model *fit(const method_data *given, const smerf_run *run) {
    smerf_model *model = NULL;
    smerf_error error;
    demand_ok(try_fit(given, run, &model, &error), &error);
    return model;
}

typedef void (*method_check)(const method_data *given);

static void for_every_method(method_check check) {
    for (unsigned m = SMERF_METHOD_FOREST + 1; m < SMERF_N_METHODS; m++) {
        method_data made = data_for((smerf_method)m);
        check(&made);
        method_data_free(&made);
    }
}

/* ---- questions ---- */

static int take_row(void *context, size_t row, const double *distances, size_t n_columns) {
    memcpy((double *)context + row * n_columns, distances, n_columns * sizeof *distances);
    return 0;
}

static void ask(const smerf_model *model, const smerf_request *request, const smerf_run *run, double *out) {
    smerf_error error;
    demand_ok(smerf_predict_rows(model, request, run, take_row, out, &error), &error);
}

static void check_predictor(const method_data *given) {
    smerf_model *model = fit(given, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = given->data->items);
    double rows[N * N], again[N * N], listed[N * N];
    uint32_t left[N * N], right[N * N];
    smerf_error error;
    ask(model, &request, &one_thread, rows);
    ask(model, &request, &three_threads, again);
    assert_memory_equal(rows, again, sizeof rows);
    for (size_t k = 0; k < N * N; k++) { /* columns first, so that rows do not come together */
        left[k] = (uint32_t)(k % N);
        right[k] = (uint32_t)(k / N);
    }
    demand_ok(smerf_predict_pairs(model, &request, &(smerf_pair_list){.n = N * N, .left = left, .right = right}, NULL,
                                  &SMERF_INIT(smerf_pair_result, .distance = listed), &error),
              &error);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            assert_true(isfinite(rows[i * N + j]));
            assert_true(rows[i * N + j] == rows[j * N + i]);
            assert_true(rows[i * N + j] == listed[j * N + i]);
        }
    smerf_model_free(model);
}

static void predictor_are_the_same_however_they_are_query_for(void **state) {
    (void)state;
    for_every_method(check_predictor);
}

/* Against new items: the block is the transpose of the block the other way round. epm does not know new items. */
static void check_new_items(const method_data *given) {
    smerf_model *model = fit(given, NULL);
    const smerf_request there =
        SMERF_INIT(smerf_request, .rows = given->data->items, .columns = given->new_data->items);
    const smerf_request back = SMERF_INIT(smerf_request, .rows = given->new_data->items, .columns = given->data->items);
    double block[N * N_NEW], turned[N * N_NEW];
    smerf_error error;
    if (given->method == SMERF_METHOD_EPM) {
        assert_int_equal(smerf_predict_rows(model, &there, NULL, take_row, block, &error), SMERF_BAD_INPUT);
        assert_non_null(strstr(error.message, "epm"));
    } else {
        ask(model, &there, NULL, block);
        ask(model, &back, NULL, turned);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N_NEW; j++) assert_true(block[i * N_NEW + j] == turned[j * N + i]);
    }
    smerf_model_free(model);
}

static void new_items_are_answered_or_refused(void **state) {
    (void)state;
    for_every_method(check_new_items);
}

/* ---- files ---- */

static void check_file(const method_data *given) {
    smerf_model *model = fit(given, &one_thread), *other = fit(given, &three_threads), *loaded = NULL;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = given->data->items);
    double before[N * N], after[N * N];
    smerf_error error;
    assert_same_model(model, other); /* for any number of threads */
    demand_ok(smerf_model_save(model, "m.smerf", &error), &error);
    demand_ok(smerf_model_load("m.smerf", &loaded, &error), &error);
    assert_same_model(model, loaded);
    ask(model, &request, NULL, before);
    ask(loaded, &request, NULL, after);
    assert_memory_equal(before, after, sizeof before);
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(loaded, &description, NULL);
    assert_string_equal(description.method, smerf_method_name(given->method));
    assert_int_equal(smerf_model_n_diagnostics(loaded), smerf_model_n_diagnostics(model));
    smerf_model_free(model);
    smerf_model_free(other);
    smerf_model_free(loaded);
}

static void a_model_comes_back_as_it_was(void **state) {
    (void)state;
    for_every_method(check_file);
}

/* Bytes of the arrays are changed and the checksum is made to fit: the file is refused, or (a number may be as good as
 * another) does no harm. */
static void check_forged(const method_data *given) {
    enum { N_TRIES = 300, CHECKSUM = 8 + 29, DIGITS = 32 };
    smerf_model *model = fit(given, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = given->data->items);
    double predictor[N * N];
    sm_random random;
    smerf_error error;
    uint64_t n_header;
    demand_ok(smerf_model_save(model, "whole", &error), &error);
    file_bytes whole = read_bytes("whole");
    memcpy(&n_header, whole.bytes, 8);
    sm_random_start(&random, 5, 1, given->method);
    for (size_t try = 0; try < N_TRIES; try++) {
        size_t place = 8 + n_header + sm_random_below(&random, (uint32_t)(whole.n - 8 - n_header));
        char was = whole.bytes[place];
        char digits[DIGITS + 1];
        whole.bytes[place] = (char)(try % 3 == 0 ? 0xff : sm_random_word(&random));
        memset(whole.bytes + CHECKSUM, '0', DIGITS);
        XXH128_hash_t hash = XXH3_128bits(whole.bytes, whole.n);
        snprintf(digits, sizeof digits, "%016llx%016llx", (unsigned long long)hash.high64,
                 (unsigned long long)hash.low64);
        memcpy(whole.bytes + CHECKSUM, digits, DIGITS);
        write_bytes("forged", whole.bytes, whole.n);
        whole.bytes[place] = was;
        smerf_model *loaded = NULL;
        smerf_status status = smerf_model_load("forged", &loaded, &error);
        assert_true(status == SMERF_OK || status == SMERF_BAD_FILE);
        if (status == SMERF_OK) (void)smerf_predict_rows(loaded, &request, &one_thread, take_row, predictor, &error);
        smerf_model_free(loaded);
    }
    free(whole.bytes);
    smerf_model_free(model);
}

static void a_forged_file_does_no_harm(void **state) {
    (void)state;
    for_every_method(check_forged);
}

/* ---- refusals ---- */

static void check_cancelling(const method_data *given) {
    patience none = {.n_left = 0};
    /* One thread: another could be done with so little before the caller's is asked. */
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = run_out, .context = &none);
    smerf_model *model = NULL;
    smerf_error error;
    smerf_status status = try_fit(given, &run, &model, &error);
    assert_int_equal(status, SMERF_CANCELLED);
    smerf_model_free(model);
}

static void learning_can_be_cancelled(void **state) {
    (void)state;
    for_every_method(check_cancelling);
}

/* Boosting has bags, gains and contributions as forests have. */
static bool has_bags(const method_data *given) { return given->method == SMERF_METHOD_BOOST; }

static void check_refusals(const method_data *given) {
    smerf_model *model = fit(given, NULL), *merged = NULL;
    const smerf_status of_bags = has_bags(given) ? SMERF_OK : SMERF_BAD_INPUT;
    assert_true(smerf_model_has_out_of_bag(model) == has_bags(given));
    const smerf_request request = SMERF_INIT(smerf_request, .rows = given->data->items, .out_of_bag = true);
    double values[N * N], spread[1];
    uint32_t place[1] = {0};
    smerf_scores scores = SMERF_INIT(smerf_scores);
    smerf_error error;
    const smerf_request plain = SMERF_INIT(smerf_request, .rows = given->data->items);
    const smerf_model *const parts[1] = {model};
    assert_int_equal(smerf_predict_rows(model, &request, NULL, take_row, values, &error), of_bags);
    assert_true(has_bags(given) || strstr(error.message, "out of bag") != NULL);
    assert_int_equal(smerf_evaluate(model, &request, NULL, 0, NULL, &scores, &error), SMERF_BAD_INPUT);
    assert_int_equal(smerf_predict_values(model, &plain, NULL, values, &error), SMERF_BAD_INPUT);
    assert_int_equal(smerf_predict_pairs(model, &plain, &(smerf_pair_list){.n = 1, .left = place, .right = place}, NULL,
                                         &SMERF_INIT(smerf_pair_result, .distance = values, .spread = spread), &error),
                     SMERF_BAD_INPUT);
    assert_int_equal(smerf_importance_gain(model, values, &error), of_bags);
    assert_int_equal(smerf_importance_permutation(model, given->data->items, NULL, NULL, values, values, &error),
                     SMERF_BAD_INPUT);
    assert_int_equal(smerf_model_merge(parts, 1, &merged, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, smerf_method_name(given->method)));
    smerf_model_free(model);
}

static void what_only_forests_have_is_refused(void **state) {
    (void)state;
    for_every_method(check_refusals);
}

/* ---- explanations ---- */

/* Contributions add up to the distance, of new pairs and out of bag. */
static void check_explanations(const method_data *given) {
    enum { N_FEATURES = 20 };
    smerf_model *model = fit(given, NULL);
    uint32_t left[N * N], right[N * N];
    static double baseline[N * N], contributions[N * N * N_FEATURES], distance[N * N], predicted[N * N];
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_error error;
    smerf_model_describe(model, &description, NULL);
    size_t n_features = description.n_features;
    assert_true(n_features <= N_FEATURES);
    for (size_t k = 0; k < N * N; k++) {
        left[k] = (uint32_t)(k / N);
        right[k] = (uint32_t)(k % N);
    }
    const smerf_pair_list pairs = {.n = N * N, .left = left, .right = right};
    const smerf_explanation result =
        SMERF_INIT(smerf_explanation, .baseline = baseline, .contributions = contributions, .distance = distance);
    for (int is_out = 0; is_out < 2; is_out++) {
        const smerf_request request = SMERF_INIT(smerf_request, .rows = given->data->items, .out_of_bag = is_out);
        smerf_status status = smerf_explain_pairs(model, &request, &pairs, NULL, &result, &error);
        assert_int_equal(status, has_bags(given) ? SMERF_OK : SMERF_BAD_INPUT);
        if (status != SMERF_OK) continue;
        ask(model, &request, NULL, predicted);
        for (size_t k = 0; k < N * N; k++) {
            double sum = baseline[k];
            for (size_t f = 0; f < n_features; f++) sum += contributions[k * n_features + f];
            assert_near(sum, distance[k], 1e-9);
            assert_true(distance[k] == predicted[k]);
        }
    }
    smerf_model_free(model);
}

static void contributions_add_up_or_are_refused(void **state) {
    (void)state;
    for_every_method(check_explanations);
}

/* The same distances, of other pairs: what a method makes of them differs, unless it learns nothing of single pairs. */
static void check_what_is_learned(const method_data *given) {
    uint32_t backwards[N];
    double one[N * N], other[N * N], apart = 0;
    method_data plain = *given, turned = *given;
    smerf_error error;
    plain.n_rounds = turned.n_rounds = 10;
    for (uint32_t i = 0; i < N; i++) backwards[i] = N - 1 - i;
    smerf_target *target = given->target != NULL ? given->target : given->data->target;
    demand_ok(smerf_target_take(target, backwards, N, &turned.target, &error), &error);
    smerf_model *model = fit(&plain, NULL), *turned_model = fit(&turned, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = given->data->items);
    ask(model, &request, NULL, one);
    ask(turned_model, &request, NULL, other);
    for (size_t k = 0; k < N * N; k++) apart = fmax(apart, fabs(one[k] - other[k]));
    assert_true(smerf_method_learns_pairs(given->method) ? apart > 1e-3 : apart < 1e-6);
    smerf_model_free(model);
    smerf_model_free(turned_model);
    smerf_target_free(turned.target);
}

static void methods_say_whether_they_learn_of_single_pairs(void **state) {
    (void)state;
    assert_true(smerf_method_learns_pairs(SMERF_METHOD_FOREST));
    for_every_method(check_what_is_learned);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictor_are_the_same_however_they_are_query_for),
        cmocka_unit_test(new_items_are_answered_or_refused),
        cmocka_unit_test(a_model_comes_back_as_it_was),
        cmocka_unit_test(a_forged_file_does_no_harm),
        cmocka_unit_test(learning_can_be_cancelled),
        cmocka_unit_test(what_only_forests_have_is_refused),
        cmocka_unit_test(contributions_add_up_or_are_refused),
        cmocka_unit_test(methods_say_whether_they_learn_of_single_pairs),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
