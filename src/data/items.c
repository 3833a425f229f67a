/* items.c - items are checked and copied once, here; the rest of the library trusts them.
 * Levels of categories are sorted bytewise, so that their numbering does not depend on the order of the rows. */
#include "data/items.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void sm_features_free(sm_features *features) {
    for (size_t f = 0; f < features->n && features->feature != NULL; f++) {
        sm_free(features->feature[f].name);
        sm_strings_free(&features->feature[f].levels);
    }
    sm_free(features->feature);
    *features = (sm_features){0};
}

bool sm_features_copy(sm_features *copy, const sm_features *features) {
    *copy = (sm_features){.n = features->n, .feature = sm_zeros(features->n, sizeof *copy->feature)};
    for (size_t f = 0; f < features->n && copy->feature != NULL; f++) {
        const sm_feature *from = &features->feature[f];
        sm_feature *to = &copy->feature[f];
        to->kind = from->kind;
        to->name = sm_copy_string(from->name);
        if (to->name == NULL || !sm_strings_copy(&to->levels, (const char *const *)from->levels.text, from->levels.n)) {
            sm_features_free(copy);
            return false;
        }
    }
    return copy->feature != NULL;
}

bool sm_features_equal(const sm_features *a, const sm_features *b) {
    if (a->n != b->n) return false;
    for (size_t f = 0; f < a->n; f++) {
        const sm_feature *left = &a->feature[f], *right = &b->feature[f];
        if (left->kind != right->kind || strcmp(left->name, right->name) != 0) return false;
        if (!sm_strings_equal(&left->levels, &right->levels)) return false;
    }
    return true;
}

typedef struct named_level {
    const char *name;
    uint32_t index; /* as given */
} named_level;

static int by_level_name(const void *a, const void *b) {
    return strcmp(((const named_level *)a)->name, ((const named_level *)b)->name);
}

/* Fills the sorted levels of a feature, and new_level[old level]. */
static smerf_status sort_levels(const smerf_column *column, sm_feature *feature, uint32_t *new_level,
                                smerf_error *error) {
    smerf_status status = SMERF_OK;
    named_level *sorted = sm_array(column->n_levels, sizeof *sorted);
    const char **names = sm_array(column->n_levels, sizeof *names);
    if (sorted == NULL || names == NULL) {
        status = sm_no_memory(error, "sorting categories");
        goto done;
    }
    for (size_t i = 0; i < column->n_levels; i++)
        sorted[i] = (named_level){.name = column->levels[i], .index = (uint32_t)i};
    qsort(sorted, column->n_levels, sizeof *sorted, by_level_name);
    for (size_t i = 0; i < column->n_levels; i++) {
        if (!sm_is_utf8(sorted[i].name)) {
            status = sm_fail(error, SMERF_BAD_INPUT, "column '%s' has a category that is not UTF-8 text", column->name);
            goto done;
        }
        if (i > 0 && strcmp(sorted[i - 1].name, sorted[i].name) == 0) {
            status = sm_fail(error, SMERF_BAD_INPUT, "column '%s' lists the category '%s' twice", column->name,
                             sorted[i].name);
            goto done;
        }
        names[i] = sorted[i].name;
        new_level[sorted[i].index] = (uint32_t)i;
    }
    if (!sm_strings_copy(&feature->levels, names, column->n_levels)) status = sm_no_memory(error, "copying categories");
done:
    sm_free(sorted);
    sm_free(names);
    return status;
}

