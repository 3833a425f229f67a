/* clusters.c - how many clusters there are, how they are numbered, and how well items lie in them. */
#include "explore/clusters.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/versioned.h"

/* ---- how many ---- */

enum { USUAL_MOST = 20 };

smerf_status sm_clusters_check(const smerf_clustering *clustering, size_t n, sm_cluster_range *range,
                               smerf_error *error) {
    size_t k = clustering->k, most_k = clustering->most_k;
    if (k > n)
        return sm_fail(error, SMERF_BAD_INPUT, "%zu clusters of %zu item%s: there can be no more clusters than items",
                       k, n, n == 1 ? "" : "s");
    *range = (sm_cluster_range){.fewest = k, .most = k, .is_choice = k == 0};
    if (k > 0) return SMERF_OK;
    if (n < 3)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "the number of clusters is chosen for three items or more, and there are %zu: say how many", n);
    if (most_k == 1 || most_k >= n)
        return sm_fail(error, SMERF_BAD_INPUT, "{most_k}: %zu is not between 2 and %zu, one less than there are items",
                       most_k, n - 1);
    range->fewest = 2;
    range->most = most_k > 0 ? most_k : n - 1 < USUAL_MOST ? n - 1 : USUAL_MOST;
    return SMERF_OK;
}

/* ---- which is best ---- */

static double mean_of(const double *values, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i];
    return sum / (double)n;
}

typedef struct cluster_choice {
    size_t n;
    const sm_cluster_range *range;
    sm_group group;
    void *context;
    sm_grouping grouping; /* scratch: for one k */
    uint32_t *number;     /* [most] scratch: of the clusters */
    smerf_clusters *result;
} cluster_choice;

/* Numbers clusters in the order of their first items. */
static void write_clusters(const cluster_choice *choice, size_t k, double mean) {
    const sm_grouping *grouping = &choice->grouping;
    smerf_clusters *result = choice->result;
    uint32_t n_met = 0, *number = choice->number;
    for (size_t c = 0; c < k; c++) number[c] = UINT32_MAX;
    for (size_t i = 0; i < choice->n; i++) {
        uint32_t c = grouping->cluster[i];
        if (number[c] == UINT32_MAX) number[c] = n_met++;
        result->cluster[i] = number[c];
        result->medoid[i] = grouping->medoid[c];
    }
    if (result->silhouette != NULL)
        memcpy(result->silhouette, grouping->silhouette, choice->n * sizeof *result->silhouette);
    result->k = k;
    result->cost = grouping->cost;
    result->mean_silhouette = mean;
}

static smerf_status choose_clusters(cluster_choice *choice, sm_pool *pool, smerf_error *error) {
    const sm_cluster_range *range = choice->range;
    const size_t n = choice->n, fewest = range->fewest;
    const double from = pool->fraction_from, step = (pool->fraction_to - from) / (double)(range->most - fewest + 1);
    double best = -INFINITY;
    for (size_t k = fewest; k <= range->most; k++) {
        pool->fraction_from = from + step * (double)(k - fewest);
        pool->fraction_to = from + step * (double)(k - fewest + 1);
        smerf_status status = choice->group(choice->context, k, pool, &choice->grouping, error);
        if (status != SMERF_OK) return status;
        for (size_t i = 0; i < n && k == 1; i++) choice->grouping.silhouette[i] = NAN;
        double mean = mean_of(choice->grouping.silhouette, n);
        if (choice->result->tried != NULL && range->is_choice) choice->result->tried[k] = mean;
        if (k > fewest && mean <= best) continue;
        best = mean;
        write_clusters(choice, k, mean);
    }
    return SMERF_OK;
}

smerf_status sm_clusters_choose(size_t n, const sm_cluster_range *range, sm_group group, void *context, sm_pool *pool,
                                smerf_clusters *result, smerf_error *error) {
    cluster_choice choice = {.n = n, .range = range, .group = group, .context = context, .result = result};
    sm_grouping *grouping = &choice.grouping;
    grouping->cluster = sm_array(n, sizeof *grouping->cluster);
    grouping->medoid = sm_array(range->most, sizeof *grouping->medoid);
    grouping->silhouette = sm_array(n, sizeof *grouping->silhouette);
    choice.number = sm_array(range->most, sizeof *choice.number);
    smerf_status status;
    for (size_t i = 0; i < n && result->tried != NULL; i++) result->tried[i] = NAN;
    if (grouping->cluster == NULL || grouping->medoid == NULL || grouping->silhouette == NULL || choice.number == NULL)
        status = sm_no_memory(error, "finding clusters");
    else
        status = choose_clusters(&choice, pool, error);
    sm_free(grouping->cluster);
    sm_free(grouping->medoid);
    sm_free(grouping->silhouette);
    sm_free(choice.number);
    return status;
}

/* ---- silhouettes ---- */

enum { ROWS_A_TASK = 16 };

typedef struct silhouette_job {
    const float *z;
    size_t n, k;
    double offset; /* to be added to every distance */
    const uint32_t *cluster;
    size_t *size;       /* [k] items of each cluster */
    double *sums;       /* [n_threads][k] */
    double *silhouette; /* [n] */
} silhouette_job;

static double rate_item(const silhouette_job *all, size_t item, double *sums) {
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
    const silhouette_job *all = job;
    size_t first = task * ROWS_A_TASK, end = all->n - first < ROWS_A_TASK ? all->n : first + ROWS_A_TASK;
    (void)error;
    for (size_t i = first; i < end; i++) all->silhouette[i] = rate_item(all, i, all->sums + thread * all->k);
    return SMERF_OK;
}

smerf_status sm_silhouettes(const float *z, size_t n, double smallest, size_t k, sm_pool *pool, sm_grouping *grouping,
                            smerf_error *error) {
    silhouette_job all = {.z = z,
                          .n = n,
                          .k = k,
                          .offset = smallest < 0 ? -smallest : 0,
                          .cluster = grouping->cluster,
                          .size = sm_zeros(k, sizeof *all.size),
                          .sums = sm_array(sm_size(pool->n_threads, k, 0), sizeof *all.sums),
                          .silhouette = grouping->silhouette};
    smerf_status status = SMERF_OK;
    if (all.size == NULL || all.sums == NULL) {
        status = sm_no_memory(error, "silhouette_job clusters");
    } else {
        for (size_t i = 0; i < n; i++) all.size[grouping->cluster[i]]++;
        status = sm_pool_run(pool, (n + ROWS_A_TASK - 1) / ROWS_A_TASK, rate_rows, &all, error);
    }
    sm_free(all.size);
    sm_free(all.sums);
    return status;
}

/* ---- the request ---- */

smerf_status smerf_cluster(const smerf_model *model, const smerf_items *items, const smerf_clustering *clustering,
                           const smerf_run *run, smerf_clusters *result, smerf_error *error) {
    SM_READ(smerf_clustering, clustering, error);
    SM_READ_RUN(run, error);
    SM_READ_RESULT(smerf_clusters, result, found, error);
    smerf_status status = clustering->by == SMERF_MEANS
                              ? sm_cluster_by_means(model, items, clustering, run, &found, error)
                              : sm_cluster_by_medoids(model, items, clustering, run, &found, error);
    SM_WRITE(smerf_clusters, found, result);
    return status;
}
