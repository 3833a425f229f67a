/* neighbors_codes.c - neighbours in a forest of pure leaves, where items that have different codes in a tree are 1 apart,
 * and others 0: the sum over the trees is a count, as exact as the sum.
 *
 * Trees are made ready one by one, and what remains of an item is a byte for each. A block of the catalogue is kept in
 * tiles; threads take some queries each, and compare them with a stretch of it while that is in the cache. */
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/kernels.h"
#include "predict/neighbors.h"

/* A stretch of tiles stays in the cache while the queries of a task are compared with it. */
enum { QUERIES_A_TASK = 32, RANGE_TILES = 16 };

/* Some of the items of a side, in tiles. */
typedef struct coded {
    const sm_side *side;
    size_t first, end;
    uint8_t *codes; /* [tiles][trees][SM_CODE_TILE] */
} coded;

/* A tree that items are sent down. */
typedef struct code_tree {
    sm_arena arena; /* holds what is below */
    sm_descent descent;
    uint8_t *code; /* [leaves] */
} code_tree;

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
    coded *sent;       /* one of the two, */
    size_t first_tree; /* and the trees that it is sent down */
    size_t n_trees;
    code_tree *trees;         /* [n_trees] */
    count_scratch *scratches; /* [n_threads] */
    uint8_t *wanted;          /* theirs */
    atomic_bool is_mixed;
} codes_job;

/* ---- who has codes ---- */

static bool find_codes(const smerf_model *model, size_t b, uint8_t *code) {
    const sm_tree *tree = &model->trees[b];
    const sm_leaves leaves = {.n = tree->n_leaves, .first = tree->first_member, .item = tree->member_item};
    return model->target->kind->predicting.leaf_codes(model->target, &leaves, code);
}

static smerf_status look_at_tree(void *argument, size_t b, size_t thread, smerf_error *error) {
    codes_job *job = argument;
    (void)thread;
    if (atomic_load(&job->is_mixed)) return SMERF_OK;
    uint8_t *code = sm_array(job->model->trees[b].n_leaves, sizeof *code);
    if (code == NULL) return sm_no_memory(error, "looking for neighbours");
    if (!find_codes(job->model, b, code)) atomic_store(&job->is_mixed, true);
    sm_free(code);
    return SMERF_OK;
}

smerf_status sm_search_look_for_codes(const sm_neighbor_search *search, bool *has_codes, smerf_error *error) {
    const smerf_model *model = search->query->model;
    codes_job job = {.model = model};
    *has_codes = false;
    if (model->method != NULL || model->target->kind->predicting.leaf_codes == NULL || search->query->is_out_of_bag ||
        model->options.self_distance == SMERF_SELF_EXCLUDE || model->options.n_trees > SM_MOST_CODES)
        return SMERF_OK;
    atomic_init(&job.is_mixed, false);
    search->pool->fraction_to = search->pool->fraction_from = 0;
    smerf_status status = sm_pool_run(search->pool, model->options.n_trees, look_at_tree, &job, error);
    *has_codes = status == SMERF_OK && !atomic_load(&job.is_mixed);
    return status;
}

/* ---- items become codes ---- */

static size_t n_tiles(size_t n_items) { return (n_items + SM_CODE_TILE - 1) / SM_CODE_TILE; }

static smerf_status coded_start(coded *items, const sm_side *side, size_t most, size_t n_trees, smerf_error *error) {
    size_t n_bytes = sm_size(n_tiles(most), sm_size(n_trees, SM_CODE_TILE, 0), 0);
    *items = (coded){.side = side};
    smerf_status status = sm_check_memory((double)n_bytes, "looking for neighbours", error);
    if (status != SMERF_OK) return status;
    items->codes = sm_zeros(n_bytes, 1);
    return items->codes != NULL ? SMERF_OK : sm_no_memory(error, "looking for neighbours");
}

/* The code of an item in a tree. */
static uint8_t *code_of(const coded *items, size_t item, size_t b, size_t n_trees) {
    size_t at = item - items->first;
    return items->codes + (at / SM_CODE_TILE * n_trees + b) * SM_CODE_TILE + at % SM_CODE_TILE;
}

static smerf_status ready_tree(void *argument, size_t task, size_t thread, smerf_error *error) {
    codes_job *job = argument;
    size_t b = job->first_tree + task;
    const sm_tree *tree = &job->model->trees[b];
    code_tree *ready = &job->trees[task];
    (void)thread;
    *ready = (code_tree){0};
    ready->code = sm_arena_take(&ready->arena, tree->n_leaves, sizeof *ready->code);
    sm_descent_start(&ready->descent, tree, job->sent->end - job->sent->first, &ready->arena);
    if (ready->arena.has_failed) return sm_no_memory(error, "looking for neighbours");
    find_codes(job->model, b, ready->code);
    return SMERF_OK;
}

