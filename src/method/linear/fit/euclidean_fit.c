/* euclidean_fit.c - nothing is learned for the Euclidean distance but means. */
#include "base/memory.h"
#include "method/linear/euclidean.h"
#include "method/trainer.h"

static smerf_status euclidean_check(const sm_training_set *training, smerf_error *error) {
    (void)training, (void)error;
    return SMERF_OK;
}

static smerf_status euclidean_fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                                  smerf_error *error) {
    (void)diagnostics;
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "learning");
    smerf_status status = sm_design_learn(&learned->design, training->features, training->view, error);
    if (status == SMERF_OK) status = sm_pool_report(training->pool, 1, error);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_euclidean_free(learned);
    return status;
}

const sm_trainer sm_trainer_euclidean = {.check = euclidean_check, .fit = euclidean_fit};
