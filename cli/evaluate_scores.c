/* evaluate_scores.c - has the library find the scores that are wanted, and says why one is not there. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate.h"

enum { USUAL_NEAREST = 10 };

#define PAIR_SCORES                                                                                                    \
    (SMERF_HAS(CLI_RMSE_OF_THE_MEAN) | SMERF_HAS(CLI_VARIANCE_EXPLAINED) | SMERF_HAS(CLI_RECALL) | SMERF_HAS(CLI_NDCG))
#define P_VALUES (SMERF_HAS(CLI_MANTEL_PEARSON_P) | SMERF_HAS(CLI_MANTEL_SPEARMAN_P))
#define CORRELATIONS (SMERF_HAS(CLI_MANTEL_PEARSON) | SMERF_HAS(CLI_MANTEL_SPEARMAN) | P_VALUES)
#define VALUE_SCORES (SMERF_HAS(CLI_ACCURACY) | SMERF_HAS(CLI_LOG_LOSS) | SMERF_HAS(CLI_R_SQUARED))
#define CEILINGS (SMERF_HAS(CLI_CEILING_RMSE) | SMERF_HAS(CLI_CEILING_SPEARMAN))
#define LIBRARY_METRICS (SMERF_HAS(SMERF_N_METRICS) - 1)

static const char *const names_of_others[CLI_N_SCORES] = {
    [CLI_RMSE_OF_THE_MEAN] = "rmse-of-the-mean",
    [CLI_VARIANCE_EXPLAINED] = "variance-explained",
    [CLI_RECALL] = "recall@",
    [CLI_NDCG] = "ndcg@",
    [CLI_MANTEL_PEARSON] = "mantel-pearson",
    [CLI_MANTEL_PEARSON_P] = "mantel-pearson-p",
    [CLI_MANTEL_SPEARMAN] = "mantel-spearman",
    [CLI_MANTEL_SPEARMAN_P] = "mantel-spearman-p",
    [CLI_ACCURACY] = "accuracy",
    [CLI_LOG_LOSS] = "log-loss",
    [CLI_R_SQUARED] = "r2",
    [CLI_CEILING_RMSE] = "ceiling-rmse",
    [CLI_CEILING_SPEARMAN] = "ceiling-spearman",
};

static bool has_nearest(unsigned id) { return id == CLI_RECALL || id == CLI_NDCG; }

static const char *score_name(unsigned id) {
    if (id < SMERF_N_METRICS) return smerf_metric_name((smerf_metric)id);
    return id < CLI_N_SCORES ? names_of_others[id] : "";
}

/* ---- what is wanted ---- */

void cli_want_score(cli_evaluation *all, unsigned id) {
    if (all->wanted & SMERF_HAS(id)) return;
    all->wanted |= SMERF_HAS(id);
    all->order[all->n++] = (cli_score_id)id;
}

void cli_free_evaluation(cli_evaluation *all) { free(all->confusion); }

/* The number after "recall@": one that was given before must be the same. */
static bool take_nearest(cli_evaluation *all, const char *digits) {
    char *end;
    if (strcmp(digits, "k") == 0) return true;
    if (*digits < '1' || *digits > '9') return false;
    unsigned long k = strtoul(digits, &end, 10);
    if (*end != '\0' || k > UINT32_MAX || (all->n_nearest != 0 && all->n_nearest != k)) return false;
    all->n_nearest = k;
    return true;
}

unsigned cli_find_score(cli_evaluation *all, const char *name) {
    for (unsigned id = 0; id < CLI_N_SCORES; id++) {
        size_t n = strlen(score_name(id));
        if (!has_nearest(id) && strcmp(name, score_name(id)) == 0) return id;
        if (has_nearest(id) && strncmp(name, score_name(id), n) == 0 && take_nearest(all, name + n)) return id;
    }
    return CLI_N_SCORES;
}

/* Without --metrics: what the target has, and what other options ask for. */
static void want_usual(const cli_args *args, bool has_values, bool has_ceilings, cli_evaluation *all) {
    for (unsigned m = 0; m < SMERF_N_METRICS; m++)
        if (all->pairs.metrics & SMERF_HAS(m)) cli_want_score(all, m);
    cli_want_score(all, CLI_RMSE_OF_THE_MEAN);
    cli_want_score(all, CLI_VARIANCE_EXPLAINED);
    if (cli_has(args, "-k")) {
        cli_want_score(all, CLI_RECALL);
        cli_want_score(all, CLI_NDCG);
    }
    if (cli_has(args, "--permutations"))
        for (unsigned id = CLI_MANTEL_PEARSON; id <= CLI_MANTEL_SPEARMAN_P; id++) cli_want_score(all, id);
    if (has_values && all->n_classes == 0) cli_want_score(all, CLI_R_SQUARED);
    if (has_values && all->n_classes > 0) {
        cli_want_score(all, CLI_ACCURACY);
        cli_want_score(all, CLI_LOG_LOSS);
    }
    if (has_ceilings) {
        cli_want_score(all, CLI_CEILING_RMSE);
        cli_want_score(all, CLI_CEILING_SPEARMAN);
    }
}

