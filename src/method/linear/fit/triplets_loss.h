/* triplets_loss.h - the logistic loss of triplets, for a distance (y_i - y_j)' A (y_i - y_j) in the coordinates of a frame.
 *
 * With the margin m_t = d(anchor, far) - d(anchor, near) of triplet t, which is <D_t, A> for a symmetric D_t, the objective is
 *     sum of weight_t log(1 + exp(-m_t)) + ridge / 2 |A|^2        over positive semidefinite A,
 * where the weights add up to 1. It is convex, and has one minimum if ridge > 0, also where the triplets can all be satisfied.
 *
 * Neither D_t nor a sum of them over pairs is formed. With q_i = y_i' A y_i,
 *     m_t = q_far - q_near - 2 (A y_anchor)' (y_far - y_near),
 * and a sum of c_t D_t is Y' U + U' Y, where row i of U is (the sum of c_t where i is far - that where it is near) y_i / 2 - the sum of
 * c_t (y_far - y_near) where it is the anchor: O(rank) for a triplet, and O(rank^2) for an item.
 *
 * It is minimised by Newton's method: each step minimises the quadratic that the objective has in common with its value, slope and curvature
 * at A, over positive semidefinite matrices (psd_least_squares.h), and goes as far that way as the objective falls. */
#ifndef SM_METHOD_TRIPLETS_LOSS_H
#define SM_METHOD_TRIPLETS_LOSS_H

#include "method/linear/fit/frame.h"
#include "method/linear/fit/psd_least_squares.h"
#include "target/triplets/triplets.h"

/* Some triplets of a target, ascending by anchor. */
typedef struct sm_triplets_loss {
    const sm_frame *frame; /* rank 1 at least */
    size_t n;
    uint32_t *anchor, *near, *far; /* [n] owned */
    double *weight;                /* [n] owned; they add up to 1 */
    size_t *first;                 /* [n_items + 1] the triplets of each anchor */
    double total;                  /* what they added up to before, where the heaviest of the target weighs about 1 */
    double ridge;                  /* the caller may change it between calls */
    double size;                   /* of the slope at A = 0: what residuals are relative to */

    /* Scratch. */
    double *ya, *u;        /* [n_items][rank] */
    double *q;             /* [n_items] */
    double *margin, *step; /* [n] at the A that was found last, and on the way from there */
    double *curvature;     /* [n] weight times curvature at that A */
    double *factor;        /* [n] */
} sm_triplets_loss;

/* Those that is_kept says; NULL: all. At least one.   item_weight  [n_items] or NULL: all 1 */
smerf_status sm_triplets_loss_start(sm_triplets_loss *loss, const sm_triplets *triplets, const double *item_weight,
                                    const bool *is_kept, const sm_frame *frame, sm_pool *pool, smerf_error *error);
void sm_triplets_loss_free(sm_triplets_loss *loss); /* takes one filled with zeros */

/* Margins for some A.   a  [rank][rank] symmetric    margin  [n] out */
smerf_status sm_triplets_margins(sm_triplets_loss *loss, sm_pool *pool, const double *a, double *margin,
                                 smerf_error *error);

/* out [rank][rank] = the sum of factor_t D_t.   factor  [n] */
smerf_status sm_triplets_pull(sm_triplets_loss *loss, sm_pool *pool, const double *factor, double *out,
                              smerf_error *error);

/* The objective, and its gradient, at an A whose margins are known.   gradient  [rank][rank] out, or NULL */
double sm_triplets_objective(const sm_triplets_loss *loss, const double *a, const double *margin);
smerf_status sm_triplets_gradient(sm_triplets_loss *loss, sm_pool *pool, const double *a, const double *margin,
                                  double *gradient, smerf_error *error);

/* ---- triplets_newton.c ---- */

/* The KKT residual: how far A is from the positive part of A - G, with the gradient G there, in units of the gradient at 0. It is 0 where
 * A is optimal, and only there. */
typedef struct sm_triplets_solution {
    double kkt;
    size_t n_iterations; /* how often margins were found */
} sm_triplets_solution;

/* Minimises the objective, up to a residual of `goal`, or as near as rounding lets it come.
 *   a  [rank][rank] in: where to start, positive semidefinite; out */
smerf_status sm_triplets_minimise(sm_triplets_loss *loss, sm_pool *pool, double goal, double *a,
                                  sm_triplets_solution *solution, smerf_error *error);

#endif
