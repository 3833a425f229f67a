/* convergence.c - does the forest's own spread find the noise? (The paper's appendix, "Empirical convergence".)
 *
 * Y = X1^2 + X2^2 + noise of variance 0.01, X uniform in the unit square. The paper's Eq. (gsm) parts a forest's distance
 * of two points, with one item a leaf, into half the squared difference of two regression means and the rest,
 *
 *     s(x, x') = g(x, x') - (m(x) - m(x'))^2 / 2 = half the variance over trees of m_b(x) - m_b(x')
 *
 * and conjectures that the rest tends to the variance of the noise. We take the mean of s over all pairs of 200 test
 * points. (The appendix's text leaves the half out, the equation does not; without it the limit would be 0.02.)
 *
 * Trees are grown in parts, and their sums kept: a thousand trees of 65536 leaves need not be there at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reproduce.h"

enum { N_TEST = 200, N_FEATURES = 2, TREES_AT_ONCE = 100, N_WAYS = 4 };

static const double noise_deviation = 0.1, subsample_power = 0.7;

static const char *const names[] = {"bootstrap", "bootstrap-1", "subsample", "subsample-1", NULL};

/* How trees are made: on what, and from how many of the two features at each node. */
static const struct way {
    smerf_sample sample;
    size_t candidates;
} ways[N_WAYS] = {{SMERF_BOOTSTRAP, 2}, {SMERF_BOOTSTRAP, 1}, {SMERF_SUBSAMPLE, 2}, {SMERF_SUBSAMPLE, 1}};

#define SUBSAMPLE "n\xe2\x81\xb0\xc2\xb7\xe2\x81\xb7 items" /* with 0.7 as a power */

/* ---- data ---- */

/* Items of the Bilinear simulation are uniform in a cube: the first two features are X, two others make the noise (Box &
 * Muller), the rest is not looked at. */
static smerf_status make_data(size_t n, uint64_t seed, uint32_t part, cli_simulated *data, smerf_error *error) {
    const double two_pi = 2 * acos(-1);
    smerf_status status = cli_simulate_items(SMERF_BILINEAR, n, N_FEATURES, seed, part, data, error);
    for (size_t i = 0; i < n && status == SMERF_OK; i++) {
        double x1 = data->columns[i], x2 = data->columns[n + i];
        double radius = sqrt(-2 * log(1 - data->columns[2 * n + i])), angle = two_pi * data->columns[3 * n + i];
        data->y[i] = x1 * x1 + x2 * x2 + noise_deviation * radius * cos(angle);
    }
    return status;
}

static smerf_status make_target(cli_simulated *data, smerf_error *error) {
    static const char *const name[] = {"y"};
    const double *const columns[] = {data->y};
    return smerf_target_new_response(name, columns, 1, data->n, &data->target, error);
}

/* ---- one forest ---- */

/* What trees say about the test points, added up with the number of trees as weight. */
typedef struct sums {
    double mean[N_TEST];     /* of m(x) */
    double distance[N_TEST]; /* of g(x, x'), over the x' after x */
    double trees;            /* in the part that is being added */
} sums;

static int add_row(void *context, size_t row, const double *distances, size_t n_columns) {
    sums *all = context;
    for (size_t j = row + 1; j < n_columns; j++) all->distance[row] += all->trees * distances[j];
    return 0;
}

static smerf_status add_part(cli_study *study, const cli_simulated *training, const smerf_items *points,
                             const smerf_options *options, sums *all, smerf_error *error) {
    double mean[N_TEST];
    const smerf_request request = SMERF_INIT(smerf_request, .rows = points);
    smerf_model *model = NULL;
    all->trees = (double)options->n_trees;
    smerf_status status = smerf_fit(training->items, training->target, options, &study->run, &model, error);
    if (status == SMERF_OK) status = smerf_predict_rows(model, &request, &study->run, add_row, all, error);
    if (status == SMERF_OK) status = smerf_predict_values(model, &request, &study->run, mean, error);
    for (size_t i = 0; i < N_TEST && status == SMERF_OK; i++) all->mean[i] += all->trees * mean[i];
    smerf_model_free(model);
    return status;
}

static double rest_of(const sums *all, double n_trees) {
    double sum = 0;
    for (size_t i = 0; i < N_TEST; i++) {
        sum += all->distance[i] / n_trees;
        for (size_t j = i + 1; j < N_TEST; j++) {
            double difference = (all->mean[i] - all->mean[j]) / n_trees;
            sum -= difference * difference / 2;
        }
    }
    return sum / (N_TEST * (N_TEST - 1) / 2);
}

static smerf_status measure_rest(cli_study *study, const cli_simulated *training, const smerf_items *points, size_t way,
                                 uint64_t seed, double *rest, smerf_error *error) {
    sums all = {.trees = 0};
    smerf_options options;
    smerf_status status = SMERF_OK;
    cli_study_options(study, seed, &options);
    options.sample = ways[way].sample;
    options.sample_fraction = pow((double)training->n, subsample_power - 1);
    options.candidates = ways[way].candidates;
    size_t n_trees = options.n_trees;
    for (size_t first = 0; first < n_trees && status == SMERF_OK; first += options.n_trees) {
        options.first_tree = first;
        options.n_trees = n_trees - first < TREES_AT_ONCE ? n_trees - first : TREES_AT_ONCE;
        status = add_part(study, training, points, &options, &all, error);
    }
    *rest = rest_of(&all, (double)n_trees);
    return status;
}

