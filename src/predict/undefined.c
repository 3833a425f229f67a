/* undefined.c - pairs that every tree leaves out: few, so that they are listed, and go through all trees once more. See predict.h. */
#include "predict/predict.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { PAIRS_A_TASK = 1024 };

typedef struct undefined_job {
    const sm_query *query;
    const uint32_t *row, *column;
    size_t n;
    double *distance;       /* the sum at first */
    uint32_t *n_predicting; /* [n] trees */
} undefined_job;

static void add_tree(const undefined_job *job, size_t b, size_t first, size_t end) {
    const sm_query *query = job->query;
    const smerf_target *target = query->model->target;
    const uint32_t *column_leaf = sm_query_leaves(query, sm_query_columns(query), b);
    const bool *is_out = sm_query_is_out(query, b);
    for (size_t p = first; p < end; p++) {
        size_t i = job->row[p], j = job->column[p];
        if (is_out != NULL && !sm_query_may_use_tree(query, is_out[i], is_out[j])) continue;
        uint32_t row_leaf;
        sm_query_row_leaves(query, b, i, i + 1, &row_leaf);
        double distance =
            target->kind->predicting.leaf_pair(target, &sm_query_ready(query, b)->leaves, row_leaf, column_leaf[j]);
        if (isnan(distance)) continue;
        job->distance[p] += distance;
        job->n_predicting[p]++;
    }
}

static smerf_status add_undefined(void *argument, size_t task, size_t thread, smerf_error *error) {
    undefined_job *job = argument;
    const sm_query *query = job->query;
    (void)thread;
    (void)error;
    size_t first = task * PAIRS_A_TASK, end = first + PAIRS_A_TASK < job->n ? first + PAIRS_A_TASK : job->n;
    for (size_t b = query->first; b < query->end; b++) add_tree(job, b, first, end);
    for (size_t p = first; p < end && query->end == query->n_trees; p++)
        job->distance[p] = job->n_predicting[p] > 0
                               ? sm_shrunk(&query->model->shrinkage, job->distance[p] / job->n_predicting[p])
                               : query->fallback;
    return SMERF_OK;
}

smerf_status sm_predict_undefined(sm_query *query, const uint32_t *row, const uint32_t *column, size_t n,
                                  double *distance, sm_pool *pool, smerf_error *error) {
    smerf_status status = SMERF_OK;
    undefined_job job = {.query = query, .row = row, .column = column, .n = n, .distance = distance};
    job.n_predicting = sm_zeros(n, sizeof *job.n_predicting);
    if (job.n_predicting == NULL) return sm_no_memory(error, "predicting");
    memset(distance, 0, n * sizeof *distance);
    double fraction_from = pool->fraction_from; /* the work is all but done */
    pool->fraction_from = pool->fraction_to;
    for (size_t group = 0; group < query->n_groups && status == SMERF_OK; group++) {
        status = sm_query_turn(query, group, pool, error);
        if (status == SMERF_OK)
            status = sm_pool_run(pool, (n + PAIRS_A_TASK - 1) / PAIRS_A_TASK, add_undefined, &job, error);
    }
    pool->fraction_from = fraction_from;
    sm_free(job.n_predicting);
    return status;
}

smerf_status sm_predict_undefined_pairs(sm_query *query, const smerf_pair_list *pairs, const uint32_t *n_predicting,
                                        double *distance, sm_pool *pool, smerf_error *error) {
    size_t n_left = 0;
    for (size_t p = 0; p < pairs->n && sm_redoes_undefined(query); p++) n_left += n_predicting[p] == SM_IS_ELIGIBLE;
    if (n_left == 0) return SMERF_OK;
    sm_arena arena = {0};
    uint32_t *rows = sm_arena_take(&arena, n_left, sizeof *rows),
             *columns = sm_arena_take(&arena, n_left, sizeof *rows);
    double *redone = sm_arena_take(&arena, n_left, sizeof *redone);
    smerf_status status = arena.has_failed ? sm_no_memory(error, "predicting") : SMERF_OK;
    for (size_t p = 0, k = 0; p < pairs->n && status == SMERF_OK; p++)
        if (n_predicting[p] == SM_IS_ELIGIBLE) {
            rows[k] = pairs->left[p];
            columns[k++] = pairs->right[p];
        }
    if (status == SMERF_OK) status = sm_predict_undefined(query, rows, columns, n_left, redone, pool, error);
    for (size_t p = 0, k = 0; p < pairs->n && status == SMERF_OK; p++)
        if (n_predicting[p] == SM_IS_ELIGIBLE) distance[p] = redone[k++];
    sm_arena_free(&arena);
    return status;
}
