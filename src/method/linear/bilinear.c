/* bilinear.c - the distance 1 - x^T W y, with W positive semidefinite, that is nearest to the given ones in the
 * least-squares sense: |X W X^T - Q|^2 with Q = 1 - Z, over the pairs that are known. The diagonal of Q counts where it was
 * given. If all of Q is known the answer is direct. */
#include "method/linear/linear_fit.h"
#include "method/methods.h"

static smerf_status fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                        smerf_error *error) {
    return sm_linear_fit(training, false, out, diagnostics, error);
}

static smerf_status load(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                         smerf_error *error) {
    (void)n_items;
    return sm_linear_load(false, tensors, features, out, error);
}

const sm_method sm_method_bilinear = {
    .name = "bilinear",
    .check = sm_linear_check,
    .fit = fit,
    .free = sm_linear_free,
    .ask = sm_linear_ask,
    .predictor_free = sm_linear_predictor_free,
    .answer = sm_linear_answer,
    .save = sm_linear_save,
    .load = load,
};
