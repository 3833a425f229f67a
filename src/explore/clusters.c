/* clusters.c - how many clusters there are, and how they are told. */
#include "explore/clusters.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

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
        return sm_fail(error, SMERF_BAD_INPUT, "most-k: %zu is not between 2 and %zu, one less than there are items",
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

/* Numbers clusters in the order of their first items.   number  [k] scratch */
static void tell(const sm_grouping *grouping, size_t n, size_t k, double mean, uint32_t *number,
                 const sm_cluster_answer *answer) {
    uint32_t n_met = 0;
    for (size_t c = 0; c < k; c++) number[c] = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        uint32_t c = grouping->cluster[i];
        if (number[c] == UINT32_MAX) number[c] = n_met++;
        answer->cluster[i] = number[c];
        answer->medoid[i] = grouping->medoid[c];
    }
    if (answer->silhouette != NULL) memcpy(answer->silhouette, grouping->silhouette, n * sizeof *answer->silhouette);
    *answer->clusters = (smerf_clusters){.k = k, .cost = grouping->cost, .silhouette = mean};
}

static smerf_status choose(size_t n, const sm_cluster_range *range, sm_group group, void *context, sm_pool *pool,
                           sm_grouping *grouping, uint32_t *number, const sm_cluster_answer *answer,
                           smerf_error *error) {
    const size_t fewest = range->fewest;
    const double from = pool->fraction_from, step = (pool->fraction_to - from) / (double)(range->most - fewest + 1);
    double best = -INFINITY;
    for (size_t k = fewest; k <= range->most; k++) {
        pool->fraction_from = from + step * (double)(k - fewest);
        pool->fraction_to = from + step * (double)(k - fewest + 1);
        smerf_status status = group(context, k, pool, grouping, error);
        if (status != SMERF_OK) return status;
        for (size_t i = 0; i < n && k == 1; i++) grouping->silhouette[i] = NAN;
        double mean = mean_of(grouping->silhouette, n);
        if (answer->tried != NULL && range->is_choice) answer->tried[k] = mean;
        if (k > fewest && mean <= best) continue;
        best = mean;
        tell(grouping, n, k, mean, number, answer);
    }
    return SMERF_OK;
}

smerf_status sm_clusters_choose(size_t n, const sm_cluster_range *range, sm_group group, void *context, sm_pool *pool,
                                const sm_cluster_answer *answer, smerf_error *error) {
    sm_grouping grouping = {.cluster = sm_array(n, sizeof *grouping.cluster),
                            .medoid = sm_array(range->most, sizeof *grouping.medoid),
                            .silhouette = sm_array(n, sizeof *grouping.silhouette)};
    uint32_t *number = sm_array(range->most, sizeof *number);
    smerf_status status;
    for (size_t i = 0; i < n && answer->tried != NULL; i++) answer->tried[i] = NAN;
    if (grouping.cluster == NULL || grouping.medoid == NULL || grouping.silhouette == NULL || number == NULL)
        status = sm_no_memory(error, "finding clusters");
    else
        status = choose(n, range, group, context, pool, &grouping, number, answer, error);
    sm_free(grouping.cluster);
    sm_free(grouping.medoid);
    sm_free(grouping.silhouette);
    sm_free(number);
    return status;
}

/* ---- the question ---- */

smerf_status smerf_cluster(const smerf_model *model, const smerf_items *items, const smerf_clustering *clustering,
                           const smerf_run *run, uint32_t *cluster, uint32_t *medoid, double *silhouette, double *tried,
                           smerf_clusters *clusters, smerf_error *error) {
    const sm_cluster_answer answer = {cluster, medoid, silhouette, tried, clusters};
    if (clustering->by == SMERF_MEANS) return sm_cluster_by_means(model, items, clustering, run, &answer, error);
    return sm_cluster_by_medoids(model, items, clustering, run, &answer, error);
}