/* ---- all of them ---- */

static double work_of(double n) { return n + 500; }

static smerf_status run_ways(cli_study *study, const cli_simulated *training, const smerf_items *points, size_t repeat,
                             uint64_t seed, smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (size_t way = 0; way < N_WAYS && status == SMERF_OK; way++) {
        sm_measurement row = {
            .data = "additive", .method = names[way], .metric = "s_n", .repeat = repeat, .seed = seed};
        row.at = (double)training->n;
        if (!study->is_wanted[way]) continue;
        status = measure_rest(study, training, points, way, seed, &row.value, error);
        if (status == SMERF_OK) status = sm_measurements_add(&study->measured, &row, error);
        if (status == SMERF_OK) status = cli_study_advance(study, work_of(row.at), error);
    }
    return status;
}

static smerf_status run_repeat(cli_study *study, size_t n, size_t repeat, smerf_error *error) {
    cli_simulated training = {0}, testing = {0};
    uint64_t seed = cli_study_seed(study, n, repeat);
    smerf_status status = make_data(n, seed, 0, &training, error);
    if (status == SMERF_OK) status = make_target(&training, error);
    if (status == SMERF_OK) status = make_data(N_TEST, seed, 1, &testing, error);
    if (status == SMERF_OK) status = run_ways(study, &training, testing.items, repeat, seed, error);
    cli_free_simulated(&training);
    cli_free_simulated(&testing);
    return status;
}

static smerf_status draw_convergence(const cli_study *study, smerf_error *error) {
    static const cli_figure_data data[] = {{"additive", NULL}};
    static const cli_figure_metric metrics[] = {{.name = "s_n", .title = "s\xe2\x82\x99 (log scale)", .is_log = true}};
    static const cli_figure_line lines[] = {{"bootstrap", NULL, "bootstrap", SM_BLUE_CIRCLE},
                                            {"bootstrap-1", NULL, "bootstrap, one candidate", SM_SKY_CIRCLE},
                                            {"subsample", NULL, SUBSAMPLE, SM_VERMILION_SQUARE},
                                            {"subsample-1", NULL, SUBSAMPLE ", one candidate", SM_ORANGE_TRIANGLE}};
    char text[200], repeats[40];
    snprintf(text, sizeof text,
             "Half the variance over %zu trees of m(x) \xe2\x88\x92 m(x\xe2\x80\xb2), averaged over pairs of %d test "
             "points; mean of %s, "
             "bars: standard error.",
             study->n_trees, N_TEST, cli_count(study->n_repeats, "repeat", repeats));
    const cli_figure figure = {.file = "convergence",
                               .title = "Does a forest's own spread find the noise?",
                               .note = text,
                               .data = data,
                               .n_data = 1,
                               .metrics = metrics,
                               .n_metrics = 1,
                               .lines = lines,
                               .n_lines = N_WAYS,
                               .x = cli_study_size_axis(study),
                               .bar = SM_STANDARD_ERROR,
                               .panel_width = 660,
                               .panel_height = 320,
                               .level_name = "\xcf\x83\xc2\xb2 = 0.01",
                               .level = noise_deviation * noise_deviation};
    return cli_study_draw_figure(study, &figure, error);
}

static smerf_status run_size(cli_study *study, size_t n, smerf_error *error) {
    double started = cli_clock();
    char repeats[40];
    smerf_status status = SMERF_OK;
    for (size_t repeat = 1; repeat <= study->n_repeats && status == SMERF_OK; repeat++)
        status = run_repeat(study, n, repeat, error);
    if (status == SMERF_OK)
        cli_study_say(study, "n = %zu: %s, %.1f s", n, cli_count(study->n_repeats, "repeat", repeats),
                      cli_clock() - started);
    return status;
}

static smerf_status run_convergence(cli_study *study, smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < study->n_settings; k++)
        for (size_t way = 0; way < N_WAYS; way++)
            study->work += study->is_wanted[way] * (double)study->n_repeats * work_of(study->settings[k]);
    for (size_t k = 0; k < study->n_settings && status == SMERF_OK; k++)
        status = run_size(study, (size_t)study->settings[k], error);
    if (status == SMERF_OK) status = cli_study_save(study, error);
    return status == SMERF_OK ? draw_convergence(study, error) : status;
}

const cli_experiment cli_convergence = {
    .name = "convergence",
    .at_name = "n",
    .settings_option = "--sizes",
    .smallest = 4,
    .largest = 1 << 20,
    .settings = {16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536},
    .quick_settings = {16, 32, 64, 128, 256, 512, 1024, 2048},
    .n_repeats = 10,
    .n_quick_repeats = 3,
    .n_trees = 1000,
    .n_quick_trees = 200,
    .methods = names,
    .run = run_convergence};
