/* pair_tree.h - grows one tree on the pairs of a round: the leaf whose best split gains most is split next. */
#ifndef SM_BOOST_PAIR_TREE_H
#define SM_BOOST_PAIR_TREE_H

#include "base/memory.h"
#include "method/boost/boost.h"
#include "method/boost/fit/losses.h"

/* What a tree may become. */
typedef struct sm_tree_plan {
    const sm_binned *binned;
    size_t n_leaves, min_leaf;
    double l2;
    double least_hessian; /* of a leaf: logistic, where it vanishes as the loss becomes sure */
} sm_tree_plan;

/* A split of some pairs, by bins. */
typedef struct sm_bin_split {
    double gain;          /* 0: there is none */
    uint32_t column, bin; /* of a number: bins up to this one go left */
    bool missing_left;
    uint32_t set[SM_SET_WORDS]; /* of a category: the bins that go left */
} sm_bin_split;

typedef struct sm_grown_node {
    size_t first, n; /* of the pairs, in order */
    sm_cell sum;
    sm_bin_split split;
    uint32_t left, right; /* nodes; 0: it is a leaf */
    size_t slot;          /* of its histogram */
} sm_grown_node;

/* A tree, and the memory for the next: nodes in the order in which they were made, children after their parent. */
typedef struct sm_pair_tree {
    const sm_tree_plan *plan;
    sm_arena arena;
    sm_pool alone; /* one thread, for what is too little for several */
    size_t n_nodes, n_leaves;
    sm_grown_node *nodes; /* [2 n_leaves - 1] */
    uint32_t *order;      /* [n] the pairs, by leaves, ascending in each */
    uint32_t *spare;      /* [n] */
    size_t most_pairs;
    bool keeps_histograms; /* of all leaves; else those of two children at a time */
    size_t n_slots;
    sm_cell *cells;         /* [n_slots][n_cells] */
    sm_cell *joint;         /* [threads], see histogram.h */
    sm_bin_split *found[2]; /* [n_columns] of both children */
} sm_pair_tree;

/* Reserves memory for trees on up to so many pairs. */
smerf_status sm_pair_tree_start(sm_pair_tree *tree, const sm_tree_plan *plan, size_t most_pairs, size_t n_threads,
                                smerf_error *error);
void sm_pair_tree_free(sm_pair_tree *tree); /* fine on one filled with zeros */

/* Grows one.   pairs  without order; gradients of all of them */
smerf_status sm_pair_tree_grow(sm_pair_tree *tree, const sm_pair_slice *pairs, const sm_gradients *gradients,
                               sm_pool *pool, smerf_error *error);

/* The leaf of a pair: its node.   base_bin  its bin of SM_PAIR_BASE, if there is such a column */
size_t sm_pair_tree_leaf(const sm_pair_tree *tree, size_t left, size_t right, size_t base_bin);

/* The best split of one column: splits.c.   cells  [n_bins] of the column; whole: the sum of the node
 *   units  of gradient and hessian */
sm_bin_split sm_column_best_split(const sm_tree_plan *plan, size_t column, const sm_cell *cells, sm_cell whole,
                                  const sm_gradients *units);

#endif
