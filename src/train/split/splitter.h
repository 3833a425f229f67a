/* splitter.h - finds the best split of one node; and the thresholds of a tree's splits, when it is done. */
#ifndef SM_TRAIN_SPLITTER_H
#define SM_TRAIN_SPLITTER_H

#include <string.h>

#include "model/tree.h"
#include "target/cuts/candidates.h"
#include "train/grow/problem.h"
#include "train/order/slots.h"
#include "train/split/categories.h"
#include "train/split/direction.h"

/* The items on both sides of a gap; the same one twice: it is the gap before missing values. */
typedef struct sm_gap {
    uint32_t low, high;
} sm_gap;

/* A gap is kept where its threshold will be. */
static inline void sm_keep_gap(sm_tree *tree, size_t split, sm_gap gap) {
    _Static_assert(sizeof gap == sizeof *tree->threshold, "a gap must fit");
    memcpy(&tree->threshold[split], &gap, sizeof gap);
}

/* The split of a node. Valid until the next search. */
typedef struct sm_split {
    const sm_direction *direction;
    sm_gap gap; /* not for a category */
    double gain;
    bool is_open;     /* the costs of both sides have yet to be taken from the gain */
    double node_cost; /* W I of the node */
    bool missing_left;
    const uint32_t *left_levels; /* for a category, as smerf_tree_view lists them */
    size_t n_left_levels;
    const bool *goes_left; /* by slot */
} sm_split;

typedef struct sm_splitter {
    const sm_problem *problem;
    sm_search *search;
    sm_sorted *sorted;
    const sm_slots *slots;

    sm_arena arena; /* holds the arrays below */
    sm_directions directions;
    sm_categories categories;
    sm_candidates candidates;
    sm_line_scratch usual, large; /* large: where lists will be, for nodes too large for these; none: n = 0 */
    uint32_t *spare_order;        /* [most_in_bag], oblique */
    uint32_t *index_of;           /* by slot: node indices, for line-ups that are in order already */
    bool *goes_left;              /* by slot */
    uint32_t *left_levels;        /* [most levels + 1] */
    bool *level_is_left;          /* [most held] */
    uint64_t may_be_alike; /* given: bits of columns along which all items of the node may have the same number */
} sm_splitter;

/* Starts from one of which the first four parts are given. */
smerf_status sm_splitter_start(sm_splitter *splitter, const sm_splitter *given, smerf_error *error);

/* What the line-ups take that are priced together in all nodes that have lists, or in all.
 *   n_sides  whose costs are kept: 1 where the engine lists slots, else 2 */
double sm_splitter_bytes(const sm_problem *problem, size_t n_sides);

/* Scratch for a number for each item of the tree, when it is done with. */
static inline double *sm_splitter_idle(const sm_splitter *splitter) {
    return splitter->usual.n_costs >= splitter->problem->most_in_bag ? splitter->usual.costs : splitter->large.costs;
}

void sm_splitter_free(sm_splitter *splitter); /* not the search */

/* False: no two items of the node differ along any candidate, so that it cannot be split. */
bool sm_splitter_best(sm_splitter *splitter, const sm_node *node, sm_random *random, sm_split *split);

/* line_up.c: lines the items of the node up along one more candidate, see sm_candidates.line_up. */
void sm_splitter_line_up(sm_candidates *candidates, size_t c);

/* Once all splits have gaps.   high  [n_splits] scratch */
void sm_make_thresholds(sm_tree *tree, const sm_problem *problem, double *high);

#endif
