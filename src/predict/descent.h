/* descent.h - the way down one tree, for many items.
 *
 * What a split by one number needs stands next to each other, and several items go down side by side, so that the
 * processor waits for several nodes at a time. Items that are sent down many trees are packed first: their numbers then
 * stand next to each other too. */
#ifndef SM_QUERY_DESCENT_H
#define SM_QUERY_DESCENT_H

#include "base/memory.h"
#include "model/tree.h"

/* One node. Children stand next to each other, the left one first, so that a comparison says which it is. */
typedef struct sm_step {
    double threshold;
    uint32_t feature; /* of a split of another sort: the number of the split */
    uint32_t child;   /* the left one; of a leaf the leaf itself */
} sm_step;

typedef struct sm_descent {
    const sm_tree *tree;
    const sm_step *steps; /* [n_nodes] level by level; NULL: not worth it for so few items */
    const uint32_t *leaf; /* [n_nodes] the numbers of the leaves */
    const uint8_t *sort;  /* [n_nodes] what else there is to know of a split */
    bool is_plain;        /* all splits are by one number */
} sm_descent;

/* Prepares a tree for so many items. Without memory in the arena, which then knows, there are no steps. */
void sm_descent_start(sm_descent *descent, const sm_tree *tree, size_t n_items, sm_arena *arena);

/* The bytes that takes. */
size_t sm_descent_bytes(const sm_tree *tree, size_t n_items);

/* The leaves of items first .. end-1, or of those that stand there in pick (NULL: all).   leaf  [end - first] out */
void sm_descend(const sm_descent *descent, const sm_view *view, const uint32_t *pick, size_t first, size_t end,
                uint32_t *leaf);

/* ---- down many trees ---- */

/* Items are sent down several trees, a few items at a time, so that trees and items both stay in the cache: where such a
 * batch of trees ends that starts with `first`.   trees  [end] */
size_t sm_descent_batch_end(const sm_tree *trees, size_t first, size_t end);

enum { SM_PACK_ITEMS = 2048 };

/* Up to SM_PACK_ITEMS items, first .. end-1 as above. */
typedef struct sm_pack {
    const sm_view *view;
    const uint32_t *pick;
    size_t first, end;
    double *values; /* [end - first][n_features]; NULL: some are missing, or there are too many features */
} sm_pack;

/* False: no memory. */
bool sm_pack_start(sm_pack *pack, const sm_view *view, const uint32_t *pick, size_t first, size_t end);
void sm_pack_free(sm_pack *pack);

/* The same as sm_descend.   leaf  [end - first] out */
void sm_descend_packed(const sm_descent *descent, const sm_pack *pack, uint32_t *leaf);

#endif
