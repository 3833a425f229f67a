/* intercept.c - least squares over pairs with an intercept: c + d_ij(A) instead of d_ij(A). See pair_squares.h.
 *
 * With M the mean of D_ij over the pairs of different items, and W what these weigh,
 *     H A = sum weight_ij <D_ij - M, A> (D_ij - M) = (H A without an intercept) - W <M, A> M,
 * and likewise b is less W M times the mean of what is given. In the frame of mahalanobis W M is the identity. */
#include <string.h>

#include "base/memory.h"
#include "method/linear/fit/pair_squares.h"

/* sum += factor (x y' + y x') / 2 */
static void add_product(double *sum, double factor, const double *x, const double *y, size_t rank) {
    for (size_t k = 0; k < rank; k++)
        for (size_t l = 0; l < rank; l++) sum[k * rank + l] += factor * (x[k] * y[l] + y[k] * x[l]) / 2;
}

/* Of bilinear, all pairs known: s s' - sum w_i^2 y_i y_i', with s = sum w_i y_i.   sum  [rank] scratch */
static void centre_of_all(const sm_pair_squares *squares, double *sum) {
    size_t rank = squares->frame->rank;
    const double *w = squares->pairs->weight, *y = squares->frame->y;
    memset(sum, 0, rank * sizeof *sum);
    for (size_t i = 0; i < squares->frame->n_items; i++, y += rank) {
        for (size_t k = 0; k < rank; k++) sum[k] += w[i] * y[k];
        add_product(squares->centre, -w[i] * w[i], y, y, rank);
    }
    add_product(squares->centre, 1, sum, sum, rank);
}

/* Of listed pairs: for each item its product with a sum over its partners.   sum  [rank] scratch */
static void centre_of_listed(const sm_pair_squares *squares, double *sum) {
    const sm_links *links = squares->pairs->links;
    size_t rank = squares->frame->rank;
    const double *y = squares->frame->y;
    for (size_t i = 0; i < squares->frame->n_items; i++) {
        memset(sum, 0, rank * sizeof *sum);
        for (size_t e = links->first[i]; e < links->first[i + 1]; e++) {
            double weight = sm_listed_weight(squares->pairs, i, e);
            for (size_t k = 0; k < rank; k++) sum[k] += weight * y[links->partner[e] * rank + k];
        }
        add_product(squares->centre, 1, y + i * rank, sum, rank);
    }
}

smerf_status sm_pair_squares_add_intercept(sm_pair_squares *squares, sm_training_mean mean, smerf_error *error) {
    size_t rank = squares->frame->rank, rr = rank * rank;
    squares->centre = sm_zeros(rr, sizeof *squares->centre);
    if (squares->centre == NULL) return sm_no_memory(error, "fitting pairs");
    squares->n_given = mean.weight;
    squares->given = squares->is_of_differences ? mean.distance : 1 - mean.distance;
    if (squares->is_of_differences)
        for (size_t k = 0; k < rank; k++) squares->centre[k * (rank + 1)] = 1;
    else if (squares->pairs->links != NULL)
        centre_of_listed(squares, squares->sums);
    else
        centre_of_all(squares, squares->sums);
    for (size_t k = 0; k < rr; k++) squares->b[k] -= squares->given * squares->centre[k];
    return SMERF_OK;
}

/* What A says of all pairs together. */
static double said_of_all(const sm_pair_squares *squares, const double *a) {
    return sm_symmetric_dot(squares->centre, a, squares->frame->rank * squares->frame->rank);
}

void sm_intercept_apply(const sm_pair_squares *squares, const double *a, double *out) {
    size_t rr = squares->frame->rank * squares->frame->rank;
    double mean = said_of_all(squares, a) / squares->n_given;
    for (size_t k = 0; k < rr; k++) out[k] -= mean * squares->centre[k];
}

double sm_pair_squares_intercept(const sm_pair_squares *squares, const double *a) {
    return squares->given - said_of_all(squares, a) / squares->n_given;
}
