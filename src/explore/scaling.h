/* scaling.h - classical multidimensional scaling of a matrix of squared distances. */
#ifndef SM_EXPLORE_SCALING_H
#define SM_EXPLORE_SCALING_H

#include "base/parallel.h"

/* The largest positive eigenvalues of B = -1/2 J Z J, and their vectors; the coordinates are sqrt(value) * vector. */
typedef struct sm_scaling {
    size_t n, n_axes;           /* as requested; where B has fewer, the others are 0 */
    double *value;              /* [n_axes] falling */
    double *vector;             /* [n][n_axes] of length 1 each, or 0 */
    double eigenvalue_fraction; /* of the sum of all |eigenvalues|, 1 where all are 0; NaN: not all are known */
} sm_scaling;

/*   z        [n][n] symmetric, finite, its diagonal 0
 *   scaling  n and n_axes are set, and the rest is filled in */
smerf_status sm_scaling_find(const float *z, uint64_t seed, smerf_kernels kernels, sm_pool *pool, sm_scaling *scaling,
                             smerf_error *error);
void sm_scaling_free(sm_scaling *scaling); /* fine on one filled with zeros */

#endif
