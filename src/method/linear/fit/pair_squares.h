/* pair_squares.h - least squares over the pairs of a training set, in the coordinates of a frame, as sm_psd_problem wants it.
 *
 * The objective is the sum over ordered pairs of weight_ij (d_ij(A) - given_ij)^2, where
 *     mahalanobis  d_ij = (y_i - y_j)' A (y_i - y_j)   given_ij = z_ij
 *     bilinear     d_ij = y_i' A y_j                   given_ij = 1 - z_ij
 * so that H A is the sum of weight_ij d_ij(A) D_ij, and b that of weight_ij given_ij D_ij, with D_ij the derivative of d_ij.
 *
 * Where all pairs are known, the sums over pairs come apart. With sum w_i y_i = 0, sum w_i y_i y_i' = I / 2 and
 * a_i = y_i' A y_i, that is the frame of mahalanobis,
 *     H A = A + tr(A) / 2 I + 2 sum w_i a_i y_i y_i',
 * and in that of bilinear, sum w_i y_i y_i' = I,
 *     H A = A - sum of w_i^2 a_i y_i y_i' over the items whose z_ii was not given.
 * Where pairs are listed, H A = sum of y_i v_i', with v_i a sum over the partners of i: a step costs O(pairs rank). If the
 * rank is small, that sum is turned into a matrix of normal equations for the rank (rank + 1) / 2 unknowns, once.
 *
 * With an intercept c the objective is the sum over pairs of different items of weight_ij (c + d_ij(A) - given_ij)^2. The best c is
 * what is given on average less what A says on average; with that, each D_ij is taken less its mean. */
#ifndef SM_METHOD_PAIR_SQUARES_H
#define SM_METHOD_PAIR_SQUARES_H

#include "kernels/matrices.h"
#include "method/linear/fit/frame.h"
#include "method/linear/fit/psd_least_squares.h"

typedef struct sm_pair_squares {
    const sm_training_pairs *pairs;
    const sm_frame *frame;
    bool is_of_differences;
    const sm_product_kernels *kernels;
    double of_a, of_trace; /* H A = of_a A + of_trace tr(A) I + sum own_i a_i y_i y_i' + what listed pairs bring */
    double *own;           /* [n_items] */
    bool has_own;          /* some of these are not 0 */
    double *panels;        /* [n_items / 8, rounded up][rank][8] y, for eight a_i at a time */
    double *a;             /* [n_items, rounded up to eights] */
    double *ya, *v;        /* [n_items][rank] Y A and v_i, for listed pairs */
    double *sums;          /* [n_blocks][rank][rank] what blocks of items bring */
    size_t n_blocks;
    double *normal; /* [m][m], m = rank (rank + 1) / 2: what own and listed pairs bring; NULL: not formed */
    double *b;      /* [rank][rank] */

    /* With an intercept: */
    double *centre;        /* [rank][rank] sum of weight_ij D_ij; NULL: there is none */
    double n_given, given; /* sum of weight_ij, and the mean of what is given */
} sm_pair_squares;

/* The frame has rank 1 at least. */
smerf_status sm_pair_squares_start(sm_pair_squares *squares, const sm_training_pairs *pairs, const sm_frame *frame,
                                   bool is_of_differences, sm_pool *pool, smerf_error *error);
void sm_pair_squares_free(sm_pair_squares *squares); /* takes one filled with zeros */

/* Adds an intercept. Of the pairs, selves have been dropped.
 *   mean  of the distances */
smerf_status sm_pair_squares_add_intercept(sm_pair_squares *squares, sm_training_mean mean, smerf_error *error);

/* c for some A. */
double sm_pair_squares_intercept(const sm_pair_squares *squares, const double *a);

/* H is the identity: the solution is the positive part of b. */
bool sm_pair_squares_is_direct(const sm_pair_squares *squares);

/* The certificate of such a solution, which trusts neither the frame nor the solver: how far A is from the positive part of
 * A - G, in units of b, with the gradient G = H A - b from the items themselves. It is 0 where A is optimal, and only there. */
smerf_status sm_pair_squares_residual(sm_pair_squares *squares, sm_pool *pool, const double *a, double *residual,
                                      smerf_error *error);

/* As sm_psd_problem.apply; the context is the sm_pair_squares. */
smerf_status sm_pair_squares_apply(void *context, sm_pool *pool, const double *a, double *out, smerf_error *error);

/* ---- normal_equations.c ---- */

/* Whether the matrix is cheaper to make than it is to do without it. */
bool sm_normal_equations_pay(const sm_pair_squares *squares);
smerf_status sm_normal_equations_form(sm_pair_squares *squares, sm_pool *pool, smerf_error *error);
/* out += the matrix times a.   a, out  [rank][rank] */
void sm_normal_equations_apply(const sm_pair_squares *squares, const double *a, double *out);

/* ---- intercept.c ---- */

/* out becomes what H A is where each D_ij is less its mean.   a, out  [rank][rank] */
void sm_intercept_apply(const sm_pair_squares *squares, const double *a, double *out);

#endif
