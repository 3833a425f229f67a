/* narm.c - the node attribute relational model of a graph (Zhao, Du & Buntine 2017): epm, with groups that attributes of
 * the nodes speak for or against. New nodes are placed by their attributes. */
#include "base/memory.h"
#include "method/gibbs/gibbs_learned.h"
#include "method/methods.h"

static smerf_status check(const sm_training_set *training, smerf_error *error) {
    return sm_gibbs_check(training, "narm", error);
}

static smerf_status fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                        smerf_error *error) {
    sm_attribute_members members = {0};
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "learning");
    smerf_status status = sm_attributes_learn(&learned->attributes, training->features, training->view, error);
    if (status == SMERF_OK) status = sm_attribute_members_new(&members, &learned->attributes, training->view, error);
    if (status == SMERF_OK) status = sm_gibbs_fit(training, &members, learned, diagnostics, error);
    if (status == SMERF_OK) sm_diagnostics_add(diagnostics, "attributes", (double)learned->attributes.n);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_learned_free(learned);
    sm_attribute_members_free(&members);
    return status;
}

static smerf_status load(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                         smerf_error *error) {
    return sm_learned_load(tensors, features, true, n_items, out, error);
}

const sm_method sm_method_narm = {
    .name = "narm",
    .knows_items = true,
    .check = check,
    .fit = fit,
    .free = sm_learned_free,
    .ask = sm_gibbs_ask,
    .predictor_free = sm_gibbs_predictor_free,
    .answer = sm_gibbs_answer,
    .save = sm_learned_save,
    .load = load,
};
