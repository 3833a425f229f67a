/* neighbors_codes.c - neighbours in a forest of pure leaves, where items that have different codes in a tree are 1 apart,
 * and others 0: the sum over the trees is a count, as exact as the sum.
 *
 * Trees are made ready one by one, and what remains of an item is a byte for each. A block of the catalogue is kept in
 * tiles; threads take some queries each, and compare them with a tile while it is in the cache. */
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/codes.h"
#include "query/neighbors.h"

enum { QUERIES_A_TASK = 32, ITEMS_AT_A_TIME = 1024, RUNS = SM_CODE_TILE / SM_CODE_RUN };

/* Some of the items of a side, in tiles. */
typedef struct coded {
    const sm_side *side;
    size_t first, end;
    uint8_t *codes; /* [tiles][trees][SM_CODE_TILE] */
} coded;

/* A thread's room. */
typedef struct count_room {
    uint8_t *wanted; /* [QUERIES_A_TASK][trees] */
    uint16_t same[SM_CODE_TILE], most[RUNS];
} count_room;

typedef struct codes_job {
    sm_hunt *hunt;
    const smerf_model *model;
    const sm_code_kernels *kernels;
    coded queries, catalogue;
    coded *sent;       /* one of the two */
    count_room *rooms; /* [n_threads] */
    uint8_t *wanted;   /* theirs */
    atomic_bool is_mixed;
} codes_job;

/* ---- who has codes ---- */

