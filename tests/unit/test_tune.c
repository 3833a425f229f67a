/* test_tune.c - tuning tries a grid, and gives the model that fitting the best setting gives. */
#include "smerf_study.h"
#include "tests/unit/forests.h"

/* ---- tuning ---- */

typedef struct tried {
    smerf_trial trials[40];
    smerf_options options[40]; /* which are gone after the call */
    size_t n;
} tried;

static void keep_trial(void *context, const smerf_trial *trial) {
    tried *list = context;
    assert_int_equal(trial->number, list->n);
    list->options[list->n] = *trial->options;
    list->trials[list->n++] = *trial;
}

static double score_of(const data_set *data, const smerf_options *options, smerf_metric metric) {
    smerf_model *model = fit_with(data, options, NULL);
    const smerf_request request =
        SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_AS_FITTED);
    smerf_scores scores = SMERF_INIT(smerf_scores);
    smerf_error error;
    demand_ok(smerf_evaluate(model, &request, NULL, SMERF_HAS(metric), NULL, &scores, &error), &error);
    smerf_model_free(model);
    return scores.value[metric];
}

static void tuning_gives_the_model_that_fitting_the_best_setting_gives(void **state) {
    (void)state;
    data_set *data = mixed_data(50);
    const smerf_options options = options_for(15);
    const smerf_metric metrics[] = {SMERF_RMSE, SMERF_SPEARMAN, SMERF_MAP10};
    for (size_t m = 0; m < 3; m++) {
        tried list = {.n = 0};
        const smerf_tuning tuning =
            SMERF_INIT(smerf_tuning, .metric = metrics[m], .vary_candidates = true, .vary_min_parent = true,
                       .vary_splits = true, .tried = keep_trial, .context = &list);
        smerf_tuned best = SMERF_INIT(smerf_tuned);
        smerf_error error;
        demand_ok(smerf_tune(data->items, data->target, &options, &tuning, NULL, &best, &error), &error);
        assert_true(list.n == best.n_trials && list.n > 6);
        for (size_t k = 0; k < list.n; k++) {
            double score = list.trials[k].score;
            assert_true(score == score_of(data, &list.options[k], metrics[m]));
            bool is_better = smerf_metric_rises(metrics[m]) ? score > best.score : score < best.score;
            assert_false(is_better || (score == best.score && k < best.number));
        }
        smerf_model *fitted = fit_with(data, &list.options[best.number], NULL);
        assert_same_model(best.model, fitted);
        smerf_model_free(fitted);
        smerf_model_free(best.model);
    }
    data_set_free(data);
}

static void a_cancelled_tuning_leaves_nothing(void **state) {
    (void)state;
    data_set *data = mixed_data(30);
    const smerf_options options = options_for(4);
    const smerf_tuning tuning =
        SMERF_INIT(smerf_tuning, .metric = SMERF_RMSE, .vary_min_parent = true, .vary_candidates = true);
    for (size_t n_calls = 0; n_calls < 40; n_calls += 3) {
        patience left = {.n_left = n_calls};
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = run_out, .context = &left);
        smerf_tuned best = SMERF_INIT(smerf_tuned);
        assert_int_equal(smerf_tune(data->items, data->target, &options, &tuning, &run, &best, NULL), SMERF_CANCELLED);
        assert_null(best.model);
    }
    data_set_free(data);
}

/* ---- a caller's grid ---- */

static void a_grid_is_tried_as_it_is_given_each_setting_once(void **state) {
    (void)state;
    data_set *data = mixed_data(40);
    const smerf_options options = options_for(10);
    const smerf_candidate_count candidates[] = {{.number = 2}, {.power = 1}, {.number = 2}};
    const size_t min_parents[] = {8, 3};
    const smerf_splits splits[] = {SMERF_AXIS};
    const smerf_self_setting selves[] = {{SMERF_SELF_EXCLUDE, 0}, {SMERF_SELF_VALUE, 0.5}, {SMERF_SELF_GIVEN, 0}};
    const smerf_grid grid =
        SMERF_INIT(smerf_grid, .candidates = candidates, .n_candidates = 3, .min_parents = min_parents,
                   .n_min_parents = 2, .splits = splits, .n_splits = 1, .selves = selves, .n_selves = 3);
    tried list = {.n = 0};
    const smerf_tuning tuning = SMERF_INIT(smerf_tuning, .metric = SMERF_RMSE, .vary_candidates = true,
                                           .vary_splits = true, .tried = keep_trial, .context = &list, .grid = &grid);
    smerf_tuned best = SMERF_INIT(smerf_tuned);
    smerf_error error;
    demand_ok(smerf_tune(data->items, data->target, &options, &tuning, NULL, &best, &error), &error);
    assert_int_equal(list.n, 12);
    assert_int_equal(best.n_tried, 12);
    for (size_t k = 0; k < list.n; k++) {
        assert_int_equal(list.options[k].splits, SMERF_AXIS);
        assert_int_equal(list.options[k].min_parent, k % 6 < 4 ? (k % 6 < 2 ? 3 : 8) : k % 2 == 0 ? 3 : 8);
        assert_true(list.trials[k].score == score_of(data, &list.options[k], SMERF_RMSE));
    }
    smerf_model_free(best.model);
    data_set_free(data);
}

