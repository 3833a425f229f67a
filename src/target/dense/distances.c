/* distances.c - the target that is any symmetric matrix: making, checking, saving and loading one.
 * Growing on it is distances_search.c, predicting from it distances_leaves.c. */
#include "target/dense/distances.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/square.h"

static void free_distances(smerf_target *target) {
    sm_distances *distances = (sm_distances *)target;
    sm_free(distances->owned);
    sm_free(distances->diagonal);
    smerf_target_free(distances->shared);
    sm_free(distances);
}

static smerf_status new_distances(const float *z, size_t n_rows, size_t n_columns, sm_distances **out,
                                  smerf_error *error) {
    if (n_rows == 0 || n_columns == 0) return sm_fail(error, SMERF_BAD_INPUT, "a matrix of distances has no rows");
    sm_distances *distances = sm_zeros(1, sizeof *distances);
    if (distances == NULL) return sm_no_memory(error, "making a target");
    sm_target_start(&distances->head, &sm_target_distances, n_rows, n_columns);
    distances->z = z;
    *out = distances;
    return SMERF_OK;
}

static smerf_status check_finite(const float *z, size_t n_rows, size_t n_columns, bool may_be_missing,
                                 sm_float_facts *facts, smerf_error *error) {
    *facts = (sm_float_facts){0};
    for (size_t i = 0; i < n_rows; i++) {
        sm_float_facts row = sm_look_at_floats(z + i * n_columns, n_columns);
        facts->largest = fmaxf(facts->largest, row.largest);
        facts->has_negative |= row.has_negative;
        for (size_t j = isfinite(row.largest) ? n_columns : 0; j < n_columns; j++)
            if (!isfinite(z[i * n_columns + j]) && !(may_be_missing && isnan(z[i * n_columns + j])))
                return sm_fail_at(error, i, j, "z[%zu][%zu] is %s; distances are finite numbers", i, j,
                                  isnan(z[i * n_columns + j]) ? "missing" : "infinite");
    }
    return SMERF_OK;
}

static smerf_status check_symmetric(const float *z, size_t n, smerf_error *error) {
    size_t i, j; /* i < j: the cell reported is that of the lower triangle */
    if (sm_square_is_symmetric(z, n, &i, &j)) return SMERF_OK;
    return sm_fail_at(error, j, i, "z[%zu][%zu] = %.9g but z[%zu][%zu] = %.9g: a distance is symmetric", j, i,
                      (double)z[j * n + i], i, j, (double)z[i * n + j]);
}

smerf_status smerf_target_new_distances(const float *z, size_t n_items, smerf_target **out, smerf_error *error) {
    sm_float_facts facts;
    smerf_status status = check_finite(z, n_items, n_items, false, &facts, error);
    if (status == SMERF_OK) status = check_symmetric(z, n_items, error);
    sm_distances *distances = NULL;
    if (status == SMERF_OK) status = new_distances(z, n_items, n_items, &distances, error);
    if (status != SMERF_OK) return status;
    distances->facts = facts;
    *out = &distances->head;
    return SMERF_OK;
}

smerf_status smerf_target_new_block(const float *z, size_t n_rows, size_t n_columns, smerf_target **out,
                                    smerf_error *error) {
    sm_float_facts facts;
    smerf_status status = check_finite(z, n_rows, n_columns, true, &facts, error);
    sm_distances *distances = NULL;
    if (status == SMERF_OK) status = new_distances(z, n_rows, n_columns, &distances, error);
    if (status != SMERF_OK) return status;
    distances->head.is_block = true;
    *out = &distances->head;
    return SMERF_OK;
}

static void distances_true_row(const smerf_target *target, size_t row, double *out) {
    const sm_distances *distances = sm_distances_of(target);
    const float *z = distances->z + row * target->n_columns;
    for (size_t j = 0; j < target->n_columns; j++) out[j] = (double)z[j];
    if (!target->is_block) out[row] = sm_distances_self(distances, row);
}

