/* walks.h - the ways that pairs of items take down one tree, and the mean distances that are met on them.
 *
 *   1. sm_walks_start  finds the leaves of all pairs, and how far every node is from the root
 *   2. sm_walks_fill   how far some of the leaves are from the nodes on the ways of their pairs' other items
 *   3. sm_walks_add    what the splits on both ways have changed, feature by feature
 *
 * Within a pair the leaf with the smaller number comes first, so that (i, j) and (j, i) are added up in the same order. */
#ifndef SM_EXPLORE_WALKS_H
#define SM_EXPLORE_WALKS_H

#include "predict/block.h"

/* Pairs as indices in the sides of a request. */
typedef struct sm_walk_pairs {
    size_t n;
    const uint32_t *left, *right;           /* [n] */
    const uint32_t *n_of_row, *n_of_column; /* how often each item occurs there; the same array if both are one side */
} sm_walk_pairs;

typedef struct sm_walks {
    sm_arena arena; /* holds the arrays below */
    const smerf_model *model;
    const sm_tree *tree;
    const sm_ready *ready;
    sm_nodes nodes;
    void *summary;       /* of the nodes */
    uint32_t *depth;     /* [n_nodes] */
    double *root_mean;   /* [n_nodes] mean distance to the root */
    uint32_t *from, *to; /* [n_pairs] leaves, from <= to; SMERF_MISSING: the tree may not speak for the pair */
    size_t *first_mean;  /* [n_pairs] where a pair has its means: of `from` to the way of `to`, then the reverse */
    double *mean;
    uint32_t *first_end,
        *ends; /* [leaves + 1], [2 n_pairs] pairs that have each leaf: 2 p as `from`, 2 p + 1 as `to` */
} sm_walks;    /* filled with zeros, it is empty */

/* About how many bytes that takes. */
double sm_walks_bytes(const sm_query *query, size_t b, const sm_walk_pairs *pairs);

/* For a tree that is at hand. False: no memory; what there is, is to be freed. */
bool sm_walks_start(sm_walks *walks, const sm_query *query, size_t b, const sm_walk_pairs *pairs);
void sm_walks_free(sm_walks *walks);

/* A thread's room. */
typedef struct sm_walk_scratch {
    sm_block_scratch
        block; /* for targets without path_means: distances of SM_BLOCK_ROWS leaves, and their means to nodes as sums */
    sm_arena arena;
    uint32_t *path;  /* [most leaves] nodes from the root to a leaf */
    double *scratch; /* [2 most leaves] */
} sm_walk_scratch;

bool sm_walk_scratch_start(sm_walk_scratch *scratch, const sm_query *query);
void sm_walk_scratch_free(sm_walk_scratch *scratch);

/* For the leaves first .. end-1. */
void sm_walks_fill(const sm_walks *walks, size_t first, size_t end, sm_walk_scratch *scratch);

/* Adds what each feature has changed, and the root's mean distance; returns the distance that the tree predicts. NaN: it is
 * undefined for the pair, and nothing was added.   contributions  [n_features] */
double sm_walks_add(const sm_walks *walks, size_t pair, double *baseline, double *contributions);

#endif
