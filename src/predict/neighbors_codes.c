/* neighbors_codes.c - neighbours in a forest of pure leaves, where items that have different codes in a tree are 1 apart,
 * and others 0: the sum over the trees is a count, as exact as the sum.
 *
 * A block of the catalogue is kept in tiles; threads take some queries each, and compare them with a stretch of it while that
 * is in the cache. */
#include <stdatomic.h>

#include "base/memory.h"
#include "kernels/kernels.h"
#include "predict/neighbors.h"
#include "predict/send.h"

/* ---- codes of leaves ---- */

typedef struct codes_search {
    const smerf_model *model;
    const sm_leaf_codes *codes;
    atomic_bool is_mixed;
} codes_search;

static smerf_status find_tree_codes(void *argument, size_t b, size_t thread, smerf_error *error) {
    codes_search *search = argument;
    const sm_tree *tree = &search->model->trees[b];
    const smerf_target *target = search->model->target;
    const sm_leaves leaves = {.n = tree->n_leaves, .first = tree->first_member, .item = tree->member_item};
    (void)thread;
    (void)error;
    if (atomic_load(&search->is_mixed)) return SMERF_OK;
    if (!target->kind->predicting.leaf_codes(target, &leaves, search->codes->of[b]))
        atomic_store(&search->is_mixed, true);
    return SMERF_OK;
}

static bool reserve_codes(const smerf_model *model, sm_leaf_codes *codes) {
    size_t n_trees = model->options.n_trees;
    codes->of = sm_arena_take(&codes->arena, n_trees, sizeof *codes->of);
    for (size_t b = 0; b < n_trees && !codes->arena.has_failed; b++)
        codes->of[b] = sm_arena_take(&codes->arena, model->trees[b].n_leaves, sizeof *codes->of[b]);
    return !codes->arena.has_failed;
}

smerf_status sm_leaf_codes_find(const smerf_model *model, sm_pool *pool, sm_leaf_codes *codes, smerf_error *error) {
    codes_search search = {.model = model, .codes = codes};
    *codes = (sm_leaf_codes){0};
    if (model->method != NULL || model->target->kind->predicting.leaf_codes == NULL ||
        model->options.self_distance == SMERF_SELF_EXCLUDE || model->options.n_trees >= SM_MOST_CODES)
        return SMERF_OK;
    atomic_init(&search.is_mixed, false);
    smerf_status status = reserve_codes(model, codes) ? SMERF_OK : sm_no_memory(error, "looking for neighbours");
    if (status == SMERF_OK) status = sm_pool_run(pool, model->options.n_trees, find_tree_codes, &search, error);
    if (status != SMERF_OK || atomic_load(&search.is_mixed)) sm_leaf_codes_free(codes);
    return status;
}

void sm_leaf_codes_free(sm_leaf_codes *codes) {
    sm_arena_free(&codes->arena);
    *codes = (sm_leaf_codes){0};
}

/* ---- a search ---- */

/* A stretch of tiles stays in the cache while the queries of a task are compared with it. */
enum { QUERIES_A_TASK = 32, RANGE_TILES = 16 };

/* Some of the items of a side, in tiles. */
typedef struct coded {
    const sm_side *side;
    size_t first, end;
    uint8_t *codes; /* [tiles][trees][SM_CODE_TILE] */
} coded;

/* A thread's room. */
typedef struct count_scratch {
    uint8_t *wanted; /* [QUERIES_A_TASK][trees] */
    uint16_t same[RANGE_TILES * SM_CODE_TILE], most[RANGE_TILES];
} count_scratch;

typedef struct codes_job {
    sm_neighbor_search *search;
    const smerf_model *model;
    const sm_code_kernels *kernels;
    coded queries, catalogue;
    coded *sent;              /* the one of the two that is sent down the trees */
    count_scratch *scratches; /* [n_threads] */
    uint8_t *wanted;          /* theirs */
    double *distance;         /* see sm_code_distances */
} codes_job;

/* ---- items become codes ---- */

