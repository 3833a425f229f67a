/* compare.c - every method learns from the same parts of some data, and is scored on the rest.
 *   1. divide the data, anew for every repeat           divide.c
 *   2. ask each method whether it can learn from them   its check
 *   3. tune smerf, fit the others, and score them all
 *   4. means over the repeats, with their standard errors, and differences from the best
 * A method that refuses, at whatever step, is left out with its sentence, unless it was asked for by name. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/versioned.h"
#include "data/items.h"
#include "fit/train_method.h"
#include "method/methods.h"
#include "smerf_study.h"
#include "study/divide.h"
#include "target/links/pairs.h"

typedef struct contest {
    const smerf_comparison *plan;   /* its options are full ones */
    unsigned n_methods;             /* that the caller knows */
    const smerf_target *target;     /* of all items */
    smerf_method_scores *summary;   /* [n_methods] */
    size_t n_rounds, n_most_rounds; /* divisions that were played, and that there may be */
    double *score;                  /* [n_methods][N_SCORES][n_most_rounds] */
} contest;

/* What a method is scored by: metrics by their numbers, and of triplets how many are in order. */
enum { IN_ORDER = SMERF_N_METRICS, N_SCORES };

static bool are_triplets(const smerf_target *target) { return target->kind == &sm_target_triplets; }

/* That by which methods are told apart. */
static unsigned main_score(const contest *all) {
    return are_triplets(all->target) ? (unsigned)IN_ORDER : (unsigned)all->plan->metric;
}

static bool score_rises(unsigned score) { return score == IN_ORDER || smerf_metric_rises((smerf_metric)score); }

static smerf_mean_score *mean_of(smerf_method_scores *summary, unsigned score) {
    return score == IN_ORDER ? &summary->in_order : &summary->score[score];
}

static smerf_mean_score *difference_of(smerf_method_scores *summary, unsigned score) {
    return score == IN_ORDER ? &summary->in_order_difference : &summary->difference[score];
}

static bool is_graph(const smerf_target *target) {
    return target->kind == &sm_target_graph || target->kind == &sm_target_observed;
}

void smerf_comparison_fill(const smerf_target *target, smerf_comparison *comparison, size_t size) {
    const smerf_comparison usual = {.size = sizeof usual,
                                    .n_repeats = 5,
                                    .train_fraction = 0.7,
                                    .tunes = true,
                                    .metric = target != NULL && is_graph(target) ? SMERF_AUC_ROC : SMERF_RMSE};
    sm_struct_fill(SM_STRUCT(smerf_comparison), &usual, comparison, size);
}

/* ---- what is requested ---- */

static size_t n_folds_of(const smerf_comparison *plan) { return plan->n_folds > 0 ? plan->n_folds : 1; }

static size_t most_rounds(const smerf_comparison *plan) {
    size_t n_repeats = plan->n_most_repeats > plan->n_repeats ? plan->n_most_repeats : plan->n_repeats;
    return sm_size(n_repeats, n_folds_of(plan), 0);
}

static bool is_requested(const contest *all, unsigned method) {
    return all->plan->methods == 0 || (all->plan->methods & SMERF_HAS(method)) != 0;
}

