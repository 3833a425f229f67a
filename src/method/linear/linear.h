/* linear.h - what euclidean, mahalanobis and bilinear have learned, and predictions of the last two: a matrix W = F^T F.
 *
 * An item x becomes the few numbers F (x - mean) or F x, and a distance is then
 *     mahalanobis  |y_i - y_j|^2 = (x_i - x_j)^T W (x_i - x_j)
 *     bilinear     1 - y_i . y_j = 1 - x_i^T W x_j
 * which is symmetric to the last bit, costs the rank of W, and of a difference is never below 0. With an intercept c
 *     mahalanobis  c + |y_i - y_j|^2
 *     bilinear     c - y_i . y_j = c - (x_i - mean)^T W (x_j - mean)
 * where the means keep a constant column, or levels that add up to 1, from being a second intercept. */
#ifndef SM_METHOD_LINEAR_H
#define SM_METHOD_LINEAR_H

#include "method/linear/design.h"
#include "model/method.h"

struct sm_learned {
    sm_design design;
    bool is_of_differences; /* mahalanobis; not of euclidean, nor is what follows */
    size_t rank;            /* of W; 0: W is 0 */
    double *factor;         /* [rank][n_columns] F */
    bool has_intercept;     /* one that was learned; else it is 0, or of bilinear 1 */
    double intercept;
};

/* Whether items are less their means. */
static inline bool sm_linear_is_centred(const sm_learned *learned) {
    return learned->is_of_differences || learned->has_intercept;
}

/* Everything but the fit; sm_linear_free of euclidean, too. */
void sm_linear_free(sm_learned *learned);
smerf_status sm_linear_predictor_new(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
                                     sm_predictor **out, smerf_error *error);
void sm_linear_predictor_free(sm_predictor *predictor);
void sm_linear_predict_row(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n, size_t thread,
                           double *distances);
smerf_status sm_linear_save(const sm_learned *learned, sm_tensors *tensors, smerf_error *error);
smerf_status sm_linear_load(bool is_of_differences, const sm_tensors *tensors, const sm_features *features,
                            sm_learned **out, smerf_error *error);

#endif
