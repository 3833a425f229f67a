/* explain_items.c - what parts an item from the rest: mean contributions over its nearest items, and over all others.
 *
 * All distances of a requested item are explained, so that its nearest are known from the same numbers. Items are taken several
 * at a time, as many as fit: making the trees ready is done once for each lot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "model/model.h"
#include "predict/limits.h"
#include "predict/nearest.h"

typedef struct items_job {
    const smerf_model *model;
    const smerf_items *rows;
    size_t n_others, n_features, k;
    size_t n_lot; /* items at a time */
    sm_arena arena;
    uint32_t *left, *right;                      /* [n_lot][n_others] */
    double *baseline, *distance, *contributions; /* [n_lot][n_others], contributions [n_lot][n_others][n_features] */
    const smerf_run *run;
    double fraction_from, fraction_to; /* the part of the whole that a lot is */
} items_job;

static int report(void *context, double fraction_done) {
    const items_job *job = context;
    return job->run->progress(job->run->context,
                              job->fraction_from + fraction_done * (job->fraction_to - job->fraction_from));
}

static smerf_status take_room(items_job *job, size_t n_query, smerf_error *error) {
    double bytes = (double)job->n_others * ((double)(job->n_features + 2) * sizeof(double) + 2 * sizeof(uint32_t));
    double n_lot = floor(sm_usual_limits.whole_bytes / bytes);
    job->n_lot = n_lot < 1 ? 1 : n_lot < (double)n_query ? (size_t)n_lot : n_query;
    smerf_status status = sm_check_memory(bytes * (double)job->n_lot, "explaining items", error);
    if (status != SMERF_OK) return status;
    size_t n = sm_size(job->n_lot, job->n_others, 0);
    job->left = sm_arena_take(&job->arena, n, sizeof *job->left);
    job->right = sm_arena_take(&job->arena, n, sizeof *job->right);
    job->baseline = sm_arena_take(&job->arena, n, sizeof *job->baseline);
    job->distance = sm_arena_take(&job->arena, n, sizeof *job->distance);
    job->contributions = sm_arena_take(&job->arena, sm_size(n, job->n_features, 0), sizeof *job->contributions);
    return job->arena.has_failed ? sm_no_memory(error, "explaining items") : SMERF_OK;
}

static smerf_status explain_lot(items_job *job, const uint32_t *items, size_t n, smerf_error *error) {
    const smerf_request request = SMERF_INIT(smerf_request, .rows = job->rows);
    smerf_run run = *job->run;
    if (run.progress != NULL) {
        run.progress = report;
        run.context = job;
    }
    for (size_t a = 0; a < n; a++)
        for (size_t other = 0; other < job->n_others; other++) {
            job->left[a * job->n_others + other] = items[a];
            job->right[a * job->n_others + other] = (uint32_t)(other + (other >= items[a]));
        }
    const smerf_pair_list pairs = {.n = n * job->n_others, .left = job->left, .right = job->right};
    const smerf_explanation result = SMERF_INIT(smerf_explanation, .baseline = job->baseline,
                                                .contributions = job->contributions, .distance = job->distance);
    return smerf_explain_pairs(job->model, &request, &pairs, &run, &result, error);
}

static void add_to(double *sum, const double *contributions, size_t n) {
    for (size_t f = 0; f < n; f++) sum[f] += contributions[f];
}

static int in_order(const void *a, const void *b) {
    const smerf_neighbor *left = a, *right = b;
    return (left->item > right->item) - (left->item < right->item);
}

/* The means for one item, the a-th of a lot. Both are added up in the order of the items, so that they are the same where the
 * nearest are all there are. */
static smerf_status sum_up(const items_job *job, size_t a, double *near, double *all, smerf_error *error) {
    size_t n_features = job->n_features;
    const double *distance = job->distance + a * job->n_others;
    const double *contributions = job->contributions + a * job->n_others * n_features;
    sm_nearest nearest = {.most = job->k, .radius = INFINITY};
    memset(near, 0, n_features * sizeof *near);
    memset(all, 0, n_features * sizeof *all);
    bool has_room = true;
    for (size_t other = 0; other < job->n_others && has_room; other++) {
        add_to(all, contributions + other * n_features, n_features);
        if (sm_nearest_wants(&nearest, distance[other])) has_room = sm_nearest_keep(&nearest, other, distance[other]);
    }
    if (nearest.n > 1) qsort(nearest.kept, nearest.n, sizeof *nearest.kept, in_order);
    for (size_t i = 0; i < nearest.n; i++) add_to(near, contributions + nearest.kept[i].item * n_features, n_features);
    for (size_t f = 0; f < n_features; f++) {
        near[f] /= (double)nearest.n; /* NaN without others */
        all[f] /= (double)job->n_others;
    }
    sm_free(nearest.kept);
    return has_room ? SMERF_OK : sm_no_memory(error, "explaining items");
}

smerf_status smerf_explain_items(const smerf_model *model, const smerf_item_request *request, const smerf_run *run,
                                 double *near, double *all, smerf_error *error) {
    SM_READ(smerf_item_request, request, error);
    SM_READ_RUN(run, error);
    const smerf_items *rows = request->rows;
    const uint32_t *items = request->items;
    const size_t n_query = request->n_items;
    smerf_status status = sm_model_check_forest(model, "explanations", error);
    if (status != SMERF_OK) return status;
    if (request->k == 0) return sm_fail(error, SMERF_BAD_INPUT, "k is 0: at least one neighbour is needed");
    for (size_t a = 0; a < n_query; a++)
        if (items[a] >= rows->n_items)
            return sm_fail(error, SMERF_BAD_INPUT, "there is no item %u: there are %zu", items[a], rows->n_items);
    if (n_query == 0) return SMERF_OK;
    items_job job = {.model = model,
                     .rows = rows,
                     .n_others = rows->n_items - 1,
                     .n_features = model->features.n,
                     .k = request->k,
                     .run = run};
    status = take_room(&job, n_query, error);
    for (size_t first = 0; first < n_query && status == SMERF_OK; first += job.n_lot) {
        size_t n = first + job.n_lot < n_query ? job.n_lot : n_query - first;
        job.fraction_from = (double)first / (double)n_query;
        job.fraction_to = (double)(first + n) / (double)n_query;
        status = explain_lot(&job, items + first, n, error);
        for (size_t a = 0; a < n && status == SMERF_OK; a++)
            status = sum_up(&job, a, near + (first + a) * job.n_features, all + (first + a) * job.n_features, error);
    }
    sm_arena_free(&job.arena);
    return status;
}