static smerf_status check_plan(const smerf_comparison *plan, unsigned n_methods, const smerf_target *target,
                               smerf_error *error) {
    if (plan->methods >> n_methods != 0) return sm_fail(error, SMERF_BAD_INPUT, "{methods}: there is no such method");
    if (plan->n_repeats == 0) return sm_fail(error, SMERF_BAD_INPUT, "{repeats}: there must be at least one");
    if (!(plan->train_fraction > 0 && plan->train_fraction < 1))
        return sm_fail(error, SMERF_BAD_INPUT, "{train}: %g is not between 0 and 1", plan->train_fraction);
    if (plan->options->seed > INT64_MAX || most_rounds(plan) > INT64_MAX - plan->options->seed)
        return sm_fail(error, SMERF_BAD_INPUT, "{seed}: with one more for each repeat it leaves 0 ... 2^63 - 1");
    if (are_triplets(target) && plan->by_pairs)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{by}: triplets are divided by nodes here; split divides them by pairs, too");
    if (are_triplets(target)) return SMERF_OK; /* there is one score, and nothing to tune */
    if (!plan->tunes && plan->n_most_repeats <= plan->n_repeats) return SMERF_OK; /* nothing is chosen by the metric */
    if ((unsigned)plan->metric >= SMERF_N_METRICS)
        return sm_fail(error, SMERF_BAD_INPUT, "{metric}: there is no such metric");
    if ((smerf_target_metrics(target) & SMERF_HAS(plan->metric)) == 0)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{metric}: %s needs a graph or labels: a target of kind '%s' has no links",
                       smerf_metric_name(plan->metric), sm_target_public_name(target));
    return SMERF_OK;
}

static smerf_status check_data(const smerf_items *items, const smerf_target *target, smerf_error *error) {
    if (target->n_rows != items->n_items)
        return sm_fail(error, SMERF_BAD_INPUT, "there are %zu items, and the target is about %zu", items->n_items,
                       target->n_rows);
    return sm_target_check_cut(target, error);
}

/* ---- who takes part ---- */

/* How long the method's name is at the start of a sentence, which is told without it. */
static size_t name_length(const char *sentence, const char *name) {
    size_t n = strlen(name);
    if (strncmp(sentence, name, n) != 0) return 0;
    if (sentence[n] == ':') n++;
    return sentence[n] == ' ' ? n + 1 : 0;
}

/* What comes of a refusal: a failure of the whole, if the method was asked for. */
static smerf_status leave_out(contest *all, unsigned method, const smerf_error *refusal, smerf_error *error) {
    const char *name = smerf_method_name((smerf_method)method);
    size_t skip = name_length(refusal->message, name);
    bool is_refusal = refusal->status == SMERF_BAD_INPUT || refusal->status == SMERF_NO_MEMORY;
    if (!is_refusal) return sm_fail_within(error, refusal, 0, "%s", "");
    if (all->plan->methods != 0) return sm_fail_within(error, refusal, skip, "{methods}: %s: ", name);
    all->summary[method].applies = false;
    (void)sm_fail_within(&all->summary[method].refusal, refusal, skip, "%s", "");
    return SMERF_OK;
}

static smerf_options options_of(const contest *all, unsigned method, size_t repeat) {
    smerf_options options = *all->plan->options;
    options.method = (smerf_method)method;
    options.seed += repeat;
    return options;
}

static smerf_status check_method(const contest *all, unsigned method, const sm_division *data, smerf_error *error) {
    const smerf_options options = options_of(all, method, 0);
    const sm_method *known = sm_method_of(options.method);
    if (known == NULL) return sm_target_check_distances(data->train, "a forest", error); /* it takes anything else */
    smerf_status status = sm_method_check(data->train_items, data->train, &options, error);
    if (status == SMERF_OK && !all->plan->by_pairs && known->refuses_new != NULL)
        status = sm_fail(error, SMERF_BAD_INPUT, "%s", known->refuses_new);
    return status;
}

/* Before anything is learned. */
static smerf_status admit(contest *all, const sm_division *data, smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (unsigned m = 0; m < all->n_methods && status == SMERF_OK; m++) {
        smerf_error refusal;
        if (!is_requested(all, m)) continue;
        all->summary[m].applies = true;
        if (check_method(all, m, data, &refusal) != SMERF_OK) status = leave_out(all, m, &refusal, error);
    }
    return status;
}

static size_t count_left(const contest *all) {
    size_t n = 0;
    for (unsigned m = 0; m < all->n_methods; m++) n += all->summary[m].applies;
    return n;
}

/* Why the first one was left out is a hint for all. */
static smerf_status check_left(const contest *all, smerf_error *error) {
    if (count_left(all) > 0) return SMERF_OK;
    (void)sm_fail_within(error, &all->summary[SMERF_METHOD_FOREST].refusal, 0,
                         "no method applies: %s: ", smerf_method_name(SMERF_METHOD_FOREST));
    return SMERF_BAD_INPUT;
}

