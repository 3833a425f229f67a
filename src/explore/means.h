/* means.h - k means: centres to which points are as near as possible, by squared Euclidean distance.
 *
 * Lloyd's rounds: each point goes to the nearest centre, each centre to the mean of its points, until no point goes elsewhere.
 * A point leaves its centre for a strictly nearer one only, of several for the first. Bounds (Hamerly 2010) spare most of
 * the distances, and change no point's way. A centre that has lost all its points takes the one that is farthest from its own
 * centre. Sums are formed in the order of the points, a stretch of coordinates by one thread: the same bits for any number. */
#ifndef SM_EXPLORE_MEANS_H
#define SM_EXPLORE_MEANS_H

#include "base/parallel.h"

/* Points have a multiple of so many coordinates; those that are not there are 0. */
#define SM_MEANS_LANES ((size_t)8)

enum { SM_MEANS_MOST_ROUNDS = 300 };

typedef struct sm_means {
    const float *points; /* [n][width] */
    size_t n, width, k, most_k;
    double *centre;    /* [k][width] */
    uint32_t *cluster; /* [n] the centre of each point */
    size_t *size;      /* [k] how many points it has; never 0 between rounds */
    size_t n_rounds;   /* that the last search took */
    double cost;       /* when it has ended: the sum of the points' squared distances to their centres */

    double *earlier;       /* [k][width] where the centres were before */
    double *moved;         /* [k] how far they have come since */
    double *reach;         /* [k] half the distance to the nearest other centre */
    double *upper, *lower; /* [n] bounds of the distances to the point's own centre, and to all others */
    double slack;          /* what rounding may have done to bounds */
} sm_means;

/* The sum of the squared differences. */
double sm_means_squared(const float *point, const double *centre, size_t width);

smerf_status sm_means_start(sm_means *means, const float *points, size_t n, size_t width, size_t most_k,
                            smerf_error *error);
void sm_means_free(sm_means *means); /* fine on one filled with zeros */

/* k-means++ (Arthur & Vassilvitskii 2007): points, each drawn by the squared distances to those before; the best of a few.
 * The first k of them are a start for k.
 *   items  [n_items] out, different; n_items <= n */
smerf_status sm_means_draw(const sm_means *means, uint64_t seed, uint32_t start, size_t n_items, uint32_t *items,
                           sm_pool *pool, smerf_error *error);

/* Starts with these points as centres.   items  [k], k <= most_k */
void sm_means_set(sm_means *means, const uint32_t *items, size_t k);

/* Lloyd's rounds to the end. */
smerf_status sm_means_improve(sm_means *means, sm_pool *pool, smerf_error *error);

/* One round; *n_gone: how many points went elsewhere. For improve and for tests. */
smerf_status sm_means_round(sm_means *means, sm_pool *pool, size_t *n_gone, smerf_error *error);

/* Squared distances at the end.
 *   own    [n] to the point's centre
 *   other  [n] or NULL: to the nearest of the others; INFINITY with k = 1 */
smerf_status sm_means_distances(const sm_means *means, sm_pool *pool, double *own, double *other, smerf_error *error);

#endif
