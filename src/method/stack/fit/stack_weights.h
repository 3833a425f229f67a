/* stack_weights.h - how much each base of a stack counts: weights that are not negative, and an intercept.
 *
 *     F = intercept + sum over the bases of weight_k f_k
 *
 * loses least on pairs that no base has seen: squared, w (z - F)^2 / 2, or logistic, -w (z log p + (1 - z) log(1 - p)) with
 * p = 1 / (1 + exp(-F)). Both are convex, and so is their optimum over weights that are not negative: it is one but for
 * bases that say the same. */
#ifndef SM_STACK_STACK_WEIGHTS_H
#define SM_STACK_STACK_WEIGHTS_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

/* Pairs, and what the bases say of them. */
typedef struct sm_stack_pairs {
    size_t n, n_bases;
    const double *said;   /* [n][n_bases] */
    const double *z;      /* [n] logistic: in 0 ... 1 */
    const double *weight; /* [n] */
    bool is_logistic;
} sm_stack_pairs;

typedef struct sm_stack_fit {
    double intercept;
    double loss; /* mean over the pairs, by weight */
} sm_stack_fit;

/*   uses    [n_bases] which bases may count; NULL: all
 *   weight  [n_bases] out; 0 for a base that says the same of all pairs */
smerf_status sm_stack_weigh(const sm_stack_pairs *pairs, const bool *uses, sm_stack_fit *fit, double *weight,
                            smerf_error *error);

/* The x >= 0 that minimises x' G x / 2 - r' x, by Lawson and Hanson's active sets.
 *   gram     [n][n] symmetric, positive semidefinite
 *   scratch  [n * n + 3 * n] */
void sm_nonnegative_solve(const double *gram, const double *right, size_t n, double *x, double *scratch);

#endif
