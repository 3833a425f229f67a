/* index_tiles.c - codes of items in tiles, arranged so that few tiles come near a query: see index.h.
 *
 * Two items have the same code in no more trees than the sum over the classes of the smaller of their two counts. A tile knows the
 * largest count that any of its items has of each group of classes, hence in how many trees a query can agree with any of them at
 * most. The bound is close where the items of a tile have about the same counts: so they are sorted by the class that most of
 * their trees vote for, by the number of these votes, then by the second class, and the third. */
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "predict/index.h"

enum { TILES_A_TASK = 64, KEY_GROUPS = 3, GROUP_BITS = 4, COUNT_BITS = 16 };

/* ---- memory ---- */

bool sm_index_widen(void **array, size_t n_before, size_t n, size_t size) {
    char *wider = sm_zeros(n, size);
    if (wider == NULL) return false;
    if (n_before > 0) memcpy(wider, *array, n_before * size);
    sm_free(*array);
    *array = wider;
    return true;
}

bool sm_tiles_reserve(sm_index_tiles *tiles, size_t capacity, size_t needed, size_t n_trees) {
    size_t n_before = sm_code_tiles(capacity), n = sm_code_tiles(needed);
    return sm_index_widen((void **)&tiles->item_at, capacity, needed, sizeof *tiles->item_at) &&
           sm_index_widen((void **)&tiles->most, n_before * SM_CODE_GROUPS, n * SM_CODE_GROUPS, sizeof *tiles->most) &&
           sm_index_widen((void **)&tiles->least, n_before, n, sizeof *tiles->least) &&
           sm_index_widen((void **)&tiles->codes, sm_code_bytes(capacity, n_trees), sm_code_bytes(needed, n_trees), 1);
}

void sm_tiles_free(sm_index_tiles *tiles) {
    sm_free(tiles->codes);
    sm_free(tiles->item_at);
    sm_free(tiles->most);
    sm_free(tiles->least);
    *tiles = (sm_index_tiles){0};
}

/* ---- what a tile knows ---- */

/* How many trees give an item a code of each group.   counts  [SM_CODE_GROUPS] out */
static void count_groups(const uint8_t *codes, size_t step, size_t n_trees, uint16_t *counts) {
    memset(counts, 0, SM_CODE_GROUPS * sizeof *counts);
    for (size_t b = 0; b < n_trees; b++) counts[codes[b * step] % SM_CODE_GROUPS]++;
}

/* About the items that stand from there on, to the end of the tile or of the items. */
static void describe_tile(sm_index_tiles *tiles, size_t tile, size_t n_items, size_t n_trees) {
    size_t first = tile * SM_CODE_TILE, n = n_items - first < SM_CODE_TILE ? n_items - first : SM_CODE_TILE;
    uint16_t *most = tiles->most + tile * SM_CODE_GROUPS, counts[SM_CODE_GROUPS];
    memset(most, 0, SM_CODE_GROUPS * sizeof *most);
    tiles->least[tile] = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        count_groups(tiles->codes + sm_code_index(first + i, 0, n_trees), SM_CODE_TILE, n_trees, counts);
        for (size_t g = 0; g < SM_CODE_GROUPS; g++)
            if (counts[g] > most[g]) most[g] = counts[g];
        if (tiles->item_at[first + i] < tiles->least[tile]) tiles->least[tile] = tiles->item_at[first + i];
    }
}

/* ---- arranging ---- */

typedef struct arrangement {
    sm_index_tiles *tiles;
    size_t n_items, n_trees;
    uint8_t *rows;                 /* [n_items][n_trees] codes, item by item */
    uint64_t *keys, *spare_keys;   /* [n_items] */
    uint32_t *order, *spare_order; /* [n_items] */
} arrangement;

/* Groups by falling count; of equal counts the first group comes first. */
static uint64_t key_of(const uint8_t *codes, size_t n_trees) {
    uint16_t counts[SM_CODE_GROUPS];
    uint64_t key = 0;
    count_groups(codes, 1, n_trees, counts);
    for (size_t k = 0; k < KEY_GROUPS; k++) {
        size_t best = 0;
        for (size_t g = 1; g < SM_CODE_GROUPS; g++)
            if (counts[g] > counts[best]) best = g;
        key = key << (GROUP_BITS + COUNT_BITS) | (uint64_t)best << COUNT_BITS | counts[best];
        counts[best] = 0;
    }
    return key;
}

static size_t end_of(const arrangement *job, size_t first) {
    return job->n_items - first < SM_CODE_TILE ? job->n_items : first + SM_CODE_TILE;
}

