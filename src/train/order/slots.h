/* slots.h - the numbers that the items of a tree go by: its slots.
 *
 * What is kept about items is kept by slot. The items of the root have the slots 0, 1, 2, ... in their order, or in the one
 * that the target's kind wants. Those of a node further down lie scattered among them, in the end a cache line for each. So,
 * where the engine lists slots, subtrees of certain sizes have slots of their own, one after the other: a block. */
#ifndef SM_TRAIN_SLOTS_H
#define SM_TRAIN_SLOTS_H

#include "train/order/sorted.h"

enum { SM_SLOT_BLOCKS = 3 };

typedef struct sm_block {
    size_t most;       /* items of a subtree that moves here */
    size_t first_slot; /* its own */
    size_t first, end; /* which part of the tree's items is here; none: 0, 0 */
} sm_block;

typedef struct sm_slots {
    sm_arena arena; /* holds the arrays below */
    const sm_problem *problem;
    sm_search *search;
    size_t n_all;     /* slots that there are */
    uint32_t *items;  /* [n_all] by slot */
    uint8_t *draws;   /* [n_all] by slot */
    double *weight;   /* [most_in_bag] by slot: draws times item weights; not where the engine lists slots */
    uint64_t *shares; /* [n_all] by slot: see problem.h; NULL where no items are alike */
    uint32_t *order;  /* [most_in_bag] the slots of all items of the tree; a node is a slice, in ascending order */
    uint32_t *new_of; /* [n_all] by slot, while a subtree moves; not owned */
    size_t n_in_bag;  /* the different items of this tree */
    sm_block block[SM_SLOT_BLOCKS]; /* from the smallest on */
    size_t n_blocks;
} sm_slots;

/* by_slot  [sm_slots_needed] room that is free whenever a node is turned to */
smerf_status sm_slots_start(sm_slots *slots, const sm_problem *problem, sm_search *search, uint32_t *by_slot,
                            smerf_error *error);
void sm_slots_free(sm_slots *slots);

/* How many slots the trees of a problem need. */
size_t sm_slots_needed(const sm_problem *problem);

/* Turns to a tree. False: it has more items than it can have, or more draws of one.   draws  [n_items] by item */
bool sm_slots_fill(sm_slots *slots, const uint32_t *draws);

/* The same for a branch of a tree: these items, in this order.   items, draws  [n] */
void sm_slots_take(sm_slots *slots, const uint32_t *items, const uint8_t *draws, size_t n);

/* Columns (sm_column_bit) along which n items from `first` on may all have the same number. */
uint64_t sm_slots_alike(const sm_slots *slots, size_t first, size_t n);

/* Turns to a node, n items from `first` on: if it is the top of a subtree with a block, its items move there. */
void sm_slots_turn(sm_slots *slots, size_t first, size_t n, sm_sorted *sorted);

#endif
