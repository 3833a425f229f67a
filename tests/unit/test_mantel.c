/* test_mantel.c - correlations over all pairs: the same for any number of threads, of a sample where there are too many items,
 * and Mantel's test by counting permutations. */
#include "tests/unit/column_targets.h"

enum { N = 40, N_PERMUTATIONS = 60 };

static smerf_correlation correlation_of(const smerf_model *model, const smerf_request *request,
                                        const smerf_target *truth, size_t most_items, size_t n_threads) {
    smerf_correlation found =
        SMERF_INIT(smerf_correlation, .n_permutations = request->columns == NULL ? N_PERMUTATIONS : 0,
                   .most_items = most_items, .seed = 4);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    smerf_error error;
    demand_ok(smerf_correlate(model, request, truth, &run, &found, &error), &error);
    return found;
}

static void threads_change_no_bit(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    const smerf_options options = options_for(10);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    for (size_t most = 0; most < 30; most += 20) {
        const smerf_correlation one = correlation_of(model, &request, data->target, most, 1),
                                three = correlation_of(model, &request, data->target, most, 3);
        assert_memory_equal(&one, &three, sizeof one);
        assert_int_equal(one.n_rows, most == 0 ? N : most);
        assert_int_equal(one.n_pairs, one.n_rows * (one.n_rows - 1) / 2);
        assert_true(one.p_pearson >= 1.0 / (N_PERMUTATIONS + 1) && one.p_pearson <= 1);
    }
    smerf_model_free(model);
    data_set_free(data);
}

/* A sample is known out of bag by its rows, and each side of a block is drawn. */
static void a_sample_is_scored_as_the_items_it_is(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    const smerf_options options = options_for(60);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true);
    const smerf_correlation own = correlation_of(model, &request, NULL, 15, 2),
                            given = correlation_of(model, &request, data->target, 15, 2);
    assert_memory_equal(&own, &given, sizeof own);
    assert_int_equal(own.n_rows, 15);
    assert_true(isnan(own.spearman) == 0);
    smerf_model_free(model);
    data_set_free(data);
}

/* Predictions that are the truth: only permutations that change nothing do as well. */
static void a_perfect_prediction_is_beaten_by_none(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_options options = options_for(1);
    options.sample = SMERF_NO_SAMPLE; /* every item in a leaf of its own */
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    const smerf_correlation found = correlation_of(model, &request, data->target, 0, 1);
    assert_near(found.pearson, 1, 1e-6);
    assert_near(found.p_pearson, 1.0 / (N_PERMUTATIONS + 1), 1e-15);
    smerf_model_free(model);
    data_set_free(data);
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    const smerf_options options = options_for(2);
    smerf_model *model = fit_with(data, &options, NULL);
    smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .columns = data->items);
    smerf_correlation found = SMERF_INIT(smerf_correlation, .n_permutations = 1);
    smerf_error error;
    assert_int_equal(smerf_correlate(model, &request, data->target, NULL, &found, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "permutations: the pairs between two sets of items cannot be permuted");
    request.columns = NULL;
    assert_int_equal(smerf_correlate(model, &request, NULL, NULL, &found, &error), SMERF_BAD_INPUT);
    found.seed = UINT64_MAX;
    assert_int_equal(smerf_correlate(model, &request, data->target, NULL, &found, &error), SMERF_BAD_INPUT);
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_sample_is_scored_as_the_items_it_is),
        cmocka_unit_test(a_perfect_prediction_is_beaten_by_none),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
