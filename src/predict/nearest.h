/* nearest.h - the nearest of the items that come by, for one query.
 *
 * Items are offered in their order, so that of two at the same distance the one that came first stays. */
#ifndef SM_QUERY_NEAREST_H
#define SM_QUERY_NEAREST_H

#include "base/status.h"

typedef struct sm_nearest {
    smerf_neighbor *kept; /* [n], with room for more; a heap, the farthest first, where their number has an end */
    size_t n, capacity;
    size_t most;   /* SIZE_MAX: as many as there are */
    double radius; /* the farthest that counts */
} sm_nearest;      /* filled with zeros, it holds nothing and wants nothing */

/* Whether an item at this distance would be kept. A distance that is not known is none. */
static inline bool sm_nearest_wants(const sm_nearest *nearest, double distance) {
    return distance <= nearest->radius && (nearest->n < nearest->most || distance < nearest->kept[0].distance);
}

/* Keeps an item that is wanted, and drops another if there are too many. False: no memory. */
bool sm_nearest_keep(sm_nearest *nearest, size_t item, double distance);

/* From near to far, and in the order of the items: it can take no more. */
void sm_nearest_sort(sm_nearest *nearest);

#endif