static smerf_status coded_start(coded *items, const sm_side *side, size_t most, size_t n_trees, smerf_error *error) {
    size_t n_bytes = sm_code_bytes(most, n_trees);
    *items = (coded){.side = side};
    smerf_status status = sm_check_memory((double)n_bytes, "looking for neighbours", error);
    if (status != SMERF_OK) return status;
    items->codes = sm_zeros(n_bytes, 1);
    return items->codes != NULL ? SMERF_OK : sm_no_memory(error, "looking for neighbours");
}

/* The code of an item in a tree. */
static uint8_t *code_of(const coded *items, size_t item, size_t b, size_t n_trees) {
    return items->codes + sm_code_index(item - items->first, b, n_trees);
}

/* A pack is a number of whole tiles. */
static void put_codes(void *to, size_t b, size_t first, size_t end, const uint32_t *leaf) {
    const codes_job *job = to;
    const uint8_t *code = job->search->codes.of[b];
    for (size_t from = first; from < end; from += SM_CODE_TILE) {
        uint8_t *out = code_of(job->sent, from, b, job->model->options.n_trees);
        size_t n = end - from < SM_CODE_TILE ? end - from : SM_CODE_TILE;
        for (size_t i = 0; i < n; i++) out[i] = code[leaf[from - first + i]];
    }
}

/* Nothing happens if these items were sent last. */
static smerf_status send(codes_job *job, coded *items, size_t first, size_t end, smerf_error *error) {
    if (items->first == first && items->end == end) return SMERF_OK;
    items->first = first;
    items->end = end;
    job->sent = items;
    const sm_sending sending = {.model = job->model,
                                .view = &items->side->view,
                                .first = first,
                                .end = end,
                                .put = put_codes,
                                .to = job,
                                .what = "looking for neighbours"};
    return sm_send_down(&sending, job->search->pool, error);
}

/* ---- counting ---- */

double *sm_code_distances(const smerf_model *model) {
    size_t n_trees = model->options.n_trees;
    double *distance = sm_array(n_trees + 1, sizeof *distance);
    for (size_t n_same = 0; n_same <= n_trees && distance != NULL; n_same++)
        distance[n_same] = sm_shrunk(&model->shrinkage, (double)(n_trees - n_same) / (double)n_trees);
    return distance;
}

/* Puts the codes of a query next to each other. */
static void take_codes(const codes_job *job, size_t query, uint8_t *wanted) {
    size_t n_trees = job->model->options.n_trees;
    for (size_t b = 0; b < n_trees; b++) wanted[b] = *code_of(&job->queries, query, b, n_trees);
}

/* Offers items first .. end-1, a stretch, to a query, but for tiles in which nobody is near enough. False: no memory. */
static bool offer_range(const codes_job *job, size_t query, size_t first, size_t end, const count_scratch *scratch) {
    const sm_nearest *nearest = &job->search->nearest[query - job->search->first];
    for (size_t from = first, to; from < end; from = to) {
        to = end - from < SM_CODE_TILE ? end : from + SM_CODE_TILE;
        if (!sm_nearest_wants(nearest, job->distance[scratch->most[(from - first) / SM_CODE_TILE]])) continue;
        for (size_t i = from; i < to; i++)
            if (!sm_search_offer(job->search, query, i, job->distance[scratch->same[i - first]])) return false;
    }
    return true;
}

static smerf_status count_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    const codes_job *job = argument;
    const coded *catalogue = &job->catalogue;
    count_scratch *scratch = &job->scratches[thread];
    size_t n_trees = job->model->options.n_trees, first = job->search->first + task * QUERIES_A_TASK;
    size_t end = job->search->end - first < QUERIES_A_TASK ? job->search->end : first + QUERIES_A_TASK, to;
    for (size_t q = first; q < end; q++) take_codes(job, q, scratch->wanted + (q - first) * n_trees);
    for (size_t from = catalogue->first; from < catalogue->end; from = to) {
        to = catalogue->end - from < RANGE_TILES * SM_CODE_TILE ? catalogue->end : from + RANGE_TILES * SM_CODE_TILE;
        for (size_t q = first; q < end; q++) {
            if (!sm_nearest_wants(&job->search->nearest[q - job->search->first], 0))
                continue; /* nobody can be nearer */
            job->kernels->count_same(code_of(catalogue, from, 0, n_trees), sm_code_tiles(to - from),
                                     scratch->wanted + (q - first) * n_trees, n_trees, scratch->same, scratch->most);
            if (!offer_range(job, q, from, to, scratch)) return sm_no_memory(error, "looking for neighbours");
        }
    }
    return SMERF_OK;
}

