/* explain.c - what each feature has in predicted distances.
 *
 * Pairs wait with their sums while the trees come by, some at a time. For each such batch
 *   1. every tree is made ready for walks             start_tree
 *   2. mean distances on the ways are found           fill_some: leaf by leaf, so that a leaf's numbers serve all its pairs
 *   3. the changes on them are added to the pairs     add_some: trees in order, so that the bits do not depend on threads
 * How one tree does it is walks.c. */
#include "explore/explore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "explore/walks.h"
#include "model/model.h"
#include "predict/limits.h"
#include "predict/neighbors.h"
#include "predict/predict.h"
#include "predict/predictor.h"

enum { PIECES_A_TREE = 8, PAIRS_A_TASK = 256 };

typedef struct explain_job {
    sm_query *query;
    sm_arena arena; /* holds the arrays below, but for the caller's */
    sm_walk_pairs pairs;
    size_t n_features;
    uint32_t *indices;          /* [2][n_pairs] */
    uint32_t *n_of;             /* how often each item occurs, of the rows and of the others */
    double *baseline;           /* [n_pairs] sums at first; the caller's */
    double *contributions;      /* [n_pairs][n_features] likewise */
    double *distance;           /* [n_pairs] likewise, or ours */
    uint32_t *n_predicting;     /* [n_pairs] trees, see sm_query_uses_all_trees */
    size_t first, end;          /* the trees of the batch */
    sm_walks *walks;            /* [most trees of a group] */
    sm_walk_scratch *scratches; /* [n_threads] */
} explain_job;

/* ---- the tasks of a batch ---- */

static smerf_status start_tree(void *argument, size_t task, size_t thread, smerf_error *error) {
    explain_job *job = argument;
    (void)thread;
    bool has_started = sm_walks_start(&job->walks[task], job->query, job->first + task, &job->pairs);
    return has_started ? SMERF_OK : sm_no_memory(error, "explaining distances");
}

static smerf_status fill_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    explain_job *job = argument;
    const sm_walks *walks = &job->walks[task / PIECES_A_TREE];
    size_t piece = task % PIECES_A_TREE, n_leaves = walks->nodes.leaves->n;
    (void)error;
    sm_walks_fill(walks, n_leaves * piece / PIECES_A_TREE, n_leaves * (piece + 1) / PIECES_A_TREE,
                  &job->scratches[thread]);
    return SMERF_OK;
}

static smerf_status add_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    explain_job *job = argument;
    size_t first = task * PAIRS_A_TASK, end = first + PAIRS_A_TASK < job->pairs.n ? first + PAIRS_A_TASK : job->pairs.n;
    (void)thread;
    (void)error;
    for (size_t b = job->first; b < job->end; b++) {
        const sm_walks *walks = &job->walks[b - job->first];
        for (size_t p = first; p < end; p++) {
            if (walks->from[p] == SMERF_MISSING) continue;
            job->n_predicting[p] |= SM_IS_ELIGIBLE;
            double distance = sm_walks_add(walks, p, &job->baseline[p], job->contributions + p * job->n_features);
            if (isnan(distance)) continue;
            job->distance[p] += distance;
            job->n_predicting[p]++;
        }
    }
    return SMERF_OK;
}

/* ---- batches ---- */

/* As many trees as may be at hand together, one at least. */
static smerf_status choose_batch(explain_job *job, smerf_error *error) {
    const sm_query *query = job->query;
    double bytes = 0;
    for (job->end = job->first; job->end < query->end; job->end++) {
        double more = sm_walks_bytes(query, job->end, &job->pairs);
        if (job->end > job->first && bytes + more > query->limits->panel_bytes) break;
        bytes += more;
    }
    return bytes > query->limits->panel_bytes ? sm_check_memory(bytes, "explaining distances", error) : SMERF_OK;
}

static smerf_status explain_batch(explain_job *job, sm_pool *pool, smerf_error *error) {
    size_t n_trees = job->end - job->first;
    double n = (double)job->query->n_trees, from = (double)job->first / n, to = (double)job->end / n;
    pool->fraction_from = from;
    pool->fraction_to = from + (to - from) / 3;
    smerf_status status = sm_pool_run(pool, n_trees, start_tree, job, error);
    pool->fraction_from = pool->fraction_to;
    pool->fraction_to = to;
    if (status == SMERF_OK) status = sm_pool_run(pool, n_trees * PIECES_A_TREE, fill_some, job, error);
    pool->fraction_from = to;
    if (status == SMERF_OK)
        status = sm_pool_run(pool, (job->pairs.n + PAIRS_A_TASK - 1) / PAIRS_A_TASK, add_some, job, error);
    for (size_t t = 0; t < n_trees; t++) sm_walks_free(&job->walks[t]);
    return status;
}

