/* tune.c - tries the paper's grid of settings and keeps the best by out-of-bag score (appendix, "Details of Algorithm
 * Implementation and Hyperparameters"). */
#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/versioned.h"
#include "data/items.h"
#include "fit/train_method.h"
#include "model/model.h"
#include "smerf_study.h"
#include "study/prune.h"
#include "target/links/pairs.h"
#include "train/grow/problem.h"

static const double powers[] = {0.25, 0.5, 0.75, 1, 1.5}; /* the last with oblique splits only */
static const size_t min_parents[] = {2, 4, 8};

enum { N_POWERS = 5, N_MIN_PARENTS = 3, N_SELVES = 3, MOST_TRIALS = 2 * N_POWERS * N_MIN_PARENTS * N_SELVES };

/* What all trials have in common. */
typedef struct tuning_job {
    const smerf_items *items;
    smerf_target *target;
    const smerf_tuning *tuning;
    const smerf_run *run;
} tuning_job;

typedef struct trials {
    smerf_options options[MOST_TRIALS]; /* resolved */
    size_t n;
} trials;

static bool same_setting(const smerf_options *a, const smerf_options *b) {
    return a->splits == b->splits && a->candidates == b->candidates && a->min_parent == b->min_parent &&
           a->self_distance == b->self_distance && a->self_value == b->self_value;
}

/* Whether two settings grow the same trees, but for where they stop: leaving out self-distances is about predicting. */
static bool grow_alike(const smerf_options *a, const smerf_options *b) {
    bool is_set = a->self_distance == SMERF_SELF_VALUE, is_other_set = b->self_distance == SMERF_SELF_VALUE;
    return a->splits == b->splits && a->candidates == b->candidates && is_set == is_other_set &&
           a->self_value == b->self_value;
}

/* Adds a setting, unless an earlier one comes to the same (small powers of small p do). */
static smerf_status add_trial(trials *list, const smerf_options *options, const tuning_job *job, smerf_error *error) {
    smerf_options resolved;
    smerf_status status = sm_options_resolve(options, job->items, job->target, &resolved, error);
    for (size_t i = 0; i < list->n && status == SMERF_OK; i++)
        if (same_setting(&list->options[i], &resolved)) return SMERF_OK;
    if (status == SMERF_OK) list->options[list->n++] = resolved;
    return status;
}

/* As given and left out stand next to each other: they have the same trees. */
static smerf_status add_selves(trials *list, smerf_options options, bool leaves_out_too, const tuning_job *job,
                               smerf_error *error) {
    smerf_status status = add_trial(list, &options, job, error);
    options.self_distance = SMERF_SELF_EXCLUDE;
    return status == SMERF_OK && leaves_out_too ? add_trial(list, &options, job, error) : status;
}

static smerf_status add_min_parents(trials *list, smerf_options options, bool leaves_out_too, const tuning_job *job,
                                    smerf_error *error) {
    if (!job->tuning->vary_min_parent) return add_selves(list, options, leaves_out_too, job, error);
    smerf_status status = SMERF_OK;
    for (size_t i = 0; i < N_MIN_PARENTS && status == SMERF_OK; i++) {
        options.min_parent = min_parents[i];
        status = add_selves(list, options, leaves_out_too, job, error);
    }
    return status;
}

/* The self-distances that are tried: as given and left out; of graphs also 1, the distance without a link, which says nothing where
 * distances have another scale. */
static smerf_status add_growths(trials *list, smerf_options options, const tuning_job *job, smerf_error *error) {
    if (!job->tuning->vary_self) return add_min_parents(list, options, false, job, error);
    options.self_distance = SMERF_SELF_GIVEN;
    smerf_status status = add_min_parents(list, options, true, job, error);
    if (job->target->kind != &sm_target_graph && job->target->kind != &sm_target_observed) return status;
    options.self_distance = SMERF_SELF_VALUE;
    options.self_value = 1;
    return status == SMERF_OK ? add_min_parents(list, options, false, job, error) : status;
}

static smerf_status add_candidates(trials *list, smerf_options options, const tuning_job *job, smerf_error *error) {
    if (!job->tuning->vary_candidates) return add_growths(list, options, job, error);
    size_t n_powers = options.splits == SMERF_OBLIQUE ? N_POWERS : N_POWERS - 1;
    smerf_status status = SMERF_OK;
    for (size_t i = 0; i < n_powers && status == SMERF_OK; i++) {
        options.candidates_power = powers[i];
        status = add_growths(list, options, job, error);
    }
    return status;
}

static smerf_status list_trials(trials *list, const smerf_options *options, const tuning_job *job, smerf_error *error) {
    if (!job->tuning->vary_splits) return add_candidates(list, *options, job, error);
    smerf_options axis = *options, oblique = *options;
    axis.splits = SMERF_AXIS;
    axis.density = 0; /* a density that was given is about the oblique half */
    oblique.splits = SMERF_OBLIQUE;
    smerf_status status = add_candidates(list, axis, job, error);
    return status == SMERF_OK ? add_candidates(list, oblique, job, error) : status;
}

