/* square.h - square matrices: floats and their mirror image, in tiles that fit into the L1 cache; how large floats are; and the
 * eigenvectors of a small matrix. NaN: an entry that is missing. */
#ifndef SM_BASE_SQUARE_H
#define SM_BASE_SQUARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Each takes z [n][n] row-major. */

/* Copies the upper triangle to the lower one; the diagonal stays. */
void sm_square_mirror(float *z, size_t n);

/* Puts the mean of z_ij and z_ji, taken in double, at both positions; where one is missing, the other one. */
void sm_square_average(float *z, size_t n);

/* Whether z_ij == z_ji everywhere, or both are missing; if not, *row and *column are the first (i, j), j > i, in the order of rows. */
bool sm_square_is_symmetric(const float *z, size_t n, size_t *row, size_t *column);

/* The same, for a matrix that is filled from its first row on: whether rows first .. first + SM_SQUARE_BAND - 1 (or to the
 * last) mirror what stands above the diagonal in their columns. All rows to the end of the band are there; first is a
 * multiple of SM_SQUARE_BAND. */
#define SM_SQUARE_BAND ((size_t)64)
bool sm_square_band_is_symmetric(const float *z, size_t n, size_t first);

/* ---- how large floats are, and whether they are finite, without a branch for each ---- */

typedef struct sm_float_facts {
    float largest;     /* in size; not finite if one of them is not */
    bool has_negative; /* -0 is one */
} sm_float_facts;

/* Without signs, floats are in the order of their bits. */
static inline sm_float_facts sm_look_at_floats(const float *values, size_t n) {
    int32_t most = 0, signs = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        signs |= bits;
        bits &= 0x7FFFFFFF;
        most = bits > most ? bits : most;
    }
    sm_float_facts facts = {.has_negative = signs < 0};
    memcpy(&facts.largest, &most, sizeof facts.largest);
    return facts;
}

/* Faster, if that is all that is wanted: one more in the exponent of an infinity or a NaN, which is all ones, carries into the
 * sign bit. */
static inline bool sm_are_finite(const float *values, size_t n) {
    uint32_t carried = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        carried |= (bits & 0x7FFFFFFF) + 0x00800000;
    }
    return carried >> 31 == 0;
}

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