static smerf_status add_category(smerf_items *items, size_t f, const smerf_column *column, smerf_error *error) {
    smerf_status status = SMERF_OK;
    uint32_t *codes = items->codes[f] = sm_array(items->n_items, sizeof *codes);
    uint32_t *new_level = sm_array(column->n_levels, sizeof *new_level);
    if (codes == NULL || new_level == NULL) {
        status = sm_no_memory(error, "copying categories");
        goto done;
    }
    status = sort_levels(column, &items->features.feature[f], new_level, error);
    for (size_t i = 0; i < items->n_items && status == SMERF_OK; i++) {
        uint32_t code = column->codes[i];
        if (code != SMERF_MISSING && code >= column->n_levels)
            status = sm_fail_at(error, i, f, "column '%s', row %zu: category %u of %zu", column->name, i, code,
                                column->n_levels);
        else
            codes[i] = code == SMERF_MISSING ? SMERF_MISSING : new_level[code];
    }
done:
    sm_free(new_level);
    return status;
}

static smerf_status add_number(smerf_items *items, size_t f, const smerf_column *column, smerf_error *error) {
    const sm_numbers numbers = {.doubles = column->values,
                                .floats = column->values == NULL ? column->floats : NULL,
                                .step = column->step > 0 ? column->step : 1};
    for (size_t i = 0; i < items->n_items; i++)
        if (isinf(sm_number_at(&numbers, i)))
            return sm_fail_at(error, i, f, "column '%s', row %zu: an infinity; values are finite or missing",
                              column->name, i);
    items->numbers[f] = numbers;
    return SMERF_OK;
}

static smerf_status check_column_names(const smerf_column *columns, size_t n_columns, smerf_error *error) {
    named_level *sorted = sm_array(n_columns, sizeof *sorted);
    if (sorted == NULL) return sm_no_memory(error, "checking column names");
    smerf_status status = SMERF_OK;
    for (size_t f = 0; f < n_columns; f++) {
        sorted[f] = (named_level){.name = columns[f].name, .index = (uint32_t)f};
        if (!sm_is_utf8(columns[f].name))
            status = sm_fail(error, SMERF_BAD_INPUT, "the name of column %zu is not UTF-8 text", f);
    }
    qsort(sorted, n_columns, sizeof *sorted, by_level_name);
    for (size_t f = 1; f < n_columns && status == SMERF_OK; f++)
        if (strcmp(sorted[f - 1].name, sorted[f].name) == 0)
            status = sm_fail(error, SMERF_BAD_INPUT, "two columns are called '%s'; names must differ", sorted[f].name);
    sm_free(sorted);
    return status;
}

smerf_status smerf_items_new(const smerf_column *columns, size_t n_columns, size_t n_items, smerf_items **out,
                             smerf_error *error) {
    if (n_items == 0) return sm_fail(error, SMERF_BAD_INPUT, "there are no items");
    if (n_columns == 0) return sm_fail(error, SMERF_BAD_INPUT, "there are no features: at least one column is needed");
    if (n_items >= UINT32_MAX || n_columns >= UINT32_MAX)
        return sm_fail(error, SMERF_BAD_INPUT, "%zu items with %zu features: both must be below 2^32", n_items,
                       n_columns);
    smerf_status status = check_column_names(columns, n_columns, error);
    if (status != SMERF_OK) return status;

    smerf_items *items = sm_zeros(1, sizeof *items);
    if (items == NULL) return sm_no_memory(error, "making items");
    items->n_items = n_items;
    items->features.n = n_columns;
    items->features.feature = sm_zeros(n_columns, sizeof *items->features.feature);
    items->numbers = sm_zeros(n_columns, sizeof *items->numbers);
    items->codes = sm_zeros(n_columns, sizeof *items->codes);
    if (items->features.feature == NULL || items->numbers == NULL || items->codes == NULL)
        status = sm_no_memory(error, "making items");
    for (size_t f = 0; f < n_columns && status == SMERF_OK; f++) {
        sm_feature *feature = &items->features.feature[f];
        feature->kind = columns[f].kind;
        feature->name = sm_copy_string(columns[f].name);
        if (feature->name == NULL)
            status = sm_no_memory(error, "copying column names");
        else if (feature->kind == SMERF_CATEGORY)
            status = add_category(items, f, &columns[f], error);
        else
            status = add_number(items, f, &columns[f], error);
    }
    if (status != SMERF_OK) {
        smerf_items_free(items);
        return status;
    }
    *out = items;
    return SMERF_OK;
}

