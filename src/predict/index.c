/* index.c - makes an index, adds to it and frees it; ids: see index.h. */
#include "predict/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "predict/send.h"

/* ---- memory ---- */

static smerf_status find_engine(smerf_index *index, sm_pool *pool, smerf_error *error) {
    smerf_status status = sm_leaf_codes_find(index->model, pool, &index->codes, error);
    if (status != SMERF_OK || sm_index_has_codes(index)) return status;
    if (sm_prepared_of(index->model) == NULL)
        status = sm_prepared_new(index->model, &sm_usual_limits, pool, &index->prepared, error);
    if (status == SMERF_OK) sm_leaves_start(index);
    return status;
}

smerf_status sm_index_start(const smerf_model *model, sm_pool *pool, smerf_index **out, smerf_error *error) {
    smerf_status status = sm_model_check_forest(model, "an index of leaves", error);
    if (status != SMERF_OK) return status;
    smerf_index *index = sm_zeros(1, sizeof *index);
    if (index == NULL) return sm_no_memory(error, "making an index");
    index->model = model;
    status = find_engine(index, pool, error);
    if (status == SMERF_OK)
        *out = index;
    else
        smerf_index_free(index);
    return status;
}

void smerf_index_free(smerf_index *index) {
    if (index == NULL) return;
    sm_strings_free(&index->ids);
    sm_free(index->id_column);
    sm_leaf_codes_free(&index->codes);
    sm_tiles_free(&index->tiles);
    sm_leaves_free(&index->leaves);
    sm_prepared_free(index->prepared, index->model);
    sm_free(index);
}

/* Half as many again, so that many small additions cost no more than one. */
static size_t capacity_for(const smerf_index *index, size_t n) {
    size_t more = index->capacity + index->capacity / 2, capacity = n > more ? n : more;
    return sm_code_tiles(capacity) * SM_CODE_TILE;
}

smerf_status sm_index_reserve(smerf_index *index, size_t n, smerf_error *error) {
    size_t n_trees = index->model->options.n_trees, capacity = index->capacity == 0 ? n : capacity_for(index, n);
    if (n > UINT32_MAX - 1)
        return sm_fail(error, SMERF_BAD_INPUT, "an index of %zu items: there may be up to 2^32 - 2", n);
    if (n <= index->capacity) return SMERF_OK;
    capacity = sm_code_tiles(capacity) * SM_CODE_TILE;
    double bytes = (double)capacity * (double)n_trees * (sm_index_has_codes(index) ? 1 : sizeof *index->leaves.leaf);
    smerf_status status = sm_check_memory(bytes, "making an index", error);
    if (status != SMERF_OK) return status;
    bool has_memory = sm_index_has_codes(index) ? sm_tiles_reserve(&index->tiles, index->capacity, capacity, n_trees)
                                                : sm_leaves_reserve(index, capacity);
    if (!has_memory) return sm_no_memory(error, "making an index");
    index->capacity = capacity;
    return SMERF_OK;
}

/* ---- ids ---- */

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Refuses an id that is there already: the new ones are few, often, and those are sorted.   sorted  [items->n_items] scratch */
static smerf_status check_ids(const smerf_index *index, const smerf_items *items, char **sorted, smerf_error *error) {
    memcpy(sorted, items->ids.text, items->n_items * sizeof *sorted);
    qsort(sorted, items->n_items, sizeof *sorted, by_text);
    for (size_t i = 0; i < index->n_items; i++)
        if (bsearch(&index->ids.text[i], sorted, items->n_items, sizeof *sorted, by_text) != NULL)
            return sm_fail(error, SMERF_BAD_INPUT, "the id '%.100s' is in the index already; ids must differ",
                           index->ids.text[i]);
    return SMERF_OK;
}

static smerf_status check_names(const smerf_index *index, const smerf_items *items, smerf_error *error) {
    bool has_ids = items->ids.n > 0;
    if (index->n_items == 0) return SMERF_OK;
    if (has_ids != (index->id_column != NULL))
        return sm_fail(error, SMERF_BAD_INPUT, "the items of the index have %s, and those to be added have %s",
                       has_ids ? "no ids" : "ids", has_ids ? "some" : "none");
    if (!has_ids) return SMERF_OK;
    char **sorted = sm_array(items->n_items, sizeof *sorted);
    if (sorted == NULL) return sm_no_memory(error, "making an index");
    smerf_status status = check_ids(index, items, sorted, error);
    sm_free(sorted);
    return status;
}

/* New ids on their way into an index. */
typedef struct new_ids {
    sm_strings ids;
    char *column;
} new_ids;

