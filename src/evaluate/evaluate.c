/* evaluate.c - scores of a model: panels of rows are predicted, their rows scored by the threads, and added up in order.
 * The areas under curves take a second round over all rows (auc.h). */
#include <math.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "evaluate/auc.h"
#include "evaluate/metrics.h"
#include "predict/predict.h"

typedef struct score_scratch {
    sm_arena arena; /* holds the arrays below */
    sm_scorer scorer;
    double *truth;     /* [n_columns] */
    double *all_truth; /* [n_items of the model] where the truth is the model's own */
} score_scratch;

typedef struct score_job {
    const smerf_target *truth;
    const uint32_t
        *training_row; /* [n_rows] where the truth is the model's own: rows of the training items; else NULL */
    size_t n_rows, n_columns;
    bool is_square;
    unsigned metrics;
    size_t n_nearest;         /* k of recall and nDCG; 0: they are not wanted */
    size_t first, end;        /* the rows at hand */
    const double *predicted;  /* [end - first][n_columns] */
    bool counts;              /* the second round, see auc.h */
    sm_auc auc;               /* if it is asked for */
    score_scratch *scratches; /* [n_threads] */
    sm_row_score *rows;       /* [n_rows] */
} score_job;

enum { ROWS_A_TASK = 8 };

#define AREAS (SMERF_HAS(SMERF_AUC_ROC) | SMERF_HAS(SMERF_AUC_PR))

/* ---- rows ---- */

static bool start_scratch(score_scratch *scratch, const score_job *job) {
    scratch->truth = sm_arena_take(&scratch->arena, job->n_columns, sizeof *scratch->truth);
    if (job->training_row != NULL)
        scratch->all_truth = sm_arena_take(&scratch->arena, job->truth->n_columns, sizeof *scratch->all_truth);
    return !scratch->arena.has_failed && sm_scorer_start(&scratch->scorer, job->n_columns, job->n_nearest);
}

static void free_scratch(score_scratch *scratch) {
    sm_scorer_free(&scratch->scorer);
    sm_arena_free(&scratch->arena);
}

static void find_truth(const score_job *job, score_scratch *scratch, size_t row) {
    if (job->training_row == NULL) {
        job->truth->kind->data.true_row(job->truth, row, scratch->truth);
        return;
    }
    job->truth->kind->data.true_row(job->truth, job->training_row[row], scratch->all_truth);
    for (size_t j = 0; j < job->n_columns; j++) scratch->truth[j] = scratch->all_truth[job->training_row[j]];
}

static smerf_status score_row(score_job *job, size_t i, size_t thread, smerf_error *error) {
    score_scratch *scratch = &job->scratches[thread];
    const double *predicted = job->predicted + (i - job->first) * job->n_columns;
    find_truth(job, scratch, i);
    const sm_auc_row pairs = {.predicted = predicted,
                              .truth = scratch->truth,
                              .first = job->is_square ? i + 1 : 0,
                              .end = job->n_columns,
                              .is_link = sm_target_inner(job->truth)->kind->data.is_link};
    if (job->counts) {
        sm_auc_count(&job->auc, &pairs, thread);
        return SMERF_OK;
    }
    job->rows[i] =
        sm_scorer_row(&scratch->scorer, job->is_square ? i : SIZE_MAX, predicted, scratch->truth, job->metrics);
    return (job->metrics & AREAS) != 0 ? sm_auc_collect(&job->auc, &pairs, thread, error) : SMERF_OK;
}

static smerf_status score_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    score_job *job = argument;
    smerf_status status = SMERF_OK;
    size_t first = job->first + task * ROWS_A_TASK;
    size_t end = first + ROWS_A_TASK < job->end ? first + ROWS_A_TASK : job->end;
    for (size_t i = first; i < end && status == SMERF_OK; i++) status = score_row(job, i, thread, error);
    return status;
}

/* ---- rounds ---- */

