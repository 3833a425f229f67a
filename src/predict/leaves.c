/* leaves.c - where each item ends in each tree: the forest as a way to code items. */
#include "base/versioned.h"
#include "predict/query.h"

enum { ITEMS_A_TASK = 256 };

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

static smerf_status predict(sm_query *query, uint32_t *leaves, sm_pool *pool, smerf_error *error) {
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
    status = predict(&query, leaves, &pool, error);
    sm_query_free(&query);
    return status;
}

smerf_status smerf_predict_leaves(const smerf_model *model, const smerf_items *items, const smerf_run *run,
                                  uint32_t *leaves, smerf_error *error) {
    SM_READ_RUN(run, error);
    return sm_predict_leaves(model, items, &sm_usual_limits, run, leaves, error);
}
