/* divide.h - what is learned from and what is tested with, once for every repeat of a comparison. */
#ifndef SM_STUDY_DIVIDE_H
#define SM_STUDY_DIVIDE_H

#include "smerf.h"

/* Pairs as a target lists them. */
typedef struct sm_pair_arrays {
    size_t n;
    uint32_t *left, *right;
    double *value;
    double *weight; /* or NULL: all 1 */
} sm_pair_arrays;

typedef struct sm_divider {
    const smerf_items *items; /* by pairs they may be NULL */
    const smerf_target *target;
    bool by_pairs;
    size_t n, n_train; /* items or known pairs, and how many of them are learned from */
    bool *is_train;    /* [n] scratch */

    /* By pairs. */
    sm_pair_arrays known; /* the pairs of two items, in order */
    sm_pair_arrays part;  /* scratch: those of one part, and items with themselves */
    sm_pair_arrays edges; /* scratch: of these, those that are linked */
    double *self;         /* [n_items] distances of items to themselves */
    double *self_weight;  /* [n_items] of these; 0: it is not listed */
} sm_divider;

/* Both targets are of items that a method may be asked about. */
typedef struct sm_division {
    const smerf_items *train_items, *test_items;
    smerf_target *train, *truth;
    smerf_items *own_train_items, *own_test_items; /* the same, if they are ours */
} sm_division;

/* Refuses a share that leaves nothing to learn from, or nothing to test with. */
smerf_status sm_divider_start(sm_divider *divider, const smerf_items *items, const smerf_target *target, bool by_pairs,
                              double fraction, smerf_error *error);
void sm_divider_free(sm_divider *divider);

smerf_status sm_divide(sm_divider *divider, uint64_t seed, sm_division *out, smerf_error *error);
void sm_division_free(sm_division *division);

#endif
