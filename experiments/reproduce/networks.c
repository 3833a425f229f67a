/* networks.c - the paper's section 5.2: which nodes are linked?
 *
 * Divided by nodes (the paper's scheme-1): smerf and narm learn from the links among some nodes, and are scored on pairs
 * of two others; also on pairs of a known and a new node. Divided by pairs (scheme-2, as many pairs): epm, as in the
 * paper, and beyond it smerf and narm on the same pairs, so that all three meet.
 *
 * smerf has axis splits here ("RandMatRF" in the paper's appendix), and is tuned by out-of-bag AUC-ROC for the one score
 * and by AUC-PR for the other; self-distances, which the paper does not mention, are tuned too. */
#include <math.h>
#include <stdio.h>

#include "network.h"

enum { N_NETWORKS = 3, N_METHODS = 3, N_SCORES = 2, QUICK_DRAWS = 200 };

static const cli_figure_data networks[N_NETWORKS] = {
    {"lazega-cowork", "Lazega-cowork"}, {"facebook-ego", "Facebook-ego"}, {"nips234", "NIPS234"}};

/* As the authors of NARM chose them; and about how long one takes. */
static const size_t factors[N_NETWORKS] = {50, 100, 100};
static const double efforts[N_NETWORKS] = {1, 15, 8};

static const char *const names[] = {"smerf", "narm", "epm", NULL};
static const smerf_method methods[N_METHODS] = {SMERF_METHOD_FOREST, SMERF_METHOD_NARM, SMERF_METHOD_EPM};

static const smerf_metric wanted_scores[N_SCORES] = {SMERF_AUC_ROC, SMERF_AUC_PR};

/* One fraction of one network, once. */
typedef struct one_round {
    cli_study *study;
    const cli_network *network;
    size_t which; /* of the networks */
    double fraction;
    size_t n_train, repeat;
    uint64_t seed;
} one_round;

static smerf_status note_score(const one_round *round, const char *split, size_t method, const char *metric,
                               double value, smerf_error *error) {
    const sm_measurement row = {.data = networks[round->which].name,
                                .split = split,
                                .method = names[method],
                                .metric = metric,
                                .at = round->fraction,
                                .repeat = round->repeat,
                                .seed = round->seed,
                                .value = value};
    return sm_measurements_add(&round->study->measured, &row, error);
}

/* ---- learning ---- */

/* What is learned from: nodes, and what is known of their pairs. */
typedef struct one_training {
    const char *split;
    size_t method;
    const smerf_items *items;
    smerf_target *target;
} one_training;

static const char *const chosen[N_SCORES][3] = {
    {"candidates for auc-roc", "min-parent for auc-roc", "self-distance for auc-roc"},
    {"candidates for auc-pr", "min-parent for auc-pr", "self-distance for auc-pr"}};

/* A self-distance that is left out is an empty cell. */
static smerf_status note_choice(const one_round *round, const one_training *training, size_t score,
                                const smerf_options *options, smerf_error *error) {
    double self = options->self_distance == SMERF_SELF_EXCLUDE ? NAN
                  : options->self_distance == SMERF_SELF_VALUE ? options->self_value
                                                               : 0;
    const double values[] = {(double)options->candidates, (double)options->min_parent, self};
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < 3 && status == SMERF_OK; k++)
        status = note_score(round, training->split, training->method, chosen[score][k], values[k], error);
    return status;
}

/* Few training nodes may have no link among them, or none out of bag: then there is nothing to choose by, and the options
 * stay as they are. Whether missing pairs are filled in is found out once, and kept in the options. */
static smerf_status tune_forest(const one_round *round, const one_training *training, size_t score,
                                smerf_options *options, smerf_model **model, smerf_error *error) {
    const smerf_tuning tuning = SMERF_INIT(smerf_tuning, .metric = wanted_scores[score], .vary_candidates = true,
                                           .vary_min_parent = true, .vary_self = true);
    const smerf_run *run = &round->study->run;
    smerf_tuned best = SMERF_INIT(smerf_tuned);
    smerf_description about = SMERF_INIT(smerf_description);
    smerf_status status = smerf_tune(training->items, training->target, options, &tuning, run, &best, error);
    *model = best.model;
    if (status == SMERF_OK) status = smerf_model_describe(best.model, &about, error);
    if (status == SMERF_OK) {
        options->complete = about.options->complete;
        return note_choice(round, training, score, about.options, error);
    }
    if (status != SMERF_BAD_INPUT) return status;
    return smerf_fit(training->items, training->target, options, run, model, error);
}

