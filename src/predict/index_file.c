/* index_file.c - an index becomes a file, and back (docs/model-format.md): items stand in their order, whatever order they are
 * searched in, so that the file does not tell whether they came at once or in pieces. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "model/safetensors.h"
#include "predict/index.h"

#define INDEX_FORMAT "smerf index"
#define INDEX_FORMAT_VERSION "1"

/* ---- saving ---- */

typedef struct index_writing {
    const smerf_index *index;
    uint32_t *stands_at; /* [n_items] where an item stands */
} index_writing;

static void put_leaves(const void *of, sm_tensor_sink sink, void *to) {
    const index_writing *writing = of;
    const smerf_index *index = writing->index;
    sm_pieces pieces = {.sink = sink, .to = to};
    for (size_t b = 0; b < index->model->options.n_trees; b++)
        for (size_t i = 0; i < index->n_items; i++)
            sm_pieces_put_u32(&pieces, index->leaves.leaf[b * index->capacity + writing->stands_at[i]]);
    sm_pieces_flush(&pieces);
}

static void put_codes(const void *of, sm_tensor_sink sink, void *to) {
    const index_writing *writing = of;
    const smerf_index *index = writing->index;
    size_t n_trees = index->model->options.n_trees;
    uint8_t piece[4096];
    for (size_t b = 0; b < n_trees; b++)
        for (size_t first = 0, n; first < index->n_items; first += n) {
            n = index->n_items - first < sizeof piece ? index->n_items - first : sizeof piece;
            for (size_t i = 0; i < n; i++)
                piece[i] = index->tiles.codes[sm_code_index(writing->stands_at[first + i], b, n_trees)];
            sink(to, piece, n);
        }
}

static smerf_status pack_index(index_writing *writing, sm_tensors *tensors, smerf_error *error) {
    const smerf_index *index = writing->index;
    size_t n = index->n_items * index->model->options.n_trees;
    smerf_status status = SMERF_OK;
    if (index->id_column != NULL) {
        size_t n_bytes;
        char *block = sm_strings_pack(&index->ids, &n_bytes);
        status = block != NULL ? sm_tensors_give(tensors, "index.id", SM_U8, block, n_bytes, error)
                               : sm_no_memory(error, "saving an index");
    }
    if (status != SMERF_OK) return status;
    writing->stands_at = sm_array(index->n_items, sizeof *writing->stands_at);
    if (writing->stands_at == NULL) return sm_no_memory(error, "saving an index");
    const uint32_t *item_at = sm_index_item_at(index);
    for (size_t i = 0; i < index->n_items; i++) writing->stands_at[item_at[i]] = (uint32_t)i;
    if (!sm_index_has_codes(index))
        return sm_tensors_add_written(tensors, "index.leaf", SM_U32, writing, n, put_leaves, error);
    return sm_tensors_add_written(tensors, "index.code", SM_U8, writing, n, put_codes, error);
}

static json_t *write_index_facts(const smerf_index *index, const char *model) {
    json_t *facts =
        json_pack("{s:s, s:s, s:s}", "format", INDEX_FORMAT, "format_version", INDEX_FORMAT_VERSION, "model", model);
    if (facts == NULL || index->id_column == NULL) return facts;
    if (json_object_set_new(facts, "id_column", json_string(index->id_column)) == 0) return facts;
    json_decref(facts);
    return NULL;
}

smerf_status smerf_index_save(const smerf_index *index, const char *path, smerf_error *error) {
    sm_tensors tensors = {0};
    index_writing writing = {.index = index};
    char model[33];
    json_t *facts = NULL;
    smerf_status status = sm_model_digest(index->model, model, error);
    if (status == SMERF_OK) {
        facts = write_index_facts(index, model);
        status = facts != NULL ? pack_index(&writing, &tensors, error) : sm_no_memory(error, "saving an index");
    }
    if (status == SMERF_OK) status = sm_safetensors_write(path, facts, &tensors, error);
    json_decref(facts);
    sm_tensors_free(&tensors);
    sm_free(writing.stands_at);
    return status;
}

/* ---- loading ---- */

static smerf_status check_index_facts(const json_t *facts, const smerf_model *model, const char *name,
                                      smerf_error *error) {
    const char *format = json_string_value(json_object_get(facts, "format"));
    const char *version = json_string_value(json_object_get(facts, "format_version"));
    const char *belongs = json_string_value(json_object_get(facts, "model"));
    char digits[33];
    if (format != NULL && strcmp(format, "smerf") == 0)
        return sm_fail(error, SMERF_BAD_FILE, "%s: is a model, and not an index of items", name);
    if (format == NULL || strcmp(format, INDEX_FORMAT) != 0)
        return sm_fail(error, SMERF_BAD_FILE, "%s: is not a smerf index", name);
    if (version == NULL || strcmp(version, INDEX_FORMAT_VERSION) != 0)
        return sm_fail(error, SMERF_BAD_FILE, "%s: has format version %.20s, and this smerf reads version %s", name,
                       version != NULL ? version : "none", INDEX_FORMAT_VERSION);
    smerf_status status = sm_model_digest(model, digits, error);
    if (status != SMERF_OK || (belongs != NULL && strcmp(belongs, digits) == 0)) return status;
    return sm_fail(error, SMERF_BAD_FILE, "%s: is an index of another model: make it again with this one", name);
}

static smerf_status fail_damaged(const char *name, const char *what, smerf_error *error) {
    return sm_fail(error, SMERF_BAD_FILE, "%s: is damaged: %s", name, what);
}

