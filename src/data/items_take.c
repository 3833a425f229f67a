/* items_take.c - some of the items, as if a file had held no others: levels that none of them has are not known. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"
#include "data/items.h"

smerf_status sm_rows_check(const uint32_t *rows, size_t n, size_t n_items, smerf_error *error) {
    if (n == 0) return sm_fail(error, SMERF_BAD_INPUT, "no row is taken; there must be at least one");
    bool *is_taken = sm_zeros(n_items, sizeof *is_taken);
    if (is_taken == NULL) return sm_no_memory(error, "taking rows");
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < n && status == SMERF_OK; k++) {
        if (rows[k] >= n_items)
            status = sm_fail(error, SMERF_BAD_INPUT, "row %u is taken, and there are %zu, from 0", rows[k], n_items);
        else if (is_taken[rows[k]])
            status = sm_fail(error, SMERF_BAD_INPUT, "row %u is taken twice; rows must differ", rows[k]);
        else
            is_taken[rows[k]] = true;
    }
    sm_free(is_taken);
    return status;
}

/* ---- columns ---- */

/* The columns as smerf_items_new wants them. */
typedef struct cut_columns {
    smerf_column *column; /* [n] */
    double **values;      /* [n] what the columns point to, or NULL */
    uint32_t **codes;
    const char ***levels;
    size_t n;
} cut_columns;

static void free_cut_columns(cut_columns *cut) {
    for (size_t f = 0; f < cut->n; f++) {
        if (cut->values != NULL) sm_free(cut->values[f]);
        if (cut->codes != NULL) sm_free(cut->codes[f]);
        if (cut->levels != NULL) sm_free(cut->levels[f]);
    }
    sm_free(cut->column);
    sm_free(cut->values);
    sm_free(cut->codes);
    sm_free(cut->levels);
}

static bool start_columns(cut_columns *cut, size_t n) {
    *cut = (cut_columns){.column = sm_zeros(n, sizeof *cut->column),
                         .values = sm_zeros(n, sizeof *cut->values),
                         .codes = sm_zeros(n, sizeof *cut->codes),
                         .levels = sm_zeros(n, sizeof *cut->levels),
                         .n = n};
    return cut->column != NULL && cut->values != NULL && cut->codes != NULL && cut->levels != NULL;
}

static bool cut_numbers(cut_columns *cut, size_t f, const sm_numbers *numbers, const uint32_t *rows, size_t n) {
    double *own = cut->values[f] = sm_array(n, sizeof *own);
    if (own == NULL) return false;
    for (size_t k = 0; k < n; k++) own[k] = sm_number_at(numbers, rows[k]);
    cut->column[f].values = own;
    return true;
}

/* Levels that occur stay in their order. */
static bool cut_category(cut_columns *cut, size_t f, const uint32_t *codes, const sm_strings *levels,
                         const uint32_t *rows, size_t n) {
    uint32_t *own = cut->codes[f] = sm_array(n, sizeof *own);
    const char **kept = cut->levels[f] = sm_array(levels->n, sizeof *kept);
    uint32_t *new_level = sm_array(levels->n, sizeof *new_level), n_kept = 0;
    bool has_memory = own != NULL && kept != NULL && new_level != NULL;
    if (has_memory) {
        for (size_t l = 0; l < levels->n; l++) new_level[l] = SMERF_MISSING;
        for (size_t k = 0; k < n; k++)
            if (codes[rows[k]] != SMERF_MISSING) new_level[codes[rows[k]]] = 0;
        for (size_t l = 0; l < levels->n; l++) {
            if (new_level[l] == SMERF_MISSING) continue;
            new_level[l] = n_kept;
            kept[n_kept++] = levels->text[l];
        }
        for (size_t k = 0; k < n; k++)
            own[k] = codes[rows[k]] == SMERF_MISSING ? SMERF_MISSING : new_level[codes[rows[k]]];
        cut->column[f].codes = own;
        cut->column[f].levels = kept;
        cut->column[f].n_levels = n_kept;
    }
    sm_free(new_level);
    return has_memory;
}