/* Goes through all rows once: those of the panels, or all of them if the predictions are given. */
static smerf_status go_round(score_job *job, sm_panel *panel, sm_pool *pool, smerf_error *error) {
    double from = pool->fraction_from, fraction = pool->fraction_to - pool->fraction_from;
    smerf_status status = SMERF_OK;
    for (size_t first = 0; first < job->n_rows && status == SMERF_OK; first = job->end) {
        job->first = first;
        job->end = job->n_rows;
        if (panel != NULL) {
            bool is_at_hand = panel->first == first && panel->end == job->n_rows; /* one panel holds all */
            if (job->n_rows - first > panel->most_rows) job->end = first + panel->most_rows;
            pool->fraction_from = from + fraction * (double)first / (double)job->n_rows;
            pool->fraction_to = from + fraction * (double)job->end / (double)job->n_rows;
            if (!is_at_hand) status = sm_panel_predict(panel, first, pool, error);
            job->predicted = panel->distances;
            pool->fraction_from = pool->fraction_to;
        }
        if (status == SMERF_OK)
            status = sm_pool_run(pool, (job->end - first + ROWS_A_TASK - 1) / ROWS_A_TASK, score_some, job, error);
    }
    pool->fraction_from = from;
    pool->fraction_to = from + fraction;
    return status;
}

static smerf_status score_areas(score_job *job, sm_panel *panel, sm_pool *pool, smerf_scores *scores,
                                smerf_error *error) {
    double areas[2], fraction_of_links;
    smerf_status status = sm_auc_sort(&job->auc, error);
    job->counts = true;
    pool->fraction_from = pool->fraction_to;
    pool->fraction_to = 1;
    if (status == SMERF_OK) status = go_round(job, panel, pool, error);
    if (status != SMERF_OK) return status;
    sm_auc_areas(&job->auc, &areas[0], &areas[1], &fraction_of_links);
    if (job->metrics & SMERF_HAS(SMERF_AUC_ROC)) {
        scores->value[SMERF_AUC_ROC] = areas[0];
        scores->by_chance[SMERF_AUC_ROC] = 0.5;
    }
    if (job->metrics & SMERF_HAS(SMERF_AUC_PR)) {
        scores->value[SMERF_AUC_PR] = areas[1];
        scores->by_chance[SMERF_AUC_PR] = fraction_of_links;
    }
    return SMERF_OK;
}

static smerf_status score(score_job *job, sm_panel *panel, sm_pool *pool, smerf_scores *scores, smerf_error *error) {
    bool has_areas = (job->metrics & AREAS) != 0, is_twice = panel != NULL && panel->most_rows < job->n_rows;
    size_t n_threads = pool->n_threads;
    job->n_nearest = scores->n_nearest;
    job->scratches = sm_zeros(n_threads, sizeof *job->scratches);
    job->rows = sm_zeros(job->n_rows, sizeof *job->rows);
    bool has_memory = job->scratches != NULL && job->rows != NULL;
    for (size_t t = 0; t < n_threads && has_memory; t++) has_memory = start_scratch(&job->scratches[t], job);
    smerf_status status = has_memory ? SMERF_OK : sm_no_memory(error, "evaluating");
    if (status == SMERF_OK && has_areas) status = sm_auc_start(&job->auc, n_threads, error);
    pool->fraction_to = !has_areas ? 1 : is_twice ? 0.5 : 0.9;
    if (status == SMERF_OK) status = go_round(job, panel, pool, error);
    if (status == SMERF_OK) sm_scores_sum(job->rows, job->n_rows, job->metrics, scores);
    if (status == SMERF_OK && has_areas) status = score_areas(job, panel, pool, scores, error);
    for (size_t t = 0; t < n_threads && job->scratches != NULL; t++) free_scratch(&job->scratches[t]);
    sm_auc_free(&job->auc);
    sm_free(job->scratches);
    sm_free(job->rows);
    return status;
}

/* ---- asking ---- */

static smerf_status check_metrics(const smerf_target *truth, unsigned *metrics, smerf_error *error) {
    unsigned known = smerf_target_metrics(truth);
    if (*metrics == 0) *metrics = known;
    if (*metrics >> SMERF_N_METRICS != 0) return sm_fail(error, SMERF_BAD_INPUT, "there is no such metric");
    for (unsigned m = 0; m < SMERF_N_METRICS; m++)
        if ((*metrics & SMERF_HAS(m)) && !(known & SMERF_HAS(m)))
            return sm_fail(error, SMERF_BAD_INPUT, "%s needs a graph or labels: a target of kind '%s' has no links",
                           smerf_metric_name((smerf_metric)m), sm_target_inner(truth)->kind->name);
    return SMERF_OK;
}

