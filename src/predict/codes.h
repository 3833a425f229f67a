/* codes.h - a forest of labels whose leaves are pure: what remains of an item in a tree is a byte, its class, and two items
 * are as far apart as the fraction of the trees in which their bytes differ.
 *
 * Codes of items stand in tiles: SM_CODE_TILE items side by side, tree after tree, as the kernel that counts wants them. */
#ifndef SM_QUERY_CODES_H
#define SM_QUERY_CODES_H

#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/blocks.h"
#include "model/model.h"

/* The code of every leaf. Filled with zeros there are none. */
typedef struct sm_leaf_codes {
    sm_arena arena;
    uint8_t **of; /* [trees][leaves]; NULL: the forest has none */
} sm_leaf_codes;

/* neighbors_codes.c: forests have codes if their leaves are pure, and none is asked for its distance without its items' own. Others have none, and
 * that is no failure. */
smerf_status sm_leaf_codes_find(const smerf_model *model, sm_pool *pool, sm_leaf_codes *codes, smerf_error *error);
void sm_leaf_codes_free(sm_leaf_codes *codes);

static inline size_t sm_code_tiles(size_t n_items) { return (n_items + SM_CODE_TILE - 1) / SM_CODE_TILE; }

/* The bytes of so many items. */
static inline size_t sm_code_bytes(size_t n_items, size_t n_trees) {
    return sm_size(sm_code_tiles(n_items), sm_size(n_trees, SM_CODE_TILE, 0), 0);
}

/* Where the code of the item at an index is in tree b. */
static inline size_t sm_code_index(size_t index, size_t b, size_t n_trees) {
    return (index / SM_CODE_TILE * n_trees + b) * SM_CODE_TILE + index % SM_CODE_TILE;
}

/* The distances of items that have the same code in 0, 1, ... of the trees, all of them included: to the last bit what the sum over the
 * trees gives. Freed with sm_free; NULL: no memory. */
double *sm_code_distances(const smerf_model *model);

#endif