/* ---- one method, once ---- */

static smerf_status learn(const contest *all, const smerf_options *options, const sm_division *data,
                          const smerf_run *run, smerf_model **model, smerf_error *error) {
    if (!all->plan->tunes || options->method != SMERF_METHOD_FOREST)
        return smerf_fit(data->train_items, data->train, options, run, model, error);
    const smerf_tuning tuning = SMERF_INIT(smerf_tuning, .metric = all->plan->metric, .vary_candidates = true,
                                           .vary_min_parent = true, .vary_splits = true, .vary_self = true);
    smerf_tuned best = SMERF_INIT(smerf_tuned);
    smerf_status status = smerf_tune(data->train_items, data->train, options, &tuning, run, &best, error);
    *model = best.model;
    return status;
}

/*   scores  [N_SCORES] out */
static smerf_status score_model(const smerf_model *model, const sm_division *data, const smerf_run *run, double *scores,
                                smerf_error *error) {
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->test_items);
    smerf_scores found = SMERF_INIT(smerf_scores);
    smerf_triplet_scores triplets = SMERF_INIT(smerf_triplet_scores, .in_order = NAN);
    bool has_order = are_triplets(data->truth);
    smerf_status status = has_order ? smerf_evaluate_triplets(model, &request, data->truth, run, &triplets, error)
                                    : smerf_evaluate(model, &request, data->truth, 0, run, &found, error);
    if (found.mean_partners < SMERF_FEWEST_PARTNERS) found.value[SMERF_MAP10] = NAN;
    for (unsigned m = 0; m < SMERF_N_METRICS; m++) scores[m] = has_order ? NAN : found.value[m];
    scores[IN_ORDER] = triplets.in_order;
    return status;
}

static smerf_status learn_and_score(const contest *all, const smerf_options *options, const sm_division *data,
                                    sm_progress_part part, double *scores, smerf_error *error) {
    smerf_model *model = NULL;
    const smerf_run run = sm_progress_part_run(&part);
    double end = part.to;
    part.to -= 0.1 * (part.to - part.from); /* the rest is for scoring */
    smerf_status status = learn(all, options, data, &run, &model, error);
    part.from = part.to;
    part.to = end;
    if (status == SMERF_OK) status = score_model(model, data, &run, scores, error);
    smerf_model_free(model);
    return status;
}

static double *scores_of(const contest *all, unsigned method, unsigned metric) {
    return all->score + (method * N_SCORES + metric) * all->n_most_rounds;
}

static smerf_status take_turn(contest *all, unsigned method, size_t repeat, const sm_division *data,
                              sm_progress_part part, smerf_error *error) {
    const smerf_options options = options_of(all, method, repeat);
    double start = sm_seconds_now();
    double scores[N_SCORES] = {0};
    smerf_error refusal;
    smerf_status status = learn_and_score(all, &options, data, part, scores, &refusal);
    all->summary[method].seconds += sm_seconds_now() - start;
    if (status != SMERF_OK) return leave_out(all, method, &refusal, error);
    for (unsigned m = 0; m < N_SCORES; m++) scores_of(all, method, m)[repeat] = scores[m];
    return SMERF_OK;
}

/* ---- all methods, several times ---- */

static smerf_status play_round(contest *all, size_t repeat, const sm_division *data, const smerf_run *run,
                               smerf_error *error) {
    double fraction = 1 / (double)all->n_most_rounds, from = fraction * (double)repeat;
    smerf_status status = repeat == 0 ? admit(all, data, error) : SMERF_OK;
    size_t n = count_left(all), k = 0;
    for (unsigned m = 0; m < all->n_methods && status == SMERF_OK; m++) {
        if (!all->summary[m].applies) continue;
        sm_progress_part part = {.run = run, .from = from + fraction * (double)k / (double)n};
        part.to = from + fraction * (double)++k / (double)n;
        status = take_turn(all, m, repeat, data, part, error);
    }
    return status == SMERF_OK ? check_left(all, error) : status;
}

