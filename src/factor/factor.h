/* factor.h - the leading part of a symmetric matrix of distances, as vectors (forms.h).
 *
 * Double centring turns Z into K = -1/2 J Z J, and of K the eigenvalues that are largest in absolute value are kept:
 *     z_ij = a_i + a_j - 2 k_ij,   k_ij ~ sum over r of scale_r u_ir u_jr,   a_i = row mean - half the grand mean.
 * Vectors are eigenvectors times the root of |lambda|, so that scales are 1 and -1. In each the entry of largest
 * magnitude is positive, the first of them on a tie. */
#ifndef SM_FACTOR_FACTOR_H
#define SM_FACTOR_FACTOR_H

#include <stdbool.h>

#include "base/parallel.h"
#include "factor/forms.h"

/* A symmetric matrix, known by what it does: a matrix of floats, or the edges of a graph. Its functions may be called
 * by any number of threads at once. */
typedef struct sm_operator {
    size_t n;
    double base;        /* the functions are those of Z - base, so that a graph is sparse */
    bool wants_vectors; /* eigenvectors to the digits that matter, where many items would be content with less */
    const void *context;

    /* Rows first .. end-1 of (Z - base) X.   x  [n][m], m a multiple of SM_PANEL_COLUMNS    y  [end - first][m] out */
    void (*rows)(const void *context, size_t first, size_t end, const double *x, size_t m, double *y);

    /* Sums of z_ij - base - centre over the row, and of its squares. */
    void (*row_moments)(const void *context, size_t row, double centre, double *sum, double *squares);
} sm_operator;

/* The form without z_ii, which the caller knows better. */
typedef struct sm_factors {
    size_t n_items, rank; /* rank: at least 1, at most the one wanted; less where K has no more */
    double *u;            /* [n_items][rank] */
    double *scale;        /* [rank] 1 or -1, |lambda| falling */
    double *a;            /* [n_items] */
    double *value;        /* [rank] the eigenvalues */
    /* What was kept: the sum of lambda^2 over that of all, which is 1 - |K - K_r|^2 / |K|^2, and is known exactly without
     * the other eigenvalues; and the sum of |lambda| over that of all, NaN where the others are not known. Both are 1
     * where K is zero. */
    double fraction_of_squares, eigenvalue_fraction;
} sm_factors;

/* By subspace iteration with a Chebyshev filter, or from all of K if that is small. Seed: where the iteration starts. */
smerf_status sm_factor(const sm_operator *matrix, size_t rank, uint64_t seed, sm_pool *pool, sm_factors *out,
                       smerf_error *error);

/* The same for distances that are vectors with scales > 0 already: exactly, from the small matrix of inner products of the
 * coordinates. What the vectors say of z_ii counts, even if it is overruled: the rank is never more than theirs. */
smerf_status sm_factor_vectors(const sm_vectors *vectors, size_t rank, sm_pool *pool, sm_factors *out,
                               smerf_error *error);

void sm_factors_free(sm_factors *factors);

/* For the two above. A copy of eigenvalues [n] stands in the order of falling |lambda|, positive first on a tie:
 * order  [n] out, indices */
void sm_factor_order(const double *values, size_t n, size_t *order);
smerf_status sm_factors_start(sm_factors *factors, size_t n_items, size_t rank, smerf_error *error);
/* Fixes the signs of the vectors. */
void sm_factors_finish(sm_factors *factors);

/* ---- operators.c ---- */

/* Some pairs are listed, all others are at one distance: a graph. */
typedef struct sm_listed_pairs {
    size_t n_items;
    const size_t *first;     /* [n_items + 1] */
    const uint32_t *partner; /* [first[n_items]] each pair is listed with both of its items, no item with itself */
    const double *value;     /* likewise: distances; NULL: all are `common` */
    double common;
    double elsewhere;   /* the distance of all other pairs */
    const double *self; /* [n_items] z_ii; NULL: 0 */
} sm_listed_pairs;

sm_operator sm_operator_listed(const sm_listed_pairs *pairs);

#endif
