/* silhouettes.h - how well items lie in their clusters (Rousseeuw 1987).
 *
 * a is an item's mean distance to the others of its cluster, b that to the nearest of the other clusters; its silhouette is
 * (b - a) / max(a, b), from -1 to 1; 0 in a cluster of one, and where a = b = 0. */
#ifndef SM_EXPLORE_SILHOUETTES_H
#define SM_EXPLORE_SILHOUETTES_H

#include "explore/clusters.h"

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
