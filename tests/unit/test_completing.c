/* test_completing.c - fitting fills missing pairs in where it helps, the same way for parts and for the whole, and tuning
 * settles it once. */
#include "smerf_study.h"
#include "tests/unit/filled.h"

enum { N = 100 };

/* (y - y')^2 of items whose y can be seen in a feature; some pairs are hidden. */
static smerf_target *squares_of(const data_set *data, double hidden_share) {
    static uint32_t left[N * N], right[N * N];
    static double value[N * N];
    smerf_pair_list list = {.left = left, .right = right, .value = value};
    smerf_target *target = NULL;
    smerf_error error;
    sm_random random;
    sm_random_start(&random, 3, 12, 17);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < i; j++) {
            if (sm_random_uniform(&random) < hidden_share) continue;
            double apart = data->values[i] - data->values[j];
            left[list.n] = i;
            right[list.n] = j;
            value[list.n++] = apart * apart;
        }
    demand_ok(smerf_target_new_pairs(&list, N, &target, &error), &error);
    return target;
}

static size_t settled(const smerf_model *model) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    return description.options->complete;
}

static smerf_model *fit_on(const data_set *data, smerf_target *target, const smerf_options *options, size_t n_threads) {
    smerf_model *model = NULL;
    smerf_error error;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    demand_ok(smerf_fit(data->items, target, options, &run, &model, &error), &error);
    return model;
}

static void fitting_fills_in_where_it_helps(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_target *sparse = squares_of(data, 0.8), *whole = squares_of(data, 0);
    smerf_options options = options_for(20);
    smerf_model *one = fit_on(data, sparse, &options, 1), *three = fit_on(data, sparse, &options, 3);
    assert_true(settled(one) > 0 && settled(one) <= 12);
    assert_same_model(one, three);
    options.complete = settled(one); /* said aloud, it is the same */
    smerf_model *explicit = fit_on(data, sparse, &options, 2);
    assert_same_model(one, explicit);
    options.complete = SMERF_COMPLETE_AUTO;
    smerf_model *complete = fit_on(data, whole, &options, 1), *dense = fit_on(data, data->target, &options, 1);
    assert_int_equal(settled(complete), 0);
    assert_int_equal(settled(dense), 0);
    smerf_model_free(one);
    smerf_model_free(three);
    smerf_model_free(explicit);
    smerf_model_free(complete);
    smerf_model_free(dense);
    smerf_target_free(sparse);
    smerf_target_free(whole);
    data_set_free(data);
}

static void noise_is_not_filled_in(void **state) {
    (void)state;
    data_set *data = plain_data(60);
    filled *made = calloc(1, sizeof *made);
    sm_random random;
    sm_random_start(&random, 4, 13, 17);
    draw_pairs(made, 60, false, false, 0.3, &random);
    const smerf_options options = options_for(20);
    smerf_model *model = fit_on(data, made->pairs, &options, 1);
    assert_int_equal(settled(model), 0);
    smerf_model_free(model);
    filled_free(made);
    data_set_free(data);
}

static void a_rank_is_refused_where_nothing_can_be_missing(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    uint32_t codes[N];
    static const char *const classes[] = {"a", "b"};
    smerf_target *labels = NULL, *sparse = squares_of(data, 0.5);
    smerf_model *model = NULL;
    smerf_error error;
    smerf_options options = options_for(3);
    for (size_t i = 0; i < N; i++) codes[i] = i % 2;
    demand_ok(smerf_target_new_labels("y", codes, N, classes, 2, &labels, &error), &error);
    model = fit_on(data, labels, &options, 1);
    assert_int_equal(settled(model), 0);
    smerf_model_free(model);
    model = NULL;
    options.complete = 2;
    assert_int_equal(smerf_fit(data->items, labels, &options, NULL, &model, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "labels"));
    assert_int_equal(smerf_fit(data->items, data->target, &options, NULL, &model, &error), SMERF_BAD_INPUT);
    options.complete = 65;
    assert_int_equal(smerf_fit(data->items, sparse, &options, NULL, &model, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "complete"));
    assert_null(model);
    smerf_target_free(labels);
    smerf_target_free(sparse);
    data_set_free(data);
}

/* Parts of a forest settle as the whole does, and are its parts: also after a file, and from similarities. */
static void parts_of_a_completed_forest_can_be_merged(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_error error;
    for (int is_similarity = 0; is_similarity < 2; is_similarity++) {
        smerf_target *sparse = squares_of(data, 0.8);
        if (is_similarity) smerf_target_note_similarities(sparse, 2.5);
        smerf_options options = options_for(12), first = options, second = options;
        first.n_trees = 1;
        second.first_tree = 1;
        second.n_trees = 11;
        smerf_model *whole = fit_on(data, sparse, &options, 1), *merged = NULL;
        smerf_model *parts[2] = {fit_on(data, sparse, &first, 1), fit_on(data, sparse, &second, 1)};
        assert_true(settled(whole) > 0);
        demand_ok(smerf_model_save(parts[1], "part.smerf", &error), &error);
        smerf_model_free(parts[1]);
        demand_ok(smerf_model_load("part.smerf", &parts[1], &error), &error);
        demand_ok(smerf_model_merge((const smerf_model *const *)parts, 2, &merged, &error), &error);
        assert_same_model(merged, whole);
        for (size_t k = 0; k < 2; k++) smerf_model_free(parts[k]);
        smerf_model_free(whole);
        smerf_model_free(merged);
        smerf_target_free(sparse);
    }
    data_set_free(data);
}

