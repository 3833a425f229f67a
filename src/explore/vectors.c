/* vectors.c - the Euclidean view of a forest: items as vectors that any search engine can take.
 *
 * A tree sees an item as the point of its leaf (sm_values.leaf_point), and h(l, l') is a squared distance of points plus
 * a term of each. The forest's distance is the mean over B trees: an item's vector is its points side by side, each divided
 * by the root of B, and its term is the mean of theirs. A catalogue has one more coordinate, the root of term - smallest term,
 * where queries have 0: so the squared distance of the two differs from the prediction by what depends on the query alone.
 *
 *   1. terms    items are sent through all trees; points are counted from the tree's mean point, as floats have few digits
 *   2. vectors  a block of items at a time: trees in order, then the sink
 * Where leaves fit into memory, items are sent down once for both. */
#include "explore/explore.h"

#include <math.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "predict/query.h"

enum { ITEMS_A_TASK = 256 };

typedef struct vectors_job {
    sm_query *query;
    size_t n_coordinates; /* of a tree's point */
    size_t size;          /* of a vector */
    double *centre;       /* [trees][n_coordinates] mean points */
    double *points;       /* [n_threads][n_coordinates] */
    double *term;         /* [items]; NULL: not wanted */
    double smallest;      /* of the terms; NaN: of queries */
    size_t first, end;    /* a block of items, */
    float *vectors;       /* [end - first][size] */
} vectors_job;

static size_t n_coordinates_of(const smerf_model *model) {
    if (model->method != NULL || model->target->kind->values.n_coordinates == NULL) return 0;
    return model->target->kind->values.n_coordinates(model->target);
}

size_t smerf_vectors_size(const smerf_model *model) {
    size_t n_coordinates = n_coordinates_of(model);
    return n_coordinates > 0 ? sm_size(model->options.n_trees, n_coordinates, 1) : 0;
}

static void point_of(const vectors_job *job, size_t b, size_t leaf, double *point, double *term) {
    const smerf_target *target = job->query->model->target;
    target->kind->values.leaf_point(target, &sm_query_ready(job->query, b)->leaves, leaf, point, term);
}

/* ---- terms, and the trees' mean points ---- */

static smerf_status find_centre(void *argument, size_t task, size_t thread, smerf_error *error) {
    const vectors_job *job = argument;
    size_t b = job->query->first + task, n = job->n_coordinates;
    const sm_leaves *leaves = &sm_query_ready(job->query, b)->leaves;
    double *centre = job->centre + b * n, *point = job->points + thread * n, total = 0, term;
    (void)error;
    for (size_t r = 0; r < n; r++) centre[r] = 0;
    for (size_t l = 0; l < leaves->n; l++) {
        point_of(job, b, l, point, &term);
        for (size_t r = 0; r < n; r++) centre[r] += leaves->total[l] * point[r];
        total += leaves->total[l];
    }
    for (size_t r = 0; r < n; r++) centre[r] /= total;
    return SMERF_OK;
}

/* z' = s z + (1 - s) m: half of what is added to z belongs to each of the two. */
static double shrunk_term(const sm_query *query, double term) {
    const sm_shrinkage *shrinkage = &query->model->shrinkage;
    return shrinkage->scale < 1 ? shrinkage->scale * term + (1 - shrinkage->scale) * shrinkage->mean / 2 : term;
}

static smerf_status add_terms(void *argument, size_t task, size_t thread, smerf_error *error) {
    const vectors_job *job = argument;
    const sm_query *query = job->query;
    size_t first = task * ITEMS_A_TASK,
           end = query->rows.n - first < ITEMS_A_TASK ? query->rows.n : first + ITEMS_A_TASK;
    double *point = job->points + thread * job->n_coordinates, term;
    uint32_t leaf[ITEMS_A_TASK];
    (void)error;
    for (size_t i = first; i < end && query->first == 0; i++) job->term[i] = 0;
    for (size_t b = query->first; b < query->end; b++) {
        sm_query_row_leaves(query, b, first, end, leaf);
        for (size_t i = first; i < end; i++) {
            point_of(job, b, leaf[i - first], point, &term);
            job->term[i] += term;
        }
    }
    for (size_t i = first; i < end && query->end == query->n_trees; i++)
        job->term[i] = shrunk_term(query, job->term[i] / (double)query->n_trees);
    return SMERF_OK;
}

