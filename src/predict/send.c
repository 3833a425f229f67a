/* send.c - items on their way down all trees, a batch of trees after the other: see send.h. */
#include "predict/send.h"

#include "base/memory.h"
#include "predict/descent.h"

/* A tree that items are sent down. */
typedef struct sent_tree {
    sm_arena arena; /* holds what is below */
    sm_descent descent;
} sent_tree;

typedef struct sending_job {
    const sm_sending *sending;
    size_t first_tree, n_trees; /* of the batch */
    sent_tree *trees;           /* [n_trees] */
} sending_job;

static smerf_status ready_sent_tree(void *argument, size_t task, size_t thread, smerf_error *error) {
    const sending_job *job = argument;
    const sm_sending *sending = job->sending;
    sent_tree *ready = &job->trees[task];
    (void)thread;
    sm_descent_start(&ready->descent, &sending->model->trees[job->first_tree + task], sending->end - sending->first,
                     &ready->arena);
    return ready->arena.has_failed ? sm_no_memory(error, sending->what) : SMERF_OK;
}

static smerf_status send_pack(void *argument, size_t task, size_t thread, smerf_error *error) {
    const sending_job *job = argument;
    const sm_sending *sending = job->sending;
    size_t first = sending->first + task * SM_PACK_ITEMS;
    size_t end = sending->end - first < SM_PACK_ITEMS ? sending->end : first + SM_PACK_ITEMS;
    uint32_t leaf[SM_PACK_ITEMS];
    sm_pack pack;
    (void)thread;
    if (!sm_pack_start(&pack, sending->view, NULL, first, end)) return sm_no_memory(error, sending->what);
    for (size_t t = 0; t < job->n_trees; t++) {
        sm_descend_packed(&job->trees[t].descent, &pack, leaf);
        sending->put(sending->to, job->first_tree + t, first, end, leaf);
    }
    sm_pack_free(&pack);
    return SMERF_OK;
}

static smerf_status send_down_batch(sending_job *job, sm_pool *pool, smerf_error *error) {
    const sm_sending *sending = job->sending;
    double fraction_to = pool->fraction_to; /* making ready is quick */
    job->trees = sm_zeros(job->n_trees, sizeof *job->trees);
    if (job->trees == NULL) return sm_no_memory(error, sending->what);
    pool->fraction_to = pool->fraction_from;
    smerf_status status = SMERF_OK;
    if (sm_descent_bytes(&sending->model->trees[job->first_tree], sending->end - sending->first) > 0)
        status = sm_pool_run(pool, job->n_trees, ready_sent_tree, job, error);
    else /* for so few items there is next to nothing to make ready: no thread is worth it */
        for (size_t t = 0; t < job->n_trees && status == SMERF_OK; t++) status = ready_sent_tree(job, t, 0, error);
    pool->fraction_to = fraction_to;
    size_t n_packs = (sending->end - sending->first + SM_PACK_ITEMS - 1) / SM_PACK_ITEMS;
    if (status == SMERF_OK) status = sm_pool_run(pool, n_packs, send_pack, job, error);
    for (size_t t = 0; t < job->n_trees; t++) sm_arena_free(&job->trees[t].arena);
    sm_free(job->trees);
    return status;
}

smerf_status sm_send_down(const sm_sending *sending, sm_pool *pool, smerf_error *error) {
    sending_job job = {.sending = sending};
    size_t n_trees = sending->model->options.n_trees;
    double from = pool->fraction_from, to = pool->fraction_to;
    smerf_status status = SMERF_OK;
    for (size_t b = 0; b < n_trees && status == SMERF_OK; b += job.n_trees) {
        job.first_tree = b;
        job.n_trees = sm_descent_batch_end(sending->model->trees, b, n_trees) - b;
        pool->fraction_from = from + (to - from) * ((double)b / (double)n_trees);
        pool->fraction_to = from + (to - from) * ((double)(b + job.n_trees) / (double)n_trees);
        status = send_down_batch(&job, pool, error);
    }
    pool->fraction_from = from;
    pool->fraction_to = to;
    return status;
}
