/* undefined.h - pairs that every tree leaves out because the model leaves items' own distances out. */
#ifndef SM_PREDICT_UNDEFINED_H
#define SM_PREDICT_UNDEFINED_H

#include "predict/query.h"

/* Whether such pairs are settled with own distances counted, rather than by the fallback alone. */
static inline bool sm_redoes_undefined(const sm_query *query) {
    return query->model->options.self_distance == SMERF_SELF_EXCLUDE;
}

/* Their distances with own distances counted; the fallback if the eligible trees leave it undefined still.
 *   row, column  [n] indices in the sides
 *   distance     [n] out */
smerf_status sm_predict_undefined(sm_query *query, const uint32_t *row, const uint32_t *column, size_t n,
                                  double *distance, sm_pool *pool, smerf_error *error);

/* Settles those of the listed pairs that are left, if the model is such a one.
 *   n_predicting     [n] trees, as sm_query_uses_all_trees says; SM_IS_ELIGIBLE alone: it is left
 *   distance     [n] changed where pairs were left */
smerf_status sm_predict_undefined_pairs(sm_query *query, const smerf_pair_list *pairs, const uint32_t *n_predicting,
                                        double *distance, sm_pool *pool, smerf_error *error);

#endif