/* Over the repeats that have the score. */
static void average(const double *scores, size_t n, double *mean, double *standard_error) {
    double sum = 0, squares = 0;
    size_t n_known = 0;
    for (size_t k = 0; k < n; k++) {
        if (isnan(scores[k])) continue;
        sum += scores[k];
        n_known++;
    }
    *mean = n_known > 0 ? sum / (double)n_known : NAN;
    for (size_t k = 0; k < n; k++)
        if (!isnan(scores[k])) squares += (scores[k] - *mean) * (scores[k] - *mean);
    *standard_error = n_known > 1 ? sqrt(squares / (double)(n_known - 1) / (double)n_known) : NAN;
}

/* The method with the best mean; n_methods: none has the metric. */
static unsigned find_best(const contest *all, unsigned metric) {
    unsigned best = all->n_methods;
    for (unsigned method = 0; method < all->n_methods; method++) {
        double mean = mean_of(&all->summary[method], metric)->mean;
        if (!all->summary[method].applies || isnan(mean)) continue;
        double best_mean = best < all->n_methods ? mean_of(&all->summary[best], metric)->mean : NAN;
        bool is_better = score_rises(metric) ? mean > best_mean : mean < best_mean;
        if (best == all->n_methods || is_better) best = method;
    }
    return best;
}

/* By how much a method differs from the best, division by division.   scratch  [n_rounds] */
static void compare_with_best(contest *all, unsigned metric, double *scratch) {
    unsigned best = find_best(all, metric);
    for (unsigned method = 0; method < all->n_methods && best < all->n_methods; method++) {
        smerf_method_scores *summary = &all->summary[method];
        const double *own = scores_of(all, method, metric), *of_best = scores_of(all, best, metric);
        if (!summary->applies) continue;
        for (size_t r = 0; r < all->n_rounds; r++) scratch[r] = own[r] - of_best[r];
        smerf_mean_score *difference = difference_of(summary, metric);
        average(scratch, all->n_rounds, &difference->mean, &difference->standard_error);
    }
}

static void average_all(contest *all, double *scratch) {
    for (unsigned method = 0; method < all->n_methods; method++) {
        smerf_method_scores *summary = &all->summary[method];
        summary->n_rounds = summary->applies ? all->n_rounds : 0;
        for (unsigned m = 0; m < N_SCORES && summary->applies; m++)
            average(scores_of(all, method, m), all->n_rounds, &mean_of(summary, m)->mean,
                    &mean_of(summary, m)->standard_error);
    }
    for (unsigned m = 0; m < N_SCORES; m++) compare_with_best(all, m, scratch);
}

/* Whether every method is further from the best, by the metric of the plan, than the standard error of that. Scores that are the
 * same in every division stay so. */
static bool differ_clearly(const contest *all) {
    for (unsigned method = 0; method < all->n_methods; method++) {
        const smerf_mean_score *difference = difference_of(&all->summary[method], main_score(all));
        if (!all->summary[method].applies || difference->standard_error == 0) continue;
        if (!(fabs(difference->mean) > difference->standard_error)) return false;
    }
    return true;
}

static smerf_status play_rounds(contest *all, sm_divider *divider, const smerf_run *run, double *scratch,
                                smerf_error *error) {
    const smerf_comparison *plan = all->plan;
    size_t n_folds = n_folds_of(plan), n_least = plan->n_repeats * n_folds;
    bool is_done = false;
    for (size_t round = 0; round < all->n_most_rounds && !is_done; round++) {
        sm_division data;
        smerf_status status = sm_divide(divider, plan->options->seed, round, &data, error);
        if (status != SMERF_OK) return status;
        status = play_round(all, round, &data, run, error);
        sm_division_free(&data);
        if (status != SMERF_OK) return status;
        all->n_rounds = round + 1;
        if (all->n_rounds < n_least || all->n_rounds % n_folds > 0) continue;
        average_all(all, scratch);
        is_done = differ_clearly(all);
    }
    return SMERF_OK;
}

