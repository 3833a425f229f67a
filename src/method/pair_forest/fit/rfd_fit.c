/* rfd_fit.c - learns "rfd": steps 1 to 4 of rfd.c. */
#include "base/memory.h"
#include "method/pair_forest/fit/rfd_forest.h"
#include "method/pair_forest/pair_features.h"
#include "method/pair_forest/rfd.h"
#include "method/trainer.h"

static smerf_status rfd_check(const sm_training_set *training, smerf_error *error) {
    if (sm_rfd_n_known(training->target) == 0)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "rfd: no distance of two different items is known; a forest on pairs needs at least one");
    return SMERF_OK;
}

static smerf_status rfd_fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                            smerf_error *error) {
    sm_rfd_pairs pairs = {0};
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "learning");
    training->pool->share_to = 0; /* the forest is what progress is about */
    smerf_status status = sm_rfd_pairs_choose(&pairs, training, error);
    if (status == SMERF_OK) status = sm_rfd_grow(training, &pairs, &learned->forest, error);
    if (status == SMERF_OK) {
        sm_diagnostics_add(diagnostics, "pairs", (double)pairs.n);
        sm_diagnostics_add(diagnostics, "pairs known", (double)pairs.n_known);
        sm_diagnostics_add(diagnostics, "pair features", 2 * (double)sm_item_numbers_count(training->features));
        *out = learned;
        learned = NULL;
    }
    sm_rfd_pairs_free(&pairs);
    sm_rfd_free(learned);
    return status;
}

const sm_trainer sm_trainer_rfd = {.check = rfd_check, .fit = rfd_fit};
