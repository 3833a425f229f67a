/* branches.h - one tree grown by several threads.
 *
 * The last trees of a forest, or the few that it has, would leave threads with nothing to do. So a thread that grows a tree
 * leaves them branches of it: subtrees of nodes that it has yet to turn to. What becomes of a node depends on its items and on
 * where it is in the tree, never on who looked at the nodes before: the tree is the same, to the last bit, whoever grows what.
 *
 * Nodes are turned to in preorder, and of those that wait the last one is left first. So what a thread grows itself comes before
 * all branches that it leaves, and of these the one left last comes first: in a list where each branch stands right behind the
 * one that it was taken from, in front of those taken before, the nodes of the whole tree are in preorder. */
#ifndef SM_TRAIN_BRANCHES_H
#define SM_TRAIN_BRANCHES_H

#include "base/parallel.h"
#include "model/tree.h"

/* What one thread grows: a whole tree, or a part of it. */
typedef struct sm_branch {
    size_t tree; /* by index in the forest that is grown */
    struct sm_branch *next, *next_waiting;
    struct sm_branch *from; /* that it was taken from; NULL: it is the whole tree, on a sample yet to be drawn */
    size_t split;           /* there: its node is the right child of this split */
    size_t n;
    uint32_t *items; /* [n] in the order of their slots */
    uint8_t *draws;  /* [n] */
    size_t depth;    /* of its node in the tree */
    uint64_t stream;
    bool is_owed;                   /* what its node costs has yet to be taken from the gain of that split; */
    double cost;                    /* found when it is grown */
    sm_tree grown;                  /* likewise: as if it were a tree, without what sm_tree_trim does */
    size_t first_node, first_split; /* in the whole tree, while it is put together */
} sm_branch;

typedef struct sm_branches {
    sm_pool *pool;
    size_t least;   /* items: less is not worth leaving */
    bool is_wanted; /* branches are left even if nobody is idle, as tests want */
    sm_gate gate;   /* guards what follows */
    struct sm_open_tree *trees;
    size_t n_trees;
    sm_branch *waiting;
} sm_branches;

smerf_status sm_branches_start(sm_branches *branches, sm_pool *pool, size_t n_trees, smerf_error *error);
void sm_branches_free(sm_branches *branches); /* with whatever did not come to its end */

/* The whole of a tree, to be grown next. NULL: no memory. */
sm_branch *sm_branches_begin(sm_branches *branches, size_t tree);

/* Whether somebody would take a branch. */
static inline bool sm_branches_are_wanted(const sm_branches *branches) {
    return branches->is_wanted || sm_pool_has_idle(branches->pool);
}

/* One with capacity for n items, to be filled in and left. NULL: no memory. */
sm_branch *sm_branch_new(sm_branch *from, size_t n);
void sm_branches_leave(sm_branches *branches, sm_branch *branch);

/* One that was left; NULL: none is. */
sm_branch *sm_branches_take(sm_branches *branches);

/* A branch is grown. Once this is so of all branches of its tree, they become one, and are gone. False: no memory.
 *   trees  [n_trees] the forest's */
bool sm_branches_end(sm_branches *branches, sm_branch *branch, sm_tree *trees);

/* Capacity for a tree with up to n leaves and n members; terms and sets of levels come later. What is not used is never touched,
 * so it costs nothing. False: no memory. */
bool sm_branch_reserve(sm_tree *tree, size_t n, bool has_categories);

#endif
