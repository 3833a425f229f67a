/* frame.h - coordinates in which the least squares over pairs is well conditioned.
 *
 * The fitted distances stay the same if X becomes X T and W becomes T^-1 W T^-T. The frame is such a T, for which the
 * second moment of what W acts on is the identity: of the differences x_i - x_j over the pairs (mahalanobis), or of the
 * items, each by the weight of its pairs (bilinear). Directions without any moment are left out: constant and dependent
 * columns, or more columns than items. What W does there is not determined, and of all W that fit equally well this
 * gives the one with the smallest norm.
 *
 *   1. columns less their means (mahalanobis: a shift changes no difference; bilinear with an intercept), each scaled to size 1 by a power of two
 *   2. where there are more columns than items, an orthonormal basis of the rows
 *   3. eigenvectors of the second moment, each divided by the root of its eigenvalue; twice, for what rounding left
 *   4. T in the original units; where directions were left out, projected onto the rows of X: the smallest norm */
#ifndef SM_METHOD_FRAME_H
#define SM_METHOD_FRAME_H

#include "method/fit/training_pairs.h"
#include "method/linear/linear.h"
#include "method/trainer.h"

typedef struct sm_frame {
    size_t n_items, n_columns, rank; /* rank may be 0: all items are the same */
    double *y;                       /* [n_items][rank] */
    double *t;                       /* [n_columns][rank]: y = (x - a shift) T */
} sm_frame;

/*   learned  its design, and which of the two methods it is */
smerf_status sm_frame_new(sm_frame *frame, const sm_training_set *training, const sm_learned *learned,
                          const sm_training_pairs *pairs, smerf_error *error);
void sm_frame_free(sm_frame *frame); /* takes one filled with zeros */

#endif
