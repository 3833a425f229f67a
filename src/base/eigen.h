/* eigen.h - all eigenvalues and eigenvectors of a small symmetric matrix.
 *
 * By hand and not from LAPACK: the order of a category's levels depends on it, and a forest must not depend on which
 * BLAS a machine has (docs/decisions/0006-categories.md). */
#ifndef SM_BASE_EIGEN_H
#define SM_BASE_EIGEN_H

#include <stddef.h>

/* Householder's reduction to a tridiagonal matrix, then implicit QR steps with Wilkinson's shift.
 *   a        [n][n] in, symmetric; overwritten
 *   values   [n] out, in no particular order
 *   vectors  [n][n] out, row k belongs to values[k], orthonormal
 *   scratch  [3 * n] */
void sm_eigen(double *a, size_t n, double *values, double *vectors, double *scratch);

#endif
