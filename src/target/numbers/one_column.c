/* one_column.c - what targets from one column of the items share: its name, a self-distance. See one_column.h. */
#include "target/numbers/one_column.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

smerf_status sm_one_column_start(sm_one_column *column, const sm_target_kind *kind, const char *name, size_t n_items,
                                 smerf_error *error) {
    sm_target_start(&column->head, kind, n_items, n_items);
    if (n_items == 0) return sm_fail(error, SMERF_BAD_INPUT, "a target of kind '%s' needs items", kind->name);
    if (n_items >= UINT32_MAX)
        return sm_fail(error, SMERF_BAD_INPUT, "a target of %zu items: there must be fewer than 2^32", n_items);
    if (name != NULL && !sm_is_utf8(name))
        return sm_fail(error, SMERF_BAD_INPUT, "the name of the target's column is not UTF-8 text");
    if (name != NULL && !sm_strings_copy(&column->head.columns, &name, 1))
        return sm_no_memory(error, "making a target");
    return SMERF_OK;
}

bool sm_one_column_vary(sm_one_column *column, const smerf_target *target, double diagonal) {
    sm_target_start(&column->head, target->kind, target->n_rows, target->n_columns);
    if (!sm_strings_copy(&column->head.columns, (const char *const *)target->columns.text, target->columns.n))
        return false;
    column->diagonal = diagonal + 0.0;                         /* -0 becomes 0 */
    column->shared = sm_target_retain((smerf_target *)target); /* counting owners does not change it */
    return true;
}

const char *sm_one_column_name(const sm_one_column *column) {
    return column->head.columns.n > 0 ? column->head.columns.text[0] : NULL;
}

void sm_one_column_end(sm_one_column *column) { smerf_target_free(column->shared); }

bool sm_one_column_equal(const sm_one_column *a, const sm_one_column *b) {
    return a->head.n_rows == b->head.n_rows && a->diagonal == b->diagonal &&
           sm_strings_equal(&a->head.columns, &b->head.columns);
}

smerf_status sm_one_column_save(const sm_one_column *column, sm_tensors *tensors, smerf_error *error) {
    smerf_status status = SMERF_OK;
    if (column->head.columns.n > 0) {
        size_t n_bytes;
        char *name = sm_strings_pack(&column->head.columns, &n_bytes);
        status = name != NULL ? sm_tensors_give(tensors, "target.column", SM_U8, name, n_bytes, error)
                              : sm_no_memory(error, "saving a target");
    }
    if (status == SMERF_OK && column->diagonal != 0)
        status = sm_tensors_add(tensors, "target.diagonal", SM_F64, &column->diagonal, 1, error);
    return status;
}

/* NULL: the file names no column. */
static smerf_status find_name(const sm_tensors *tensors, const char **name, smerf_error *error) {
    const sm_tensor *found = sm_tensors_find(tensors, "target.column");
    *name = NULL;
    if (found == NULL) return SMERF_OK;
    bool is_text = found->type == SM_U8 && found->n > 0;
    bool is_one_name = is_text && memchr(found->data, '\0', found->n) == (const char *)found->data + found->n - 1;
    if (!is_one_name || !sm_is_utf8(found->data))
        return sm_fail(error, SMERF_BAD_FILE, "the name of the target's column is not one text");
    *name = found->data;
    return SMERF_OK;
}

smerf_status sm_one_column_load(sm_one_column *column, const sm_target_kind *kind, const sm_tensors *tensors,
                                size_t n_items, smerf_error *error) {
    const char *name;
    sm_target_start(&column->head, kind, n_items, n_items);
    smerf_status status = find_name(tensors, &name, error);
    if (status == SMERF_OK && sm_tensors_find(tensors, "target.diagonal") != NULL) {
        const void *diagonal;
        status = sm_tensors_get(tensors, "target.diagonal", SM_F64, 1, &diagonal, error);
        if (status == SMERF_OK) column->diagonal = *(const double *)diagonal + 0.0;
    }
    if (status == SMERF_OK && !(fabs(column->diagonal) <= (double)FLT_MAX)) /* as the option has it */
        status = sm_fail(error, SMERF_BAD_FILE, "the model's self-distance is not a number that float32 can hold");
    return status == SMERF_OK ? sm_one_column_start(column, kind, name, n_items, error) : status;
}
