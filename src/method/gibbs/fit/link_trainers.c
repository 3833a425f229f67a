/* link_trainers.c - learning epm and narm: the chains of gibbs_fit.c, with attributes of the nodes or without. */
#include "base/memory.h"
#include "method/gibbs/fit/gibbs_fit.h"

/* ---- epm ---- */

static smerf_status epm_check(const sm_training_set *training, smerf_error *error) {
    return sm_gibbs_check(training, "epm", error);
}

static smerf_status epm_fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                            smerf_error *error) {
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "learning");
    smerf_status status = sm_gibbs_fit(training, NULL, learned, diagnostics, error);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_learned_free(learned);
    return status;
}

/* ---- narm ---- */

static smerf_status narm_check(const sm_training_set *training, smerf_error *error) {
    return sm_gibbs_check(training, "narm", error);
}

static smerf_status narm_fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
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

const sm_trainer sm_trainer_epm = {.check = epm_check, .fit = epm_fit};
const sm_trainer sm_trainer_narm = {.check = narm_check, .fit = narm_fit};