static smerf_status find_terms(vectors_job *job, sm_pool *pool, smerf_error *error) {
    sm_query *query = job->query;
    size_t n_tasks = job->term != NULL ? (query->rows.n + ITEMS_A_TASK - 1) / ITEMS_A_TASK : 0;
    smerf_status status = SMERF_OK;
    for (size_t group = 0; group < query->n_groups && status == SMERF_OK; group++) {
        pool->fraction_from = pool->fraction_to =
            0.5 * (double)group / (double)query->n_groups; /* mean points are quick */
        status = sm_query_turn(query, group, pool, error);
        if (status == SMERF_OK) status = sm_pool_run(pool, query->end - query->first, find_centre, job, error);
        pool->fraction_to = 0.5 * (double)(group + 1) / (double)query->n_groups;
        if (status == SMERF_OK) status = sm_pool_run(pool, n_tasks, add_terms, job, error);
    }
    return status;
}

/* ---- vectors ---- */

static smerf_status fill_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    const vectors_job *job = argument;
    const sm_query *query = job->query;
    size_t n = job->n_coordinates, first = job->first + task * ITEMS_A_TASK;
    size_t end = job->end - first < ITEMS_A_TASK ? job->end : first + ITEMS_A_TASK;
    double *point = job->points + thread * n, term, root = sqrt((double)query->n_trees / query->model->shrinkage.scale);
    uint32_t leaf[ITEMS_A_TASK];
    (void)error;
    for (size_t b = query->first; b < query->end; b++) {
        const double *centre = job->centre + b * n;
        sm_query_row_leaves(query, b, first, end, leaf);
        for (size_t i = first; i < end; i++) {
            float *vector = job->vectors + (i - job->first) * job->size + b * n;
            point_of(job, b, leaf[i - first], point, &term);
            for (size_t r = 0; r < n; r++) vector[r] = (float)((point[r] - centre[r]) / root);
        }
    }
    for (size_t i = first; i < end && query->end == query->n_trees; i++)
        job->vectors[(i - job->first + 1) * job->size - 1] =
            isnan(job->smallest) ? 0 : (float)sqrt(job->term[i] - job->smallest);
    return SMERF_OK;
}

static smerf_status fill_block(vectors_job *job, sm_pool *pool, smerf_error *error) {
    sm_query *query = job->query;
    size_t n_tasks = (job->end - job->first + ITEMS_A_TASK - 1) / ITEMS_A_TASK;
    double from = (double)job->first / (double)query->rows.n, to = (double)job->end / (double)query->rows.n;
    smerf_status status = SMERF_OK;
    for (size_t group = 0; group < query->n_groups && status == SMERF_OK; group++) {
        double done = (double)group / (double)query->n_groups, then = (double)(group + 1) / (double)query->n_groups;
        pool->fraction_from = 0.5 + 0.5 * (from + (to - from) * done);
        pool->fraction_to = 0.5 + 0.5 * (from + (to - from) * then);
        status = sm_query_turn(query, group, pool, error);
        if (status == SMERF_OK) status = sm_pool_run(pool, n_tasks, fill_some, job, error);
    }
    return status;
}

/* Many groups: every block needs all trees made ready anew, so there should be few of them. */
static size_t items_a_block(const vectors_job *job) {
    const sm_query *query = job->query;
    double bytes = query->n_groups > 1 ? query->limits->most_panel_bytes : query->limits->panel_bytes;
    double fitting = bytes / ((double)job->size * sizeof *job->vectors);
    return fitting < 1 ? 1 : fitting < (double)query->rows.n ? (size_t)fitting : query->rows.n;
}

