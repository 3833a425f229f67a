/* square.h - a square matrix and its mirror image, in tiles that stay in the cache. NaN: an entry that is missing. */
#ifndef SM_BASE_SQUARE_H
#define SM_BASE_SQUARE_H

#include <stdbool.h>
#include <stddef.h>

/* Each takes z [n][n] row-major. */

/* Copies the upper triangle to the lower one; the diagonal stays. */
void sm_square_mirror(float *z, size_t n);

/* Puts the mean of z_ij and z_ji, taken in double, in both places; where one is missing, the other one. */
void sm_square_average(float *z, size_t n);

/* Whether z_ij == z_ji everywhere, or both are missing; if not, *row and *column are the first (i, j), j > i, in the order of rows. */
bool sm_square_is_symmetric(const float *z, size_t n, size_t *row, size_t *column);

/* The same, for a matrix that is filled from its first row on: whether rows first .. first + SM_SQUARE_BAND - 1 (or to the
 * last) mirror what stands above the diagonal in their columns. All rows to the end of the band are there; first is a
 * multiple of SM_SQUARE_BAND. */
#define SM_SQUARE_BAND ((size_t)64)
bool sm_square_band_is_symmetric(const float *z, size_t n, size_t first);

/* ---- all eigenvalues and eigenvectors of a small symmetric matrix.
 *
 * By hand and not from LAPACK: the order of a category's levels depends on it, and a forest must not depend on which
 * BLAS a machine has (docs/decisions/0006-categories.md). ---- */

/* Householder's reduction to a tridiagonal matrix, then implicit QR steps with Wilkinson's shift.
 *   a        [n][n] in, symmetric; overwritten
 *   values   [n] out, in no particular order
 *   vectors  [n][n] out, row k belongs to values[k], orthonormal
 *   scratch  [3 * n] */
void sm_eigen(double *a, size_t n, double *values, double *vectors, double *scratch);

#endif
