/* triplets_fit.h - mahalanobis from triplets: from a training set to A in the coordinates of a frame. */
#ifndef SM_METHOD_TRIPLETS_FIT_H
#define SM_METHOD_TRIPLETS_FIT_H

#include "method/linear/fit/triplets_ridge.h"

/* What was learned, and what is told of it. */
typedef struct sm_triplets_fit {
    double n_triplets;
    sm_ridge_choice ridge;
    sm_triplets_solution solution;
} sm_triplets_fit;

/* Refuses a training set whose triplets nothing can be learned from. */
smerf_status sm_triplets_fit_check(const sm_training_set *training, smerf_error *error);

/* The coordinates in which the differences over the pairs that triplets compare, each of which counts once, have the identity as their
 * second moment. Items of no such triplet have coordinates, too, as new ones will.
 *   learned  its design
 *   is_kept  the triplets of training->target that count; NULL: all */
smerf_status sm_triplets_frame(const sm_training_set *training, const sm_learned *learned, const bool *is_kept,
                               sm_frame *frame, smerf_error *error);

/* The ridge, and with that A. The frame has rank 1 at least.   a  [rank][rank] out */
smerf_status sm_triplets_learn(const sm_training_set *training, const sm_learned *learned, const sm_frame *frame,
                               double *a, sm_triplets_fit *fit, smerf_error *error);

void sm_triplets_tell(const sm_triplets_fit *fit, sm_diagnostics *diagnostics);

#endif
