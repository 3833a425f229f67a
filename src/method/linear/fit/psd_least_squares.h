/* psd_least_squares.h - the positive semidefinite matrix W that minimises 1/2 <W, H W> - <b, W>.
 *
 * H is symmetric and positive semidefinite on symmetric matrices, and known by what it does. W is optimal if its gradient
 * G = H W - b equals a positive semidefinite S with S W = 0. How far it is from that is the KKT residual
 *     |G - S| / |b|   (Frobenius norms)
 * for the pair W, S of the positive and the negative part of one matrix, so that W and S are semidefinite and S W = 0
 * whatever the residual. No eigenvalue of G is then below -|G - S|, and |<W, G>| is at most |W| |G - S|.
 *
 * Two ways take turns. Accelerated projected gradient steps (with restarts) get near from anywhere, and always get on.
 * From there semismooth Newton steps (Qi & Sun 2006), each solved by conjugate gradients, need few of the eigenvectors
 * that make a projection dear, and converge quadratically where H is not singular. */
#ifndef SM_METHOD_PSD_LEAST_SQUARES_H
#define SM_METHOD_PSD_LEAST_SQUARES_H

#include "base/parallel.h"

typedef struct sm_psd_problem {
    size_t n;        /* rows of W, at least 1 */
    const double *b; /* [n][n] symmetric, finite */

    /* out = H W, symmetric to the last bit.   w, out  [n][n] */
    smerf_status (*apply)(void *context, sm_pool *pool, const double *w, double *out, smerf_error *error);
    void *context;
} sm_psd_problem;

typedef struct sm_psd_facts {
    double kkt;          /* residual, as above */
    size_t n_iterations; /* how often H was applied */
} sm_psd_facts;

/* w  [n][n] out. Ends when the residual is below 1e-10 (or 1e-8, where that takes long), or after many iterations: look
 * at the residual. Progress goes from crew->fraction_from to crew->fraction_to. */
smerf_status sm_psd_least_squares(const sm_psd_problem *problem, sm_pool *pool, double *w, sm_psd_facts *facts,
                                  smerf_error *error);

/* a [n][n] symmetric becomes its positive part.   values  [n] out    vectors  [n][n] out, as in eigen.h
 *   room  [n * n + 3 * n] */
void sm_psd_part(double *a, size_t n, double *values, double *vectors, double *room);

#endif