static smerf_status explain_group(explain_job *job, size_t group, sm_pool *pool, smerf_error *error) {
    sm_query *query = job->query;
    pool->fraction_from = pool->fraction_to = (double)query->group_first[group] / (double)query->n_trees;
    smerf_status status = sm_query_turn(query, group, pool, error);
    for (job->first = query->first; job->first < query->end && status == SMERF_OK; job->first = job->end) {
        status = choose_batch(job, error);
        if (status == SMERF_OK) status = explain_batch(job, pool, error);
    }
    return status;
}

/* ---- from sums to means ---- */

/* A pair for which trees is eligible, but none has anything to say, has its distance from elsewhere: all of it is baseline. */
static smerf_status finish_pairs(explain_job *job, sm_pool *pool, smerf_error *error) {
    const sm_shrinkage *shrinkage = &job->query->model->shrinkage;
    for (size_t p = 0; p < job->pairs.n; p++) {
        double n = SM_N_PREDICTING(job->n_predicting[p]);
        double *contributions = job->contributions + p * job->n_features;
        job->distance[p] = n > 0                      ? sm_shrunk(shrinkage, job->distance[p] / n)
                           : job->n_predicting[p] > 0 ? job->query->fallback
                                                      : NAN;
        job->baseline[p] = n > 0 ? sm_shrunk(shrinkage, job->baseline[p] / n) : NAN;
        for (size_t f = 0; f < job->n_features; f++)
            contributions[f] = n > 0 ? shrinkage->scale * (contributions[f] / n) : job->n_predicting[p] > 0 ? 0 : NAN;
    }
    const smerf_pair_list pairs = {.n = job->pairs.n, .left = job->pairs.left, .right = job->pairs.right};
    smerf_status status = sm_predict_undefined_pairs(job->query, &pairs, job->n_predicting, job->distance, pool, error);
    for (size_t p = 0; p < job->pairs.n && status == SMERF_OK; p++)
        if (SM_N_PREDICTING(job->n_predicting[p]) == 0) job->baseline[p] = job->distance[p];
    return status;
}

/* ---- all together ---- */

static void count_items(explain_job *job) {
    const sm_query *query = job->query;
    uint32_t *of_column = query->is_square ? job->n_of : job->n_of + query->rows.n;
    for (size_t p = 0; p < job->pairs.n; p++) {
        job->n_of[job->pairs.left[p]]++;
        of_column[job->pairs.right[p]]++;
    }
    job->pairs.n_of_row = job->n_of;
    job->pairs.n_of_column = of_column;
}

static smerf_status reserve_explain_job(explain_job *job, const uint32_t *left, const uint32_t *right,
                                        const sm_pool *pool, smerf_error *error) {
    sm_query *query = job->query;
    size_t n = job->pairs.n, n_trees = 0;
    job->indices = sm_arena_take(&job->arena, sm_size(n, 2, 0), sizeof *job->indices);
    if (job->indices == NULL) return sm_no_memory(error, "explaining distances");
    smerf_status status = sm_query_pick_pairs(query, left, right, n, job->indices, error);
    if (status != SMERF_OK) return status;
    job->pairs.left = job->indices;
    job->pairs.right = job->indices + n;
    for (size_t group = 0; group < query->n_groups; group++)
        if (query->group_first[group + 1] - query->group_first[group] > n_trees)
            n_trees = query->group_first[group + 1] - query->group_first[group];
    job->n_of = sm_arena_take_zeros(&job->arena, query->rows.n + query->others.n, sizeof *job->n_of);
    job->n_predicting = sm_arena_take_zeros(&job->arena, n, sizeof *job->n_predicting);
    if (job->distance == NULL) job->distance = sm_arena_take(&job->arena, n, sizeof *job->distance);
    job->walks = sm_arena_take_zeros(&job->arena, n_trees, sizeof *job->walks);
    job->scratches = sm_arena_take_zeros(&job->arena, pool->n_threads, sizeof *job->scratches);
    bool has_memory = !job->arena.has_failed;
    for (size_t t = 0; t < pool->n_threads && has_memory; t++)
        has_memory = sm_walk_scratch_start(&job->scratches[t], query);
    return has_memory ? SMERF_OK : sm_no_memory(error, "explaining distances");
}