/* ---- scores and reasons ---- */

static void set_score(cli_evaluation *all, unsigned id, double value, double by_chance, const char *why_not, ...)
    __attribute__((format(printf, 5, 6)));
static void set_score(cli_evaluation *all, unsigned id, double value, double by_chance, const char *why_not, ...) {
    cli_score *score = &all->score[id];
    *score = (cli_score){.value = value, .by_chance = by_chance};
    if (has_nearest(id))
        snprintf(score->name, sizeof score->name, "%s%zu", score_name(id), all->n_nearest);
    else
        snprintf(score->name, sizeof score->name, "%s", score_name(id));
    va_list arguments;
    va_start(arguments, why_not);
    if (isnan(value)) vsnprintf(score->why_not, sizeof score->why_not, why_not, arguments);
    va_end(arguments);
}

static void set_pair_scores(cli_evaluation *all) {
    static const char *const reasons[SMERF_N_METRICS] = {
        [SMERF_SPEARMAN] = "no item has three partners, or all there are, at distances that differ",
        [SMERF_MAP10] = "no item has a partner",
        [SMERF_AUC_ROC] = "it needs pairs that are linked and pairs that are not",
        [SMERF_AUC_PR] = "it needs pairs that are linked and pairs that are not"};
    const smerf_scores *found = &all->pairs;
    const char *no_pair = "there is no pair that is both known and predicted";
    for (unsigned m = 0; m < SMERF_N_METRICS; m++)
        set_score(all, m, found->value[m], m == SMERF_RMSE ? NAN : found->by_chance[m], "%s",
                  found->n_pairs == 0 ? no_pair : reasons[m]);
    if (found->mean_partners < SMERF_FEWEST_PARTNERS && found->n_pairs > 0)
        set_score(all, SMERF_MAP10, NAN, NAN,
                  "items have %.3g partners on average, and the ten nearest count as relevant, so that any order has "
                  "about %.2g",
                  found->mean_partners, found->by_chance[SMERF_MAP10]);
    set_score(all, CLI_RMSE_OF_THE_MEAN, found->by_chance[SMERF_RMSE], NAN, "%s", no_pair);
    set_score(all, CLI_VARIANCE_EXPLAINED, found->variance_explained, NAN, "%s",
              found->n_pairs == 0 ? no_pair : "all true distances are equal");
    set_score(all, CLI_RECALL, found->recall, found->recall_by_chance, "no item has more than %zu partners",
              all->n_nearest);
    set_score(all, CLI_NDCG, found->ndcg, found->ndcg_by_chance, "no item has more than %zu partners", all->n_nearest);
}

static void set_correlations(cli_evaluation *all) {
    const smerf_correlation *found = &all->correlation;
    const char *equal = found->n_pairs < 3 ? "there are fewer than three pairs that are both known and predicted"
                                           : "the distances, known or predicted, are all equal";
    const char *gaps = "permuting items needs all pairs, and some are not known or not predicted";
    const char *no_test = "there were no --permutations";
    const char *no_p = all->n_permutations == 0 ? no_test : gaps;
    set_score(all, CLI_MANTEL_PEARSON, found->pearson, 0, "%s", equal);
    set_score(all, CLI_MANTEL_SPEARMAN, found->spearman, 0, "%s", equal);
    set_score(all, CLI_MANTEL_PEARSON_P, found->p_pearson, NAN, "%s", isnan(found->pearson) ? equal : no_p);
    set_score(all, CLI_MANTEL_SPEARMAN_P, found->p_spearman, NAN, "%s", isnan(found->spearman) ? equal : no_p);
}

static void set_value_scores(cli_evaluation *all) {
    const smerf_value_scores *found = &all->values;
    const char *nothing = "no item has a prediction";
    set_score(all, CLI_ACCURACY, found->accuracy, found->accuracy_by_chance, "%s", nothing);
    set_score(all, CLI_LOG_LOSS, found->log_loss, found->log_loss_by_chance, "%s", nothing);
    set_score(all, CLI_R_SQUARED, found->r_squared, 0, "%s",
              found->n_items == 0 ? nothing : "the response does not vary");
}

/* What a perfect prediction would score, of ratings by several judges. */
static void set_ceilings(const cli_target *truth, cli_evaluation *all) {
    bool has_judges = truth->n_judges > 0;
    set_score(all, CLI_CEILING_RMSE, has_judges ? truth->ceiling.rmse : NAN, NAN, "no pair has two judges");
    set_score(all, CLI_CEILING_SPEARMAN, has_judges ? truth->ceiling.spearman : NAN, NAN,
              "no item has enough pairs with two judges");
}

