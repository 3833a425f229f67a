/* tune.c - tries the settings of a grid (grid.c) and keeps the best by out-of-bag score, until all are tried or it is stopped. */
#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/versioned.h"
#include "data/items.h"
#include "fit/shrinkage_measure.h"
#include "fit/train_method.h"
#include "model/model.h"
#include "smerf_study.h"
#include "study/tuning.h"

/* What all trials have in common. */
typedef struct tuning_job {
    const smerf_items *items;
    smerf_target *target;
    const smerf_tuning *tuning;
    const smerf_run *run;
    const sm_grid_list *list;
    const smerf_baseline_options *baselines; /* the caller's */
    const smerf_boost_options *boost;
    double work, work_done; /* of all settings; of those that were tried */
} tuning_job;

/* ---- stopping ---- */

/* A run that is the caller's, and also ends when no more shall be tried. */
typedef struct stopping {
    const smerf_run *run;
    const smerf_tuning *tuning;
    double end;                             /* when the time is up; or infinity */
    bool has_result, is_over, is_cancelled; /* over: there is a result, and no more shall be tried */
} stopping;

static int look_at_clock(void *context, double fraction_done) {
    stopping *at = context;
    if (at->run->progress != NULL && at->run->progress(at->run->context, fraction_done) != 0) at->is_cancelled = true;
    if (!at->is_cancelled && at->has_result)
        at->is_over = (isfinite(at->end) && sm_seconds_now() > at->end) ||
                      (at->tuning->stops != NULL && at->tuning->stops(at->tuning->context));
    return at->is_cancelled || at->is_over;
}

static smerf_run stoppable_run(stopping *at, const smerf_run *run, const smerf_tuning *tuning) {
    *at = (stopping){
        .run = run, .tuning = tuning, .end = tuning->seconds > 0 ? sm_seconds_now() + tuning->seconds : INFINITY};
    smerf_run own = *run;
    if (run->progress == NULL && tuning->stops == NULL && !isfinite(at->end)) return own;
    own.progress = look_at_clock;
    own.context = at;
    return own;
}

/* ---- one setting ---- */

/* A forest for one setting: pruned from the one before, if that has the same trees, perhaps grown further. */
static smerf_status get_model(const tuning_job *job, const sm_setting *setting, const smerf_model *before,
                              const smerf_run *run, smerf_model **model, smerf_error *error) {
    if (!setting->is_pruned) return sm_fit(job->items, job->target, &setting->options, run, model, error);
    smerf_status status = sm_prune(before, setting->options.min_parent, model, error);
    if (status == SMERF_OK) (*model)->options.self_distance = setting->options.self_distance;
    return status;
}

static smerf_status try_setting(const tuning_job *job, size_t number, const smerf_model *before, smerf_model **model,
                                double *score, smerf_error *error) {
    const sm_setting *setting = &job->list->settings[number];
    double from = job->work_done / job->work;
    sm_progress_part part = {.run = job->run, .from = from, .to = from + setting->growing / job->work};
    const smerf_run own = sm_progress_part_run(&part);
    smerf_status status = get_model(job, setting, before, &own, model, error);
    if (status == SMERF_OK) status = sm_measure_shrinkage(*model, job->items, job->target, &own, error);
    if (status != SMERF_OK) return status;
    part.from = part.to;
    part.to += setting->scoring / job->work;
    const smerf_metric metric = job->tuning->metric;
    smerf_scores scores = SMERF_INIT(smerf_scores);
    const smerf_request request =
        SMERF_INIT(smerf_request, .rows = job->items, .out_of_bag = true, .oob_rule = SMERF_OOB_AS_FITTED);
    status = smerf_evaluate(*model, &request, job->target, SMERF_HAS(metric), &own, &scores, error);
    *score = scores.value[metric];
    return status;
}

/* ---- all of them ---- */

