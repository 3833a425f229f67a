/* clusters_means.c - clusters around means, in the forest's Euclidean view: where a matrix of all distances is too large.
 *
 * The predicted distance of two items is the squared distance of their vectors plus a term of each (vectors.c). Terms are an
 * item's own and do not say to which of others it is near, so groups are looked for among the vectors alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "explore/clusters.h"
#include "explore/means.h"

/* The best of so many is on the whole one per cent nearer to the best of many than a single one is (docs/clusters.md). */
enum { N_STARTS = 4 };

typedef struct search {
    sm_means means;
    size_t most_k;
    uint32_t *starts;    /* [N_STARTS][most_k] the first k of each are a start for k */
    uint32_t *cluster;   /* [n] the best clusters so far, */
    double *centre;      /* [most_k][width] and their centres */
    double *own, *other; /* [n] squared distances to the item's centre, and to the nearest of the others */
} search;

/* ---- one k ---- */

/* The best of all starts, the first of those on a tie. */
static smerf_status find_best(search *all, size_t k, sm_pool *pool, smerf_error *error) {
    sm_means *means = &all->means;
    const double from = pool->fraction_from, step = (pool->fraction_to - from) / N_STARTS;
    const size_t cluster_bytes = means->n * sizeof *all->cluster, centre_bytes = k * means->width * sizeof *all->centre;
    double cost = INFINITY;
    for (size_t start = 0; start < N_STARTS; start++) {
        pool->fraction_from = from + step * (double)start;
        pool->fraction_to = from + step * (double)(start + 1);
        sm_means_set(means, all->starts + start * all->most_k, k);
        smerf_status status = sm_means_improve(means, pool, error);
        if (status != SMERF_OK) return status;
        if (means->cost >= cost) continue;
        cost = means->cost;
        memcpy(all->cluster, means->cluster, cluster_bytes);
        memcpy(all->centre, means->centre, centre_bytes);
    }
    memcpy(means->cluster, all->cluster, cluster_bytes);
    memcpy(means->centre, all->centre, centre_bytes);
    means->cost = cost;
    return SMERF_OK;
}

/* The item nearest to each centre, the first on a tie. */
static void find_medoids(const search *all, size_t k, uint32_t *medoid) {
    for (size_t c = 0; c < k; c++) medoid[c] = UINT32_MAX;
    for (size_t i = 0; i < all->means.n; i++) {
        uint32_t c = all->means.cluster[i];
        if (medoid[c] == UINT32_MAX || all->own[i] < all->own[medoid[c]]) medoid[c] = (uint32_t)i;
    }
}

/*   n_in  [k] scratch */
static void rate(const search *all, size_t *n_in, double *silhouette) {
    const sm_means *means = &all->means;
    memset(n_in, 0, means->k * sizeof *n_in);
    for (size_t i = 0; i < means->n; i++) n_in[means->cluster[i]]++;
    for (size_t i = 0; i < means->n; i++)
        silhouette[i] = n_in[means->cluster[i]] == 1 ? 0 : sm_silhouette(all->own[i], all->other[i]);
}

static smerf_status group_by_means(void *context, size_t k, sm_pool *pool, sm_grouping *grouping, smerf_error *error) {
    search *all = context;
    smerf_status status = find_best(all, k, pool, error);
    if (status == SMERF_OK) status = sm_means_distances(&all->means, pool, all->own, all->other, error);
    if (status != SMERF_OK) return status;
    memcpy(grouping->cluster, all->means.cluster, all->means.n * sizeof *grouping->cluster);
    find_medoids(all, k, grouping->medoid);
    if (k > 1) rate(all, all->means.size, grouping->silhouette);
    grouping->cost = all->means.cost;
    return SMERF_OK;
}

/* ---- vectors ---- */

typedef struct gathering {
    float *points;   /* [n][width] */
    size_t n, width; /* the width is padded */
} gathering;

