/* completion.h - what the pairs that are missing are likely to be: a form of low rank fitted to those that are known.
 *
 * z_ij ~ a_i + a_j - 2 sum over r of scale_r u_ir u_jr (vectors.h), by least squares with shrinkage on the observed
 * pairs. Nothing here knows of forests. */
#ifndef SM_TARGET_COMPLETION_H
#define SM_TARGET_COMPLETION_H

#include "base/parallel.h"
#include "target/links.h"

typedef struct sm_completion {
    size_t n_items, rank; /* rank: as kept; at most twice what was asked for */
    double *a;            /* [n_items] */
    double *u;            /* [n_items][rank] */
    double *scale;        /* [rank] */
} sm_completion;

void sm_completion_free(sm_completion *completion); /* fine on one filled with zeros */

/* Its word on one pair of different items. */
double sm_completion_pair(const sm_completion *completion, size_t i, size_t j);

typedef struct sm_completion_plan {
    size_t rank;      /* 0: a_i + a_j only */
    double shrinkage; /* in units of the variance of the observed distances: 0.003 is little, 3 much */
    uint64_t seed;    /* of the starting point */
    size_t n_sweeps;  /* at most */
} sm_completion_plan;

/*   left_out  [links->n] entries that are not to be looked at; NULL: none */
smerf_status sm_complete(const sm_links *links, const bool *left_out, const sm_completion_plan *plan, sm_crew *crew,
                         sm_completion *out, smerf_error *error);

/* ---- completion_choice.c ---- */

/* Marks about a tenth of the pairs, the same for both entries of each.   left_out  [links->n] out; returns how many pairs */
size_t sm_completion_hold_out(const sm_links *links, uint64_t seed, bool *left_out);

/* Chooses rank (if *rank is SMERF_COMPLETE_AUTO) and shrinkage by the error on the pairs that are left out. A rank of 0
 * means that no structure was found beyond what the items have for themselves. */
smerf_status sm_completion_choose(const sm_links *links, const bool *left_out, uint64_t seed, size_t *rank,
                                  double *shrinkage, sm_crew *crew, smerf_error *error);

#endif
