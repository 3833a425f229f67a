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

/* How data are divided: some items or pairs to learn from, or items in folds, each of which is tested once. */
typedef struct sm_division_plan {
    bool by_pairs;
    double train_fraction;  /* without folds: of the items, or of the groups */
    size_t n_folds;         /* 0: none */
    const uint32_t *groups; /* [n_items] numbers of groups that stay together; NULL: there are none */
} sm_division_plan;

typedef struct sm_divider {
    const smerf_items *items; /* by pairs they may be NULL */
    const smerf_target *target;
    bool by_pairs;
    size_t n, n_train; /* items or known pairs, and how many of them are learned from */
    bool *is_train;    /* [n] scratch */

    /* By folds or groups, where an item without a group is one of its own. */
    size_t n_folds, n_groups, n_train_groups;
    uint32_t *group_of; /* [n] NULL: neither folds nor groups */
    size_t *group_size; /* [n_groups] */
    uint32_t *order;    /* [n_groups] scratch: groups as they are dealt */
    uint32_t *fold_of;  /* [n_groups] scratch */
    size_t *fold_size;  /* [n_folds] scratch */

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

/* Refuses what leaves nothing to learn from, or nothing to test with. */
smerf_status sm_divider_start(sm_divider *divider, const smerf_items *items, const smerf_target *target,
                              const sm_division_plan *plan, smerf_error *error);
void sm_divider_free(sm_divider *divider);

/*   round  from 0: drawn by seed + round; with K folds: fold round % K of those that are dealt out by seed + round / K */
smerf_status sm_divide(sm_divider *divider, uint64_t seed, size_t round, sm_division *out, smerf_error *error);
void sm_division_free(sm_division *division);

#endif
