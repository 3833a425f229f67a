/* held.h - which levels of a category a node holds, in a time that goes by its items and not by all levels. */
#ifndef SM_TRAIN_HELD_H
#define SM_TRAIN_HELD_H

#include "base/memory.h"
#include "target/engine.h"

typedef struct sm_held {
    uint32_t *level;    /* [most held] those that the node holds, ascending */
    uint32_t *index_of; /* [most levels] by level: its index in `level`; SMERF_MISSING: the node does not hold it */
    size_t n;
    uint64_t *keys, *spare; /* [most held] to sort levels */
} sm_held;

/*   most_levels  of a category; n_items  of a node. The arena says whether there was memory. */
void sm_held_start(sm_held *held, sm_arena *arena, size_t most_levels, size_t n_items);

/*   codes  [all items] of a category */
void sm_held_find(sm_held *held, const uint32_t *codes, const sm_node *node);

#endif
