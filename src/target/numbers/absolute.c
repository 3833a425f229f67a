/* absolute.c - the target that is a number for each item: z = the absolute difference. Making, saving and loading one.
 * Growing on it is absolute_search.c, predicting from it absolute_leaves.c. */
#include "target/numbers/absolute.h"

#include <math.h>

#include "base/memory.h"
#include "base/sort.h"

/* Beyond this, differences times squared sums of the heaviest weights could leave the range of a double. */
static const double largest_value = 1e90;

static void free_absolute(smerf_target *target) {
    sm_absolute *absolute = (sm_absolute *)target;
    sm_one_column_end(&absolute->column);
    sm_free(absolute->own_value);
    sm_free(absolute->own_rank);
    sm_free(absolute->own_order);
    sm_free(absolute);
}

/* ---- making ---- */

static bool is_fine(double value) { return fabs(value) <= largest_value; }

/* Fills rank and order. False: no memory. */
static bool rank_values(const double *value, size_t n, uint32_t *rank, uint32_t *order) {
    uint64_t *keys = sm_array(n, sizeof *keys), *spare_keys = sm_array(n, sizeof *spare_keys);
    uint32_t *spare_places = sm_array(n, sizeof *spare_places);
    bool has_room = keys != NULL && spare_keys != NULL && spare_places != NULL;
    if (has_room) {
        for (size_t i = 0; i < n; i++) {
            keys[i] = sm_sort_key(value[i]);
            order[i] = (uint32_t)i;
        }
        sm_sort(keys, order, n, spare_keys, spare_places);
        uint32_t next = 0;
        for (size_t k = 0; k < n; k++) {
            next += k > 0 && keys[k] != keys[k - 1];
            rank[order[k]] = next;
        }
    }
    sm_free(keys);
    sm_free(spare_keys);
    sm_free(spare_places);
    return has_room;
}

/* Copies the values, which have been checked. */
static smerf_status take_values(sm_absolute *absolute, const double *values, smerf_error *error) {
    size_t n = absolute->column.head.n_rows;
    absolute->value = absolute->own_value = sm_copy(values, n, sizeof *values);
    absolute->rank = absolute->own_rank = sm_array(n, sizeof *absolute->own_rank);
    absolute->order = absolute->own_order = sm_array(n, sizeof *absolute->own_order);
    bool has_room = absolute->value != NULL && absolute->rank != NULL && absolute->order != NULL;
    if (has_room && rank_values(values, n, absolute->own_rank, absolute->own_order)) return SMERF_OK;
    return sm_no_memory(error, "making a target");
}

static smerf_status check_values(const char *name, const double *values, size_t n_items, smerf_error *error) {
    for (size_t i = 0; i < n_items; i++)
        if (!is_fine(values[i]))
            return sm_fail_at(error, i, 0, "%s%s%sitem %zu: %g is not a number between -1e90 and 1e90",
                              name != NULL ? "column '" : "", name != NULL ? name : "", name != NULL ? "', " : "", i,
                              values[i]);
    return SMERF_OK;
}

smerf_status smerf_target_new_absolute(const char *name, const double *values, size_t n_items, smerf_target **out,
                                       smerf_error *error) {
    sm_absolute *absolute = sm_zeros(1, sizeof *absolute);
    if (absolute == NULL) return sm_no_memory(error, "making a target");
    smerf_status status = sm_one_column_start(&absolute->column, &sm_target_absolute, name, n_items, error);
    if (status == SMERF_OK) status = check_values(name, values, n_items, error);
    if (status == SMERF_OK) status = take_values(absolute, values, error);
    if (status == SMERF_OK)
        *out = &absolute->column.head;
    else
        smerf_target_free(&absolute->column.head);
    return status;
}

static void true_row(const smerf_target *target, size_t row, double *out) {
    const double *value = sm_absolute_of(target)->value;
    for (size_t j = 0; j < target->n_columns; j++) out[j] = fabs(value[row] - value[j]);
    out[row] = sm_one_column_of(target)->diagonal;
}

