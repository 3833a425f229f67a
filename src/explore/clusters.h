/* clusters.h - items in k groups, and which k is best, whichever way groups are found. */
#ifndef SM_EXPLORE_CLUSTERS_H
#define SM_EXPLORE_CLUSTERS_H

#include "base/parallel.h"

/* Items in k groups, none of which is empty. */
typedef struct sm_grouping {
    uint32_t *cluster;  /* [n] 0 ... k - 1, in any order */
    uint32_t *medoid;   /* [k] the item that stands for each cluster, and is in it */
    double *silhouette; /* [n]; not looked at with k = 1 */
    double cost;
} sm_grouping;

/* Finds k groups. The pool's part of the progress is that of this one search. */
typedef smerf_status (*sm_group)(void *context, size_t k, sm_pool *pool, sm_grouping *grouping, smerf_error *error);

/* How many clusters there may be. */
typedef struct sm_cluster_range {
    size_t fewest, most;
    bool is_choice; /* nobody said how many */
} sm_cluster_range;

/* Sees whether there can be so many clusters of n items. */
smerf_status sm_clusters_check(const smerf_clustering *clustering, size_t n, sm_cluster_range *range,
                               smerf_error *error);

/* Finds the groups for each k, and writes those with the largest mean silhouette.   result  a full struct */
smerf_status sm_clusters_choose(size_t n, const sm_cluster_range *range, sm_group group, void *context, sm_pool *pool,
                                smerf_clusters *result, smerf_error *error);

/* ---- the two ways ---- */

smerf_status sm_cluster_by_medoids(const smerf_model *model, const smerf_items *items,
                                   const smerf_clustering *clustering, const smerf_run *run, smerf_clusters *result,
                                   smerf_error *error);
smerf_status sm_cluster_by_means(const smerf_model *model, const smerf_items *items, const smerf_clustering *clustering,
                                 const smerf_run *run, smerf_clusters *result, smerf_error *error);

/* ---- how well items lie in their clusters (Rousseeuw 1987) ----
 *
 * a is an item's mean distance to the others of its cluster, b that to the nearest of the other clusters; its silhouette is
 * (b - a) / max(a, b), from -1 to 1; 0 in a cluster of one, and where a = b = 0. */
static inline double sm_silhouette(double a, double b) {
    double larger = a > b ? a : b;
    return larger > 0 ? (b - a) / larger : 0;
}

/* From all distances.
 *   z           [n][n] symmetric; the diagonal is not looked at
 *   smallest    of the distances: if it is negative, they are counted from there, as the definition wants none below 0
 *   k           at least 2
 *   grouping    its clusters are looked at, and the silhouettes written */
smerf_status sm_silhouettes(const float *z, size_t n, double smallest, size_t k, sm_pool *pool, sm_grouping *grouping,
                            smerf_error *error);

#endif
