/* medoids.h - k medoids: items to which all others are as near as possible, each counted to the nearest.
 *
 * FasterPAM (Schubert & Rousseeuw 2021, "Fast and eager k-medoids clustering"): every item knows its nearest and its second
 * nearest medoid, so that one pass over the row of a candidate prices its swap with each of the k medoids. The first candidate
 * that gains is swapped in at once, for the medoid where that gains most; when all items in turn gain nothing, it ends.
 *
 * Distances may be negative, equal, and break the triangle inequality. A medoid belongs to itself at a cost of 0, whatever
 * the matrix says; so every cluster has an item. Cost and swaps do not depend on the number of threads. */
#ifndef SM_EXPLORE_MEDOIDS_H
#define SM_EXPLORE_MEDOIDS_H

#include "base/parallel.h"

enum { SM_MEDOIDS_LANES = 4 };

typedef struct sm_medoids {
    const float *z; /* [n][n] symmetric and finite; the diagonal is not looked at */
    size_t n, k;
    uint32_t *item; /* [k] the medoids, each in a slot */
    double cost;    /* of all items together */
    size_t n_swaps; /* so far */

    float *near;         /* [n] distance to the nearest medoid; -INFINITY: is one, and can have no nearer one */
    float *second;       /* [n] to the nearest of the others; INFINITY with k = 1 */
    uint32_t *owner;     /* [n] slot of the nearest */
    uint32_t *runner_up; /* [n] slot of the second nearest */
    double *loss;        /* [k] what the cost would rise by without this medoid, if k > 1 */
    double *changes;     /* [n_threads][most_k][SM_MEDOIDS_LANES] scratch */
    size_t most_k, n_threads;
} sm_medoids;

/* Room for searches with up to most_k medoids. */
smerf_status sm_medoids_start(sm_medoids *medoids, const float *z, size_t n, size_t most_k, const sm_pool *pool,
                              smerf_error *error);
void sm_medoids_free(sm_medoids *medoids); /* fine on one filled with zeros */

/* BUILD (Kaufman & Rousseeuw): items one after the other, each the one that lowers the cost most, the first on a tie. The
 * first k of them are a good start for k medoids.
 *   items  [n_items] out, n_items <= most_k */
smerf_status sm_medoids_build(sm_medoids *medoids, size_t n_items, uint32_t *items, sm_pool *pool, smerf_error *error);

/* Starts from these medoids.   items  [k] different, k <= most_k */
void sm_medoids_set(sm_medoids *medoids, const uint32_t *items, size_t k);

/* Swaps until no swap of one medoid lowers the cost. */
smerf_status sm_medoids_improve(sm_medoids *medoids, sm_pool *pool, smerf_error *error);

/* ---- steps, for improve and for tests ---- */

/* What the cost changes by if an item that is no medoid takes the place of the medoid in *slot, where that is least; k > 1.
 *   changes  [k][SM_MEDOIDS_LANES] scratch */
double sm_medoids_best_swap(const sm_medoids *medoids, size_t candidate, double *changes, size_t *slot);

void sm_medoids_swap(sm_medoids *medoids, size_t slot, size_t candidate);

#endif
