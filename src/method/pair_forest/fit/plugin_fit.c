/* plugin_fit.c - learns "plugin": a regression forest, and the variance of its out-of-bag residuals. */
#include <math.h>

#include "base/memory.h"
#include "method/pair_forest/fit/inner_fit.h"
#include "method/pair_forest/plugin.h"
#include "method/trainer.h"
#include "target/vectors/vectors.h"

static smerf_status plugin_check(const sm_training_set *training, smerf_error *error) {
    if (training->target->kind != &sm_target_response)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "plugin: needs a response, the number itself and not distances; the target is '%s'",
                       sm_target_public_name(training->target));
    if (training->options->sample == SMERF_NO_SAMPLE)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "plugin: sample 'none' leaves no item out of a tree, and so no residuals; take 'bootstrap'");
    return SMERF_OK;
}

/* By item weights, as everything in the forest. Items that every tree has seen do not count. */
static double mean_residual(const sm_training_set *training, const double *predicted, size_t n_values) {
    const sm_vectors *response = sm_columns_vectors(training->target);
    double sum = 0, total = 0;
    for (size_t i = 0; i < response->n_items; i++) {
        double square = 0, weight = training->weights != NULL ? training->weights[i] : 1;
        for (size_t v = 0; v < n_values; v++) {
            double difference = predicted[i * n_values + v] - response->u[i * n_values + v];
            square += difference * difference;
        }
        if (isnan(square)) continue;
        sum += weight * square;
        total += weight;
    }
    return sum / total;
}

static smerf_status find_residual(const sm_training_set *training, const smerf_model *model, double *residual,
                                  smerf_error *error) {
    size_t n_values = smerf_model_n_values(model);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = training->items, .out_of_bag = true);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = training->pool->n_threads);
    double *predicted = sm_array(sm_size(training->items->n_items, n_values, 0), sizeof *predicted);
    if (predicted == NULL) return sm_no_memory(error, "predicting responses");
    smerf_status status = smerf_predict_values(model, &request, &run, predicted, error);
    if (status == SMERF_OK) *residual = mean_residual(training, predicted, n_values);
    sm_free(predicted);
    if (status == SMERF_OK && !isfinite(*residual))
        return sm_fail(error, SMERF_BAD_INPUT,
                       "plugin: every tree has seen every item, so there are no residuals; take more trees");
    return status;
}

static smerf_status plugin_fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                               smerf_error *error) {
    static const double most_of_it[2] = {0, 0.98};
    const smerf_options options = sm_inner_options(training->options);
    smerf_model *model = NULL;
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    smerf_status status = learned != NULL ? SMERF_OK : sm_no_memory(error, "learning");
    if (status == SMERF_OK)
        status = sm_inner_fit(training->items, training->target, &options, training->pool, most_of_it, &model, error);
    if (status == SMERF_OK) status = find_residual(training, model, &learned->residual, error);
    if (status == SMERF_OK)
        status = sm_value_forest_start(&learned->forest, options.n_trees, smerf_model_n_values(model), error);
    if (status == SMERF_OK) status = sm_value_forest_take(&learned->forest, 0, model, 1, error);
    if (status == SMERF_OK) {
        sm_diagnostics_add(diagnostics, "residual variance", learned->residual);
        *out = learned;
        learned = NULL;
    }
    smerf_model_free(model);
    sm_plugin_free(learned);
    return status;
}

const sm_trainer sm_trainer_plugin = {.check = plugin_check, .fit = plugin_fit};
