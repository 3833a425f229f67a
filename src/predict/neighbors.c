/* neighbors.c - the nearest items of many queries, without ever forming the matrix of their distances. */
#include "predict/neighbors.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "predict/predict.h"

/* ---- the nearest of one query ---- */

static bool is_farther(const smerf_neighbor *a, const smerf_neighbor *b) {
    return a->distance > b->distance || (a->distance == b->distance && a->item > b->item);
}

static void swap(smerf_neighbor *a, smerf_neighbor *b) {
    smerf_neighbor kept = *a;
    *a = *b;
    *b = kept;
}

static void rise(smerf_neighbor *heap, size_t index) {
    for (; index > 0 && is_farther(&heap[index], &heap[(index - 1) / 2]); index = (index - 1) / 2)
        swap(&heap[index], &heap[(index - 1) / 2]);
}

static void sift_down(smerf_neighbor *heap, size_t n) {
    for (size_t index = 0, child = 1; child < n; index = child, child = 2 * index + 1) {
        if (child + 1 < n && is_farther(&heap[child + 1], &heap[child])) child++;
        if (!is_farther(&heap[child], &heap[index])) return;
        swap(&heap[child], &heap[index]);
    }
}

bool sm_nearest_keep(sm_nearest *nearest, size_t item, double distance) {
    smerf_neighbor neighbor = {.item = item, .distance = distance};
    if (nearest->n == nearest->most) {
        nearest->kept[0] = neighbor;
        sift_down(nearest->kept, nearest->n);
        return true;
    }
    if (!sm_grow((void **)&nearest->kept, &nearest->capacity, nearest->n + 1, sizeof *nearest->kept)) return false;
    nearest->kept[nearest->n++] = neighbor;
    if (nearest->most < SIZE_MAX) rise(nearest->kept, nearest->n - 1);
    return true;
}

static int compare(const void *a, const void *b) { return is_farther(a, b) - is_farther(b, a); }

void sm_nearest_sort(sm_nearest *nearest) {
    if (nearest->n > 1) qsort(nearest->kept, nearest->n, sizeof *nearest->kept, compare);
}

/* ---- panels of queries ---- */

smerf_status sm_search_start(sm_neighbor_search *search, size_t most_queries, smerf_error *error) {
    size_t n_items = sm_query_columns(search->query)->n, n_kept = search->most < n_items ? search->most : n_items;
    double list_bytes = sizeof *search->nearest + (double)n_kept * sizeof *search->nearest->kept;
    double fitting = search->most < SIZE_MAX ? search->query->limits->panel_bytes / list_bytes : (double)most_queries;
    if (fitting < (double)most_queries) most_queries = fitting < 1 ? 1 : (size_t)fitting;
    search->most_queries = most_queries < search->query->rows.n ? most_queries : search->query->rows.n;
    search->nearest = sm_zeros(search->most_queries, sizeof *search->nearest);
    if (search->nearest == NULL) return sm_no_memory(error, "looking for neighbours");
    for (size_t q = 0; q < search->most_queries; q++) {
        search->nearest[q].most = search->most;
        search->nearest[q].radius = search->radius;
    }
    return SMERF_OK;
}

void sm_search_free(sm_neighbor_search *search) {
    for (size_t q = 0; q < search->most_queries && search->nearest != NULL; q++) sm_free(search->nearest[q].kept);
    sm_free(search->nearest);
    sm_leaf_codes_free(&search->codes);
}

void sm_search_turn(sm_neighbor_search *search, size_t first) {
    size_t n = search->query->rows.n;
    search->first = first;
    search->end = n - first < search->most_queries ? n : first + search->most_queries;
    for (size_t q = 0; q < search->most_queries; q++) search->nearest[q].n = 0;
}

void sm_search_fraction(const sm_neighbor_search *search, double from, double to) {
    double n = (double)search->query->rows.n, n_before = (double)search->first,
           n_now = (double)(search->end - search->first);
    search->pool->fraction_from = (n_before + n_now * from) / n;
    search->pool->fraction_to = (n_before + n_now * to) / n;
}

smerf_status sm_search_hand_over(sm_neighbor_search *search, smerf_error *error) {
    for (size_t q = search->first; q < search->end; q++) {
        sm_nearest *nearest = &search->nearest[q - search->first];
        sm_nearest_sort(nearest);
        if (search->sink(search->context, q, nearest->kept, nearest->n) != 0)
            return sm_fail(error, SMERF_CANCELLED, "cancelled");
    }
    return SMERF_OK;
}

/* ---- from predicted distances, whatever the model ---- */

/* Enough columns for what it takes to make a table of a tree's leaves, else few enough for blocks to stay in the cache. */
enum { BLOCKS_A_PANEL = 64, COLUMNS_A_LEAF = 4 };

static size_t columns_that_fit(double bytes, size_t n) {
    double fitting = bytes / (double)(SM_BLOCK_ROWS * sizeof(double));
    return fitting < 1 ? 1 : fitting < (double)n ? (size_t)fitting : n;
}

