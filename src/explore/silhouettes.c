/* silhouettes.c - see silhouettes.h. */
#include "explore/silhouettes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { ROWS_A_TASK = 16 };

typedef struct rating {
    const float *z;
    size_t n, k;
    double offset; /* to be added to every distance */
    const uint32_t *cluster;
    size_t *size;       /* [k] items of each cluster */
    double *sums;       /* [n_threads][k] */
    double *silhouette; /* [n] */
} rating;

static double rate(const rating *all, size_t item, double *sums) {
    const float *row = all->z + item * all->n;
    size_t own = all->cluster[item];
    if (all->size[own] == 1) return 0;
    memset(sums, 0, all->k * sizeof *sums);
    for (size_t j = 0; j < item; j++) sums[all->cluster[j]] += row[j];
    for (size_t j = item + 1; j < all->n; j++) sums[all->cluster[j]] += row[j];
    double a = sums[own] / (double)(all->size[own] - 1), b = INFINITY;
    for (size_t c = 0; c < all->k; c++)
        if (c != own) b = fmin(b, sums[c] / (double)all->size[c]);
    return sm_silhouette(a + all->offset, b + all->offset);
}

static smerf_status rate_rows(void *job, size_t task, size_t thread, smerf_error *error) {
    const rating *all = job;
    size_t first = task * ROWS_A_TASK, end = all->n - first < ROWS_A_TASK ? all->n : first + ROWS_A_TASK;
    (void)error;
    for (size_t i = first; i < end; i++) all->silhouette[i] = rate(all, i, all->sums + thread * all->k);
    return SMERF_OK;
}

smerf_status sm_silhouettes(const float *z, size_t n, double smallest, size_t k, sm_pool *pool, sm_grouping *grouping,
                            smerf_error *error) {
    rating all = {.z = z,
                  .n = n,
                  .k = k,
                  .offset = smallest < 0 ? -smallest : 0,
                  .cluster = grouping->cluster,
                  .size = sm_zeros(k, sizeof *all.size),
                  .sums = sm_array(sm_size(pool->n_threads, k, 0), sizeof *all.sums),
                  .silhouette = grouping->silhouette};
    smerf_status status = SMERF_OK;
    if (all.size == NULL || all.sums == NULL) {
        status = sm_no_memory(error, "rating clusters");
    } else {
        for (size_t i = 0; i < n; i++) all.size[grouping->cluster[i]]++;
        status = sm_pool_run(pool, (n + ROWS_A_TASK - 1) / ROWS_A_TASK, rate_rows, &all, error);
    }
    sm_free(all.size);
    sm_free(all.sums);
    return status;
}
