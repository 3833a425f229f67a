/* index_codes.c - an index of codes is searched: the nearest are those with the same code in the most trees: see index.h.
 *
 * A query first visits the tiles that may be nearest, so that its list is soon full of near ones. Of the other tiles, those that
 * can have nothing nearer are passed over, and in the rest the count is broken off where the trees that are left cannot make up
 * for the difference. Queries are dealt with some at a time, tile by tile, while a tile is in the cache. */
#include <string.h>

#include "kernels/kernels.h"
#include "predict/index.h"
#include "predict/send.h"

enum { QUERIES_A_TASK = 32, FIRST_TILES = 8, FEWEST_TREES = 16 };

/* A tile that a query has been to; bounds are smaller. */
#define VISITED UINT16_MAX

typedef struct index_codes_job {
    const sm_index_search *of;
    const sm_code_kernels *kernels;
    size_t n_trees, n_tiles, n_groups; /* tiles of a part; groups of queries */
    double *distance;                  /* see sm_code_distances */
    uint8_t *wanted;                   /* [queries of the panel][trees] */
    uint16_t *bounds; /* [threads][QUERIES_A_TASK][n_tiles] in how many trees a tile may agree with a query; VISITED */
} index_codes_job;

/* ---- codes of the queries ---- */

typedef struct query_codes {
    const smerf_index *index;
    uint8_t *wanted;
    size_t first, n_trees;
} query_codes;

static void put_query_codes(void *to, size_t b, size_t first, size_t end, const uint32_t *leaf) {
    const query_codes *codes = to;
    for (size_t q = first; q < end; q++)
        codes->wanted[(q - codes->first) * codes->n_trees + b] = codes->index->codes.of[b][leaf[q - first]];
}

static smerf_status find_query_codes(const index_codes_job *job, smerf_error *error) {
    const sm_neighbor_search *search = &job->of->search;
    query_codes codes = {
        .index = job->of->index, .wanted = job->wanted, .first = search->first, .n_trees = job->n_trees};
    const sm_sending sending = {.model = job->of->index->model,
                                .view = &search->query->rows.view,
                                .first = search->first,
                                .end = search->end,
                                .put = put_query_codes,
                                .to = &codes,
                                .what = "looking for neighbours"};
    return sm_send_down(&sending, search->pool, error);
}

/* ---- one tile ---- */

/* In how many trees any item of a tile can have the codes of a query.   counts  [SM_CODE_GROUPS] the query's */
static uint16_t bound_of(const uint16_t *most, const uint16_t *counts) {
    uint16_t bound = 0;
    for (size_t g = 0; g < SM_CODE_GROUPS; g++) bound = (uint16_t)(bound + (most[g] < counts[g] ? most[g] : counts[g]));
    return bound;
}

/* Whether a tile may have an item for a list, if its items have the same code in so many trees at most. */
static bool wants_tile(const index_codes_job *job, const sm_nearest *list, size_t tile, size_t n_same) {
    return sm_nearest_wants_item(list, job->of->index->tiles.least[tile], job->distance[n_same]);
}

/* In the first trees, and if they do not rule the tile out, in the others. False: it is ruled out. */
static bool count_tile(const index_codes_job *job, const uint8_t *wanted, size_t tile, const sm_nearest *list,
                       uint16_t *same, uint16_t *rest) {
    const uint8_t *codes = job->of->index->tiles.codes + sm_code_index(tile * SM_CODE_TILE, 0, job->n_trees);
    size_t n_done = 0, n = job->n_trees / 4 < FEWEST_TREES ? job->n_trees : job->n_trees / 4;
    for (; n_done < job->n_trees; n_done += n) {
        uint16_t most = 0;
        if (n > job->n_trees - n_done) n = job->n_trees - n_done;
        job->kernels->count_same(codes + n_done * SM_CODE_TILE, 1, wanted + n_done, n, n_done == 0 ? same : rest,
                                 &most);
        for (size_t i = 0; i < SM_CODE_TILE && n_done > 0; i++) {
            same[i] = (uint16_t)(same[i] + rest[i]);
            most = same[i] > most ? same[i] : most;
        }
        if (!wants_tile(job, list, tile, most + (job->n_trees - n_done - n))) return false;
    }
    return true;
}

/* False: no memory. */
static bool visit_tile(const index_codes_job *job, const uint8_t *wanted, size_t tile, sm_nearest *list) {
    const smerf_index *index = job->of->index;
    uint16_t same[SM_CODE_TILE], rest[SM_CODE_TILE];
    size_t first = tile * SM_CODE_TILE, n = index->n_items - first;
    if (!count_tile(job, wanted, tile, list, same, rest)) return true;
    for (size_t i = 0; i < SM_CODE_TILE && i < n; i++)
        if (!sm_index_offer(list, index->tiles.item_at[first + i], job->distance[same[i]])) return false;
    return true;
}

