/* losses.h - what boosting makes small, its gradients as whole numbers, and what a leaf adds to the score.
 *
 * z is the distance, F the score and w the weight of a pair:
 *     squared   w (z - F)^2 / 2
 *     absolute  w |z - F|                       a leaf is the median of what is left, not a Newton step
 *     huber     squared up to delta, then linear; delta is the 0.9 quantile of |z - F| in every round
 *     logistic  -w (z log p + (1 - z) log(1 - p)), p = 1 / (1 + exp(-F)) */
#ifndef SM_BOOST_LOSSES_H
#define SM_BOOST_LOSSES_H

#include "base/parallel.h"
#include "method/boost/fit/histogram.h"
#include "method/fit/pair_source.h"

typedef struct sm_gradients {
    int32_t *gradient; /* [n] -dL/dF / unit */
    uint32_t *hessian; /* [n] d2L/dF2 / hessian_unit; NULL: all 1 */
    double unit, hessian_unit;
    double delta; /* huber's */
} sm_gradients;

bool sm_loss_has_hessians(smerf_boost_loss loss, bool has_weights);

/* Negative gradient and hessian of one pair.   delta  huber's */
double sm_loss_gradient(smerf_boost_loss loss, double z, double score, double delta, double *hessian);

/* What it loses, without its weight; of huber, |z - F|, as its delta changes. */
double sm_loss_value(smerf_boost_loss loss, double z, double score);

/* The number that loses least for all pairs: a mean, a median, log-odds. */
smerf_status sm_loss_start(smerf_boost_loss loss, const sm_drawn_pairs *pairs, double *start, smerf_error *error);

/* All gradients. */
smerf_status sm_loss_gradients(smerf_boost_loss loss, const sm_drawn_pairs *pairs, sm_gradients *found, sm_pool *pool,
                               smerf_error *error);

/* What is to be added to the score of the pairs of a leaf, before it is multiplied by the learning rate.
 *   order  [n] the pairs; scratch  [3][n] numbers, which only the absolute loss wants */
double sm_loss_leaf(smerf_boost_loss loss, const sm_drawn_pairs *pairs, const uint32_t *order, size_t n, double l2,
                    double delta, double *scratch);

#endif