/* Whether filling in helps is a close call here, which few trees would decide at random. */
static void how_many_trees_are_query_for_does_not_settle_it(void **state) {
    (void)state;
    enum { SIZE = 40 };
    size_t n_completed = 0, n_seeds = repetitions(12, 4);
    for (uint64_t seed = 0; seed < n_seeds; seed++) {
        data_set *data = data_set_new((data_plan){.n_items = SIZE, .n_numbers = 3, .seed = seed});
        uint32_t left[SIZE * SIZE], right[SIZE * SIZE];
        double value[SIZE * SIZE];
        smerf_pair_list list = {.left = left, .right = right, .value = value};
        smerf_target *pairs = NULL;
        smerf_error error;
        sm_random random;
        sm_random_start(&random, seed, 14, 17);
        for (uint32_t i = 0; i < SIZE; i++)
            for (uint32_t j = 0; j < i; j++) {
                if (sm_random_uniform(&random) < 0.05) continue;
                left[list.n] = i;
                right[list.n] = j;
                value[list.n++] = (double)data->z[i * SIZE + j] + 0.5 * sm_random_normal(&random);
            }
        demand_ok(smerf_target_new_pairs(&list, SIZE, &pairs, &error), &error);
        smerf_options options = options_for(1);
        options.seed = seed;
        smerf_model *one = fit_on(data, pairs, &options, 1);
        options.n_trees = 30;
        smerf_model *many = fit_on(data, pairs, &options, 1);
        assert_int_equal(settled(one), settled(many));
        n_completed += settled(one) > 0;
        smerf_model_free(one);
        smerf_model_free(many);
        smerf_target_free(pairs);
        data_set_free(data);
    }
    assert_true(n_completed > 0 && n_completed < n_seeds); /* or it was no close call */
}

typedef struct reports {
    size_t n;
    double last;
} reports;

static int count_calls(void *context, double fraction_done) {
    reports *told = context;
    told->n++;
    if (fraction_done < told->last) return 1; /* progress never goes back */
    told->last = fraction_done;
    return 0;
}

static void completing_can_be_cancelled(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_target *sparse = squares_of(data, 0.8);
    const smerf_options options = options_for(5);
    reports told = {0};
    const smerf_run whole = SMERF_INIT(smerf_run, .n_threads = 1, .progress = count_calls, .context = &told);
    smerf_model *model = NULL;
    smerf_error error;
    demand_ok(smerf_fit(data->items, sparse, &options, &whole, &model, &error), &error);
    smerf_model_free(model);
    model = NULL;
    assert_true(told.last == 1 && told.n > 100);
    for (size_t k = 0; k < told.n; k += 1 + told.n / repetitions(40, 6)) {
        patience left = {.n_left = k};
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = run_out, .context = &left);
        assert_int_equal(smerf_fit(data->items, sparse, &options, &run, &model, &error), SMERF_CANCELLED);
        assert_null(model);
    }
    smerf_target_free(sparse);
    data_set_free(data);
}

/* ---- tuning ---- */

typedef struct seen {
    size_t n, complete[40];
} seen;

static void see_trial(void *context, const smerf_trial *trial) {
    seen *trials = context;
    assert_true(trials->n < 40);
    trials->complete[trials->n++] = trial->options->complete;
}

static void tuning_settles_once(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_target *sparse = squares_of(data, 0.8);
    const smerf_options options = options_for(10);
    smerf_model *fitted = fit_on(data, sparse, &options, 1);
    smerf_error error;
    seen trials = {0};
    const smerf_tuning tuning = SMERF_INIT(smerf_tuning, .metric = SMERF_RMSE, .vary_candidates = true,
                                           .vary_min_parent = true, .tried = see_trial, .context = &trials);
    smerf_tuned best = SMERF_INIT(smerf_tuned);
    smerf_description about = SMERF_INIT(smerf_description);
    demand_ok(smerf_tune(data->items, sparse, &options, &tuning, NULL, &best, &error), &error);
    assert_true(trials.n > 3 && settled(fitted) > 0);
    for (size_t k = 0; k < trials.n; k++) assert_int_equal(trials.complete[k], settled(fitted));
    assert_int_equal(settled(best.model), settled(fitted));
    demand_ok(smerf_model_describe(best.model, &about, &error), &error);
    smerf_model *again = fit_on(data, sparse, about.options, 1);
    assert_same_model(best.model, again);
    smerf_model_free(again);
    smerf_model_free(best.model);
    smerf_model_free(fitted);
    smerf_target_free(sparse);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fitting_fills_in_where_it_helps),
        cmocka_unit_test(noise_is_not_filled_in),
        cmocka_unit_test(a_rank_is_refused_where_nothing_can_be_missing),
        cmocka_unit_test(parts_of_a_completed_forest_can_be_merged),
        cmocka_unit_test(how_many_trees_are_query_for_does_not_settle_it),
        cmocka_unit_test(completing_can_be_cancelled),
        cmocka_unit_test(tuning_settles_once),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
