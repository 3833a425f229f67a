/* pairs.c - distances of listed pairs, and their spread over the trees.
 *
 * Only the items that occur are sent down the trees. Sums wait in the caller's arrays while the groups of trees come
 * and go: a pair costs a few numbers, however many trees there are. */
#include <math.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "predict/predict.h"
#include "predict/predictor.h"

enum { MOST_A_TASK = 1024, FEWEST_A_TASK = 32 };

typedef struct pairs_job {
    sm_query *query;
    sm_arena arena;               /* holds the arrays below, but for the caller's */
    uint32_t *indices;            /* [2][n_pairs] */
    const uint32_t *left, *right; /* [n_pairs] indices in the sides */
    size_t n_pairs, n_a_task;
    double *distance;       /* the caller's; the sum at first */
    double *spread;         /* the caller's, or NULL; the sum of squared deviations at first */
    double *mean;           /* [n_pairs] for the spread: of the trees so far */
    uint32_t *n_predicting; /* [n_pairs] see sm_query_uses_all_trees; NULL where all do */
    sm_leaf_table *tables;  /* [n_threads] */
} pairs_job;

/* ---- adding up ---- */

/* The n-th value of a pair: the sum, as for whole rows, and for the spread a running mean and sum of squared deviations
 * from it (Welford). */
static void add_value(const pairs_job *job, size_t p, size_t n, double value) {
    job->distance[p] += value;
    if (job->spread == NULL) return;
    double step = value - job->mean[p];
    job->mean[p] += step / (double)n;
    job->spread[p] += step * (value - job->mean[p]);
}

static void add_tree_to_pairs(const pairs_job *job, size_t b, size_t first, size_t end, sm_leaf_table *table) {
    const sm_query *query = job->query;
    const uint32_t *row_leaf = sm_query_leaves(query, &query->rows, b);
    const uint32_t *column_leaf = sm_query_leaves(query, sm_query_columns(query), b);
    const bool *is_out = sm_query_is_out(query, b);
    const sm_ready *ready = sm_query_ready(query, b);
    sm_leaf_table_turn(table, ready->leaves.n <= SM_FEW_LEAVES);
    for (size_t p = first; p < end; p++) {
        size_t i = job->left[p], j = job->right[p];
        if (is_out != NULL && !sm_query_may_use_tree(query, is_out[i], is_out[j])) continue;
        double distance = sm_leaf_table_distance(table, query->model, ready, row_leaf[i], column_leaf[j]);
        size_t n = b + 1;
        if (job->n_predicting != NULL) {
            job->n_predicting[p] |= SM_IS_ELIGIBLE;
            if (isnan(distance)) continue;
            n = SM_N_PREDICTING(++job->n_predicting[p]);
        }
        add_value(job, p, n, distance);
    }
}

/* ---- from sums to means ---- */

static void clear_pair(const pairs_job *job, size_t p) {
    job->distance[p] = 0;
    if (job->n_predicting != NULL) job->n_predicting[p] = 0;
    if (job->spread != NULL) job->spread[p] = job->mean[p] = 0;
}

/* A pair that is left to sm_predict_undefined_pairs keeps the count SM_IS_ELIGIBLE. */
static void finish_pair(const pairs_job *job, size_t p) {
    const sm_shrinkage *shrinkage = &job->query->model->shrinkage;
    size_t n = job->n_predicting != NULL ? SM_N_PREDICTING(job->n_predicting[p]) : job->query->n_trees;
    if (n > 0)
        job->distance[p] = sm_shrunk(shrinkage, job->distance[p] / (double)n);
    else
        job->distance[p] = job->n_predicting[p] == SM_IS_ELIGIBLE ? job->query->fallback : NAN;
    if (job->spread != NULL)
        job->spread[p] = n == 0 ? NAN : n == 1 ? 0 : shrinkage->scale * sqrt(job->spread[p] / (double)(n - 1));
}

static smerf_status add_group_to_pairs(void *argument, size_t task, size_t thread, smerf_error *error) {
    pairs_job *job = argument;
    const sm_query *query = job->query;
    (void)error;
    size_t first = task * job->n_a_task;
    size_t end = first + job->n_a_task < job->n_pairs ? first + job->n_a_task : job->n_pairs;
    for (size_t p = first; p < end && query->first == 0; p++) clear_pair(job, p);
    for (size_t b = query->first; b < query->end; b++) add_tree_to_pairs(job, b, first, end, &job->tables[thread]);
    for (size_t p = first; p < end && query->end == query->n_trees; p++) finish_pair(job, p);
    return SMERF_OK;
}