static smerf_status send_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    const codes_job *job = argument;
    const coded *items = job->sent;
    size_t first = items->first + task * SM_PACK_ITEMS;
    size_t end = items->end - first < SM_PACK_ITEMS ? items->end : first + SM_PACK_ITEMS;
    uint32_t leaf[SM_PACK_ITEMS];
    sm_pack pack;
    (void)thread;
    if (!sm_pack_start(&pack, &items->side->view, NULL, first, end))
        return sm_no_memory(error, "looking for neighbours");
    for (size_t t = 0; t < job->n_trees; t++) {
        const uint8_t *code = job->trees[t].code;
        sm_descend_packed(&job->trees[t].descent, &pack, leaf);
        for (size_t from = first; from < end; from += SM_CODE_TILE) { /* a pack is a number of whole tiles */
            uint8_t *out = code_of(items, from, job->first_tree + t, job->model->options.n_trees);
            size_t n = end - from < SM_CODE_TILE ? end - from : SM_CODE_TILE;
            for (size_t i = 0; i < n; i++) out[i] = code[leaf[from - first + i]];
        }
    }
    sm_pack_free(&pack);
    return SMERF_OK;
}

static smerf_status send_down_trees(codes_job *job, smerf_error *error) {
    sm_pool *pool = job->search->pool;
    size_t n_items = job->sent->end - job->sent->first;
    double fraction_to = pool->fraction_to; /* making ready is quick */
    job->trees = sm_zeros(job->n_trees, sizeof *job->trees);
    if (job->trees == NULL) return sm_no_memory(error, "looking for neighbours");
    pool->fraction_to = pool->fraction_from;
    smerf_status status = sm_pool_run(pool, job->n_trees, ready_tree, job, error);
    pool->fraction_to = fraction_to;
    if (status == SMERF_OK)
        status = sm_pool_run(pool, (n_items + SM_PACK_ITEMS - 1) / SM_PACK_ITEMS, send_some, job, error);
    for (size_t t = 0; t < job->n_trees; t++) sm_arena_free(&job->trees[t].arena);
    sm_free(job->trees);
    return status;
}

/* Nothing happens if these items were sent last. */
static smerf_status send(codes_job *job, coded *items, size_t first, size_t end, smerf_error *error) {
    sm_pool *pool = job->search->pool;
    size_t n_trees = job->model->options.n_trees;
    double from = pool->fraction_from, whole = pool->fraction_to - from;
    smerf_status status = SMERF_OK;
    if (items->first == first && items->end == end) return SMERF_OK;
    items->first = first;
    items->end = end;
    job->sent = items;
    for (size_t b = 0; b < n_trees && status == SMERF_OK; b += job->n_trees) {
        job->first_tree = b;
        job->n_trees = sm_descent_batch_end(job->model->trees, b, n_trees) - b;
        pool->fraction_from = from + whole * ((double)b / (double)n_trees);
        pool->fraction_to = from + whole * ((double)(b + job->n_trees) / (double)n_trees);
        status = send_down_trees(job, error);
    }
    return status;
}

/* ---- counting ---- */

/* Puts the codes of a query next to each other. */
static void take_codes(const codes_job *job, size_t query, uint8_t *wanted) {
    size_t n_trees = job->model->options.n_trees;
    for (size_t b = 0; b < n_trees; b++) wanted[b] = *code_of(&job->queries, query, b, n_trees);
}

/* The distance of items that differ in so many trees: to the last bit what the sum over the trees gives. */
static double distance_of(const codes_job *job, size_t n_same) {
    size_t n_trees = job->model->options.n_trees;
    return sm_shrunk(&job->model->shrinkage, (double)(n_trees - n_same) / (double)n_trees);
}

/* Offers items first .. end-1, a stretch, to a query, but for tiles in which nobody is near enough. False: no memory. */
static bool offer_range(const codes_job *job, size_t query, size_t first, size_t end, const count_scratch *scratch) {
    const sm_nearest *nearest = &job->search->nearest[query - job->search->first];
    for (size_t from = first, to; from < end; from = to) {
        to = end - from < SM_CODE_TILE ? end : from + SM_CODE_TILE;
        if (!sm_nearest_wants(nearest, distance_of(job, scratch->most[(from - first) / SM_CODE_TILE]))) continue;
        for (size_t i = from; i < to; i++)
            if (!sm_search_offer(job->search, query, i, distance_of(job, scratch->same[i - first]))) return false;
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
            job->kernels->count_same(code_of(catalogue, from, 0, n_trees), n_tiles(to - from),
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
    size_t most = n_tiles(side->n);
    return (tiles < 1 ? 1 : tiles < (double)most ? (size_t)tiles : most) * SM_CODE_TILE;
}

static smerf_status reserve_scratches(codes_job *job, smerf_error *error) {
    size_t n_threads = job->search->pool->n_threads, n_codes = sm_size(QUERIES_A_TASK, job->model->options.n_trees, 0);
    job->scratches = sm_zeros(n_threads, sizeof *job->scratches);
    job->wanted = sm_array(sm_size(n_threads, n_codes, 0), sizeof *job->wanted);
    if (job->scratches == NULL || job->wanted == NULL) return sm_no_memory(error, "looking for neighbours");
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
    return status;
}