static smerf_status explain_listed(explain_job *job, const smerf_pair_list *listed, sm_pool *pool, smerf_error *error) {
    smerf_status status = reserve_explain_job(job, listed->left, listed->right, pool, error);
    if (status == SMERF_OK) {
        count_items(job);
        memset(job->baseline, 0, job->pairs.n * sizeof *job->baseline);
        memset(job->distance, 0, job->pairs.n * sizeof *job->distance);
        memset(job->contributions, 0, job->pairs.n * job->n_features * sizeof *job->contributions);
    }
    for (size_t group = 0; status == SMERF_OK && group < job->query->n_groups; group++)
        status = explain_group(job, group, pool, error);
    if (status == SMERF_OK) status = finish_pairs(job, pool, error);
    for (size_t t = 0; t < pool->n_threads && job->scratches != NULL; t++) sm_walk_scratch_free(&job->scratches[t]);
    sm_arena_free(&job->arena);
    return status;
}

/* ---- of another method ---- */

static smerf_status check_explained(const smerf_model *model, smerf_error *error) {
    bool has_own = model->method != NULL && model->method->explain != NULL;
    return has_own ? SMERF_OK : sm_model_check_forest(model, "explanations", error);
}

static smerf_status explain_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    explain_job *job = argument;
    const sm_query *query = job->query;
    size_t first = task * PAIRS_A_TASK, end = first + PAIRS_A_TASK < job->pairs.n ? first + PAIRS_A_TASK : job->pairs.n;
    (void)thread, (void)error;
    for (size_t p = first; p < end; p++) {
        const uint32_t pair[2] = {job->pairs.left[p], job->pairs.right[p]};
        query->model->method->explain(query->predictor, pair, query->base != NULL ? job->distance[p] : NAN,
                                      &job->baseline[p], job->contributions + p * job->n_features);
    }
    return SMERF_OK;
}

static smerf_status explain_by_method(explain_job *job, const smerf_pair_list *listed, sm_pool *pool,
                                      smerf_error *error) {
    job->pairs.left = listed->left;
    job->pairs.right = listed->right;
    sm_query *query = job->query;
    bool is_own = job->distance == NULL;
    smerf_status status = sm_predictor_start(query, pool, error);
    if (is_own) job->distance = sm_arena_take(&job->arena, listed->n, sizeof *job->distance);
    if (is_own && job->distance == NULL) return sm_no_memory(error, "explaining distances");
    if (status == SMERF_OK && query->base != NULL) {
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = pool->n_threads);
        const smerf_explanation of_base = SMERF_INIT(smerf_explanation, .baseline = job->baseline,
                                                     .contributions = job->contributions, .distance = job->distance);
        status =
            sm_explain_pairs(query->base->model, &SM_REQUEST_OF(query), query->limits, listed, &run, &of_base, error);
    }
    if (status == SMERF_OK)
        status = sm_pool_run(pool, (listed->n + PAIRS_A_TASK - 1) / PAIRS_A_TASK, explain_some, job, error);
    if (status == SMERF_OK && !is_own)
        status = sm_answer_pairs(query, listed->left, listed->right, listed->n, pool, job->distance, error);
    sm_arena_free(&job->arena);
    return status;
}

smerf_status sm_explain_pairs(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                              const smerf_pair_list *pairs, const smerf_run *run, const smerf_explanation *result,
                              smerf_error *error) {
    sm_pool pool;
    sm_query query;
    smerf_status status = check_explained(model, error);
    if (status != SMERF_OK) return status;
    if (pairs->n > UINT32_MAX / 2)
        return sm_fail(error, SMERF_BAD_INPUT, "%zu pairs are more than %u, the most that are explained at once",
                       pairs->n, UINT32_MAX / 2);
    sm_pool_start(&pool, run);
    status = sm_query_start(&query, model, request, limits, error);
    if (status != SMERF_OK) return status;
    explain_job job = {.query = &query,
                       .pairs = {.n = pairs->n},
                       .n_features = model->features.n,
                       .baseline = result->baseline,
                       .contributions = result->contributions,
                       .distance = result->distance};
    status = sm_query_check_pairs(&query, pairs->left, pairs->right, pairs->n, error);
    if (status == SMERF_OK && pairs->n > 0)
        status = (model->method != NULL ? explain_by_method : explain_listed)(&job, pairs, &pool, error);
    sm_query_free(&query);
    return status;
}

