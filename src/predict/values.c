/* values.c - what single items have: the label or the response itself, which is the mean over the trees of what the leaf of an
 * item holds, and the leaf of every tree. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "predict/query.h"

enum { ITEMS_A_TASK = 256 };

typedef struct values_job {
    sm_query *query;
    size_t n_values;
    double *values;         /* [rows][n_values] the caller's; sums at first */
    double *leaf;           /* [n_threads][n_values] of one leaf */
    uint32_t *n_predicting; /* [rows] out of bag: trees that have not seen the item; else NULL */
} values_job;

static void add_values(const values_job *job, size_t b, size_t first, size_t end, double *leaf) {
    const sm_query *query = job->query;
    const smerf_target *target = query->model->target;
    const sm_leaves *leaves = &sm_query_ready(query, b)->leaves;
    const bool *is_out = sm_query_is_out(query, b);
    uint32_t row_leaf[ITEMS_A_TASK];
    sm_query_row_leaves(query, b, first, end, row_leaf);
    for (size_t i = first; i < end; i++) {
        if (is_out != NULL && !is_out[i]) continue;
        double *sums = job->values + i * job->n_values;
        target->kind->values.leaf_values(target, leaves, row_leaf[i - first], leaf);
        for (size_t v = 0; v < job->n_values; v++) sums[v] += leaf[v];
        if (is_out != NULL) job->n_predicting[i]++;
    }
}

static smerf_status add_values_of_group(void *argument, size_t task, size_t thread, smerf_error *error) {
    values_job *job = argument;
    const sm_query *query = job->query;
    (void)error;
    size_t n_values = job->n_values, first = task * ITEMS_A_TASK;
    size_t end = first + ITEMS_A_TASK < query->rows.n ? first + ITEMS_A_TASK : query->rows.n;
    if (query->first == 0) {
        memset(job->values + first * n_values, 0, (end - first) * n_values * sizeof *job->values);
        if (job->n_predicting != NULL) memset(job->n_predicting + first, 0, (end - first) * sizeof *job->n_predicting);
    }
    for (size_t b = query->first; b < query->end; b++) add_values(job, b, first, end, job->leaf + thread * n_values);
    if (query->end < query->n_trees) return SMERF_OK;
    for (size_t i = first; i < end; i++) {
        double n = job->n_predicting != NULL ? job->n_predicting[i] : (double)query->n_trees;
        for (size_t v = 0; v < n_values; v++) job->values[i * n_values + v] /= n > 0 ? n : NAN;
    }
    return SMERF_OK;
}

static smerf_status predict_values(values_job *job, sm_pool *pool, smerf_error *error) {
    sm_query *query = job->query;
    smerf_status status = sm_query_plan(query, false, false, error);
    if (status != SMERF_OK) return status;
    size_t n_tasks = (query->rows.n + ITEMS_A_TASK - 1) / ITEMS_A_TASK;
    job->leaf = sm_array(sm_size(pool->n_threads, job->n_values, 0), sizeof *job->leaf);
    job->n_predicting = query->is_out_of_bag ? sm_array(query->rows.n, sizeof *job->n_predicting) : NULL;
    if (job->leaf == NULL || (query->is_out_of_bag && job->n_predicting == NULL))
        status = sm_no_memory(error, "predicting values");
    for (size_t group = 0; group < query->n_groups && status == SMERF_OK; group++) {
        pool->fraction_from = (double)group / (double)query->n_groups;
        pool->fraction_to = (double)(group + 1) / (double)query->n_groups;
        status = sm_query_turn(query, group, pool, error);
        if (status == SMERF_OK) status = sm_pool_run(pool, n_tasks, add_values_of_group, job, error);
    }
    sm_free(job->leaf);
    sm_free(job->n_predicting);
    return status;
}