static bool find_codes(const smerf_model *model, size_t b, uint8_t *code) {
    const sm_tree *tree = &model->trees[b];
    const sm_leaves leaves = {.n = tree->n_leaves, .first = tree->first_member, .item = tree->member_item};
    return model->target->kind->leaf_codes(model->target, &leaves, code);
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

smerf_status sm_hunt_look_for_codes(const sm_hunt *hunt, bool *has_codes, smerf_error *error) {
    const smerf_model *model = hunt->asked->model;
    codes_job job = {.model = model};
    *has_codes = false;
    if (model->method != NULL || model->target->kind->leaf_codes == NULL ||
        model->options.self_distance == SMERF_SELF_EXCLUDE || model->options.n_trees > SM_MOST_CODES)
        return SMERF_OK;
    atomic_init(&job.is_mixed, false);
    hunt->crew->share_to = hunt->crew->share_from = 0;
    smerf_status status = sm_crew_do(hunt->crew, model->options.n_trees, look_at_tree, &job, error);
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

static uint8_t *codes_of(const coded *items, size_t tile, size_t b, size_t n_trees) {
    return items->codes + (tile * n_trees + b) * SM_CODE_TILE;
}

static smerf_status send_down_tree(void *argument, size_t b, size_t thread, smerf_error *error) {
    codes_job *job = argument;
    const coded *items = job->sent;
    const sm_tree *tree = &job->model->trees[b];
    sm_arena arena = {0};
    sm_descent descent;
    (void)thread;
    uint8_t *code = sm_arena_take(&arena, tree->n_leaves, sizeof *code);
    sm_descent_start(&descent, tree, items->end - items->first, &arena);
    if (arena.has_failed) {
        sm_arena_free(&arena);
        return sm_no_memory(error, "looking for neighbours");
    }
    find_codes(job->model, b, code);
    for (size_t from = items->first; from < items->end; from += ITEMS_AT_A_TIME) {
        uint32_t leaf[ITEMS_AT_A_TIME];
        size_t to = items->end - from < ITEMS_AT_A_TIME ? items->end : from + ITEMS_AT_A_TIME, at = from - items->first;
        sm_descend(&descent, &items->side->view, NULL, from, to, leaf);
        uint8_t *out = codes_of(items, at / SM_CODE_TILE, b, job->model->options.n_trees) + at % SM_CODE_TILE;
        for (size_t i = 0; i < to - from; i++) out[i] = code[leaf[i]];
    }
    sm_arena_free(&arena);
    return SMERF_OK;
}

static smerf_status send(codes_job *job, coded *items, size_t first, size_t end, smerf_error *error) {
    if (items->first == first && items->end == end) return SMERF_OK;
    items->first = first;
    items->end = end;
    job->sent = items;
    return sm_crew_do(job->hunt->crew, job->model->options.n_trees, send_down_tree, job, error);
}

/* ---- counting ---- */

/* Puts the codes of a query next to each other. */
static void take_codes(const codes_job *job, size_t query, uint8_t *wanted) {
    size_t n_trees = job->model->options.n_trees, at = query - job->queries.first;
    for (size_t b = 0; b < n_trees; b++)
        wanted[b] = codes_of(&job->queries, at / SM_CODE_TILE, b, n_trees)[at % SM_CODE_TILE];
}

/* The distance of items that differ in so many trees: to the last bit what the sum over the trees gives. */
static double distance_of(const codes_job *job, size_t n_same) {
    size_t n_trees = job->model->options.n_trees;
    return (double)(n_trees - n_same) / (double)n_trees;
}

/* Offers the items of a tile to a query, but for runs in which nobody is near enough. False: no memory. */
static bool offer_tile(const codes_job *job, size_t query, size_t first, size_t n, const count_room *room) {
    const sm_nearest *nearest = &job->hunt->nearest[query - job->hunt->first];
    for (size_t run = 0; run * SM_CODE_RUN < n; run++) {
        if (!sm_nearest_wants(nearest, distance_of(job, room->most[run]))) continue;
        size_t end = n - run * SM_CODE_RUN < SM_CODE_RUN ? n : (run + 1) * SM_CODE_RUN;
        for (size_t i = run * SM_CODE_RUN; i < end; i++)
            if (!sm_hunt_offer(job->hunt, query, first + i, distance_of(job, room->same[i]))) return false;
    }
    return true;
}

static smerf_status count_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    const codes_job *job = argument;
    const coded *catalogue = &job->catalogue;
    count_room *room = &job->rooms[thread];
    size_t n_trees = job->model->options.n_trees, first = job->hunt->first + task * QUERIES_A_TASK;
    size_t end = job->hunt->end - first < QUERIES_A_TASK ? job->hunt->end : first + QUERIES_A_TASK;
    for (size_t q = first; q < end; q++) take_codes(job, q, room->wanted + (q - first) * n_trees);
    for (size_t tile = 0; tile < n_tiles(catalogue->end - catalogue->first); tile++) {
        size_t from = catalogue->first + tile * SM_CODE_TILE;
        size_t n = catalogue->end - from < SM_CODE_TILE ? catalogue->end - from : SM_CODE_TILE;
        for (size_t q = first; q < end; q++) {
            if (!sm_nearest_wants(&job->hunt->nearest[q - job->hunt->first], 0)) continue; /* nobody can be nearer */
            job->kernels->count_same(codes_of(catalogue, tile, 0, n_trees), room->wanted + (q - first) * n_trees,
                                     n_trees, room->same, room->most);
            if (!offer_tile(job, q, from, n, room)) return sm_no_memory(error, "looking for neighbours");
        }
    }
    return SMERF_OK;
}

static smerf_status search_panel(codes_job *job, size_t most_items, smerf_error *error) {
    sm_hunt *hunt = job->hunt;
    size_t n_items = sm_asked_columns(hunt->asked)->n;
    smerf_status status = SMERF_OK;
    sm_hunt_share(hunt, 0, 0);
    status = send(job, &job->queries, hunt->first, hunt->end, error);
    for (size_t first = 0; first < n_items && status == SMERF_OK; first += most_items) {
        size_t end = n_items - first < most_items ? n_items : first + most_items;
        double from = (double)first / (double)n_items, to = (double)end / (double)n_items;
        sm_hunt_share(hunt, from, (from + to) / 2);
        status = send(job, &job->catalogue, first, end, error);
        sm_hunt_share(hunt, (from + to) / 2, to);
        size_t n_tasks = (hunt->end - hunt->first + QUERIES_A_TASK - 1) / QUERIES_A_TASK;
        if (status == SMERF_OK) status = sm_crew_do(hunt->crew, n_tasks, count_some, job, error);
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

static smerf_status take_rooms(codes_job *job, smerf_error *error) {
    size_t n_threads = job->hunt->crew->n_threads, n_codes = sm_size(QUERIES_A_TASK, job->model->options.n_trees, 0);
    job->rooms = sm_zeros(n_threads, sizeof *job->rooms);
    job->wanted = sm_array(sm_size(n_threads, n_codes, 0), sizeof *job->wanted);
    if (job->rooms == NULL || job->wanted == NULL) return sm_no_memory(error, "looking for neighbours");
    for (size_t t = 0; t < n_threads; t++) job->rooms[t].wanted = job->wanted + t * n_codes;
    return SMERF_OK;
}

smerf_status sm_hunt_by_codes(sm_hunt *hunt, smerf_error *error) {
    const sm_asked *asked = hunt->asked;
    const sm_side *columns = sm_asked_columns(asked);
    size_t n_trees = asked->n_trees, most_items = items_that_fit(columns, asked->limits->leaves_bytes, n_trees);
    codes_job job = {.hunt = hunt, .model = asked->model, .kernels = sm_code_kernels_select(SMERF_KERNELS_AUTO)};
    smerf_status status = sm_hunt_start(hunt, items_that_fit(&asked->rows, asked->limits->panel_bytes, n_trees), error);
    if (status == SMERF_OK) status = coded_start(&job.queries, &asked->rows, hunt->most_queries, n_trees, error);
    if (status == SMERF_OK) status = coded_start(&job.catalogue, columns, most_items, n_trees, error);
    if (status == SMERF_OK) status = take_rooms(&job, error);
    for (size_t first = 0; first < asked->rows.n && status == SMERF_OK; first = hunt->end) {
        sm_hunt_turn(hunt, first);
        status = search_panel(&job, most_items, error);
        if (status == SMERF_OK) status = sm_hunt_tell(hunt, error);
    }
    sm_free(job.queries.codes);
    sm_free(job.catalogue.codes);
    sm_free(job.rooms);
    sm_free(job.wanted);
    return status;
}