/* ---- finding them ---- */

static smerf_status find_values(const smerf_request *request, const smerf_target *truth, const smerf_run *run,
                                cli_evaluation *all, smerf_error *error) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(all->model, &description, NULL);
    if (strcmp(description.target, "labels") == 0) {
        all->n_classes = smerf_model_n_values(all->model);
        all->confusion = calloc((all->n_classes + 1) * all->n_classes, sizeof *all->confusion);
        if (all->confusion == NULL) {
            snprintf(error->message, sizeof error->message, "out of memory while evaluating");
            return SMERF_NO_MEMORY;
        }
    }
    all->values = SMERF_INIT(smerf_value_scores, .confusion = all->confusion);
    return smerf_evaluate_values(all->model, request, truth, run, &all->values, error);
}

static smerf_status find_pairs(const smerf_request *request, const smerf_target *truth, const smerf_run *run,
                               cli_evaluation *all, smerf_error *error) {
    unsigned metrics = all->wanted & LIBRARY_METRICS;
    if (all->wanted & PAIR_SCORES) metrics |= SMERF_HAS(SMERF_RMSE);
    if (all->are_named && metrics == 0) return SMERF_OK;
    all->pairs = SMERF_INIT(smerf_scores, .n_nearest = all->n_nearest);
    return smerf_evaluate(all->model, request, truth, metrics, run, &all->pairs, error);
}

static smerf_status find_correlations(const smerf_request *request, const smerf_target *truth, const smerf_run *run,
                                      cli_evaluation *all, smerf_error *error) {
    if ((all->wanted & CORRELATIONS) == 0 && all->n_permutations == 0) return SMERF_OK;
    all->n_items = smerf_items_count(request->rows);
    if (request->columns != NULL) all->n_items += smerf_items_count(request->columns);
    all->correlation = SMERF_INIT(smerf_correlation, .n_permutations = all->n_permutations, .seed = all->seed);
    return smerf_correlate(all->model, request, truth, run, &all->correlation, error);
}

/* What was asked for by name must make sense. */
static smerf_status check_named(const cli_args *args, bool has_values, const cli_evaluation *all, smerf_error *error) {
    if ((all->wanted & CEILINGS) && !cli_has(args, "--judge"))
        return cli_fail(args, error, "--metrics: ceilings are of ratings by several judges: --pairs with --judge");
    bool is_labels = all->n_classes > 0;
    const cli_score *map10 = &all->score[SMERF_MAP10];
    if ((all->wanted & VALUE_SCORES) && !has_values)
        return cli_fail(
            args, error,
            "--metrics: accuracy, log-loss and r2 need a forest fitted on labels or a response, and those of "
            "ITEMS");
    if (!is_labels && (all->wanted & (SMERF_HAS(CLI_ACCURACY) | SMERF_HAS(CLI_LOG_LOSS))))
        return cli_fail(args, error, "--metrics: accuracy and log-loss are of labels; a response has r2");
    if (is_labels && (all->wanted & SMERF_HAS(CLI_R_SQUARED)))
        return cli_fail(args, error, "--metrics: r2 is of a response; labels have accuracy and log-loss");
    if ((all->wanted & SMERF_HAS(SMERF_MAP10)) && all->pairs.n_pairs > 0 && isnan(map10->value))
        return cli_fail(args, error, "--metrics map@10: %s; take recall@k with a small k", map10->why_not);
    return SMERF_OK;
}

smerf_status cli_find_scores(const cli_args *args, const smerf_request *request, const cli_target *truth,
                             bool has_values, cli_evaluation *all, smerf_error *error) {
    cli_follow follow;
    smerf_run run;
    if (all->n_nearest == 0 && (all->wanted & (SMERF_HAS(CLI_RECALL) | SMERF_HAS(CLI_NDCG))))
        all->n_nearest = USUAL_NEAREST;
    smerf_status status = cli_start_run(args, "evaluating", &run, &follow, error);
    if (status != SMERF_OK) return status;
    status = find_pairs(request, truth->target, &run, all, error);
    if (status == SMERF_OK && has_values &&
        (!all->are_named || (all->wanted & VALUE_SCORES) || cli_has(args, "--confusion")))
        status = find_values(request, truth->target, &run, all, error);
    if (status == SMERF_OK) status = find_correlations(request, truth->target, &run, all, error);
    cli_stop_following(&follow);
    if (status != SMERF_OK) return status;
    set_pair_scores(all);
    set_correlations(all);
    set_value_scores(all);
    set_ceilings(truth, all);
    if (all->are_named) return check_named(args, has_values, all, error);
    bool has_ceilings = truth->n_judges > 0 && !isnan(truth->ceiling.rmse); /* else it is known from the reading why */
    want_usual(args, has_values, has_ceilings, all);
    return SMERF_OK;
}