static smerf_status cluster_points(const gathering *from_items, const sm_cluster_range *range, uint64_t seed,
                                   sm_pool *pool, smerf_clusters *result, smerf_error *error) {
    const size_t most = range->most, n = from_items->n, width = from_items->width;
    search all = {.most_k = most};
    smerf_status status = sm_means_start(&all.means, from_items->points, n, width, most, error);
    if (status != SMERF_OK) return status;
    all.starts = sm_array(sm_size(N_STARTS, most, 0), sizeof *all.starts);
    all.cluster = sm_array(n, sizeof *all.cluster);
    all.centre = sm_array(sm_size(most, width, 0), sizeof *all.centre);
    all.own = sm_array(n, sizeof *all.own);
    all.other = sm_array(n, sizeof *all.other);
    if (all.starts == NULL || all.cluster == NULL || all.centre == NULL || all.own == NULL || all.other == NULL)
        status = sm_no_memory(error, "finding clusters");
    const double from = pool->fraction_from, to = pool->fraction_to, step = 0.3 * (to - from) / N_STARTS;
    for (uint32_t start = 0; start < N_STARTS && status == SMERF_OK; start++) {
        pool->fraction_from = from + step * start;
        pool->fraction_to = from + step * (start + 1);
        status = sm_means_draw(&all.means, seed, start, most, all.starts + start * most, pool, error);
    }
    pool->fraction_from = pool->fraction_to;
    pool->fraction_to = to;
    if (status == SMERF_OK) status = sm_clusters_choose(n, range, group_by_means, &all, pool, result, error);
    sm_free(all.starts);
    sm_free(all.cluster);
    sm_free(all.centre);
    sm_free(all.own);
    sm_free(all.other);
    sm_means_free(&all.means);
    return status;
}

/* Queries have nothing in the last coordinate. */
static int take_vector(void *context, size_t item, const float *vector, size_t size) {
    const gathering *to = context;
    memcpy(to->points + item * to->width, vector, (size - 1) * sizeof *vector);
    return 0;
}

/* A model without vectors says why. */
static smerf_status gather(const smerf_model *model, const smerf_items *items, const smerf_run *run, gathering *to,
                           smerf_error *error) {
    smerf_error why = {0};
    const smerf_vector_result result = SMERF_INIT(smerf_vector_result, .sink = take_vector, .context = to);
    smerf_status status = smerf_vectors(model, items, true, run, &result, &why);
    if (status == SMERF_BAD_INPUT && to->width == 0) return sm_fail_within(error, &why, 0, "clusters by means: ");
    if (status != SMERF_OK && error != NULL) *error = why;
    return status;
}

static smerf_status check_vectors_memory(size_t n, size_t width, size_t most_k, smerf_error *error) {
    char what[80];
    double n_centres = 3 * (double)most_k, bytes = (double)n * sizeof(float) + n_centres * sizeof(double);
    snprintf(what, sizeof what, "%zu items as vectors of %zu numbers", n, width);
    return sm_check_memory(bytes * (double)width, what, error);
}

smerf_status sm_cluster_by_means(const smerf_model *model, const smerf_items *items, const smerf_clustering *clustering,
                                 const smerf_run *run, smerf_clusters *result, smerf_error *error) {
    const double fraction = 0.3; /* of the work that is making vectors */
    size_t n = smerf_items_count(items), size = smerf_vectors_size(model);
    size_t width = size == 0 ? 0 : (size - 1 + SM_MEANS_LANES - 1) / SM_MEANS_LANES * SM_MEANS_LANES;
    sm_cluster_range range;
    if (clustering->out_of_bag)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "out of bag: items are clustered by medoids only, as vectors know all trees");
    smerf_status status = sm_clusters_check(clustering, n, &range, error);
    if (status == SMERF_OK) status = check_vectors_memory(n, width, range.most, error);
    if (status != SMERF_OK) return status;
    gathering to = {.points = sm_zeros(sm_size(n, width, 0), sizeof *to.points), .n = n, .width = width};
    if (to.points == NULL) return sm_no_memory(error, "finding clusters");
    sm_progress_part part = {.run = run, .from = 0, .to = fraction};
    smerf_run own = sm_progress_part_run(&part);
    sm_pool pool;
    status = gather(model, items, &own, &to, error);
    part = (sm_progress_part){.run = run, .from = fraction, .to = 1};
    sm_pool_start(&pool, &own);
    if (status == SMERF_OK) status = cluster_points(&to, &range, clustering->seed, &pool, result, error);
    sm_free(to.points);
    return status;
}
