/* neighbors.c - the nearest items of many queries, without ever forming the matrix of their distances. */
#include "predict/neighbors.h"

#include <math.h>

#include "base/memory.h"
#include "predict/rows.h"

/* ---- panels of queries ---- */

smerf_status sm_hunt_start(sm_hunt *hunt, size_t most_queries, smerf_error *error) {
    size_t n_items = sm_asked_columns(hunt->asked)->n, n_kept = hunt->most < n_items ? hunt->most : n_items;
    double list_bytes = sizeof *hunt->nearest + (double)n_kept * sizeof *hunt->nearest->kept;
    double fitting = hunt->most < SIZE_MAX ? hunt->asked->limits->panel_bytes / list_bytes : (double)most_queries;
    if (fitting < (double)most_queries) most_queries = fitting < 1 ? 1 : (size_t)fitting;
    hunt->most_queries = most_queries < hunt->asked->rows.n ? most_queries : hunt->asked->rows.n;
    hunt->nearest = sm_zeros(hunt->most_queries, sizeof *hunt->nearest);
    if (hunt->nearest == NULL) return sm_no_memory(error, "looking for neighbours");
    for (size_t q = 0; q < hunt->most_queries; q++) {
        hunt->nearest[q].most = hunt->most;
        hunt->nearest[q].radius = hunt->radius;
    }
    return SMERF_OK;
}

void sm_hunt_free(sm_hunt *hunt) {
    for (size_t q = 0; q < hunt->most_queries && hunt->nearest != NULL; q++) sm_free(hunt->nearest[q].kept);
    sm_free(hunt->nearest);
}

void sm_hunt_turn(sm_hunt *hunt, size_t first) {
    size_t n = hunt->asked->rows.n;
    hunt->first = first;
    hunt->end = n - first < hunt->most_queries ? n : first + hunt->most_queries;
    for (size_t q = 0; q < hunt->most_queries; q++) hunt->nearest[q].n = 0;
}

void sm_hunt_share(const sm_hunt *hunt, double from, double to) {
    double n = (double)hunt->asked->rows.n, n_before = (double)hunt->first, n_now = (double)(hunt->end - hunt->first);
    hunt->crew->share_from = (n_before + n_now * from) / n;
    hunt->crew->share_to = (n_before + n_now * to) / n;
}

smerf_status sm_hunt_tell(sm_hunt *hunt, smerf_error *error) {
    for (size_t q = hunt->first; q < hunt->end; q++) {
        sm_nearest *nearest = &hunt->nearest[q - hunt->first];
        sm_nearest_sort(nearest);
        if (hunt->sink(hunt->context, q, nearest->kept, nearest->n) != 0)
            return sm_fail(error, SMERF_CANCELLED, "cancelled");
    }
    return SMERF_OK;
}

/* ---- from predicted distances, whatever the model ---- */

/* Enough columns for what it takes to make a table of a tree's leaves, else few enough for strips to stay in the cache. */
enum { STRIPS_A_PANEL = 64, COLUMNS_A_LEAF = 4 };

static size_t columns_that_fit(double bytes, size_t n) {
    double fitting = bytes / (double)(SM_STRIP * sizeof(double));
    return fitting < 1 ? 1 : fitting < (double)n ? (size_t)fitting : n;
}

static size_t block_columns(const sm_asked *asked) {
    const sm_limits *limits = asked->limits;
    size_t n = sm_asked_columns(asked)->n;
    if (asked->model->method != NULL) return n;
    if (asked->is_square && (double)n * (double)n * sizeof(double) <= limits->whole_bytes) return n;
    size_t few = columns_that_fit(limits->panel_bytes / STRIPS_A_PANEL, n);
    size_t most = columns_that_fit(limits->most_panel_bytes, n);
    size_t wanted = sm_size(sm_model_most_leaves(asked->model), COLUMNS_A_LEAF, 0);
    return wanted > most ? (most > few ? most : few) : wanted > few ? wanted : few;
}

typedef struct rows_job {
    const sm_hunt *hunt;
    const sm_panel *panel;
} rows_job;