static smerf_status take_features(const smerf_items *items, const uint32_t *rows, size_t n, smerf_items **out,
                                  smerf_error *error) {
    cut_columns cut;
    bool has_memory = start_columns(&cut, items->features.n);
    for (size_t f = 0; f < items->features.n && has_memory; f++) {
        const sm_feature *feature = &items->features.feature[f];
        cut.column[f].name = feature->name;
        cut.column[f].kind = feature->kind;
        has_memory = feature->kind == SMERF_NUMBER ? cut_numbers(&cut, f, &items->numbers[f], rows, n)
                                                   : cut_category(&cut, f, items->codes[f], &feature->levels, rows, n);
    }
    smerf_status status =
        has_memory ? smerf_items_new(cut.column, cut.n, n, out, error) : sm_no_memory(error, "taking items");
    if (status == SMERF_OK) {
        (*out)->own_values = cut.values; /* which the items borrow */
        cut.values = NULL;
    }
    free_cut_columns(&cut);
    return status;
}

/* ---- names and weights ---- */

static smerf_status take_ids(const smerf_items *items, const uint32_t *rows, smerf_items *taken, smerf_error *error) {
    if (items->ids.n == 0) return SMERF_OK;
    const char **ids = sm_array(taken->n_items, sizeof *ids);
    if (ids == NULL) return sm_no_memory(error, "taking items");
    for (size_t k = 0; k < taken->n_items; k++) ids[k] = items->ids.text[rows[k]];
    smerf_status status = smerf_items_set_ids(taken, items->id_column, ids, error);
    sm_free(ids);
    return status;
}

static smerf_status take_weights(const smerf_items *items, const uint32_t *rows, smerf_items *taken,
                                 smerf_error *error) {
    if (items->weights == NULL) return SMERF_OK;
    double *weights = sm_array(taken->n_items, sizeof *weights);
    if (weights == NULL) return sm_no_memory(error, "taking items");
    for (size_t k = 0; k < taken->n_items; k++) weights[k] = items->weights[rows[k]];
    smerf_status status = smerf_items_set_weights(taken, items->weight_column, weights, error);
    sm_free(weights);
    return status;
}

smerf_status smerf_items_take(const smerf_items *items, const uint32_t *rows, size_t n, smerf_items **out,
                              smerf_error *error) {
    smerf_items *taken = NULL;
    smerf_status status = sm_rows_check(rows, n, items->n_items, error);
    if (status == SMERF_OK) status = take_features(items, rows, n, &taken, error);
    if (status == SMERF_OK) status = take_ids(items, rows, taken, error);
    if (status == SMERF_OK) status = take_weights(items, rows, taken, error);
    if (status == SMERF_OK)
        status = smerf_items_set_ignored(taken, (const char *const *)items->ignored.text, items->ignored.n, error);
    if (status == SMERF_OK)
        *out = taken;
    else
        smerf_items_free(taken);
    return status;
}

/* ---- where they were taken from ---- */

smerf_status smerf_items_set_rows(smerf_items *items, const uint32_t *rows, smerf_error *error) {
    uint32_t *copy = sm_copy(rows, items->n_items, sizeof *copy);
    uint32_t *sorted = sm_copy(rows, items->n_items, sizeof *sorted);
    smerf_status status = copy != NULL && sorted != NULL ? SMERF_OK : sm_no_memory(error, "copying rows");
    if (status == SMERF_OK) qsort(sorted, items->n_items, sizeof *sorted, sm_by_index);
    for (size_t k = 1; k < items->n_items && status == SMERF_OK; k++)
        if (sorted[k - 1] == sorted[k])
            status = sm_fail(error, SMERF_BAD_INPUT, "two items are row %u; rows must differ", sorted[k]);
    if (status == SMERF_OK) {
        sm_free(items->rows);
        items->rows = copy;
        copy = NULL;
    }
    sm_free(copy);
    sm_free(sorted);
    return status;
}