smerf_status sm_predict_values(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                               const smerf_run *run, double *values, smerf_error *error) {
    smerf_status status = sm_model_check_forest(model, "labels and responses", error);
    if (status != SMERF_OK) return status;
    if (smerf_model_n_values(model) == 0)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "the model was fitted on distances: only labels and responses can be predicted");
    if (request->columns != NULL)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "labels and responses are predicted for items, not for pairs of them: "
                       "there is no second set");
    sm_pool pool;
    sm_query query;
    sm_pool_start(&pool, run);
    status = sm_query_start(&query, model, request, limits, error);
    if (status != SMERF_OK) return status;
    values_job job = {.query = &query, .n_values = smerf_model_n_values(model), .values = values};
    status = predict_values(&job, &pool, error);
    sm_query_free(&query);
    return status;
}

smerf_status smerf_predict_values(const smerf_model *model, const smerf_request *request, const smerf_run *run,
                                  double *values, smerf_error *error) {
    SM_READ(smerf_request, request, error);
    SM_READ_RUN(run, error);
    return sm_predict_values(model, request, &sm_usual_limits, run, values, error);
}

size_t smerf_model_n_values(const smerf_model *model) {
    if (model->target == NULL) return 0;
    const sm_target_kind *kind = model->target->kind;
    return kind->values.n_values != NULL ? kind->values.n_values(model->target) : 0;
}

const char *smerf_model_value_name(const smerf_model *model, size_t value) {
    if (model->target == NULL) return NULL;
    const sm_target_kind *kind = model->target->kind;
    return kind->values.value_name != NULL ? kind->values.value_name(model->target, value) : NULL;
}

/* ---- leaves: the forest as a way to code items ---- */

typedef struct leaves_job {
    const sm_query *query;
    uint32_t *leaves; /* [rows][n_trees] the caller's */
} leaves_job;

static smerf_status find_leaves(void *argument, size_t task, size_t thread, smerf_error *error) {
    leaves_job *job = argument;
    const sm_query *query = job->query;
    (void)thread;
    (void)error;
    uint32_t leaf[ITEMS_A_TASK];
    size_t first = task * ITEMS_A_TASK;
    size_t end = first + ITEMS_A_TASK < query->rows.n ? first + ITEMS_A_TASK : query->rows.n;
    for (size_t b = query->first; b < query->end; b++) {
        sm_query_row_leaves(query, b, first, end, leaf);
        for (size_t i = first; i < end; i++) job->leaves[i * query->n_trees + b] = leaf[i - first];
    }
    return SMERF_OK;
}

static smerf_status predict_leaves(sm_query *query, uint32_t *leaves, sm_pool *pool, smerf_error *error) {
    leaves_job job = {.query = query, .leaves = leaves};
    size_t n_tasks = (query->rows.n + ITEMS_A_TASK - 1) / ITEMS_A_TASK;
    smerf_status status = sm_query_plan(query, false, false, error);
    for (size_t group = 0; status == SMERF_OK && group < query->n_groups; group++) {
        pool->fraction_from = (double)group / (double)query->n_groups;
        pool->fraction_to = (double)(group + 1) / (double)query->n_groups;
        status = sm_query_turn(query, group, pool, error);
        if (status == SMERF_OK) status = sm_pool_run(pool, n_tasks, find_leaves, &job, error);
    }
    return status;
}

smerf_status sm_predict_leaves(const smerf_model *model, const smerf_items *items, const sm_limits *limits,
                               const smerf_run *run, uint32_t *leaves, smerf_error *error) {
    const smerf_request request = SMERF_INIT(smerf_request, .rows = items);
    sm_pool pool;
    sm_query query;
    smerf_status status = sm_model_check_forest(model, "leaves", error);
    if (status != SMERF_OK) return status;
    sm_pool_start(&pool, run);
    status = sm_query_start(&query, model, &request, limits, error);
    if (status != SMERF_OK) return status;
    status = predict_leaves(&query, leaves, &pool, error);
    sm_query_free(&query);
    return status;
}

smerf_status smerf_predict_leaves(const smerf_model *model, const smerf_items *items, const smerf_run *run,
                                  uint32_t *leaves, smerf_error *error) {
    SM_READ_RUN(run, error);
    return sm_predict_leaves(model, items, &sm_usual_limits, run, leaves, error);
}