/* The options as a caller may keep them: nothing of ours is behind them. */
static void report_trial(const tuning_job *job, smerf_trial_sink sink, const sm_setting *setting, size_t number,
                         double score) {
    smerf_options options = setting->options;
    options.baselines = job->baselines;
    options.boost = job->boost;
    const smerf_trial trial =
        SMERF_INIT(smerf_trial, .number = number, .n_trials = job->list->n, .options = &options, .score = score);
    if (sink != NULL) sink(job->tuning->context, &trial);
}

static bool is_better(double score, double best, smerf_metric metric) {
    if (isnan(score)) return false;
    return isnan(best) || (smerf_metric_rises(metric) ? score > best : score < best);
}

/* Tries the settings, and keeps the best model and its trial. */
static smerf_status try_settings(tuning_job *job, stopping *stop, smerf_tuned *best, smerf_error *error) {
    const smerf_tuning *tuning = job->tuning;
    const sm_grid_list *list = job->list;
    smerf_model *last = NULL;
    smerf_status status = SMERF_OK;
    for (size_t i = 0; i < list->n && status == SMERF_OK; i++) {
        smerf_model *model = NULL;
        double score = NAN;
        status = try_setting(job, i, last, &model, &score, error);
        job->work_done += list->settings[i].growing + list->settings[i].scoring;
        if (status == SMERF_OK) best->n_tried = i + 1;
        if (status == SMERF_OK) report_trial(job, tuning->tried, &list->settings[i], i, score);
        if (last != best->model) smerf_model_free(last);
        last = model;
        if (status == SMERF_OK && is_better(score, best->score, tuning->metric)) {
            smerf_model_free(best->model);
            best->model = model;
            best->number = i;
            best->score = score;
            stop->has_result = true;
        }
    }
    if (last != best->model) smerf_model_free(last);
    best->n_trials = list->n;
    return status == SMERF_CANCELLED && stop->is_over ? SMERF_OK : status;
}

static smerf_status check_tuning(const smerf_tuning *tuning, const smerf_options *options, smerf_error *error) {
    if ((unsigned)tuning->metric >= SMERF_N_METRICS) return sm_fail(error, SMERF_BAD_INPUT, "there is no such metric");
    if (options->method != SMERF_METHOD_FOREST)
        return sm_fail(error, SMERF_BAD_INPUT, "{method}: only smerf has out-of-bag scores to choose options by");
    if (!(tuning->seconds >= 0)) return sm_fail(error, SMERF_BAD_INPUT, "{time}: %g is no time", tuning->seconds);
    if (options->sample == SMERF_NO_SAMPLE)
        return sm_fail(error, SMERF_BAD_INPUT, "{sample}: without one, nothing is out of bag to choose by");
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
    stopping stop;
    const smerf_run own = stoppable_run(&stop, run, tuning);
    best.model = NULL;
    best.score = NAN;
    best.n_tried = 0;
    smerf_options chosen = full.options; /* once, for all settings */
    sm_grid_list *list = sm_zeros(1, sizeof *list);
    if (list == NULL) return sm_no_memory(error, "listing settings");
    status = check_tuning(tuning, &chosen, error);
    if (status == SMERF_OK) status = sm_choose_completion(items, target, &full.options, run, &chosen.complete, error);
    if (status == SMERF_OK) status = sm_grid_make(list, items, target, &chosen, tuning, error);
    tuning_job job = {.items = items,
                      .target = target,
                      .tuning = tuning,
                      .run = &own,
                      .list = list,
                      .baselines = options->baselines,
                      .boost = options->boost};
    for (size_t i = 0; i < list->n && status == SMERF_OK; i++)
        job.work += list->settings[i].growing + list->settings[i].scoring;
    for (size_t i = 0; i < list->n_left_out && status == SMERF_OK; i++)
        report_trial(&job, tuning->left_out, &list->left_out[i], list->n, NAN);
    if (status == SMERF_OK) status = try_settings(&job, &stop, &best, error);
    for (size_t i = best.n_tried; i < list->n && status == SMERF_OK; i++)
        report_trial(&job, tuning->left_out, &list->settings[i], i, NAN);
    sm_free(list);
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