/* ---- all together ---- */

static smerf_status reserve_pairs_job(pairs_job *job, const sm_pool *pool, smerf_error *error) {
    sm_query *query = job->query;
    size_t n = job->n_pairs, fair = (n + pool->n_threads - 1) / pool->n_threads;
    job->n_a_task = fair < FEWEST_A_TASK ? FEWEST_A_TASK : fair < MOST_A_TASK ? fair : MOST_A_TASK;
    job->indices = sm_arena_take(&job->arena, sm_size(n, 2, 0), sizeof *job->indices);
    job->tables = sm_arena_take_zeros(&job->arena, pool->n_threads, sizeof *job->tables);
    if (!sm_query_uses_all_trees(query)) job->n_predicting = sm_arena_take(&job->arena, n, sizeof *job->n_predicting);
    if (job->spread != NULL) job->mean = sm_arena_take(&job->arena, n, sizeof *job->mean);
    bool has_memory = !job->arena.has_failed;
    for (size_t t = 0; t < pool->n_threads && has_memory; t++)
        has_memory = sm_leaf_table_start(&job->tables[t], query->model);
    if (!has_memory) return sm_no_memory(error, "predicting");
    job->left = job->indices;
    job->right = job->indices + n;
    return SMERF_OK;
}

static smerf_status predict_listed(pairs_job *job, sm_pool *pool, smerf_error *error) {
    sm_query *query = job->query;
    smerf_status status = SMERF_OK;
    size_t n_tasks = (job->n_pairs + job->n_a_task - 1) / job->n_a_task;
    for (size_t group = 0; group < query->n_groups && status == SMERF_OK; group++) {
        pool->fraction_from = (double)group / (double)query->n_groups;
        pool->fraction_to = (double)(group + 1) / (double)query->n_groups;
        status = sm_query_turn(query, group, pool, error);
        if (status == SMERF_OK) status = sm_pool_run(pool, n_tasks, add_group_to_pairs, job, error);
    }
    if (status != SMERF_OK || job->n_predicting == NULL) return status;
    const smerf_pair_list pairs = {.n = job->n_pairs, .left = job->left, .right = job->right};
    return sm_predict_undefined_pairs(query, &pairs, job->n_predicting, job->distance, pool, error);
}

smerf_status sm_predict_pairs(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                              const smerf_pair_list *pairs, const smerf_run *run, const smerf_pair_result *result,
                              smerf_error *error) {
    sm_pool pool;
    sm_query query;
    const uint32_t *left = pairs->left, *right = pairs->right;
    sm_pool_start(&pool, run);
    smerf_status status = sm_query_start(&query, model, request, limits, error);
    if (status != SMERF_OK) return status;
    pairs_job job = {.query = &query, .n_pairs = pairs->n, .distance = result->distance, .spread = result->spread};
    status = sm_query_check_pairs(&query, left, right, pairs->n, error);
    if (status == SMERF_OK && job.spread != NULL) status = sm_model_check_forest(model, "a spread over trees", error);
    if (status == SMERF_OK && pairs->n > 0 && model->method != NULL) {
        status = sm_answer_pairs(&query, left, right, pairs->n, &pool, job.distance, error);
    } else if (status == SMERF_OK && pairs->n > 0) {
        status = reserve_pairs_job(&job, &pool, error);
        if (status == SMERF_OK) status = sm_query_pick_pairs(&query, left, right, pairs->n, job.indices, error);
        if (status == SMERF_OK) status = predict_listed(&job, &pool, error);
        for (size_t t = 0; t < pool.n_threads && job.tables != NULL; t++) sm_leaf_table_free(&job.tables[t]);
    }
    sm_arena_free(&job.arena);
    sm_query_free(&query);
    return status;
}

smerf_status smerf_predict_pairs(const smerf_model *model, const smerf_request *request, const smerf_pair_list *pairs,
                                 const smerf_run *run, const smerf_pair_result *result, smerf_error *error) {
    SM_READ(smerf_request, request, error);
    SM_READ_RUN(run, error);
    SM_READ(smerf_pair_result, result, error);
    return sm_predict_pairs(model, request, &sm_usual_limits, pairs, run, result, error);
}