/* From a tile to the rows of its items. */
static void leave_tile(const void *of, size_t tile) {
    const arrangement *job = of;
    size_t first = tile * SM_CODE_TILE, end = end_of(job, first);
    const uint8_t *codes = job->tiles->codes + sm_code_index(first, 0, job->n_trees);
    for (size_t i = first; i < end; i++) {
        size_t item = job->tiles->item_at[i];
        uint8_t *row = job->rows + item * job->n_trees;
        for (size_t b = 0; b < job->n_trees; b++) row[b] = codes[b * SM_CODE_TILE + i - first];
        job->keys[item] = key_of(row, job->n_trees);
        job->order[item] = (uint32_t)item;
    }
}

/* And back, in the new order. */
static void enter_tile(const void *of, size_t tile) {
    const arrangement *job = of;
    size_t first = tile * SM_CODE_TILE, end = end_of(job, first);
    uint8_t *codes = job->tiles->codes + sm_code_index(first, 0, job->n_trees);
    for (size_t i = first; i < end; i++) {
        size_t item = job->order[i];
        const uint8_t *row = job->rows + item * job->n_trees;
        for (size_t b = 0; b < job->n_trees; b++) codes[b * SM_CODE_TILE + i - first] = row[b];
        job->tiles->item_at[i] = (uint32_t)item;
    }
    describe_tile(job->tiles, tile, job->n_items, job->n_trees);
}

typedef struct tiles_job {
    size_t n_tiles;
    void (*act)(const void *of, size_t tile);
    const void *of;
} tiles_job;

static smerf_status act_on_tiles(void *argument, size_t task, size_t thread, smerf_error *error) {
    const tiles_job *job = argument;
    size_t first = task * TILES_A_TASK;
    (void)thread;
    (void)error;
    for (size_t tile = first; tile < job->n_tiles && tile < first + TILES_A_TASK; tile++) job->act(job->of, tile);
    return SMERF_OK;
}

/* Without memory for threads there are none. */
void sm_index_for_tiles(size_t n_items, size_t n_threads, void (*act)(const void *of, size_t tile), const void *of) {
    tiles_job job = {.n_tiles = sm_code_tiles(n_items), .act = act, .of = of};
    sm_pool pool;
    size_t n_tasks = (job.n_tiles + TILES_A_TASK - 1) / TILES_A_TASK;
    sm_pool_start(&pool, &(smerf_run){.n_threads = n_threads});
    if (sm_pool_run(&pool, n_tasks, act_on_tiles, &job, NULL) == SMERF_OK) return;
    for (size_t task = 0; task < n_tasks; task++) act_on_tiles(&job, task, 0, NULL);
}

static smerf_status arrange(sm_index_tiles *tiles, size_t n_items, size_t n_trees, size_t n_threads,
                            smerf_error *error) {
    sm_arena arena = {0};
    double bytes = (double)n_items * (double)(n_trees + 2 * (sizeof(uint64_t) + sizeof(uint32_t)));
    smerf_status status = sm_check_memory(bytes, "making an index", error);
    if (status != SMERF_OK) return status;
    arrangement job = {.tiles = tiles, .n_items = n_items, .n_trees = n_trees};
    job.rows = sm_arena_take_whole(&arena, sm_size(n_items, n_trees, 0), sizeof *job.rows);
    job.keys = sm_arena_take(&arena, n_items, sizeof *job.keys);
    job.spare_keys = sm_arena_take(&arena, n_items, sizeof *job.keys);
    job.order = sm_arena_take(&arena, n_items, sizeof *job.order);
    job.spare_order = sm_arena_take(&arena, n_items, sizeof *job.order);
    if (!arena.has_failed) {
        sm_index_for_tiles(n_items, n_threads, leave_tile, &job);
        sm_sort(job.keys, job.order, n_items, job.spare_keys, job.spare_order);
        sm_index_for_tiles(n_items, n_threads, enter_tile, &job);
        tiles->n_arranged = n_items;
    } else {
        status = sm_no_memory(error, "making an index");
    }
    sm_arena_free(&arena);
    return status;
}

smerf_status sm_tiles_update(smerf_index *index, size_t first, size_t n_items, size_t n_threads, smerf_error *error) {
    sm_index_tiles *tiles = &index->tiles;
    size_t n_trees = index->model->options.n_trees;
    for (size_t i = first; i < n_items; i++) tiles->item_at[i] = (uint32_t)i;
    if (n_items - tiles->n_arranged > tiles->n_arranged / 4) return arrange(tiles, n_items, n_trees, n_threads, error);
    for (size_t tile = first / SM_CODE_TILE; tile < sm_code_tiles(n_items); tile++)
        describe_tile(tiles, tile, n_items, n_trees);
    return SMERF_OK;
}
