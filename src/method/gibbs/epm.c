/* epm.c - the edge partition model of a graph (Zhou 2015): groups that nodes belong to, and how groups attract.
 * It looks at no features, so it can speak of the nodes that it was trained on only. */
#include <stdio.h>

#include "base/memory.h"
#include "method/gibbs/gibbs_learned.h"
#include "method/methods.h"

static smerf_status check(const sm_training_set *training, smerf_error *error) {
    return sm_gibbs_check(training, "epm", error);
}

static smerf_status fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
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

static smerf_status refuse_new(const sm_query_items *query, smerf_error *error) {
    const smerf_items *items = query->items;
    for (size_t i = 0; i < query->view->n_items; i++) {
        if (query->place[i] != SMERF_MISSING) continue;
        char row[24];
        snprintf(row, sizeof row, "%zu", i);
        return sm_fail(
            error, SMERF_BAD_INPUT,
            "epm knows only the nodes it was trained on: item '%.200s' is new (narm and smerf predict new nodes)",
            i < items->ids.n ? items->ids.text[i] : row);
    }
    return SMERF_OK;
}

static smerf_status ask(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool, sm_predictor **out,
                        smerf_error *error) {
    smerf_status status = refuse_new(&sides->rows, error);
    if (status == SMERF_OK) status = refuse_new(&sides->columns, error);
    return status == SMERF_OK ? sm_gibbs_ask(learned, sides, pool, out, error) : status;
}

static smerf_status load(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                         smerf_error *error) {
    return sm_learned_load(tensors, features, false, n_items, out, error);
}

const sm_method sm_method_epm = {
    .name = "epm",
    .knows_items = true,
    .refuses_new = "knows only the nodes it was trained on (narm and smerf predict new nodes)",
    .check = check,
    .fit = fit,
    .free = sm_learned_free,
    .ask = ask,
    .predictor_free = sm_gibbs_predictor_free,
    .answer = sm_gibbs_answer,
    .save = sm_learned_save,
    .load = load,
};
