/* permutation.c - importance of features one by one: how much worse the trees predict when each is shuffled (shuffles.h).
 * The importance is the mean of the increase over the trees that have a pair out of bag, the standard error that of this
 * mean. */
#include "base/memory.h"
#include "base/versioned.h"
#include "evaluate/shuffles.h"

typedef struct permutation_job {
    const sm_shuffles *shuffles;
    size_t n_features;
    double *increase; /* [n_trees][n_features]; NaN: the tree has no pair */
} permutation_job;

static smerf_status shuffle_tree(void *argument, size_t b, size_t thread, smerf_error *error) {
    permutation_job *job = argument;
    sm_shuffled_tree at;
    if (!sm_shuffled_start(&at, job->shuffles, b, thread)) return sm_no_memory(error, "shuffling features");
    for (uint32_t f = 0; f < job->n_features; f++)
        job->increase[b * job->n_features + f] = sm_shuffled_increase(&at, &f, 1);
    sm_shuffled_free(&at);
    return SMERF_OK;
}

smerf_status smerf_importance_permutation(const smerf_model *model, const smerf_items *items, const smerf_target *truth,
                                          const smerf_run *run, double *importance, double *standard_error,
                                          smerf_error *error) {
    SM_READ_RUN(run, error);
    sm_pool pool;
    sm_shuffles shuffles;
    size_t n_trees = model->options.n_trees, n = model->features.n;
    sm_pool_start(&pool, run);
    smerf_status status = sm_shuffles_start(&shuffles, model, items, truth, pool.n_threads, error);
    if (status != SMERF_OK) return status;
    permutation_job job = {.shuffles = &shuffles, .n_features = n};
    job.increase = sm_array(sm_size(n_trees, n, 0), sizeof *job.increase);
    status = job.increase != NULL ? sm_pool_run(&pool, n_trees, shuffle_tree, &job, error)
                                  : sm_no_memory(error, "shuffling features");
    for (size_t f = 0; f < n && status == SMERF_OK; f++)
        sm_mean_over_trees(job.increase + f, n_trees, n, &importance[f], &standard_error[f]);
    sm_free(job.increase);
    sm_shuffles_free(&shuffles);
    return status;
}