void smerf_items_free(smerf_items *items) {
    if (items == NULL) return;
    for (size_t f = 0; f < items->features.n && items->codes != NULL; f++) sm_free(items->codes[f]);
    for (size_t f = 0; f < items->features.n && items->own_values != NULL; f++) sm_free(items->own_values[f]);
    sm_free(items->codes);
    sm_free(items->numbers);
    sm_free(items->own_values);
    sm_features_free(&items->features);
    sm_strings_free(&items->ids);
    sm_strings_free(&items->ignored);
    sm_free(items->id_column);
    sm_free(items->rows);
    sm_free(items->weights);
    sm_free(items->weight_column);
    sm_free(items);
}

size_t smerf_items_count(const smerf_items *items) { return items->n_items; }

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static smerf_status check_ids(const sm_strings *ids, smerf_error *error) {
    char **sorted = sm_copy(ids->text, ids->n, sizeof *sorted);
    if (sorted == NULL) return sm_no_memory(error, "checking ids");
    smerf_status status = SMERF_OK;
    qsort(sorted, ids->n, sizeof *sorted, by_text);
    for (size_t i = 1; i < ids->n && status == SMERF_OK; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            status = sm_fail(error, SMERF_BAD_INPUT, "two items are called '%s'; ids must differ", sorted[i]);
    sm_free(sorted);
    return status;
}

smerf_status smerf_items_set_ids(smerf_items *items, const char *column, const char *const *ids, smerf_error *error) {
    sm_strings copy;
    if (!sm_is_utf8(column)) return sm_fail(error, SMERF_BAD_INPUT, "the name of the id column is not UTF-8 text");
    char *name = sm_copy_string(column);
    if (name == NULL || !sm_strings_copy(&copy, ids, items->n_items)) {
        sm_free(name);
        return sm_no_memory(error, "copying ids");
    }
    smerf_status status = check_ids(&copy, error);
    if (status != SMERF_OK) {
        sm_free(name);
        sm_strings_free(&copy);
        return status;
    }
    sm_strings_free(&items->ids);
    sm_free(items->id_column);
    items->ids = copy;
    items->id_column = name;
    return SMERF_OK;
}

smerf_status smerf_items_set_weights(smerf_items *items, const char *column, const double *weights,
                                     smerf_error *error) {
    for (size_t i = 0; i < items->n_items; i++)
        if (!(weights[i] >= SM_SMALLEST_WEIGHT && weights[i] <= SM_LARGEST_WEIGHT))
            return sm_fail_at(error, i, 0,
                              "row %zu has the weight %g; weights are > 0, and neither tiny nor huge (%g ... %g)", i,
                              weights[i], SM_SMALLEST_WEIGHT, SM_LARGEST_WEIGHT);
    if (!sm_is_utf8(column)) return sm_fail(error, SMERF_BAD_INPUT, "the name of the weight column is not UTF-8 text");
    char *name = sm_copy_string(column);
    double *copy = sm_copy(weights, items->n_items, sizeof *copy);
    if (name == NULL || copy == NULL) {
        sm_free(name);
        sm_free(copy);
        return sm_no_memory(error, "copying weights");
    }
    sm_free(items->weights);
    sm_free(items->weight_column);
    items->weights = copy;
    items->weight_column = name;
    return SMERF_OK;
}

smerf_status smerf_items_set_ignored(smerf_items *items, const char *const *names, size_t n_names, smerf_error *error) {
    sm_strings copy;
    for (size_t i = 0; i < n_names; i++)
        if (!sm_is_utf8(names[i])) return sm_fail(error, SMERF_BAD_INPUT, "a column name is not UTF-8 text");
    if (!sm_strings_copy(&copy, names, n_names)) return sm_no_memory(error, "copying column names");
    sm_strings_free(&items->ignored);
    items->ignored = copy;
    return SMERF_OK;
}
