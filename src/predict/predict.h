/* predict.h - predicted distances of some rows to all columns: what every request about all pairs is made of. */
#ifndef SM_PREDICT_PREDICT_H
#define SM_PREDICT_PREDICT_H

#include "predict/block.h"
#include "predict/query.h"

/* A panel is as many rows as are predicted at the same time. Threads take blocks of it. */
typedef struct sm_panel {
    sm_query *query;
    size_t n_threads;
    size_t most_rows;
    size_t first, end;           /* the rows that are predicted */
    size_t first_tree, end_tree; /* that are added now */
    sm_span columns;             /* to which: all, unless who asks says otherwise, no more than there is memory for */
    double *distances;           /* [end - first][columns]; NaN where no tree is eligible */
    uint32_t *n_predicting;      /* the same shape, see sm_query_uses_all_trees; NULL where all do */
    atomic_bool has_undefined;   /* for some pairs, see below */
    double *leaf_rows;           /* [SM_MOST_LEAF_ROWS] of the trees that are added now; NULL: none wants any */
    sm_block_scratch *scratches; /* [n_threads]; NULL where the model is no forest */
    struct sm_panel *base;       /* of the model that predictions start from, or NULL */
} sm_panel;

/* Plans the request, and reserves memory for as many rows as its limits allow.
 *   most_columns  that rows are predicted for at a time
 *   wants_all     one panel for all rows, if they fit the limits: they will be asked for twice */
smerf_status sm_panel_start(sm_panel *panel, sm_query *query, size_t most_columns, bool wants_all, const sm_pool *pool,
                            smerf_error *error);
void sm_panel_free(sm_panel *panel); /* fine on one filled with zeros */

/* Predicts most_rows rows, or what is left of them, from `first` on, Eq. (3). The pool's fraction is that of the panel. */
smerf_status sm_panel_predict(sm_panel *panel, size_t first, sm_pool *pool, smerf_error *error);

/* ---- undefined.c: pairs that every tree leaves out because the model leaves items' own distances out ---- */

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
