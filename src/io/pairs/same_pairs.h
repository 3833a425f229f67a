/* same_pairs.h - which of the pairs that were read are the same: (i, j) and (j, i) are. */
#ifndef SM_IO_SAME_PAIRS_H
#define SM_IO_SAME_PAIRS_H

#include "io/pairs/pairs.h"

/* The places of pairs in the order of their keys, which (i, j) and (j, i) share; equal ones in the order of the list. */
typedef struct sm_sorted_pairs {
    uint64_t *keys, *spare_keys; /* [n] spare: the caller's to use */
    uint32_t *places, *spare_places;
} sm_sorted_pairs;

smerf_status sm_pairs_sort(const sm_pairs *pairs, sm_sorted_pairs *order, smerf_error *error); /* empty on failure */
void sm_sorted_pairs_free(sm_sorted_pairs *order);

/* Numbers the different pairs of two items from 0, in the order of their rows; (i, i) has SMERF_MISSING.
 *   number       [pairs->n], the caller's
 *   n_different  how many there are */
smerf_status sm_pairs_number(const sm_pairs *pairs, uint32_t *number, size_t *n_different, smerf_error *error);

/* Keeps the edges whose pair is among the others, in their order; sm_pairs.row tells where they come from.
 *   n_kept, n_left_out  different pairs */
smerf_status sm_pairs_keep_among(sm_pairs *edges, const sm_pairs *others, size_t *n_kept, size_t *n_left_out,
                                 smerf_error *error);

#endif