static smerf_status search_panel(codes_job *job, size_t most_items, smerf_error *error) {
    sm_neighbor_search *search = job->search;
    size_t n_items = sm_query_columns(search->query)->n;
    smerf_status status = SMERF_OK;
    sm_search_fraction(search, 0, 0);
    status = send(job, &job->queries, search->first, search->end, error);
    for (size_t first = 0; first < n_items && status == SMERF_OK; first += most_items) {
        size_t end = n_items - first < most_items ? n_items : first + most_items;
        double from = (double)first / (double)n_items, to = (double)end / (double)n_items;
        sm_search_fraction(search, from, (from + to) / 2);
        status = send(job, &job->catalogue, first, end, error);
        sm_search_fraction(search, (from + to) / 2, to);
        size_t n_tasks = (search->end - search->first + QUERIES_A_TASK - 1) / QUERIES_A_TASK;
        if (status == SMERF_OK) status = sm_pool_run(search->pool, n_tasks, count_some, job, error);
    }
    return status;
}

/* ---- all together ---- */

/* As many items as fit into so many bytes, in whole tiles. */
static size_t items_that_fit(const sm_side *side, double bytes, size_t n_trees) {
    double tiles = bytes / ((double)n_trees * SM_CODE_TILE);
    size_t most = sm_code_tiles(side->n);
    return (tiles < 1 ? 1 : tiles < (double)most ? (size_t)tiles : most) * SM_CODE_TILE;
}

static smerf_status reserve_scratches(codes_job *job, smerf_error *error) {
    size_t n_threads = job->search->pool->n_threads, n_codes = sm_size(QUERIES_A_TASK, job->model->options.n_trees, 0);
    job->scratches = sm_zeros(n_threads, sizeof *job->scratches);
    job->wanted = sm_array(sm_size(n_threads, n_codes, 0), sizeof *job->wanted);
    job->distance = sm_code_distances(job->model);
    if (job->scratches == NULL || job->wanted == NULL || job->distance == NULL)
        return sm_no_memory(error, "looking for neighbours");
    for (size_t t = 0; t < n_threads; t++) job->scratches[t].wanted = job->wanted + t * n_codes;
    return SMERF_OK;
}

smerf_status sm_search_by_codes(sm_neighbor_search *search, smerf_error *error) {
    const sm_query *query = search->query;
    const sm_side *columns = sm_query_columns(query);
    size_t n_trees = query->n_trees, most_items = items_that_fit(columns, query->limits->leaves_bytes, n_trees);
    codes_job job = {.search = search, .model = query->model, .kernels = sm_kernels_select(SMERF_KERNELS_AUTO)->codes};
    smerf_status status =
        sm_search_start(search, items_that_fit(&query->rows, query->limits->panel_bytes, n_trees), error);
    if (status == SMERF_OK) status = coded_start(&job.queries, &query->rows, search->most_queries, n_trees, error);
    if (status == SMERF_OK) status = coded_start(&job.catalogue, columns, most_items, n_trees, error);
    if (status == SMERF_OK) status = reserve_scratches(&job, error);
    for (size_t first = 0; first < query->rows.n && status == SMERF_OK; first = search->end) {
        sm_search_turn(search, first);
        status = search_panel(&job, most_items, error);
        if (status == SMERF_OK) status = sm_search_hand_over(search, error);
    }
    sm_free(job.queries.codes);
    sm_free(job.catalogue.codes);
    sm_free(job.scratches);
    sm_free(job.wanted);
    sm_free(job.distance);
    return status;
}
