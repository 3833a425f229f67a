/* prepared.c - makes all trees ready once, and hands them to the model: see prepared.h. */
#include "predict/prepared.h"

#include "base/memory.h"
#include "base/versioned.h"

typedef struct prepare_job {
    const smerf_model *model;
    sm_prepared_trees *prepared;
} prepare_job;

/* Trees are prepared for any number of items. */
static smerf_status prepare_tree(void *argument, size_t b, size_t thread, smerf_error *error) {
    const prepare_job *job = argument;
    (void)thread;
    bool is_ready = sm_ready_start(&job->prepared->ready[b], job->model, b, SIZE_MAX);
    return is_ready ? SMERF_OK : sm_no_memory(error, "making the trees ready");
}

static double prepared_bytes(const smerf_model *model) {
    double bytes = 0;
    for (size_t b = 0; b < model->options.n_trees; b++) bytes += (double)sm_ready_bytes(model, b, SIZE_MAX);
    return bytes;
}

static void free_head(sm_prepared *head, const smerf_model *model) {
    sm_prepared_free((sm_prepared_trees *)head, model);
}

void sm_prepared_free(sm_prepared_trees *prepared, const smerf_model *model) {
    if (prepared == NULL) return;
    for (size_t b = 0; b < prepared->n_trees && prepared->ready != NULL; b++) sm_ready_free(&prepared->ready[b], model);
    sm_free(prepared->ready);
    sm_free(prepared);
}

smerf_status sm_prepared_new(const smerf_model *model, const sm_limits *limits, sm_pool *pool, sm_prepared_trees **out,
                             smerf_error *error) {
    *out = NULL;
    if (model->method != NULL) return SMERF_OK;
    double bytes = prepared_bytes(model);
    if (bytes > limits->group_bytes) return SMERF_OK;
    smerf_status status = sm_check_memory(bytes, "making the trees ready", error);
    if (status != SMERF_OK) return status;
    sm_prepared_trees *made = sm_zeros(1, sizeof *made);
    if (made == NULL) return sm_no_memory(error, "making the trees ready");
    made->head.free = free_head;
    made->n_trees = model->options.n_trees;
    made->ready = sm_zeros(made->n_trees, sizeof *made->ready);
    prepare_job job = {.model = model, .prepared = made};
    status = made->ready != NULL ? sm_pool_run(pool, made->n_trees, prepare_tree, &job, error)
                                 : sm_no_memory(error, "making the trees ready");
    if (status == SMERF_OK)
        *out = made;
    else
        sm_prepared_free(made, model);
    return status;
}

const sm_ready *sm_prepared_of(const smerf_model *model) {
    const sm_prepared *head = atomic_load_explicit(&model->prepared, memory_order_acquire);
    return head != NULL ? ((const sm_prepared_trees *)head)->ready : NULL;
}

/* Of two threads that prepare it at the same time, the one that is done first wins. */
smerf_status smerf_model_prepare(smerf_model *model, const smerf_run *run, smerf_error *error) {
    sm_pool pool;
    sm_prepared_trees *made;
    sm_prepared *none = NULL;
    SM_READ_RUN(run, error);
    if (sm_prepared_of(model) != NULL) return SMERF_OK;
    sm_pool_start(&pool, run);
    smerf_status status = sm_prepared_new(model, &sm_usual_limits, &pool, &made, error);
    if (status != SMERF_OK || made == NULL) return status;
    if (!atomic_compare_exchange_strong(&model->prepared, &none, &made->head)) sm_prepared_free(made, model);
    return SMERF_OK;
}