/* A forest for one setting: pruned from the one before, if that has the same trees, perhaps grown further. */
static smerf_status get_model(const smerf_items *items, smerf_target *target, const smerf_options *options,
                              const smerf_model *before, const smerf_run *run, smerf_model **model,
                              smerf_error *error) {
    bool is_pruned =
        before != NULL && grow_alike(&before->options, options) && before->options.min_parent <= options->min_parent;
    if (is_pruned) {
        smerf_status status = sm_prune(before, options->min_parent, model, error);
        if (status == SMERF_OK) (*model)->options.self_distance = options->self_distance;
        return status;
    }
    return sm_fit(items, target, options, run, model, error);
}

static smerf_status try_setting(const tuning_job *job, smerf_trial *trial, const smerf_model *before,
                                smerf_model **model, smerf_error *error) {
    double part_done = 1 / (double)trial->n_trials, from = part_done * (double)trial->number;
    sm_progress_part part = {
        .run = job->run, .from = from, .to = from + part_done / 2}; /* growing takes as long as scoring */
    const smerf_run own = sm_progress_part_run(&part);
    smerf_status status = get_model(job->items, job->target, trial->options, before, &own, model, error);
    if (status != SMERF_OK) return status;
    part.from = part.to;
    part.to += part_done / 2;
    const smerf_metric metric = job->tuning->metric;
    smerf_scores scores = SMERF_INIT(smerf_scores);
    const smerf_request request =
        SMERF_INIT(smerf_request, .rows = job->items, .out_of_bag = true, .oob_rule = SMERF_OOB_AS_FITTED);
    status = smerf_evaluate(*model, &request, job->target, SMERF_HAS(metric), &own, &scores, error);
    trial->score = scores.value[metric];
    return status;
}

static bool is_better(double score, double best, smerf_metric metric) {
    if (isnan(score)) return false;
    return isnan(best) || (smerf_metric_rises(metric) ? score > best : score < best);
}

/* Tries every setting, and keeps the best model and its trial. */
static smerf_status try_settings(const tuning_job *job, const trials *list, smerf_tuned *best, smerf_error *error) {
    const smerf_tuning *tuning = job->tuning;
    smerf_model *last = NULL;
    smerf_status status = SMERF_OK;
    for (size_t i = 0; i < list->n && status == SMERF_OK; i++) {
        smerf_model *model = NULL;
        smerf_trial trial =
            SMERF_INIT(smerf_trial, .number = i, .n_trials = list->n, .options = &list->options[i], .score = NAN);
        status = try_setting(job, &trial, last, &model, error);
        if (status == SMERF_OK && tuning->tried != NULL) tuning->tried(tuning->context, &trial);
        if (last != best->model) smerf_model_free(last);
        last = model;
        if (status == SMERF_OK && is_better(trial.score, best->score, tuning->metric)) {
            smerf_model_free(best->model);
            best->model = model;
            best->number = i;
            best->score = trial.score;
        }
    }
    if (last != best->model) smerf_model_free(last);
    best->n_trials = list->n;
    return status;
}

static smerf_status check_tuning(const smerf_tuning *tuning, const smerf_options *options, smerf_error *error) {
    if ((unsigned)tuning->metric >= SMERF_N_METRICS) return sm_fail(error, SMERF_BAD_INPUT, "there is no such metric");
    if (options->method != SMERF_METHOD_FOREST)
        return sm_fail(error, SMERF_BAD_INPUT, "method: only smerf has out-of-bag scores to choose options by");
    if (options->sample == SMERF_NO_SAMPLE)
        return sm_fail(error, SMERF_BAD_INPUT, "sample: without one, nothing is out of bag to choose by");
    return SMERF_OK;
}

smerf_status smerf_tune(const smerf_items *items, smerf_target *target, const smerf_options *options,
                        const smerf_tuning *tuning, const smerf_run *run, smerf_tuned *result, smerf_error *error) {
    sm_full_options full;
    smerf_status status = sm_options_read(options, &full, error);
    if (status != SMERF_OK) return status;
    SM_READ(smerf_tuning, tuning, error);
    SM_READ_RUN(run, error);
    SM_READ_RESULT(smerf_tuned, result, best, error);
    trials list = {.n = 0};
    best.model = NULL;
    best.score = NAN;
    smerf_options chosen = full.options; /* once, for all settings */
    status = check_tuning(tuning, &chosen, error);
    if (status == SMERF_OK) status = sm_choose_completion(items, target, &full.options, run, &chosen.complete, error);
    const tuning_job job = {.items = items, .target = target, .tuning = tuning, .run = run};
    if (status == SMERF_OK) status = list_trials(&list, &chosen, &job, error);
    if (status == SMERF_OK) status = try_settings(&job, &list, &best, error);
    if (status == SMERF_OK && best.model == NULL)
        status = sm_fail(error, SMERF_BAD_INPUT,
                         "no setting has a score by %s: too few pairs are out of bag (grow more trees), or all "
                         "distances are equal",
                         smerf_metric_name(tuning->metric));
    if (status != SMERF_OK) {
        smerf_model_free(best.model);
        return status;
    }
    SM_WRITE(smerf_tuned, best, result);
    return SMERF_OK;
}
