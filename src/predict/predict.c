/* predict.c - distances of all pairs, row by row. */
#include "base/memory.h"
#include "predict/rows.h"

static smerf_status predict_panels(sm_panel *panel, sm_crew *crew, smerf_row_sink sink, void *context,
                                   smerf_error *error) {
    size_t n_rows = panel->asked->rows.n, n_columns = sm_asked_columns(panel->asked)->n;
    smerf_status status = SMERF_OK;
    for (size_t first = 0; first < n_rows && status == SMERF_OK; first = panel->end) {
        size_t end = n_rows - first < panel->most_rows ? n_rows : first + panel->most_rows;
        crew->share_from = (double)first / (double)n_rows;
        crew->share_to = (double)end / (double)n_rows;
        status = sm_panel_predict(panel, first, crew, error);
        for (size_t i = first; i < end && status == SMERF_OK; i++)
            if (sink(context, i, panel->distances + (i - first) * n_columns, n_columns) != 0)
                status = sm_fail(error, SMERF_CANCELLED, "cancelled");
    }
    return status;
}

smerf_status sm_predict_rows(const smerf_model *model, const smerf_question *question, const sm_limits *limits,
                             const smerf_run *run, smerf_row_sink sink, void *context, smerf_error *error) {
    sm_crew crew;
    sm_asked asked;
    sm_panel panel;
    sm_crew_start(&crew, run);
    smerf_status status = sm_asked_start(&asked, model, question, limits, error);
    if (status != SMERF_OK) return status;
    status = sm_panel_start(&panel, &asked, sm_asked_columns(&asked)->n, false, &crew, error);
    if (status == SMERF_OK) {
        status = predict_panels(&panel, &crew, sink, context, error);
        sm_panel_free(&panel);
    }
    sm_asked_free(&asked);
    return status;
}

smerf_status smerf_predict_rows(const smerf_model *model, const smerf_question *question, const smerf_run *run,
                                smerf_row_sink sink, void *context, smerf_error *error) {
    return sm_predict_rows(model, question, &sm_usual_limits, run, sink, context, error);
}