static size_t block_columns(const sm_query *query) {
    const sm_limits *limits = query->limits;
    size_t n = sm_query_columns(query)->n;
    if (query->model->method != NULL) return n;
    if (query->is_square && (double)n * (double)n * sizeof(double) <= limits->whole_bytes) return n;
    size_t few = columns_that_fit(limits->panel_bytes / BLOCKS_A_PANEL, n);
    size_t most = columns_that_fit(limits->most_panel_bytes, n);
    size_t wanted = sm_size(sm_model_most_leaves(query->model), COLUMNS_A_LEAF, 0);
    return wanted > most ? (most > few ? most : few) : wanted > few ? wanted : few;
}

typedef struct rows_job {
    const sm_neighbor_search *search;
    const sm_panel *panel;
} rows_job;

static smerf_status offer_row(void *argument, size_t task, size_t thread, smerf_error *error) {
    const rows_job *job = argument;
    sm_span columns = job->panel->columns;
    const double *distances = job->panel->distances + task * (columns.end - columns.first);
    (void)thread;
    for (size_t j = columns.first; j < columns.end; j++)
        if (!sm_search_offer(job->search, job->panel->first + task, j, distances[j - columns.first]))
            return sm_no_memory(error, "looking for neighbours");
    return SMERF_OK;
}

static smerf_status search_panel(sm_neighbor_search *search, sm_panel *panel, size_t most_columns, smerf_error *error) {
    size_t n_columns = sm_query_columns(search->query)->n;
    rows_job job = {.search = search, .panel = panel};
    smerf_status status = SMERF_OK;
    for (size_t first = 0; first < n_columns && status == SMERF_OK; first += most_columns) {
        size_t end = n_columns - first < most_columns ? n_columns : first + most_columns;
        panel->columns = (sm_span){first, end};
        sm_search_fraction(search, (double)first / (double)n_columns, (double)end / (double)n_columns);
        status = sm_panel_predict(panel, search->first, search->pool, error);
        search->pool->fraction_from = search->pool->fraction_to; /* the rest is quick */
        if (status == SMERF_OK) status = sm_pool_run(search->pool, search->end - search->first, offer_row, &job, error);
    }
    return status;
}

smerf_status sm_search_by_rows(sm_neighbor_search *search, smerf_error *error) {
    sm_panel panel;
    size_t most_columns = block_columns(search->query);
    smerf_status status = sm_panel_start(&panel, search->query, most_columns, false, search->pool, error);
    if (status != SMERF_OK) return status;
    status = sm_search_start(search, panel.most_rows, error);
    panel.most_rows = search->most_queries;
    for (size_t first = 0; first < search->query->rows.n && status == SMERF_OK; first = search->end) {
        sm_search_turn(search, first);
        status = search_panel(search, &panel, most_columns, error);
        if (status == SMERF_OK) status = sm_search_hand_over(search, error);
    }
    sm_panel_free(&panel);
    return status;
}

/* ---- the request ---- */

smerf_status sm_neighborhood_check(const smerf_neighborhood *wanted, smerf_error *error) {
    if (wanted->k == 0 && !wanted->has_radius)
        return sm_fail(error, SMERF_BAD_INPUT, "neighbours: neither how many nor how far is said");
    if (wanted->has_radius && isnan(wanted->radius))
        return sm_fail(error, SMERF_BAD_INPUT, "neighbours: the radius is not a number");
    return SMERF_OK;
}

smerf_status sm_neighbors(const smerf_model *model, const smerf_neighborhood *wanted, const sm_limits *limits,
                          const smerf_run *run, smerf_neighbor_sink sink, void *context, smerf_error *error) {
    sm_pool pool;
    sm_query query;
    bool is_square = wanted->queries == NULL;
    smerf_status status = sm_neighborhood_check(wanted, error);
    if (status != SMERF_OK) return status;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = is_square ? wanted->items : wanted->queries,
                                             .columns = is_square ? NULL : wanted->items,
                                             .out_of_bag = wanted->out_of_bag, .oob_rule = wanted->oob_rule);
    sm_pool_start(&pool, run);
    status = sm_query_start(&query, model, &request, limits, error);
    if (status != SMERF_OK) return status;
    sm_neighbor_search search = {.query = &query,
                                 .pool = &pool,
                                 .most = wanted->k > 0 ? wanted->k : SIZE_MAX,
                                 .radius = wanted->has_radius ? wanted->radius : INFINITY,
                                 .sink = sink,
                                 .context = context};
    pool.fraction_to = 0;
    if (!query.is_out_of_bag) status = sm_leaf_codes_find(model, &pool, &search.codes, error);
    if (status == SMERF_OK) status = (search.codes.of != NULL ? sm_search_by_codes : sm_search_by_rows)(&search, error);
    sm_search_free(&search);
    sm_query_free(&query);
    return status;
}

smerf_status smerf_neighbors(const smerf_model *model, const smerf_neighborhood *neighborhood, const smerf_run *run,
                             smerf_neighbor_sink sink, void *context, smerf_error *error) {
    SM_READ(smerf_neighborhood, neighborhood, error);
    SM_READ_RUN(run, error);
    return sm_neighbors(model, neighborhood, &sm_usual_limits, run, sink, context, error);
}
