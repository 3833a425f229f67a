/* rfd.h - what "rfd" has learned: a forest on pairs. */
#ifndef SM_METHOD_RFD_H
#define SM_METHOD_RFD_H

#include "method/pair_forest/pair_features.h"
#include "method/pair_forest/value_forest.h"
#include "model/method.h"

struct sm_learned {
    sm_value_forest forest;
};

void sm_rfd_free(sm_learned *learned);

/* ---- the way of many pairs of items down a tree that was grown on pairs.
 *
 * Pair features are made on the way, from the numbers of the two items: a tree looks at few of them, and all of them for
 * all pairs would not fit into the cache. ---- */

/* Adds to each pair's sum what its leaf holds.
 *   left, right  [n] places in rows and columns */
void sm_rfd_walk(const sm_value_tree *tree, const sm_item_numbers *rows, const sm_item_numbers *columns,
                 const uint32_t *left, const uint32_t *right, size_t n, double *sums);

#endif
