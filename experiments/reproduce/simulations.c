/* simulations.c - the paper's section 5.1: three distances, five training sizes, ten repeats.
 *
 * For each data set, size and repeat: items to train on and 200 to test with; every method learns from the same items
 * and is scored on the distances among the test items. The forest is tuned by out-of-bag RMSE over the paper's grid,
 * with oblique splits as in the paper ("RandMatBinary" in its appendix), and with axis splits beside it. */
#include <stdio.h>
#include <string.h>

#include "reproduce.h"

enum { N_TEST = 200, N_KINDS = 3, N_METHODS = 6 };

static const cli_figure_data kinds[N_KINDS] = {
    {"regression", "Regression"}, {"bilinear", "Bilinear"}, {"radial", "Radial"}}; /* as smerf_simulation */

typedef struct contender {
    smerf_method method;
    smerf_splits splits;
    bool is_tuned;
    size_t most_trees; /* 0: as many as the study has */
    size_t most_pairs; /* 0: as many as by default */
} contender;

static const char *const names[] = {"smerf", "smerf-axis", "mahalanobis", "bilinear", "rfd", "euclidean", NULL};

static const contender contenders[N_METHODS] = {
    {.method = SMERF_METHOD_FOREST, .splits = SMERF_OBLIQUE, .is_tuned = true},
    {.method = SMERF_METHOD_FOREST, .splits = SMERF_AXIS, .is_tuned = true},
    {.method = SMERF_METHOD_MAHALANOBIS},
    {.method = SMERF_METHOD_BILINEAR},
    {.method = SMERF_METHOD_RFD, .most_trees = 100, .most_pairs = 10000}, /* for time, see docs/reproduction.md */
    {.method = SMERF_METHOD_EUCLIDEAN},
};

/* One data set of one size. */
typedef struct one_round {
    cli_study *study;
    smerf_simulation_kind kind;
    size_t n, repeat;
    uint64_t seed;
    cli_simulated training, testing;
} one_round;

static smerf_status note_score(const one_round *round, size_t method, const char *metric, double value,
                               smerf_error *error) {
    const sm_measurement row = {.data = kinds[round->kind].name,
                                .method = names[method],
                                .metric = metric,
                                .at = (double)round->n,
                                .repeat = round->repeat,
                                .seed = round->seed,
                                .value = value};
    return sm_measurements_add(&round->study->measured, &row, error);
}

/* ---- one method ---- */

static smerf_status tune_forest(const one_round *round, size_t method, const smerf_options *options,
                                smerf_model **model, smerf_error *error) {
    const smerf_tuning tuning =
        SMERF_INIT(smerf_tuning, .metric = SMERF_RMSE, .vary_candidates = true, .vary_min_parent = true);
    smerf_tuned best = SMERF_INIT(smerf_tuned);
    smerf_description about = SMERF_INIT(smerf_description);
    smerf_status status =
        smerf_tune(round->training.items, round->training.target, options, &tuning, &round->study->run, &best, error);
    *model = best.model;
    if (status == SMERF_OK) status = smerf_model_describe(best.model, &about, error);
    if (status == SMERF_OK) status = note_score(round, method, "candidates", (double)about.options->candidates, error);
    if (status == SMERF_OK) status = note_score(round, method, "min-parent", (double)about.options->min_parent, error);
    return status;
}

static smerf_status fit_method(const one_round *round, size_t method, smerf_model **model, smerf_error *error) {
    smerf_options options;
    smerf_baseline_options baselines;
    smerf_baseline_options_default(&baselines);
    cli_study_options(round->study, round->seed, &options);
    options.method = contenders[method].method;
    options.splits = contenders[method].splits;
    size_t most_trees = contenders[method].most_trees, most_pairs = contenders[method].most_pairs;
    if (most_pairs != 0) baselines.n_pairs = most_pairs;
    options.baselines = &baselines;
    if (most_trees != 0 && options.n_trees > most_trees) options.n_trees = most_trees;
    if (contenders[method].is_tuned) return tune_forest(round, method, &options, model, error);
    return smerf_fit(round->training.items, round->training.target, &options, &round->study->run, model, error);
}

static smerf_status score_method(const one_round *round, size_t method, const smerf_model *model, smerf_error *error) {
    static const smerf_metric metrics[] = {SMERF_MAP10, SMERF_SPEARMAN, SMERF_RMSE};
    const smerf_request request = SMERF_INIT(smerf_request, .rows = round->testing.items);
    smerf_scores scores = SMERF_INIT(smerf_scores);
    smerf_status status = smerf_evaluate(model, &request, round->testing.target, 0, &round->study->run, &scores, error);
    for (size_t m = 0; m < 3 && status == SMERF_OK; m++)
        status = note_score(round, method, smerf_metric_name(metrics[m]), scores.value[metrics[m]], error);
    return status;
}

