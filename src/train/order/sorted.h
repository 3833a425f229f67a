/* sorted.h - the items of a node in order along columns of numbers.
 *
 * Sorting a node's items along each candidate takes most of the time of a forest whose cuts cost little. But all items were
 * sorted once, before the first tree: a large node finds its own among them by a walk through all, along the candidates. Once
 * a node is small enough its items are listed along all columns, and from then on every split parts these lists in two, in
 * order: a step for each item and column, which is less than sorting it along the candidates. Lists of a few items are parted
 * no more: nodes below mark their items in them, a bit for each, along the candidates only. */
#ifndef SM_TRAIN_SORTED_H
#define SM_TRAIN_SORTED_H

#include "base/memory.h"
#include "kernels/kernels.h"
#include "train/grow/problem.h"

typedef struct sm_sorted {
    sm_arena arena; /* holds the arrays below */
    const sm_problem *problem;
    sm_part part;
    sm_part_table part_table;
    size_t capacity; /* the most items of a subtree that is kept in order; 0: none is */
    size_t *list_of; /* [n_features] of numbers; categories have none */
    size_t n_lists;
    uint32_t *lists;   /* [n_lists + 1][capacity] slots, by number and then by slot; missing ones last. One to spare */
    uint32_t *slot_of; /* [n_items] of the items of a node that is walked for; not owned */
    uint64_t *is_wanted;       /* [n_items / 64 + 1] bits: they are in that node */
    double *values, *spare;    /* [n_items / a walk's fraction] where few items are sorted rather than looked for */
    uint32_t *spare_slots;     /* likewise */
    size_t first, end;         /* the part of the tree's items that has lists; none: first = end */
    size_t node_first, node_n; /* the node turned to last */
    const sm_node *large;      /* that node, if it is too large for lists */
    size_t few_first, few_n;   /* the last few items whose lists are parted no more */
    bool is_part;              /* the node turned to last holds some of these */
    uint8_t *node_indices;     /* [n] indices of its items among them */
    uint8_t *few_index;        /* [n_slots] by slot: its index among the few */
    uint8_t *few_rank;         /* [n_lists][most of a few] by that index: where it stands in a list, */
    uint32_t *few_number;      /* [n_lists] if the list was looked through for these few, */
    uint32_t n_few;            /* which have this number */
} sm_sorted;

/* by_item  [n_items] scratch that is free whenever a node is turned to */
smerf_status sm_sorted_start(sm_sorted *sorted, const sm_problem *problem, size_t n_slots, uint32_t *by_item,
                             smerf_kernels kernels, smerf_error *error);
void sm_sorted_free(sm_sorted *sorted);

/* Forgets the tree before. */
void sm_sorted_clear(sm_sorted *sorted);

/* Turns to a node, whose items stand from `first` on among those of the tree; it stays until the next one. Nodes come depth
 * first. */
void sm_sorted_turn(sm_sorted *sorted, const sm_node *node, size_t first);

/* Whether items from `first` on have lists already. */
static inline bool sm_sorted_holds(const sm_sorted *sorted, size_t first) {
    return first >= sorted->first && first < sorted->end;
}

/* Whether any lists are kept. */
static inline bool sm_sorted_is_used(const sm_sorted *sorted) { return sorted->capacity > 0; }

/* The node's slots along a column of numbers, missing ones last.   scratch  [n] where they may be put */
const uint32_t *sm_sorted_line(sm_sorted *sorted, size_t feature, uint32_t *scratch);

/* Puts the slots that go left first, in the order that they have on both sides; returns how many go left.
 *   goes_left  by slot
 *   spare      [n] */
size_t sm_part_slots(const sm_sorted *sorted, uint32_t *slots, size_t n, const bool *goes_left, uint32_t *spare);

/* The slots of n items from `first` on become others, in the same order.   new_of  by slot */
void sm_sorted_renumber(sm_sorted *sorted, size_t first, size_t n, const uint32_t *new_of);

/* Parts the node turned to last.   goes_left  by slot */
void sm_sorted_part(sm_sorted *sorted, const bool *goes_left);

#endif
