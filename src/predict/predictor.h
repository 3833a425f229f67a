/* predictor.h - requests to a model that is no forest: its method makes itself ready, and gives rows of distances. */
#ifndef SM_QUERY_PREDICTOR_H
#define SM_QUERY_PREDICTOR_H

#include "predict/query.h"

/* Has the method make itself ready: asked->answers. Nothing happens if it is already. */
smerf_status sm_predictor_start(sm_query *query, sm_pool *pool, smerf_error *error);
void sm_predictor_free(sm_query *query);

/* All distances of rows first .. end-1 of a panel; threads ask at the same time, each about rows of its own. A method that
 * takes its time is not asked for (i, j) and (j, i), if both are in the panel: see sm_predictor_mirror.
 *   panel_first  the first row of the panel
 *   distances    [rows of the panel][n_columns] out */
void sm_answer_rows(const sm_query *query, size_t panel_first, size_t first, size_t end, size_t thread,
                    double *distances);

/* Fills in what was left out, when all rows of a panel have been asked about. */
void sm_predictor_mirror(const sm_query *query, size_t panel_first, size_t panel_end, double *distances);

/* Distances of the listed pairs.   left, right  [n_pairs] indices in the sides */
smerf_status sm_answer_pairs(sm_query *query, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                             sm_pool *pool, double *distance, smerf_error *error);

/* The request that a query was made of. */
#define SM_REQUEST_OF(query)                                                                                           \
    SMERF_INIT(smerf_request, .rows = (query)->rows.items,                                                             \
               .columns = (query)->is_square ? NULL : (query)->others.items, .out_of_bag = (query)->is_out_of_bag)

#endif
