/* linear_fit.h - learns W, for mahalanobis and bilinear: see pair_squares.h for what is minimised. */
#ifndef SM_METHOD_LINEAR_FIT_H
#define SM_METHOD_LINEAR_FIT_H

#include "method/linear/linear.h"

smerf_status sm_linear_fit(const sm_training_set *training, bool is_of_differences, sm_learned **out,
                           sm_diagnostics *diagnostics, smerf_error *error);

#endif
