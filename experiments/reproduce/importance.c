/* importance.c - which features drive the Radial distance (the paper's appendix, "Estimation of Feature
 * Importance"): the gains of all splits on each feature, divided by the largest sum, at n = 320.
 *
 * The paper's forest has oblique splits, whose gain we divide equally among their features; axis splits, with every
 * feature tried at each node, stand beside it. Neither is tuned: candidates p^1.5 are what tuning picks. */
#include <stdio.h>

#include "reproduce.h"

enum { P = SMERF_SIMULATED_FEATURES, N_ITEMS = 320, N_FORESTS = 2, N_RELEVANT = 2 };

static const char *const names[] = {"smerf", "smerf-axis", NULL};

static void choose_options(size_t forest, smerf_options *options) {
    options->splits = forest == 0 ? SMERF_OBLIQUE : SMERF_AXIS;
    if (forest == 0)
        options->candidates_power = 1.5;
    else
        options->candidates = SMERF_CANDIDATES_ALL;
}

static smerf_status note_importance(cli_study *study, size_t forest, size_t repeat, uint64_t seed,
                                    const double *importance, smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (size_t f = 0; f < P && status == SMERF_OK; f++) {
        const sm_measurement row = {.data = "radial",
                                    .method = names[forest],
                                    .metric = "importance",
                                    .at = (double)f + 1,
                                    .repeat = repeat,
                                    .seed = seed,
                                    .value = importance[f]};
        status = sm_measurements_add(&study->measured, &row, error);
    }
    return status;
}

static smerf_status measure_forest(cli_study *study, const cli_simulated *data, size_t forest, size_t repeat,
                                   uint64_t seed, smerf_error *error) {
    double importance[P];
    smerf_options options;
    smerf_model *model = NULL;
    cli_study_options(study, seed, &options);
    choose_options(forest, &options);
    smerf_status status = smerf_fit(data->items, data->target, &options, &study->run, &model, error);
    if (status == SMERF_OK) status = smerf_importance_gain(model, importance, error);
    if (status == SMERF_OK) status = note_importance(study, forest, repeat, seed, importance, error);
    smerf_model_free(model);
    return status == SMERF_OK ? cli_study_advance(study, 1, error) : status;
}

static smerf_status run_repeat(cli_study *study, size_t repeat, smerf_error *error) {
    cli_simulated data = {0};
    uint64_t seed = cli_study_seed(study, N_ITEMS, repeat);
    smerf_status status = cli_simulate_items(SMERF_RADIAL, N_ITEMS, P, seed, 0, &data, error);
    if (status == SMERF_OK) status = cli_simulate_distances(SMERF_RADIAL, &data, error);
    for (size_t forest = 0; forest < N_FORESTS && status == SMERF_OK; forest++)
        if (study->is_wanted[forest]) status = measure_forest(study, &data, forest, repeat, seed, error);
    cli_free_simulated(&data);
    return status;
}

/* ---- the picture ---- */

/* One panel: two bars that should be high, and eighteen that should not. */
typedef struct panel_bars {
    sm_point points[P];
    sm_series series[2];
} panel_bars;

static void fill_panel(const cli_study *study, size_t forest, const sm_axis *x, panel_bars *bars, sm_panel *panel) {
    const sm_measurement like = {.data = "radial", .method = names[forest], .metric = "importance"};
    sm_measurements_points(&study->measured, &like, SM_STANDARD_DEVIATION, bars->points, P);
    bars->series[0] = (sm_series){
        .name = "features that make the distance", .style = SM_BLUE_CIRCLE, .points = bars->points, .n = N_RELEVANT};
    bars->series[1] = (sm_series){.name = "irrelevant features",
                                  .style = SM_GREY_CIRCLE,
                                  .points = bars->points + N_RELEVANT,
                                  .n = P - N_RELEVANT};
    *panel = (sm_panel){.x = *x, .has_bars = true, .series = bars->series, .n_series = 2};
    panel->y = (sm_axis){.from = 0, .to = 1.05};
}

static smerf_status draw_importance(const cli_study *study, smerf_error *error) {
    static const char *const titles[] = {"Oblique splits, 90 candidates", "Axis splits, all 20 features"};
    const char *shown[N_FORESTS], *labels[P];
    char digits[P][24], text[160], repeats[40];
    double ticks[P];
    panel_bars bars[N_FORESTS];
    sm_panel panels[N_FORESTS];
    size_t n_panels = 0;
    for (size_t f = 0; f < P; f++) {
        snprintf(digits[f], sizeof digits[f], "%zu", f + 1);
        labels[f] = digits[f];
        ticks[f] = (double)f + 1;
    }
    const sm_axis x = {.title = "feature", .from = 0.4, .to = P + 0.6, .ticks = ticks, .labels = labels, .n_ticks = P};
    for (size_t forest = 0; forest < N_FORESTS; forest++) {
        if (!study->is_wanted[forest]) continue;
        fill_panel(study, forest, &x, &bars[n_panels], &panels[n_panels]);
        shown[n_panels++] = titles[forest];
    }
    panels[0].y.title = "importance";
    snprintf(text, sizeof text,
             "Gain of all splits on a feature, the largest being 1; mean of %s, bars: standard deviation.",
             cli_count(study->n_repeats, "repeat", repeats));
    const sm_chart chart = {.title = "Radial distance, n = 320: which features matter",
                            .note = text,
                            .n_rows = 1,
                            .n_columns = n_panels,
                            .panels = panels,
                            .column_titles = shown,
                            .panel_width = 400,
                            .panel_height = 220};
    return cli_study_draw(study, "importance", &chart, error);
}

static smerf_status run_importance(cli_study *study, smerf_error *error) {
    smerf_status status = SMERF_OK;
    study->work = (double)(study->n_repeats * (size_t)(study->is_wanted[0] + study->is_wanted[1]));
    for (size_t repeat = 1; repeat <= study->n_repeats && status == SMERF_OK; repeat++)
        status = run_repeat(study, repeat, error);
    if (status == SMERF_OK) status = cli_study_save(study, error);
    return status == SMERF_OK ? draw_importance(study, error) : status;
}

const cli_experiment cli_importance_study = {.name = "importance",
                                             .at_name = "feature",
                                             .n_repeats = 10,
                                             .n_quick_repeats = 3,
                                             .n_trees = 500,
                                             .n_quick_trees = 100,
                                             .methods = names,
                                             .run = run_importance};
