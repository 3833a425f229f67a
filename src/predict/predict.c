/* predict.c - distances of all pairs, row by row. */
#include "base/memory.h"
#include "base/versioned.h"
#include "predict/rows.h"

static smerf_status predict_panels(sm_panel *panel, sm_pool *pool, smerf_row_sink sink, void *context,
                                   smerf_error *error) {
    size_t n_rows = panel->query->rows.n, n_columns = sm_query_columns(panel->query)->n;
    smerf_status status = SMERF_OK;
    for (size_t first = 0; first < n_rows && status == SMERF_OK; first = panel->end) {
        size_t end = n_rows - first < panel->most_rows ? n_rows : first + panel->most_rows;
        pool->fraction_from = (double)first / (double)n_rows;
        pool->fraction_to = (double)end / (double)n_rows;
        status = sm_panel_predict(panel, first, pool, error);
        for (size_t i = first; i < end && status == SMERF_OK; i++)
            if (sink(context, i, panel->distances + (i - first) * n_columns, n_columns) != 0)
                status = sm_fail(error, SMERF_CANCELLED, "cancelled");
    }
    return status;
}

smerf_status sm_predict_rows(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                             const smerf_run *run, smerf_row_sink sink, void *context, smerf_error *error) {
    sm_pool pool;
    sm_query query;
    sm_panel panel;
    sm_pool_start(&pool, run);
    smerf_status status = sm_query_start(&query, model, request, limits, error);
    if (status != SMERF_OK) return status;
    status = sm_panel_start(&panel, &query, sm_query_columns(&query)->n, false, &pool, error);
    if (status == SMERF_OK) {
        status = predict_panels(&panel, &pool, sink, context, error);
        sm_panel_free(&panel);
    }
    sm_query_free(&query);
    return status;
}

smerf_status smerf_predict_rows(const smerf_model *model, const smerf_request *request, const smerf_run *run,
                                smerf_row_sink sink, void *context, smerf_error *error) {
    SM_READ(smerf_request, request, error);
    SM_READ_RUN(run, error);
    return sm_predict_rows(model, request, &sm_usual_limits, run, sink, context, error);
}
