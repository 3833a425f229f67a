/* link_models.c - the two models of links.
 *
 * epm, the edge partition model of a graph (Zhou 2015): groups that nodes belong to, and how groups attract. It has no features, so
 * it can predict for the nodes that it was trained on only.
 * narm, the node attribute relational model (Zhao, Du & Buntine 2017): epm, with groups that depend on attributes of the nodes. New
 * nodes get their groups from their attributes. */
#include <stdio.h>

#include "base/memory.h"
#include "method/gibbs/gibbs_learned.h"
#include "method/methods.h"

/* ---- epm ---- */

static smerf_status refuse_new_nodes(const sm_query_items *query, smerf_error *error) {
    const smerf_items *items = query->items;
    for (size_t i = 0; i < query->view->n_items; i++) {
        if (query->training_row[i] != SMERF_MISSING) continue;
        char row[24];
        snprintf(row, sizeof row, "%zu", i);
        return sm_fail(
            error, SMERF_BAD_INPUT,
            "epm knows only the nodes it was trained on: item '%.200s' is new (narm and smerf predict new nodes)",
            i < items->ids.n ? items->ids.text[i] : row);
    }
    return SMERF_OK;
}

static smerf_status epm_predictor_new(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
                                      sm_predictor **out, smerf_error *error) {
    smerf_status status = refuse_new_nodes(&sides->rows, error);
    if (status == SMERF_OK) status = refuse_new_nodes(&sides->columns, error);
    return status == SMERF_OK ? sm_gibbs_predictor_new(learned, sides, pool, out, error) : status;
}

static smerf_status epm_load(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                             smerf_error *error) {
    return sm_learned_load(tensors, features, false, n_items, out, error);
}

const sm_method sm_method_epm = {
    .name = "epm",
    .knows_items = true,
    .refuses_new = "knows only the nodes it was trained on (narm and smerf predict new nodes)",
    .free = sm_learned_free,
    .predictor_new = epm_predictor_new,
    .predictor_free = sm_gibbs_predictor_free,
    .predict_row = sm_gibbs_predict_row,
    .save = sm_learned_save,
    .load = epm_load,
};

/* ---- narm ---- */

static smerf_status narm_load(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                              smerf_error *error) {
    return sm_learned_load(tensors, features, true, n_items, out, error);
}

const sm_method sm_method_narm = {
    .name = "narm",
    .knows_items = true,
    .free = sm_learned_free,
    .predictor_new = sm_gibbs_predictor_new,
    .predictor_free = sm_gibbs_predictor_free,
    .predict_row = sm_gibbs_predict_row,
    .save = sm_learned_save,
    .load = narm_load,
};
