/* descent.h - the way down one tree, for many items.
 *
 * What a split by one number needs stands next to each other, and several items go down side by side, so that the
 * processor waits for several nodes at a time: on a large tree that is where the time goes. */
#ifndef SM_QUERY_DESCENT_H
#define SM_QUERY_DESCENT_H

#include "base/arena.h"
#include "model/tree.h"

/* One node, in preorder as in the tree. */
typedef struct sm_step {
    double threshold;
    uint32_t feature; /* and the side of missing values; or that it is a leaf, or a split of another sort */
    uint32_t right;   /* the right child; of a leaf its number */
} sm_step;

typedef struct sm_descent {
    const sm_tree *tree;
    const sm_step *steps; /* [n_nodes]; NULL: not worth it for so few items */
} sm_descent;

/* Prepares a tree for so many items. Without memory in the arena, which then knows, there are no steps. */
void sm_descent_start(sm_descent *descent, const sm_tree *tree, size_t n_items, sm_arena *arena);

/* The bytes that takes. */
size_t sm_descent_bytes(const sm_tree *tree, size_t n_items);

/* The leaves of items first .. end-1, or of those that stand there in pick (NULL: all).   leaf  [end - first] out */
void sm_descend(const sm_descent *descent, const sm_view *view, const uint32_t *pick, size_t first, size_t end,
                uint32_t *leaf);

#endif
