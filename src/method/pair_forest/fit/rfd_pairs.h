/* rfd_pairs.h - the pairs that a forest on pairs learns from. */
#ifndef SM_METHOD_RFD_PAIRS_H
#define SM_METHOD_RFD_PAIRS_H

#include "method/pair_forest/value_forest.h"
#include "method/trainer.h"

typedef struct sm_rfd_pairs {
    uint64_t n_known;       /* pairs of two different items that the target knows */
    size_t n;               /* of these: to learn from */
    uint32_t *left, *right; /* [n] left < right, ascending */
    double *z;              /* [n] */
    double *weight;         /* [n] of both items and of the pair, multiplied; NULL: all 1 */
} sm_rfd_pairs;

/* How many pairs of two different items the target knows. */
uint64_t sm_rfd_n_known(const smerf_target *target);

/* All that are known, or as many of them as the options allow: each set of that size equally likely, and the same for
 * the same seed. Memory for those, never for all. */
smerf_status sm_rfd_pairs_choose(sm_rfd_pairs *pairs, const sm_training_set *training, smerf_error *error);
void sm_rfd_pairs_free(sm_rfd_pairs *pairs); /* fine on one filled with zeros */

/* ---- grows a regression forest on pairs: our own, for which the pairs are items and z is the response. ---- */

/* Fills the forest, which is to be freed also on failure. */
smerf_status sm_rfd_grow(const sm_training_set *training, const sm_rfd_pairs *pairs, sm_value_forest *forest,
                         smerf_error *error);

#endif