static smerf_status set_distances_diagonal(const smerf_target *target, double value, smerf_target **out,
                                           smerf_error *error) {
    const sm_distances *parent = sm_distances_of(target);
    sm_distances *distances = NULL;
    smerf_status status = new_distances(parent->z, target->n_rows, target->n_columns, &distances, error);
    if (status != SMERF_OK) return status;
    distances->facts = parent->facts;
    distances->head.from_similarities = target->from_similarities;
    distances->head.largest_similarity = target->largest_similarity;
    distances->diagonal = sm_array(target->n_rows, sizeof *distances->diagonal);
    if (distances->diagonal == NULL) {
        smerf_target_free(&distances->head);
        return sm_no_memory(error, "setting self-distances");
    }
    for (size_t i = 0; i < target->n_rows; i++) distances->diagonal[i] = (double)(float)value; /* as if read in Z */
    distances->shared = sm_target_retain((smerf_target *)target); /* counting owners does not change it */
    *out = &distances->head;
    return SMERF_OK;
}

/* Cuts the matrix, and the diagonal where it is set. */
static smerf_status take_distances(const smerf_target *target, const uint32_t *rows, size_t n, smerf_target **out,
                                   smerf_error *error) {
    const sm_distances *parent = sm_distances_of(target);
    sm_distances *distances = NULL;
    smerf_status status = sm_check_memory((double)n * (double)n * sizeof(float), "the matrix of distances", error);
    if (status == SMERF_OK) status = new_distances(NULL, n, n, &distances, error);
    if (status != SMERF_OK) return status;
    float *z = distances->owned = sm_array(sm_size(n, n, 0), sizeof *z);
    if (parent->diagonal != NULL) distances->diagonal = sm_array(n, sizeof *distances->diagonal);
    if (z == NULL || (parent->diagonal != NULL && distances->diagonal == NULL)) {
        smerf_target_free(&distances->head);
        return sm_no_memory(error, "taking distances");
    }
    for (size_t i = 0; i < n; i++) {
        const float *row = parent->z + rows[i] * target->n_columns;
        for (size_t j = 0; j < n; j++) z[i * n + j] = row[rows[j]];
        if (parent->diagonal != NULL) distances->diagonal[i] = parent->diagonal[rows[i]];
    }
    distances->z = z;
    distances->facts = sm_look_at_floats(z, n * n);
    *out = &distances->head;
    return SMERF_OK;
}

static bool distances_are_equal(const smerf_target *a, const smerf_target *b) {
    const sm_distances *left = sm_distances_of(a), *right = sm_distances_of(b);
    size_t n = a->n_rows;
    if (n != b->n_rows || a->from_similarities != b->from_similarities) return false;
    if (a->from_similarities && a->largest_similarity != b->largest_similarity) return false;
    for (size_t i = 0; i < n; i++) {
        if (sm_distances_self(left, i) != sm_distances_self(right, i)) return false;
        if (memcmp(left->z + i * n + i + 1, right->z + i * n + i + 1, (n - i - 1) * sizeof *left->z) != 0) return false;
    }
    return true;
}

/* The upper triangle by rows, as in scipy's condensed form. */
static void put_pairs(const void *of, sm_tensor_sink sink, void *to) {
    const sm_distances *distances = of;
    size_t n = distances->head.n_rows;
    for (size_t i = 0; i + 1 < n; i++) sink(to, distances->z + i * n + i + 1, (n - 1 - i) * sizeof *distances->z);
}