static bool are_codes(const smerf_index *index, size_t b, const uint8_t *codes, size_t n) {
    bool is_there[UINT8_MAX + 1] = {false};
    for (size_t l = 0; l < index->model->trees[b].n_leaves; l++) is_there[index->codes.of[b][l]] = true;
    for (size_t i = 0; i < n; i++)
        if (!is_there[codes[i]]) return false;
    return true;
}

static bool are_leaves(const smerf_index *index, size_t b, const uint32_t *leaf, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (leaf[i] >= index->model->trees[b].n_leaves) return false;
    return true;
}

static void take_codes(smerf_index *index, size_t b, const uint8_t *codes, size_t n) {
    size_t n_trees = index->model->options.n_trees;
    for (size_t i = 0; i < n; i++) index->tiles.codes[sm_code_index(i, b, n_trees)] = codes[i];
}

static smerf_status unpack_trees(smerf_index *index, const sm_tensor *tensor, const char *name, size_t n_threads,
                                 smerf_error *error) {
    size_t n_trees = index->model->options.n_trees, n = tensor->n / n_trees;
    smerf_status status = sm_index_reserve(index, n, error);
    for (size_t b = 0; b < n_trees && status == SMERF_OK; b++) {
        if (sm_index_has_codes(index)) {
            const uint8_t *codes = (const uint8_t *)tensor->data + b * n;
            if (!are_codes(index, b, codes, n)) return fail_damaged(name, "it has codes that the model has not", error);
            take_codes(index, b, codes, n);
        } else {
            const uint32_t *leaf = (const uint32_t *)tensor->data + b * n;
            if (!are_leaves(index, b, leaf, n))
                return fail_damaged(name, "it has leaves that the model has not", error);
            memcpy(index->leaves.leaf + b * index->capacity, leaf, n * sizeof *leaf);
        }
    }
    if (status == SMERF_OK)
        status = (sm_index_has_codes(index) ? sm_tiles_update : sm_leaves_update)(index, 0, n, n_threads, error);
    if (status == SMERF_OK) index->n_items = n;
    return status;
}

static int by_index_id(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool are_different(const sm_strings *ids, char **sorted) {
    memcpy(sorted, ids->text, ids->n * sizeof *sorted);
    qsort(sorted, ids->n, sizeof *sorted, by_index_id);
    for (size_t i = 0; i < ids->n; i++)
        if (!sm_is_utf8(sorted[i]) || (i > 0 && strcmp(sorted[i - 1], sorted[i]) == 0)) return false;
    return true;
}

static smerf_status unpack_ids(smerf_index *index, const sm_safetensors *file, const char *name, smerf_error *error) {
    const char *column = json_string_value(json_object_get(file->facts, "id_column"));
    const sm_tensor *ids = sm_tensors_find(&file->tensors, "index.id");
    if (column == NULL && ids == NULL) return SMERF_OK;
    if (column == NULL || ids == NULL || ids->type != SM_U8)
        return fail_damaged(name, "its ids are not there, or are not text", error);
    index->id_column = sm_copy_string(column);
    if (index->id_column == NULL) return sm_no_memory(error, "loading an index");
    if (!sm_strings_unpack(&index->ids, ids->data, ids->n, index->n_items))
        return fail_damaged(name, "its ids do not fit its items", error);
    index->ids_capacity = index->n_items;
    char **sorted = sm_array(index->n_items, sizeof *sorted);
    if (sorted == NULL) return sm_no_memory(error, "loading an index");
    bool is_fine = are_different(&index->ids, sorted);
    sm_free(sorted);
    return is_fine ? SMERF_OK : fail_damaged(name, "its ids are not different from each other", error);
}

static smerf_status unpack_index(smerf_index *index, const sm_safetensors *file, const char *name, size_t n_threads,
                                 smerf_error *error) {
    bool has_codes = sm_index_has_codes(index);
    size_t n_trees = index->model->options.n_trees, n_arrays = 1;
    const sm_tensor *tensor = sm_tensors_find(&file->tensors, has_codes ? "index.code" : "index.leaf");
    if (tensor == NULL || tensor->type != (has_codes ? SM_U8 : SM_U32) || tensor->n == 0 || tensor->n % n_trees != 0)
        return fail_damaged(name, "it has no leaves, or not those of every tree", error);
    n_arrays += sm_tensors_find(&file->tensors, "index.id") != NULL;
    if (file->tensors.n != n_arrays) return fail_damaged(name, "it has arrays that belong to no index", error);
    smerf_status status = unpack_trees(index, tensor, name, n_threads, error);
    return status == SMERF_OK ? unpack_ids(index, file, name, error) : status;
}

smerf_status smerf_index_load(const char *path, const smerf_model *model, smerf_index **out, smerf_error *error) {
    sm_safetensors file;
    sm_pool pool;
    smerf_index *index = NULL;
    const char *name = sm_input_name(path);
    smerf_status status = sm_model_check_forest(model, "an index of leaves", error);
    if (status != SMERF_OK) return status;
    status = sm_safetensors_read(path, "index", &file, error);
    if (status != SMERF_OK) return status;
    sm_pool_start(&pool, NULL);
    status = check_index_facts(file.facts, model, name, error);
    if (status == SMERF_OK) status = sm_index_start(model, &pool, &index, error);
    if (status == SMERF_OK) status = unpack_index(index, &file, name, pool.n_threads, error);
    sm_safetensors_close(&file);
    if (status == SMERF_OK)
        *out = index;
    else
        smerf_index_free(index);
    return status;
}