static void choose_options(const one_round *round, size_t method, smerf_options *options,
                           smerf_baseline_options *baselines) {
    const cli_study *study = round->study;
    cli_study_options(study, round->seed, options);
    options->method = methods[method];
    smerf_baseline_options_default(baselines);
    options->baselines = baselines;
    baselines->n_factors = study->n_factors != 0 ? study->n_factors : factors[round->which];
    if (study->is_quick) {
        baselines->n_burn = baselines->n_draws = QUICK_DRAWS;
        baselines->n_chains = 1;
    }
    if (study->n_burn != 0) baselines->n_burn = study->n_burn;
    if (study->n_draws != 0) baselines->n_draws = study->n_draws;
    if (study->n_chains != 0) baselines->n_chains = study->n_chains;
}

/* A model for one score: the forest is tuned for it, the others are the same for both. */
static smerf_status fit_method(const one_round *round, const one_training *training, size_t score,
                               smerf_options *options, smerf_model **model, smerf_error *error) {
    if (options->method == SMERF_METHOD_FOREST) return tune_forest(round, training, score, options, model, error);
    return smerf_fit(training->items, training->target, options, &round->study->run, model, error);
}

/* ---- scoring ---- */

/* A request, and the true distances of its pairs. */
typedef struct one_exam {
    const char *split;
    smerf_request request;
    const smerf_target *truth;
} one_exam;

static smerf_status take_exam(const one_round *round, const one_training *training, const one_exam *exam,
                              const smerf_model *model, unsigned wanted, smerf_error *error) {
    smerf_scores scores = SMERF_INIT(smerf_scores);
    smerf_status status =
        smerf_evaluate(model, &exam->request, exam->truth, wanted, &round->study->run, &scores, error);
    for (size_t s = 0; s < N_SCORES && status == SMERF_OK; s++)
        if (wanted & SMERF_HAS(wanted_scores[s]))
            status = note_score(round, exam->split, training->method, smerf_metric_name(wanted_scores[s]),
                                scores.value[wanted_scores[s]], error);
    return status;
}

static smerf_status fit_and_score(const one_round *round, const one_training *training, const one_exam *exams,
                                  size_t n_exams, smerf_error *error) {
    bool is_forest = methods[training->method] == SMERF_METHOD_FOREST;
    smerf_options options;
    smerf_baseline_options baselines;
    choose_options(round, training->method, &options, &baselines);
    smerf_status status = SMERF_OK;
    for (size_t s = 0; s < (is_forest ? N_SCORES : 1) && status == SMERF_OK; s++) {
        smerf_model *model = NULL;
        unsigned wanted = is_forest ? SMERF_HAS(wanted_scores[s]) : SMERF_HAS(SMERF_AUC_ROC) | SMERF_HAS(SMERF_AUC_PR);
        status = fit_method(round, training, s, &options, &model, error);
        for (size_t e = 0; e < n_exams && status == SMERF_OK; e++)
            status = take_exam(round, training, &exams[e], model, wanted, error);
        smerf_model_free(model);
    }
    return status == SMERF_OK ? cli_study_advance(round->study, efforts[round->which], error) : status;
}

/* NARM wants binary attributes: where its authors made some by hand, it gets those. */
static const smerf_items *attributes_for(const one_round *round, size_t method) {
    const cli_network *network = round->network;
    bool is_coded = methods[method] != SMERF_METHOD_FOREST && network->binary.items != NULL;
    return is_coded ? network->binary.items : network->attributes.items;
}

/* ---- divided by nodes ---- */

static smerf_status score_new_nodes(const one_round *round, const cli_node_split *split, size_t method,
                                    smerf_error *error) {
    const smerf_items *all = attributes_for(round, method);
    size_t n_train = split->n_train, n_test = split->n - n_train;
    smerf_items *known = NULL, *new = NULL;
    smerf_status status = smerf_items_take(all, split->rows, n_train, &known, error);
    if (status == SMERF_OK) status = smerf_items_take(all, split->rows + n_train, n_test, &new, error);
    if (status == SMERF_OK) {
        const one_training training = {"nodes", method, known, split->training};
        const one_exam exams[] = {
            {"nodes", SMERF_INIT(smerf_request, .rows = new), split->testing},
            {"nodes-across", SMERF_INIT(smerf_request, .rows = known, .columns = new), split->across},
        };
        status = fit_and_score(round, &training, exams, 2, error);
    }
    smerf_items_free(known);
    smerf_items_free(new);
    return status;
}

