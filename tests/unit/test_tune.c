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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tuning_gives_the_model_that_fitting_the_best_setting_gives),
        cmocka_unit_test(a_cancelled_tuning_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
