/* clusters_medoids.c - clusters around medoids, in a matrix of distances that is predicted first, or given. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/sort.h"
#include "base/square.h"
#include "base/versioned.h"
#include "explore/clusters.h"
#include "explore/explore.h"
#include "explore/medoids.h"

/* Starts of the search for one k. BUILD is best where there are few medoids, and drawn items where there are more; several of
 * them find, on the whole, half a per cent to four per cent less cost than one (docs/clusters.md). Their number falls with
 * the items, so that they take no longer than the distances did; it depends on nothing else. */
enum { MOST_DRAWN = 9, MOST_BUILT = 100 };
static const double drawn_pairs = 2.5e8;

typedef struct search {
    sm_medoids medoids;
    double smallest; /* of the distances */
    uint64_t seed;
    uint32_t *built; /* [most_k] by BUILD, and drawn where those are too many; the first k of them are a start for k */
    uint32_t *drawn; /* [n] */
    uint32_t *best;  /* [most_k] the best medoids so far */
} search;

/* ---- starts ---- */

/* All items, the first n_wanted of them drawn. */
static void draw(search *all, size_t n_wanted, uint32_t start) {
    size_t n = all->medoids.n;
    sm_random random;
    sm_random_start(&random, all->seed, start, SM_STREAM_MEDOIDS);
    for (size_t i = 0; i < n; i++) all->drawn[i] = (uint32_t)i;
    for (size_t i = 0; i < n_wanted; i++) {
        size_t other = i + (size_t)sm_random_below_64(&random, n - i);
        uint32_t item = all->drawn[other];
        all->drawn[other] = all->drawn[i];
        all->drawn[i] = item;
    }
}

static smerf_status build(search *all, size_t most_k, sm_pool *pool, smerf_error *error) {
    size_t n_built = most_k < MOST_BUILT ? most_k : MOST_BUILT;
    smerf_status status = sm_medoids_build(&all->medoids, n_built, all->built, pool, error);
    if (status != SMERF_OK || n_built == most_k) return status;
    draw(all, all->medoids.n, 0);
    for (size_t i = 0; n_built < most_k; i++) {
        bool is_built = false;
        for (size_t s = 0; s < MOST_BUILT; s++) is_built |= all->built[s] == all->drawn[i];
        if (!is_built) all->built[n_built++] = all->drawn[i];
    }
    return SMERF_OK;
}

static uint32_t n_drawn_starts(size_t n, size_t k) {
    double fitting = drawn_pairs / ((double)n * (double)n);
    return k == 1 ? 0 : fitting < MOST_DRAWN ? (uint32_t)fitting : MOST_DRAWN;
}

/* ---- one k ---- */

/* The best medoids of all starts, the first of those on a tie. */
static smerf_status find_best(search *all, size_t k, sm_pool *pool, smerf_error *error) {
    sm_medoids *medoids = &all->medoids;
    const uint32_t n_starts = 1 + n_drawn_starts(medoids->n, k);
    const double from = pool->fraction_from, step = (pool->fraction_to - from) / n_starts;
    double cost = INFINITY;
    for (uint32_t start = 0; start < n_starts; start++) {
        if (start > 0) draw(all, k, start);
        sm_medoids_set(medoids, start > 0 ? all->drawn : all->built, k);
        pool->fraction_from = from + step * start;
        pool->fraction_to = from + step * (start + 1);
        smerf_status status = sm_medoids_improve(medoids, pool, error);
        if (status != SMERF_OK) return status;
        if (medoids->cost >= cost) continue;
        cost = medoids->cost;
        memcpy(all->best, medoids->item, k * sizeof *all->best);
    }
    return SMERF_OK;
}

/* At the end medoids stand in the order of the items, so that the first of several that are as near has the item. */
static smerf_status group_by_medoids(void *context, size_t k, sm_pool *pool, sm_grouping *grouping,
                                     smerf_error *error) {
    search *all = context;
    sm_medoids *medoids = &all->medoids;
    const double to = pool->fraction_to, middle = pool->fraction_from + 0.8 * (to - pool->fraction_from);
    pool->fraction_to = middle;
    smerf_status status = find_best(all, k, pool, error);
    if (status != SMERF_OK) return status;
    qsort(all->best, k, sizeof *all->best, sm_by_index);
    sm_medoids_set(medoids, all->best, k);
    memcpy(grouping->cluster, medoids->owner, medoids->n * sizeof *grouping->cluster);
    memcpy(grouping->medoid, medoids->item, k * sizeof *grouping->medoid);
    grouping->cost = medoids->cost;
    if (k == 1) return SMERF_OK;
    pool->fraction_from = middle;
    pool->fraction_to = to;
    return sm_silhouettes(medoids->z, medoids->n, all->smallest, k, pool, grouping, error);
}

/* ---- a matrix ---- */

static float smallest_of(const float *z, size_t n) {
    float smallest = INFINITY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (z[i * n + j] < smallest) smallest = z[i * n + j];
    return smallest;
}