/* The diagonal only where it is not zero. */
static smerf_status save_distances(const smerf_target *target, sm_tensors *tensors, smerf_error *error) {
    const sm_distances *distances = sm_distances_of(target);
    size_t n = target->n_rows, n_pairs = n * (n - 1) / 2;
    smerf_status status =
        sm_tensors_add_written(tensors, "target.distances", SM_F32, distances, n_pairs, put_pairs, error);
    bool is_zero = true;
    for (size_t i = 0; i < n && is_zero; i++) is_zero = sm_distances_self(distances, i) == 0;
    if (status != SMERF_OK || is_zero) return status;
    double *diagonal = sm_array(n, sizeof *diagonal);
    if (diagonal == NULL) return sm_no_memory(error, "saving distances");
    for (size_t i = 0; i < n; i++) diagonal[i] = sm_distances_self(distances, i);
    return sm_tensors_give(tensors, "target.diagonal", SM_F64, diagonal, n, error);
}

static smerf_status load_distances(const sm_tensors *tensors, size_t n, smerf_target **out, smerf_error *error) {
    const void *data = NULL;
    size_t n_pairs = n % 2 == 0 ? sm_size(n / 2, n - 1, 0) : sm_size(n, (n - 1) / 2, 0);
    smerf_status status = sm_tensors_get(tensors, "target.distances", SM_F32, n_pairs, &data, error);
    if (status == SMERF_OK)
        status = sm_check_memory((double)n * (double)n * sizeof(float), "the matrix of distances", error);
    if (status != SMERF_OK) return status;
    const float *pairs = data;
    const sm_tensor *diagonal = sm_tensors_find(tensors, "target.diagonal");
    if (diagonal != NULL) {
        status = sm_tensors_get(tensors, "target.diagonal", SM_F64, n, &data, error);
        if (status != SMERF_OK) return status;
    }
    const double *self = diagonal != NULL ? data : NULL;
    for (size_t i = 0; i < n && self != NULL; i++) {
        if (!isfinite(self[i])) return sm_fail(error, SMERF_BAD_FILE, "the model's self-distances are not all finite");
        /* some ways to predict read it in rows of Z, others by itself: only a float is the same in both */
        if (fabs(self[i]) > (double)FLT_MAX || self[i] != (double)(float)self[i])
            return sm_fail(error, SMERF_BAD_FILE, "the model's self-distances are not all numbers of 32 bits");
    }
    sm_float_facts facts = sm_look_at_floats(pairs, n_pairs);
    if (!isfinite(facts.largest)) return sm_fail(error, SMERF_BAD_FILE, "the model's distances are not all finite");

    float *z = sm_zeros(sm_size(n, n, 0), sizeof *z);
    if (z == NULL) return sm_no_memory(error, "loading distances");
    for (size_t i = 0, k = 0; i + 1 < n; k += n - 1 - i, i++)
        memcpy(z + i * n + i + 1, pairs + k, (n - 1 - i) * sizeof *pairs);
    sm_square_mirror(z, n);
    sm_distances *distances = NULL;
    status = new_distances(z, n, n, &distances, error);
    if (status != SMERF_OK) {
        sm_free(z);
        return status;
    }
    distances->owned = z;
    distances->facts = facts;
    if (diagonal != NULL) {
        distances->diagonal = sm_copy(self, n, sizeof *distances->diagonal);
        if (distances->diagonal == NULL) {
            smerf_target_free(&distances->head);
            return sm_no_memory(error, "loading distances");
        }
    }
    *out = &distances->head;
    return SMERF_OK;
}

const sm_target_kind sm_target_distances = {
    .name = "distances",
    .metrics = SMERF_HAS(SMERF_RMSE) | SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10),
    .data.free = free_distances,
    .engines = {&sm_distances_engine},
    .predicting.leaf_row = sm_distances_leaf_row,
    .predicting.leaf_pair = sm_distances_leaf_pair,
    .predicting.item_block = sm_distances_item_block,
    .predicting.mean_apart = sm_distances_mean_apart,
    .explaining.root_means = sm_distances_root_means,
    .data.true_row = distances_true_row,
    .data.with_diagonal = set_distances_diagonal,
    .data.take = take_distances,
    .data.equal = distances_are_equal,
    .data.save = save_distances,
    .data.load = load_distances,
};