static smerf_status hand_over_vectors(vectors_job *job, sm_pool *pool, const smerf_vector_result *to,
                                      smerf_error *error) {
    size_t n = job->query->rows.n, most = items_a_block(job), n_numbers = sm_size(most, job->size, 0);
    smerf_status status = sm_check_memory((double)n_numbers * sizeof *job->vectors, "making vectors", error);
    if (status != SMERF_OK) return status;
    job->vectors = sm_array(n_numbers, sizeof *job->vectors);
    if (job->vectors == NULL) return sm_no_memory(error, "making vectors");
    for (; job->first < n && status == SMERF_OK; job->first = job->end) {
        job->end = n - job->first < most ? n : job->first + most;
        status = fill_block(job, pool, error);
        for (size_t i = job->first; i < job->end && status == SMERF_OK; i++)
            if (to->sink(to->context, i, job->vectors + (i - job->first) * job->size, job->size) != 0)
                status = sm_fail(error, SMERF_CANCELLED, "cancelled");
    }
    sm_free(job->vectors);
    return status;
}

/* ---- the request ---- */

static smerf_status check_vectors(const smerf_model *model, smerf_error *error) {
    smerf_status status = sm_model_check_forest(model, "vectors", error);
    if (status != SMERF_OK || smerf_vectors_size(model) > 0) return status;
    if (model->target->kind == &sm_target_rank)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "vectors: the distances that the model was fitted on are not those of points (some of the "
                       "eigenvalues that its rank keeps are negative)");
    return sm_fail(
        error, SMERF_BAD_INPUT,
        "vectors are there for labels, responses, products, and distances of a low {rank}; the target of this "
        "model is '%s'",
        sm_target_public_name(model->target));
}

static smerf_status make_vectors(vectors_job *job, bool is_query, sm_pool *pool, const smerf_vector_result *result,
                                 smerf_error *error) {
    sm_query *query = job->query;
    double leaves_bytes = (double)query->n_trees * (double)query->rows.n * sizeof(uint32_t);
    smerf_status status = sm_query_plan(query, leaves_bytes <= query->limits->leaves_bytes, false, error);
    sm_arena arena = {0};
    job->centre = sm_arena_take(&arena, sm_size(query->n_trees, job->n_coordinates, 0), sizeof *job->centre);
    job->points = sm_arena_take(&arena, sm_size(pool->n_threads, job->n_coordinates, 0), sizeof *job->points);
    if (job->term == NULL && !is_query) job->term = sm_arena_take(&arena, query->rows.n, sizeof *job->term);
    if (status == SMERF_OK && arena.has_failed) status = sm_no_memory(error, "making vectors");
    if (status == SMERF_OK) status = find_terms(job, pool, error);
    if (status == SMERF_OK && !is_query) {
        job->smallest = INFINITY;
        for (size_t i = 0; i < query->rows.n; i++) job->smallest = fmin(job->smallest, job->term[i]);
    }
    if (status == SMERF_OK) status = hand_over_vectors(job, pool, result, error);
    sm_arena_free(&arena);
    return status;
}

smerf_status sm_make_vectors(const smerf_model *model, const smerf_items *items, bool is_query, const sm_limits *limits,
                             const smerf_run *run, const smerf_vector_result *result, smerf_error *error) {
    sm_pool pool;
    sm_query query;
    smerf_status status = check_vectors(model, error);
    if (status != SMERF_OK) return status;
    sm_pool_start(&pool, run);
    status = sm_query_start(&query, model, &SMERF_INIT(smerf_request, .rows = items), limits, error);
    if (status != SMERF_OK) return status;
    vectors_job job = {.query = &query,
                       .n_coordinates = n_coordinates_of(model),
                       .size = smerf_vectors_size(model),
                       .term = result->term,
                       .smallest = NAN};
    status = make_vectors(&job, is_query, &pool, result, error);
    sm_query_free(&query);
    return status;
}

smerf_status smerf_vectors(const smerf_model *model, const smerf_items *items, bool is_query, const smerf_run *run,
                           const smerf_vector_result *result, smerf_error *error) {
    SM_READ_RUN(run, error);
    SM_READ(smerf_vector_result, result, error);
    return sm_make_vectors(model, items, is_query, &sm_usual_limits, run, result, error);
}