static smerf_status compare(contest *all, const smerf_items *items, const smerf_run *run, smerf_error *error) {
    const smerf_comparison *plan = all->plan;
    const sm_division_plan divided = {.by_pairs = plan->by_pairs,
                                      .train_fraction = plan->train_fraction,
                                      .n_folds = plan->n_folds,
                                      .groups = plan->groups};
    sm_divider divider;
    smerf_status status = sm_divider_start(&divider, items, all->target, &divided, error);
    if (status != SMERF_OK) return status;
    all->n_most_rounds = most_rounds(plan);
    all->score = sm_array(sm_size(all->n_most_rounds, all->n_methods * N_SCORES, 0), sizeof *all->score);
    double *scratch = sm_array(all->n_most_rounds, sizeof *scratch);
    status = all->score != NULL && scratch != NULL ? play_rounds(all, &divider, run, scratch, error)
                                                   : sm_no_memory(error, "comparing methods");
    sm_free(all->score);
    sm_free(scratch);
    sm_divider_free(&divider);
    return status;
}

/* Elements of the caller's array are as far apart as the first of them says. */
static smerf_status read_summary(const smerf_method_scores *scores, unsigned n_methods, smerf_method_scores *summary,
                                 smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (unsigned method = 0; method < n_methods && status == SMERF_OK; method++) {
        const void *given = (const char *)scores + method * scores->size;
        status = sm_struct_read(SM_STRUCT(smerf_method_scores), given, &summary[method], error);
        summary[method] = SMERF_INIT(smerf_method_scores);
        for (unsigned m = 0; m < N_SCORES; m++)
            *mean_of(&summary[method], m) = *difference_of(&summary[method], m) = (smerf_mean_score){NAN, NAN};
    }
    return status;
}

/* Boosting on all pairs of a thousand items would take longer than all other methods together.   given  or NULL */
static smerf_status limit_boosting(const smerf_options *given, sm_full_options *options, smerf_error *error) {
    smerf_options read = {0};
    smerf_status status = given != NULL ? sm_struct_read(SM_STRUCT(smerf_options), given, &read, error) : SMERF_OK;
    if (status == SMERF_OK && read.boost == NULL) options->boost.pairs_a_round = SMERF_COMPARED_PAIRS;
    return status;
}

smerf_status smerf_compare(const smerf_items *items, const smerf_target *target, const smerf_comparison *comparison,
                           const smerf_run *run, smerf_method_scores *scores, size_t n_scores, smerf_error *error) {
    SM_READ(smerf_comparison, comparison, error);
    SM_READ_RUN(run, error);
    sm_full_options options;
    smerf_options usual;
    smerf_options_default(&usual);
    smerf_status status = sm_options_read(comparison->options != NULL ? comparison->options : &usual, &options, error);
    if (status == SMERF_OK) status = limit_boosting(comparison->options, &options, error);
    if (status != SMERF_OK) return status;
    comparison_copy.options = &options.options;
    smerf_method_scores summary[SMERF_N_METHODS];
    contest all = {.plan = comparison,
                   .n_methods = n_scores < SMERF_N_METHODS ? (unsigned)n_scores : SMERF_N_METHODS,
                   .target = target,
                   .summary = summary};
    if (n_scores == 0) return sm_fail(error, SMERF_BAD_INPUT, "scores: there must be at least one");
    status = read_summary(scores, all.n_methods, summary, error);
    if (status != SMERF_OK) return status;
    status = check_plan(comparison, all.n_methods, target, error);
    if (status == SMERF_OK) status = check_data(items, target, error);
    if (status == SMERF_OK) status = compare(&all, items, run, error);
    for (unsigned method = 0; method < all.n_methods; method++)
        sm_struct_write(SM_STRUCT(smerf_method_scores), &summary[method], (char *)scores + method * scores->size);
    return status;
}
