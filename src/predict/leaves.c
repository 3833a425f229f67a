/* leaves.c - where each item ends in each tree: the forest as a way to code items. */
#include "predict/asked.h"

enum { ITEMS_A_TASK = 256 };

typedef struct leaves_job {
    const sm_asked *asked;
    uint32_t *leaves; /* [rows][n_trees] the caller's */
} leaves_job;

static smerf_status find_leaves(void *argument, size_t task, size_t thread, smerf_error *error) {
    leaves_job *job = argument;
    const sm_asked *asked = job->asked;
    (void)thread;
    (void)error;
    uint32_t leaf[ITEMS_A_TASK];
    size_t first = task * ITEMS_A_TASK;
    size_t end = first + ITEMS_A_TASK < asked->rows.n ? first + ITEMS_A_TASK : asked->rows.n;
    for (size_t b = asked->first; b < asked->end; b++) {
        sm_asked_row_leaves(asked, b, first, end, leaf);
        for (size_t i = first; i < end; i++) job->leaves[i * asked->n_trees + b] = leaf[i - first];
    }
    return SMERF_OK;
}

static smerf_status predict(sm_asked *asked, uint32_t *leaves, sm_crew *crew, smerf_error *error) {
    leaves_job job = {.asked = asked, .leaves = leaves};
    size_t n_tasks = (asked->rows.n + ITEMS_A_TASK - 1) / ITEMS_A_TASK;
    smerf_status status = sm_asked_plan(asked, false, false, error);
    for (size_t group = 0; status == SMERF_OK && group < asked->n_groups; group++) {
        crew->share_from = (double)group / (double)asked->n_groups;
        crew->share_to = (double)(group + 1) / (double)asked->n_groups;
        status = sm_asked_turn(asked, group, crew, error);
        if (status == SMERF_OK) status = sm_crew_do(crew, n_tasks, find_leaves, &job, error);
    }
    return status;
}

smerf_status sm_predict_leaves(const smerf_model *model, const smerf_items *items, const sm_limits *limits,
                               const smerf_run *run, uint32_t *leaves, smerf_error *error) {
    const smerf_question question = {.rows = items};
    sm_crew crew;
    sm_asked asked;
    smerf_status status = sm_model_check_forest(model, "leaves", error);
    if (status != SMERF_OK) return status;
    sm_crew_start(&crew, run);
    status = sm_asked_start(&asked, model, &question, limits, error);
    if (status != SMERF_OK) return status;
    status = predict(&asked, leaves, &crew, error);
    sm_asked_free(&asked);
    return status;
}

smerf_status smerf_predict_leaves(const smerf_model *model, const smerf_items *items, const smerf_run *run,
                                  uint32_t *leaves, smerf_error *error) {
    return sm_predict_leaves(model, items, &sm_usual_limits, run, leaves, error);
}
