/* mahalanobis.c - the distance (x - y)^T W (x - y), with W positive semidefinite, that is nearest to the given ones in the
 * least-squares sense: sum over pairs of weight * ((x_i - x_j)^T W (x_i - x_j) - z_ij)^2. An item and itself are at 0,
 * whatever W, so that z_ii has no say. */
#include "method/linear/linear_fit.h"
#include "method/methods.h"

static smerf_status fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                        smerf_error *error) {
    return sm_linear_fit(training, true, out, diagnostics, error);
}

static smerf_status load(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                         smerf_error *error) {
    (void)n_items;
    return sm_linear_load(true, tensors, features, out, error);
}

const sm_method sm_method_mahalanobis = {
    .name = "mahalanobis",
    .check = sm_linear_check,
    .fit = fit,
    .free = sm_linear_free,
    .ask = sm_linear_ask,
    .predictor_free = sm_linear_predictor_free,
    .answer = sm_linear_answer,
    .save = sm_linear_save,
    .load = load,
};
