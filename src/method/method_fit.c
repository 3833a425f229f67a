/* fit.c - learning with a method other than the forest. */
#include <stdio.h>

#include "base/memory.h"
#include "method/methods.h"

void sm_diagnostics_add(sm_diagnostics *diagnostics, const char *name, double value) {
    if (diagnostics->n == SM_MOST_DIAGNOSTICS) return;
    struct sm_diagnostic *diagnostic = &diagnostics->diagnostic[diagnostics->n++];
    snprintf(diagnostic->name, sizeof diagnostic->name, "%s", name);
    diagnostic->value = value;
}

static smerf_status check_counts(const smerf_options *options, smerf_error *error) {
    const struct {
        const char *name;
        size_t value;
    } counts[] = {{"sample-pairs", options->n_pairs}, {"factors", options->n_factors}, {"burn", options->n_burn},
                  {"draws", options->n_draws},        {"chains", options->n_chains},   {"trees", options->n_trees}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (counts[k].value < 1 || counts[k].value > UINT32_MAX)
            return sm_fail(error, SMERF_BAD_INPUT, "%s: %zu is not in 1 ... 2^32 - 1", counts[k].name, counts[k].value);
    if (options->seed > INT64_MAX) return sm_fail(error, SMERF_BAD_INPUT, "seed: it must be in 0 ... 2^63 - 1");
    if (options->first_tree > 0)
        return sm_fail(error, SMERF_BAD_INPUT, "trees: parts are grown of forests only, the method is '%s'",
                       smerf_method_name(options->method));
    return SMERF_OK;
}

static smerf_status check(const smerf_items *items, const smerf_target *target, const smerf_options *options,
                          smerf_error *error) {
    if (target->is_block)
        return sm_fail(error, SMERF_BAD_INPUT, "distances between two sets of items cannot be trained on");
    if (target->n_rows != items->n_items)
        return sm_fail(error, SMERF_BAD_INPUT, "there are %zu items, and the target is about %zu", items->n_items,
                       target->n_rows);
    if (items->n_items < 2) return sm_fail(error, SMERF_BAD_INPUT, "there is one item; a distance needs at least two");
    return check_counts(options, error);
}

static smerf_status learn(const sm_training_set *training, smerf_model *model, smerf_error *error) {
    smerf_status status = model->method->check(training, error);
    if (status == SMERF_OK) status = model->method->fit(training, &model->learned, &model->diagnostics, error);
    return status;
}

smerf_status sm_method_check(const smerf_items *items, smerf_target *target, const smerf_options *options,
                             smerf_error *error) {
    sm_view view;
    sm_pool pool;
    smerf_status status = check(items, target, options, error);
    if (status == SMERF_OK) status = sm_view_match(&view, &items->features, items, error);
    if (status != SMERF_OK) return status;
    sm_pool_start(&pool, NULL);
    const sm_training_set training = {.items = items,
                                      .view = &view,
                                      .features = &items->features,
                                      .target = target,
                                      .weights = items->weights,
                                      .options = options,
                                      .pool = &pool};
    status = sm_method_of(options->method)->check(&training, error);
    sm_view_free(&view);
    return status;
}

smerf_status sm_method_fit(const smerf_items *items, smerf_target *target, const smerf_options *options,
                           const smerf_run *run, smerf_model **out, smerf_error *error) {
    sm_view view;
    sm_pool pool;
    smerf_model *model = NULL;
    smerf_status status = check(items, target, options, error);
    if (status != SMERF_OK) return status;
    status = sm_view_match(&view, &items->features, items, error);
    if (status != SMERF_OK) return status;
    sm_pool_start(&pool, run);
    status = sm_model_new_for_method(items, &view, target, options, run, &model, error);
    if (status == SMERF_OK) {
        const sm_training_set training = {.items = items,
                                          .view = &view,
                                          .features = &model->features,
                                          .target = target,
                                          .weights = model->weights,
                                          .options = options,
                                          .pool = &pool};
        status = learn(&training, model, error);
    }
    sm_view_free(&view);
    if (status == SMERF_OK)
        *out = model;
    else
        smerf_model_free(model);
    return status;
}