static smerf_status offer_row(void *argument, size_t task, size_t thread, smerf_error *error) {
    const rows_job *job = argument;
    sm_span columns = job->panel->columns;
    const double *distances = job->panel->distances + task * (columns.end - columns.first);
    (void)thread;
    for (size_t j = columns.first; j < columns.end; j++)
        if (!sm_hunt_offer(job->hunt, job->panel->first + task, j, distances[j - columns.first]))
            return sm_no_memory(error, "looking for neighbours");
    return SMERF_OK;
}

static smerf_status search_panel(sm_hunt *hunt, sm_panel *panel, size_t most_columns, smerf_error *error) {
    size_t n_columns = sm_asked_columns(hunt->asked)->n;
    rows_job job = {.hunt = hunt, .panel = panel};
    smerf_status status = SMERF_OK;
    for (size_t first = 0; first < n_columns && status == SMERF_OK; first += most_columns) {
        size_t end = n_columns - first < most_columns ? n_columns : first + most_columns;
        panel->columns = (sm_span){first, end};
        sm_hunt_share(hunt, (double)first / (double)n_columns, (double)end / (double)n_columns);
        status = sm_panel_predict(panel, hunt->first, hunt->crew, error);
        hunt->crew->share_from = hunt->crew->share_to; /* the rest is quick */
        if (status == SMERF_OK) status = sm_crew_do(hunt->crew, hunt->end - hunt->first, offer_row, &job, error);
    }
    return status;
}

static smerf_status search_rows(sm_hunt *hunt, smerf_error *error) {
    sm_panel panel;
    size_t most_columns = block_columns(hunt->asked);
    smerf_status status = sm_panel_start(&panel, hunt->asked, most_columns, false, hunt->crew, error);
    if (status != SMERF_OK) return status;
    status = sm_hunt_start(hunt, panel.most_rows, error);
    panel.most_rows = hunt->most_queries;
    for (size_t first = 0; first < hunt->asked->rows.n && status == SMERF_OK; first = hunt->end) {
        sm_hunt_turn(hunt, first);
        status = search_panel(hunt, &panel, most_columns, error);
        if (status == SMERF_OK) status = sm_hunt_tell(hunt, error);
    }
    sm_panel_free(&panel);
    return status;
}

/* ---- the question ---- */

static smerf_status check(const smerf_neighborhood *wanted, smerf_error *error) {
    if (wanted->k == 0 && !wanted->has_radius)
        return sm_fail(error, SMERF_BAD_INPUT, "neighbours: neither how many nor how far is said");
    if (wanted->has_radius && isnan(wanted->radius))
        return sm_fail(error, SMERF_BAD_INPUT, "neighbours: the radius is not a number");
    return SMERF_OK;
}

smerf_status sm_neighbors(const smerf_model *model, const smerf_neighborhood *wanted, const sm_limits *limits,
                          const smerf_run *run, smerf_neighbor_sink sink, void *context, smerf_error *error) {
    sm_crew crew;
    sm_asked asked;
    bool has_codes = false, is_square = wanted->queries == NULL;
    smerf_status status = check(wanted, error);
    if (status != SMERF_OK) return status;
    const smerf_question question = {.rows = is_square ? wanted->items : wanted->queries,
                                     .columns = is_square ? NULL : wanted->items,
                                     .out_of_bag = wanted->out_of_bag,
                                     .oob_rule = wanted->oob_rule};
    sm_crew_start(&crew, run);
    status = sm_asked_start(&asked, model, &question, limits, error);
    if (status != SMERF_OK) return status;
    sm_hunt hunt = {.asked = &asked,
                    .crew = &crew,
                    .most = wanted->k > 0 ? wanted->k : SIZE_MAX,
                    .radius = wanted->has_radius ? wanted->radius : INFINITY,
                    .sink = sink,
                    .context = context};
    status = sm_hunt_look_for_codes(&hunt, &has_codes, error);
    if (status == SMERF_OK) status = has_codes ? sm_hunt_by_codes(&hunt, error) : search_rows(&hunt, error);
    sm_hunt_free(&hunt);
    sm_asked_free(&asked);
    return status;
}

smerf_status smerf_neighbors(const smerf_model *model, const smerf_neighborhood *wanted, const smerf_run *run,
                             smerf_neighbor_sink sink, void *context, smerf_error *error) {
    return sm_neighbors(model, wanted, &sm_usual_limits, run, sink, context, error);
}