static smerf_status try_method(const one_round *round, size_t method, smerf_error *error) {
    smerf_model *model = NULL;
    smerf_status status = fit_method(round, method, &model, error);
    if (status == SMERF_OK) status = score_method(round, method, model, error);
    smerf_model_free(model);
    return status;
}

/* ---- all of them ---- */

static double work_of(double n) { return n * n; }

static smerf_status run_round(one_round *round, smerf_error *error) {
    smerf_simulation_kind kind = round->kind;
    size_t p = SMERF_SIMULATED_FEATURES;
    smerf_status status = cli_simulate_items(kind, round->n, p, round->seed, 0, &round->training, error);
    if (status == SMERF_OK) status = cli_simulate_distances(kind, &round->training, error);
    if (status == SMERF_OK) status = cli_simulate_items(kind, N_TEST, p, round->seed, 1, &round->testing, error);
    if (status == SMERF_OK) status = cli_simulate_distances(kind, &round->testing, error);
    for (size_t m = 0; m < N_METHODS && status == SMERF_OK; m++)
        if (round->study->is_wanted[m]) status = try_method(round, m, error);
    cli_free_simulated(&round->training);
    cli_free_simulated(&round->testing);
    if (status != SMERF_OK) return status;
    return cli_study_advance(round->study, work_of((double)round->n), error);
}

static smerf_status run_size(cli_study *study, smerf_simulation_kind kind, size_t n, smerf_error *error) {
    double started = cli_clock();
    char repeats[40];
    smerf_status status = SMERF_OK;
    for (size_t repeat = 1; repeat <= study->n_repeats && status == SMERF_OK; repeat++) {
        one_round round = {
            .study = study, .kind = kind, .n = n, .repeat = repeat, .seed = cli_study_seed(study, n, repeat)};
        status = run_round(&round, error);
    }
    if (status == SMERF_OK)
        cli_study_say(study, "%s, n = %zu: %s, %.1f s", kinds[kind].name, n,
                      cli_count(study->n_repeats, "repeat", repeats), cli_clock() - started);
    return status;
}

/* ---- the picture ---- */

static smerf_status draw_simulations(const cli_study *study, smerf_error *error) {
    static const cli_figure_metric metrics[] = {
        {.name = "map@10", .title = "mAP-10"},
        {.name = "spearman", .title = "Spearman correlation"},
        {.name = "rmse", .title = "RMSE (log scale)", .is_log = true, .from = 0.01, .to = 2, .left_out = "euclidean"}};
    static const cli_figure_line lines[] = {{"smerf", NULL, "SMERF", SM_BLUE_CIRCLE},
                                            {"smerf-axis", NULL, "SMERF, axis splits", SM_SKY_CIRCLE},
                                            {"mahalanobis", NULL, "Mahalanobis", SM_VERMILION_SQUARE},
                                            {"bilinear", NULL, "Bilinear", SM_GREEN_TRIANGLE},
                                            {"rfd", NULL, "RFD", SM_PURPLE_DIAMOND},
                                            {"euclidean", NULL, "Euclidean", SM_BLACK_CROSS}};
    char text[240], repeats[40];
    snprintf(
        text, sizeof text,
        "Scores among %d test items; mean of %s, bars: standard error. Arrows: beyond the axis. Euclidean distances "
        "have another scale, and so no RMSE.",
        N_TEST, cli_count(study->n_repeats, "repeat", repeats));
    const cli_figure figure = {.file = "simulations",
                               .title = "Learning three distances from n items",
                               .note = text,
                               .data = kinds,
                               .n_data = N_KINDS,
                               .metrics = metrics,
                               .n_metrics = 3,
                               .lines = lines,
                               .n_lines = N_METHODS,
                               .x = cli_study_size_axis(study),
                               .bar = SM_STANDARD_ERROR,
                               .panel_width = 260,
                               .panel_height = 170};
    return cli_study_draw_figure(study, &figure, error);
}

static smerf_status run_simulations(cli_study *study, smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < study->n_settings; k++)
        study->work += N_KINDS * (double)study->n_repeats * work_of(study->settings[k]);
    for (unsigned kind = 0; kind < N_KINDS; kind++)
        for (size_t k = 0; k < study->n_settings && status == SMERF_OK; k++)
            status = run_size(study, (smerf_simulation_kind)kind, (size_t)study->settings[k], error);
    if (status == SMERF_OK) status = cli_study_save(study, error);
    return status == SMERF_OK ? draw_simulations(study, error) : status;
}

const cli_experiment cli_simulations = {.name = "simulations",
                                        .at_name = "n",
                                        .settings_option = "--sizes",
                                        .smallest = 4,
                                        .largest = 10000,
                                        .settings = {20, 40, 80, 160, 320},
                                        .quick_settings = {20, 80, 320},
                                        .n_repeats = 10,
                                        .n_quick_repeats = 3,
                                        .n_trees = 500,
                                        .n_quick_trees = 100,
                                        .methods = names,
                                        .run = run_simulations};