/* Makes copies, and memory for them: taking them cannot fail. */
static smerf_status copy_ids(smerf_index *index, const smerf_items *items, new_ids *copy, smerf_error *error) {
    size_t n = index->n_items + items->n_items;
    if (items->ids.n == 0) return SMERF_OK;
    if (index->id_column == NULL) copy->column = sm_copy_string(items->id_column);
    if ((index->id_column != NULL || copy->column != NULL) &&
        sm_grow((void **)&index->ids.text, &index->ids_capacity, n, sizeof *index->ids.text) &&
        sm_strings_copy(&copy->ids, (const char *const *)items->ids.text, items->n_items))
        return SMERF_OK;
    return sm_no_memory(error, "making an index");
}

static void take_ids(smerf_index *index, new_ids *copy) {
    for (size_t i = 0; i < copy->ids.n; i++) index->ids.text[index->ids.n++] = copy->ids.text[i];
    copy->ids.n = 0;
    if (copy->column == NULL) return;
    index->id_column = copy->column;
    copy->column = NULL;
}

static void free_new_ids(new_ids *copy) {
    sm_strings_free(&copy->ids);
    sm_free(copy->column);
}

/* ---- items ---- */

/* A stretch of a pack in the tiles: new items stand behind the others, wherever a tile ends. */
static void put_item_codes(void *to, size_t b, size_t first, size_t end, const uint32_t *leaf) {
    const smerf_index *index = to;
    const uint8_t *code = index->codes.of[b];
    size_t n_trees = index->model->options.n_trees;
    for (size_t i = first; i < end; i++)
        index->tiles.codes[sm_code_index(index->n_items + i, b, n_trees)] = code[leaf[i - first]];
}

static void put_item_leaves(void *to, size_t b, size_t first, size_t end, const uint32_t *leaf) {
    const smerf_index *index = to;
    memcpy(index->leaves.leaf + b * index->capacity + index->n_items + first, leaf, (end - first) * sizeof *leaf);
}

static smerf_status send_items(smerf_index *index, const smerf_items *items, sm_pool *pool, smerf_error *error) {
    sm_view view;
    smerf_status status = sm_view_match(&view, &index->model->features, items, error);
    if (status != SMERF_OK) return status;
    const sm_sending sending = {.model = index->model,
                                .view = &view,
                                .end = items->n_items,
                                .put = sm_index_has_codes(index) ? put_item_codes : put_item_leaves,
                                .to = index,
                                .what = "making an index"};
    status = sm_send_down(&sending, pool, error);
    sm_view_free(&view);
    return status;
}

static smerf_status add_items(smerf_index *index, const smerf_items *items, sm_pool *pool, smerf_error *error) {
    size_t n_before = index->n_items, n = n_before + items->n_items;
    new_ids copy = {0};
    smerf_status status = check_names(index, items, error);
    if (status == SMERF_OK) status = sm_index_reserve(index, n, error);
    if (status == SMERF_OK) status = copy_ids(index, items, &copy, error);
    if (status == SMERF_OK) status = send_items(index, items, pool, error);
    if (status == SMERF_OK)
        status = (sm_index_has_codes(index) ? sm_tiles_update : sm_leaves_update)(index, n_before, n, pool->n_threads,
                                                                                  error);
    if (status == SMERF_OK) {
        take_ids(index, &copy);
        index->n_items = n;
    }
    free_new_ids(&copy);
    return status;
}

smerf_status smerf_index_new(const smerf_model *model, const smerf_items *items, const smerf_run *run,
                             smerf_index **out, smerf_error *error) {
    sm_pool pool;
    smerf_index *index;
    SM_READ_RUN(run, error);
    sm_pool_start(&pool, run);
    pool.fraction_to = 0; /* which way to search is found quickly */
    smerf_status status = sm_index_start(model, &pool, &index, error);
    if (status != SMERF_OK) return status;
    pool.fraction_to = 1;
    status = add_items(index, items, &pool, error);
    if (status == SMERF_OK)
        *out = index;
    else
        smerf_index_free(index);
    return status;
}

smerf_status smerf_index_add(smerf_index *index, const smerf_items *items, const smerf_run *run, smerf_error *error) {
    sm_pool pool;
    SM_READ_RUN(run, error);
    sm_pool_start(&pool, run);
    return add_items(index, items, &pool, error);
}

size_t smerf_index_count(const smerf_index *index) { return index->n_items; }

const char *smerf_index_id(const smerf_index *index, size_t item) {
    return index->id_column != NULL && item < index->n_items ? index->ids.text[item] : NULL;
}

const char *smerf_index_id_column(const smerf_index *index) { return index->id_column; }