smerf_status smerf_explain_pairs(const smerf_model *model, const smerf_request *request, const smerf_pair_list *pairs,
                                 const smerf_run *run, const smerf_explanation *result, smerf_error *error) {
    SM_READ(smerf_request, request, error);
    SM_READ_RUN(run, error);
    SM_READ(smerf_explanation, result, error);
    return sm_explain_pairs(model, request, &sm_usual_limits, pairs, run, result, error);
}

/* ---- items ----
 *
 * What parts an item from the rest: mean contributions over its nearest items, and over all others.
 *
 * All distances of a requested item are explained, so that its nearest are known from the same numbers. Items are taken several
 * at a time, as many as fit: making the trees ready is done once for each lot. */

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

static int report_items(void *context, double fraction_done) {
    const items_job *job = context;
    return job->run->progress(job->run->context,
                              job->fraction_from + fraction_done * (job->fraction_to - job->fraction_from));
}

static smerf_status reserve_items_job(items_job *job, size_t n_query, smerf_error *error) {
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
        run.progress = report_items;
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

static void add_contributions(double *sum, const double *contributions, size_t n) {
    for (size_t f = 0; f < n; f++) sum[f] += contributions[f];
}

static int by_item(const void *a, const void *b) {
    const smerf_neighbor *left = a, *right = b;
    return (left->item > right->item) - (left->item < right->item);
}

/* The means for one item, the a-th of a lot. Both are added up in the order of the items, so that they are the same where the
 * nearest are all there are. */
static smerf_status average_item(const items_job *job, size_t a, double *near, double *all, smerf_error *error) {
    size_t n_features = job->n_features;
    const double *distance = job->distance + a * job->n_others;
    const double *contributions = job->contributions + a * job->n_others * n_features;
    sm_nearest nearest = {.most = job->k, .radius = INFINITY};
    memset(near, 0, n_features * sizeof *near);
    memset(all, 0, n_features * sizeof *all);
    bool has_memory = true;
    for (size_t other = 0; other < job->n_others && has_memory; other++) {
        add_contributions(all, contributions + other * n_features, n_features);
        if (sm_nearest_wants(&nearest, distance[other])) has_memory = sm_nearest_keep(&nearest, other, distance[other]);
    }
    if (nearest.n > 1) qsort(nearest.kept, nearest.n, sizeof *nearest.kept, by_item);
    for (size_t i = 0; i < nearest.n; i++)
        add_contributions(near, contributions + nearest.kept[i].item * n_features, n_features);
    for (size_t f = 0; f < n_features; f++) {
        near[f] /= (double)nearest.n; /* NaN without others */
        all[f] /= (double)job->n_others;
    }
    sm_free(nearest.kept);
    return has_memory ? SMERF_OK : sm_no_memory(error, "explaining items");
}

smerf_status smerf_explain_items(const smerf_model *model, const smerf_item_request *request, const smerf_run *run,
                                 double *near, double *all, smerf_error *error) {
    SM_READ(smerf_item_request, request, error);
    SM_READ_RUN(run, error);
    const smerf_items *rows = request->rows;
    const uint32_t *items = request->items;
    const size_t n_query = request->n_items;
    smerf_status status = check_explained(model, error);
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
    status = reserve_items_job(&job, n_query, error);
    for (size_t first = 0; first < n_query && status == SMERF_OK; first += job.n_lot) {
        size_t n = first + job.n_lot < n_query ? job.n_lot : n_query - first;
        job.fraction_from = (double)first / (double)n_query;
        job.fraction_to = (double)(first + n) / (double)n_query;
        status = explain_lot(&job, items + first, n, error);
        for (size_t a = 0; a < n && status == SMERF_OK; a++)
            status =
                average_item(&job, a, near + (first + a) * job.n_features, all + (first + a) * job.n_features, error);
    }
    sm_arena_free(&job.arena);
    return status;
}
