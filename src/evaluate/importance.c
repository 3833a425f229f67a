/* importance.c - which features the splits were made on, and how much was gained by them (the paper's appendix,
 * "Estimation of Feature Importance"). */
#include <string.h>

#include "model/model.h"

smerf_status smerf_importance_gain(const smerf_model *model, double *importance, smerf_error *error) {
    smerf_status status = sm_model_check_forest(model, "gains", error);
    if (status != SMERF_OK) return status;
    size_t n_features = model->features.n;
    memset(importance, 0, n_features * sizeof *importance);
    for (size_t b = 0; b < model->options.n_trees; b++) {
        const sm_tree *tree = &model->trees[b];
        for (size_t s = 0; s < tree->n_splits; s++) {
            size_t from = tree->first_term[s], to = tree->first_term[s + 1];
            for (size_t t = from; t < to; t++) importance[tree->term_feature[t]] += tree->gain[s] / (double)(to - from);
        }
    }
    double largest = 0;
    for (size_t f = 0; f < n_features; f++)
        if (importance[f] > largest) largest = importance[f];
    for (size_t f = 0; f < n_features && largest > 0; f++) importance[f] /= largest;
    return SMERF_OK;
}