static void a_grid_that_is_no_grid_is_refused(void **state) {
    (void)state;
    data_set *data = mixed_data(20);
    const smerf_options options = options_for(4);
    const smerf_candidate_count nothing[] = {{.power = -1}};
    const size_t small[] = {1};
    const smerf_grid grids[] = {SMERF_INIT(smerf_grid, .n_candidates = 2),
                                SMERF_INIT(smerf_grid, .candidates = nothing, .n_candidates = 1),
                                SMERF_INIT(smerf_grid, .min_parents = small, .n_min_parents = 1),
                                SMERF_INIT(smerf_grid, .min_parents = small, .n_min_parents = 100000)};
    for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
        const smerf_tuning tuning = SMERF_INIT(smerf_tuning, .metric = SMERF_RMSE, .grid = &grids[k]);
        smerf_tuned best = SMERF_INIT(smerf_tuned);
        assert_int_equal(smerf_tune(data->items, data->target, &options, &tuning, NULL, &best, NULL), SMERF_BAD_INPUT);
        assert_null(best.model);
    }
    data_set_free(data);
}

/* ---- stopping ---- */

typedef struct stopped {
    tried list;
    size_t n_before_stop, n_left_out;
} stopped;

static void keep_until(void *context, const smerf_trial *trial) { keep_trial(&((stopped *)context)->list, trial); }

static bool has_enough(void *context) {
    const stopped *at = context;
    return at->list.n >= at->n_before_stop;
}

static void count_left_out(void *context, const smerf_trial *trial) {
    stopped *at = context;
    assert_true(isnan(trial->score));
    assert_int_equal(trial->number, at->list.n + at->n_left_out++);
}

static void stopping_gives_the_best_of_those_that_were_tried(void **state) {
    (void)state;
    data_set *data = mixed_data(40);
    const smerf_options options = options_for(10);
    for (size_t n = 0; n < 6; n++) {
        stopped at = {.n_before_stop = n};
        const smerf_tuning tuning =
            SMERF_INIT(smerf_tuning, .metric = SMERF_RMSE, .vary_candidates = true, .vary_min_parent = true,
                       .tried = keep_until, .context = &at, .stops = has_enough, .left_out = count_left_out);
        smerf_tuned best = SMERF_INIT(smerf_tuned);
        smerf_error error;
        demand_ok(smerf_tune(data->items, data->target, &options, &tuning, NULL, &best, &error), &error);
        assert_int_equal(at.list.n, n == 0 ? 1 : n); /* one is always tried */
        assert_int_equal(best.n_tried, at.list.n);
        assert_int_equal(at.list.n + at.n_left_out, best.n_trials);
        for (size_t k = 0; k < at.list.n; k++) assert_true(at.list.trials[k].score >= best.score);
        smerf_model *fitted = fit_with(data, &at.list.options[best.number], NULL);
        assert_same_model(best.model, fitted);
        smerf_model_free(fitted);
        smerf_model_free(best.model);
    }
    data_set_free(data);
}

static void no_time_is_enough_for_one_setting(void **state) {
    (void)state;
    data_set *data = mixed_data(30);
    const smerf_options options = options_for(4);
    tried list = {.n = 0};
    const smerf_tuning tuning = SMERF_INIT(smerf_tuning, .metric = SMERF_RMSE, .vary_candidates = true,
                                           .tried = keep_trial, .context = &list, .seconds = 1e-9);
    smerf_tuned best = SMERF_INIT(smerf_tuned);
    smerf_error error;
    demand_ok(smerf_tune(data->items, data->target, &options, &tuning, NULL, &best, &error), &error);
    assert_int_equal(list.n, 1);
    smerf_model_free(best.model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tuning_gives_the_model_that_fitting_the_best_setting_gives),
        cmocka_unit_test(a_cancelled_tuning_leaves_nothing),
        cmocka_unit_test(a_grid_is_tried_as_it_is_given_each_setting_once),
        cmocka_unit_test(a_grid_that_is_no_grid_is_refused),
        cmocka_unit_test(stopping_gives_the_best_of_those_that_were_tried),
        cmocka_unit_test(no_time_is_enough_for_one_setting),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