/* ---- one query ---- */

static void find_bounds(const index_codes_job *job, const uint8_t *wanted, sm_span tiles, uint16_t *bounds) {
    uint16_t counts[SM_CODE_GROUPS] = {0};
    for (size_t b = 0; b < job->n_trees; b++) counts[wanted[b] % SM_CODE_GROUPS]++;
    const uint16_t *most = job->of->index->tiles.most;
    for (size_t t = tiles.first; t < tiles.end; t++)
        bounds[t - tiles.first] = bound_of(most + t * SM_CODE_GROUPS, counts);
}

/* The tiles that may have the nearest items: of several the first.   best  [FIRST_TILES] out; returns how many there are */
static size_t find_first_tiles(const uint16_t *bounds, size_t n, size_t *best) {
    size_t n_best = 0;
    for (size_t t = 0; t < n; t++) {
        if (n_best == FIRST_TILES && bounds[t] <= bounds[best[n_best - 1]]) continue;
        size_t at = n_best < FIRST_TILES ? n_best++ : n_best - 1;
        for (; at > 0 && bounds[best[at - 1]] < bounds[t]; at--) best[at] = best[at - 1];
        best[at] = t;
    }
    return n_best;
}

static bool start_query(const index_codes_job *job, const uint8_t *wanted, sm_span tiles, uint16_t *bounds,
                        sm_nearest *list) {
    size_t best[FIRST_TILES] = {0};
    find_bounds(job, wanted, tiles, bounds);
    size_t n_best = find_first_tiles(bounds, tiles.end - tiles.first, best);
    for (size_t k = 0; k < n_best; k++) {
        if (!visit_tile(job, wanted, tiles.first + best[k], list)) return false;
        bounds[best[k]] = VISITED;
    }
    return true;
}

static smerf_status count_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    const index_codes_job *job = argument;
    const sm_neighbor_search *search = &job->of->search;
    size_t part = task / job->n_groups, first = search->first + task % job->n_groups * QUERIES_A_TASK;
    size_t end = search->end - first < QUERIES_A_TASK ? search->end : first + QUERIES_A_TASK;
    sm_span items = sm_index_part(job->of, part);
    sm_span tiles = {items.first / SM_CODE_TILE, sm_code_tiles(items.end)};
    uint16_t *bounds = job->bounds + thread * QUERIES_A_TASK * job->n_tiles;
    if (items.first == items.end) return SMERF_OK;
    for (size_t q = first; q < end; q++)
        if (!start_query(job, job->wanted + (q - search->first) * job->n_trees, tiles,
                         bounds + (q - first) * job->n_tiles, sm_index_list(job->of, part, q)))
            return sm_no_memory(error, "looking for neighbours");
    for (size_t t = tiles.first; t < tiles.end; t++)
        for (size_t q = first; q < end; q++) {
            size_t bound = bounds[(q - first) * job->n_tiles + t - tiles.first];
            sm_nearest *list = sm_index_list(job->of, part, q);
            if (bound == VISITED || !wants_tile(job, list, t, bound)) continue;
            if (!visit_tile(job, job->wanted + (q - search->first) * job->n_trees, t, list))
                return sm_no_memory(error, "looking for neighbours");
        }
    return SMERF_OK;
}

smerf_status sm_index_count_codes(sm_index_search *of, smerf_error *error) {
    const sm_neighbor_search *search = &of->search;
    size_t n_queries = search->end - search->first, n_threads = search->pool->n_threads;
    index_codes_job job = {.of = of,
                           .kernels = sm_kernels_select(SMERF_KERNELS_AUTO)->codes,
                           .n_trees = of->index->model->options.n_trees,
                           .n_groups = (n_queries + QUERIES_A_TASK - 1) / QUERIES_A_TASK};
    sm_span items = sm_index_part(of, 0);
    job.n_tiles = sm_code_tiles(items.end - items.first);
    sm_arena arena = {0};
    job.wanted = sm_arena_take(&arena, sm_size(n_queries, job.n_trees, 0), sizeof *job.wanted);
    job.bounds = sm_arena_take(&arena, sm_size(job.n_tiles, n_threads * QUERIES_A_TASK, 0), sizeof *job.bounds);
    job.distance = sm_code_distances(of->index->model);
    bool has_memory = !arena.has_failed && job.distance != NULL;
    smerf_status status = has_memory ? SMERF_OK : sm_no_memory(error, "looking for neighbours");
    double from = search->pool->fraction_from;
    sm_search_fraction(search, 0, 0);
    if (status == SMERF_OK) status = find_query_codes(&job, error);
    search->pool->fraction_from = from;
    sm_search_fraction(search, 0, 1);
    if (status == SMERF_OK) status = sm_pool_run(search->pool, job.n_groups * of->n_parts, count_some, &job, error);
    sm_arena_free(&arena);
    sm_free(job.distance);
    return status;
}