static smerf_status run_nodes(const one_round *round, smerf_error *error) {
    cli_node_split split = {0};
    smerf_status status = cli_split_nodes(round->network, round->n_train, round->seed, &split, error);
    for (size_t m = 0; m < N_METHODS && status == SMERF_OK; m++)
        if (round->study->is_wanted[m] && methods[m] != SMERF_METHOD_EPM) /* which has no notion of a new node */
            status = score_new_nodes(round, &split, m, error);
    cli_free_node_split(&split);
    return status;
}

/* ---- divided by pairs ---- */

static smerf_status run_pairs(const one_round *round, smerf_error *error) {
    smerf_target *training = NULL, *testing = NULL; /* graphs of which some pairs are known: the paper's scheme 2 */
    smerf_status status =
        smerf_target_divide(round->network->graph, round->fraction, round->seed, &training, &testing, error);
    for (size_t m = 0; m < N_METHODS && status == SMERF_OK; m++) {
        if (!round->study->is_wanted[m]) continue;
        const smerf_items *items = attributes_for(round, m);
        const one_training learned = {"pairs", m, items, training};
        const one_exam exam = {"pairs", SMERF_INIT(smerf_request, .rows = items), testing};
        status = fit_and_score(round, &learned, &exam, 1, error);
    }
    smerf_target_free(training);
    smerf_target_free(testing);
    return status;
}

/* ---- all of them ---- */

static smerf_status run_fraction(cli_study *study, const cli_network *network, size_t which, double fraction,
                                 smerf_error *error) {
    double started = cli_clock();
    char repeats[40];
    one_round round = {.study = study, .network = network, .which = which, .fraction = fraction};
    round.n_train = (size_t)lround(fraction * (double)network->n);
    smerf_status status = SMERF_OK;
    for (round.repeat = 1; round.repeat <= study->n_repeats && status == SMERF_OK; round.repeat++) {
        round.seed = cli_study_seed(study, (size_t)lround(1000 * fraction), round.repeat);
        status = run_nodes(&round, error);
        if (status == SMERF_OK) status = run_pairs(&round, error);
    }
    if (status == SMERF_OK)
        cli_study_say(study, "%s, %g of the nodes: %s, %.1f s", networks[which].name, fraction,
                      cli_count(study->n_repeats, "repeat", repeats), cli_clock() - started);
    return status;
}

static smerf_status run_network(cli_study *study, size_t which, smerf_error *error) {
    cli_network network;
    smerf_status status = cli_read_network(study, networks[which].name, &network, error);
    for (size_t k = 0; k < study->n_settings && status == SMERF_OK; k++)
        status = run_fraction(study, &network, which, study->settings[k], error);
    cli_free_network(&network);
    return status;
}

/* How much work there is; a network that is not there is none. */
static smerf_status find_networks(cli_study *study, bool *is_there, smerf_error *error) {
    bool is_any = false;
    double n_fits = 2 * (study->is_wanted[0] + study->is_wanted[1]) + study->is_wanted[2];
    for (size_t k = 0; k < N_NETWORKS; k++) {
        is_there[k] = cli_has_network(study, networks[k].name);
        is_any = is_any || is_there[k];
        study->work += is_there[k] * efforts[k] * n_fits * (double)(study->n_settings * study->n_repeats);
    }
    if (!is_any) {
        snprintf(error->message, sizeof error->message,
                 "%.300s: has no network: lazega-cowork/nodes.csv, facebook-ego/nodes.csv or nips234/nodes.csv",
                 study->data);
        return error->status = SMERF_IO;
    }
    for (size_t k = 0; k < N_NETWORKS; k++)
        if (!is_there[k]) cli_study_say(study, "%s is not in %s, and is left out", networks[k].name, study->data);
    return SMERF_OK;
}

static smerf_status run_networks(cli_study *study, smerf_error *error) {
    bool is_there[N_NETWORKS];
    smerf_status status = find_networks(study, is_there, error);
    for (size_t k = 0; k < N_NETWORKS && status == SMERF_OK; k++)
        if (is_there[k]) status = run_network(study, k, error);
    if (status == SMERF_OK) status = cli_study_save(study, error);
    return status == SMERF_OK ? cli_draw_networks(study, networks, N_NETWORKS, error) : status;
}

const cli_experiment cli_networks = {.name = "networks",
                                     .at_name = "share",
                                     .settings_option = "--shares",
                                     .smallest = 0.05,
                                     .largest = 0.95,
                                     .settings = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9},
                                     .quick_settings = {0.2, 0.5, 0.8},
                                     .n_repeats = 5,
                                     .n_quick_repeats = 2,
                                     .n_trees = 500,
                                     .n_quick_trees = 100,
                                     .methods = names,
                                     .has_samplers = true,
                                     .needs_data = true,
                                     .run = run_networks};