static smerf_status cluster_matrix(const float *z, size_t n, const sm_cluster_range *range, uint64_t seed,
                                   sm_pool *pool, smerf_clusters *result, smerf_error *error) {
    const size_t most = range->most;
    search all = {.smallest = smallest_of(z, n), .seed = seed};
    smerf_status status = sm_medoids_start(&all.medoids, z, n, most, pool, error);
    if (status != SMERF_OK) return status;
    all.built = sm_array(most, sizeof *all.built);
    all.best = sm_array(most, sizeof *all.best);
    all.drawn = sm_array(n, sizeof *all.drawn);
    const double to = pool->fraction_to, middle = pool->fraction_from + 0.1 * (to - pool->fraction_from);
    pool->fraction_to = middle;
    if (all.built == NULL || all.best == NULL || all.drawn == NULL)
        status = sm_no_memory(error, "finding clusters");
    else
        status = build(&all, most, pool, error);
    pool->fraction_from = middle;
    pool->fraction_to = to;
    if (status == SMERF_OK) status = sm_clusters_choose(n, range, group_by_medoids, &all, pool, result, error);
    sm_free(all.built);
    sm_free(all.best);
    sm_free(all.drawn);
    sm_medoids_free(&all.medoids);
    return status;
}

static smerf_status check_matrix(const float *z, size_t n, smerf_error *error) {
    size_t row, column;
    for (size_t i = 0; i < n; i++) {
        if (sm_are_finite(z + i * n, i) && sm_are_finite(z + i * n + i + 1, n - i - 1)) continue;
        for (size_t j = 0; j < n; j++)
            if (i != j && !isfinite(z[i * n + j]))
                return sm_fail_at(error, i, j, "the distance of items %zu and %zu is not a finite number", i, j);
    }
    if (!sm_square_is_symmetric(z, n, &row, &column))
        return sm_fail_at(error, row, column, "the distances of items %zu and %zu are %g one way and %g the other way",
                          row, column, (double)z[row * n + column], (double)z[column * n + row]);
    return SMERF_OK;
}

smerf_status smerf_cluster_distances(const float *z, size_t n_items, const smerf_clustering *clustering,
                                     const smerf_run *run, smerf_clusters *result, smerf_error *error) {
    SM_READ(smerf_clustering, clustering, error);
    SM_READ_RUN(run, error);
    SM_READ_RESULT(smerf_clusters, result, found, error);
    sm_pool pool;
    if (clustering->by != SMERF_MEDOIDS)
        return sm_fail(error, SMERF_BAD_INPUT, "a matrix of distances can be clustered by medoids only");
    if (clustering->out_of_bag)
        return sm_fail(error, SMERF_BAD_INPUT, "a matrix of distances has no out of bag: that is a model's");
    sm_cluster_range range;
    smerf_status status = sm_clusters_check(clustering, n_items, &range, error);
    if (status == SMERF_OK) status = check_matrix(z, n_items, error);
    if (status != SMERF_OK) return status;
    sm_pool_start(&pool, run);
    status = cluster_matrix(z, n_items, &range, clustering->seed, &pool, &found, error);
    SM_WRITE(smerf_clusters, found, result);
    return status;
}

/* ---- predicted distances ---- */

typedef struct filling {
    float *z;
    bool has_failed; /* a distance is not known, or too large for a float */
    size_t row, column;
    double distance;
} filling;

static int take_row(void *context, size_t row, const double *distances, size_t n) {
    filling *to = context;
    float *into = to->z + row * n;
    for (size_t j = 0; j < n; j++) {
        into[j] = (float)distances[j];
        if (isfinite(into[j]) || j == row) continue;
        to->has_failed = true;
        to->row = row;
        to->column = j;
        to->distance = distances[j];
        return 1;
    }
    return 0;
}

static smerf_status fill_matrix(const smerf_model *model, const smerf_request *request, const smerf_run *run, float *z,
                                smerf_error *error) {
    filling to = {.z = z};
    smerf_status status = smerf_predict_rows(model, request, run, take_row, &to, error);
    if (to.has_failed && isnan(to.distance))
        return sm_fail_unknown("clusters", to.row, to.column, request->out_of_bag, error);
    if (to.has_failed)
        return sm_fail(error, SMERF_BAD_INPUT, "the distance of rows %zu and %zu is %g, too large for clusters", to.row,
                       to.column, to.distance);
    if (status == SMERF_OK) sm_square_mirror(z, smerf_items_count(request->rows));
    return status;
}

smerf_status sm_cluster_by_medoids(const smerf_model *model, const smerf_items *items,
                                   const smerf_clustering *clustering, const smerf_run *run, smerf_clusters *result,
                                   smerf_error *error) {
    const double fraction = 0.7; /* of the work that is predicting */
    const smerf_request request = SMERF_INIT(smerf_request, .rows = items, .out_of_bag = clustering->out_of_bag,
                                             .oob_rule = clustering->oob_rule);
    size_t n = smerf_items_count(items);
    sm_cluster_range range;
    char what[80];
    smerf_status status = sm_clusters_check(clustering, n, &range, error);
    if (status != SMERF_OK) return status;
    snprintf(what, sizeof what, "a matrix of the distances of %zu items", n);
    status = sm_check_memory((double)n * (double)n * sizeof(float), what, error);
    if (status != SMERF_OK) return status;
    float *z = sm_array(sm_size(n, n, 0), sizeof *z);
    if (z == NULL) return sm_no_memory(error, "finding clusters");
    sm_progress_part part = {.run = run, .from = 0, .to = fraction};
    smerf_run own = sm_progress_part_run(&part);
    sm_pool pool;
    status = fill_matrix(model, &request, &own, z, error);
    part = (sm_progress_part){.run = run, .from = fraction, .to = 1};
    sm_pool_start(&pool, &own);
    if (status == SMERF_OK) status = cluster_matrix(z, n, &range, clustering->seed, &pool, result, error);
    sm_free(z);
    return status;
}