smerf_status sm_truth_check(const smerf_model *model, const smerf_request *request, const smerf_target *truth,
                            smerf_error *error) {
    bool is_square = request->columns == NULL;
    size_t n_rows = request->rows->n_items, n_columns = is_square ? n_rows : request->columns->n_items;
    if (truth == NULL && !request->out_of_bag)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "evaluating needs a target, but for out-of-bag scores of the model's own");
    if (request->out_of_bag) {
        smerf_status status = sm_model_check_out_of_bag(model, error);
        if (status != SMERF_OK) return status;
    }
    if (truth == NULL && model->target == NULL)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "a model of the method '%s' does not keep its target: give the target to score against",
                       model->method->name);
    if (truth == NULL && model->target->kind->data.is_approximate)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "the model keeps only a low-rank form of its target: give the target to score against");
    if (truth != NULL) {
        smerf_status status = sm_target_check_distances(truth, "a score of distances", error);
        if (status != SMERF_OK) return status;
    }
    if (truth != NULL && (truth->n_rows != n_rows || truth->n_columns != n_columns || truth->is_block == is_square))
        return sm_fail(error, SMERF_BAD_INPUT, "the items make %zu x %zu pairs, and the target has %zu x %zu", n_rows,
                       n_columns, truth->n_rows, truth->n_columns);
    return SMERF_OK;
}

smerf_status sm_evaluate(const smerf_model *model, const sm_evaluation *wanted, const smerf_run *run,
                         smerf_scores *scores, smerf_error *error) {
    const smerf_request *request = wanted->request;
    score_job job = {.truth = wanted->truth != NULL ? wanted->truth : model->target,
                     .n_rows = request->rows->n_items,
                     .is_square = request->columns == NULL,
                     .metrics = wanted->metrics};
    job.n_columns = job.is_square ? job.n_rows : request->columns->n_items;
    smerf_status status = sm_truth_check(model, request, wanted->truth, error);
    if (status == SMERF_OK) status = check_metrics(job.truth, &job.metrics, error);
    if (status != SMERF_OK) return status;
    sm_pool pool;
    sm_query query;
    sm_panel panel;
    sm_pool_start(&pool, run);
    status = sm_query_start(&query, model, request, wanted->limits, error);
    if (status != SMERF_OK) return status;
    if (wanted->truth == NULL) job.training_row = query.training_row;
    status = sm_panel_start(&panel, &query, sm_query_columns(&query)->n, (job.metrics & AREAS) != 0, &pool, error);
    if (status == SMERF_OK) {
        status = score(&job, &panel, &pool, scores, error);
        sm_panel_free(&panel);
    }
    sm_query_free(&query);
    return status;
}

smerf_status smerf_evaluate(const smerf_model *model, const smerf_request *request, const smerf_target *truth,
                            unsigned metrics, const smerf_run *run, smerf_scores *scores, smerf_error *error) {
    SM_READ(smerf_request, request, error);
    SM_READ_RUN(run, error);
    SM_READ_RESULT(smerf_scores, scores, found, error);
    const sm_evaluation wanted = {.request = request, .limits = &sm_usual_limits, .truth = truth, .metrics = metrics};
    smerf_status status = sm_evaluate(model, &wanted, run, &found, error);
    SM_WRITE(smerf_scores, found, scores);
    return status;
}

smerf_status smerf_score(const double *predicted, const smerf_target *truth, unsigned metrics, smerf_scores *scores,
                         smerf_error *error) {
    SM_READ_RESULT(smerf_scores, scores, found, error);
    const smerf_run alone = SMERF_INIT(smerf_run, .n_threads = 1);
    sm_pool pool;
    sm_pool_start(&pool, &alone);
    score_job job = {.predicted = predicted,
                     .truth = truth,
                     .n_rows = truth->n_rows,
                     .n_columns = truth->n_columns,
                     .is_square = !truth->is_block,
                     .metrics = metrics};
    smerf_status status = sm_target_check_distances(truth, "a score of distances", error);
    if (status == SMERF_OK) status = check_metrics(truth, &job.metrics, error);
    if (status == SMERF_OK) status = score(&job, NULL, &pool, &found, error);
    SM_WRITE(smerf_scores, found, scores);
    return status;
}