/* ---- variants and files ---- */

static smerf_status with_diagonal(const smerf_target *target, double value, smerf_target **out, smerf_error *error) {
    const sm_absolute *parent = sm_absolute_of(target);
    sm_absolute *absolute = sm_zeros(1, sizeof *absolute);
    if (absolute == NULL) return sm_no_memory(error, "setting self-distances");
    if (!sm_one_column_vary(&absolute->column, target, value)) {
        smerf_target_free(&absolute->column.head);
        return sm_no_memory(error, "setting self-distances");
    }
    absolute->value = parent->value;
    absolute->rank = parent->rank;
    absolute->order = parent->order;
    *out = &absolute->column.head;
    return SMERF_OK;
}

static smerf_status take(const smerf_target *target, const uint32_t *rows, size_t n, smerf_target **out,
                         smerf_error *error) {
    const sm_absolute *parent = sm_absolute_of(target);
    double *values = sm_array(n, sizeof *values);
    if (values == NULL) return sm_no_memory(error, "taking values");
    for (size_t k = 0; k < n; k++) values[k] = parent->value[rows[k]];
    smerf_status status = smerf_target_new_absolute(sm_one_column_name(&parent->column), values, n, out, error);
    sm_free(values);
    if (status == SMERF_OK) ((sm_one_column *)*out)->diagonal = parent->column.diagonal;
    return status;
}

static bool equal(const smerf_target *a, const smerf_target *b) {
    const sm_absolute *left = sm_absolute_of(a), *right = sm_absolute_of(b);
    if (!sm_one_column_equal(&left->column, &right->column)) return false;
    for (size_t i = 0; i < a->n_rows; i++)
        if (left->value[i] != right->value[i]) return false;
    return true;
}

static smerf_status save(const smerf_target *target, sm_tensors *tensors, smerf_error *error) {
    const sm_absolute *absolute = sm_absolute_of(target);
    smerf_status status = sm_tensors_add(tensors, "target.value", SM_F64, absolute->value, target->n_rows, error);
    return status == SMERF_OK ? sm_one_column_save(&absolute->column, tensors, error) : status;
}

static smerf_status load(const sm_tensors *tensors, size_t n_items, smerf_target **out, smerf_error *error) {
    const void *data = NULL;
    smerf_status status = sm_tensors_get(tensors, "target.value", SM_F64, n_items, &data, error);
    if (status != SMERF_OK) return status;
    for (size_t i = 0; i < n_items; i++)
        if (!is_fine(((const double *)data)[i]))
            return sm_fail(error, SMERF_BAD_FILE, "the values of the model's target are not all numbers up to 1e90");
    sm_absolute *absolute = sm_zeros(1, sizeof *absolute);
    if (absolute == NULL) return sm_no_memory(error, "loading a target");
    status = sm_one_column_load(&absolute->column, &sm_target_absolute, tensors, n_items, error);
    if (status == SMERF_OK) status = take_values(absolute, data, error);
    if (status == SMERF_OK)
        *out = &absolute->column.head;
    else
        smerf_target_free(&absolute->column.head);
    return status;
}

const sm_target_kind sm_target_absolute = {
    .name = "absolute",
    .metrics = SMERF_HAS(SMERF_RMSE) | SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10),
    .data.free = free_absolute,
    .engines = {&sm_absolute_engine},
    .predicting.summary_bytes = sm_absolute_summary_bytes,
    .predicting.summarise = sm_absolute_summarise,
    .predicting.summary_free = sm_absolute_summary_free,
    .predicting.leaf_row = sm_absolute_leaf_row,
    .predicting.leaf_pair = sm_absolute_leaf_pair,
    .predicting.mean_apart = sm_absolute_mean_apart,
    .explaining.root_means = sm_absolute_root_means,
    .data.true_row = true_row,
    .data.with_diagonal = with_diagonal,
    .data.take = take,
    .data.equal = equal,
    .data.save = save,
    .data.load = load,
};
