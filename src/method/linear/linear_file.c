/* linear_file.c - the arrays of mahalanobis and bilinear in a model file: see docs/model-format.md. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/linear/linear.h"

/* ---- saving ---- */

/* The maps of the bags, one after the other. */
static smerf_status save_bags(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    size_t n_bags = sm_n_bags(learned->n_groups), p = learned->design.n_columns, n_rows = 0, row = 0;
    for (size_t b = 0; b < n_bags; b++) n_rows += learned->bags[b].rank;
    uint32_t *rank = sm_array(n_bags, sizeof *rank);
    double *intercept = sm_array(n_bags, sizeof *intercept), *factor = sm_array(sm_size(n_rows, p, 0), sizeof *factor);
    if (rank == NULL || intercept == NULL || factor == NULL) {
        sm_free(rank);
        sm_free(intercept);
        sm_free(factor);
        return sm_no_memory(error, "saving a model");
    }
    for (size_t b = 0; b < n_bags; b++) {
        const sm_linear_map *map = &learned->bags[b];
        rank[b] = (uint32_t)map->rank;
        intercept[b] = map->intercept;
        if (map->rank > 0) memcpy(factor + row * p, map->factor, map->rank * p * sizeof *factor);
        row += map->rank;
    }
    smerf_status status = sm_tensors_give(tensors, "learned.bag_rank", SM_U32, rank, n_bags, error);
    smerf_status second = sm_tensors_give(tensors, "learned.bag_intercept", SM_F64, intercept, n_bags, error);
    smerf_status third = sm_tensors_give(tensors, "learned.bag_factor", SM_F64, factor, n_rows * p, error);
    return status != SMERF_OK ? status : second != SMERF_OK ? second : third;
}

smerf_status sm_linear_save(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    const sm_linear_map *all = &learned->all;
    smerf_status status = sm_design_save(&learned->design, tensors, error);
    if (status == SMERF_OK && learned->has_intercept)
        status = sm_tensors_add(tensors, "learned.intercept", SM_F64, &all->intercept, 1, error);
    if (status == SMERF_OK)
        status = sm_tensors_add(tensors, "learned.factor", SM_F64, all->factor, all->rank * learned->design.n_columns,
                                error);
    if (status != SMERF_OK || learned->n_groups == 0) return status;
    status = sm_tensors_add(tensors, "learned.group_of", SM_U8, learned->group_of, learned->n_items, error);
    return status == SMERF_OK ? save_bags(learned, tensors, error) : status;
}

/* ---- loading ---- */

static smerf_status check_factor(const sm_tensor *factor, size_t n_columns, size_t most_rows, smerf_error *error) {
    if (factor == NULL || factor->type != SM_F64 || factor->n % n_columns != 0 || factor->n / n_columns > most_rows)
        return sm_fail(error, SMERF_BAD_FILE, "the model's factor of W does not fit its features");
    const double *values = factor->data;
    for (size_t k = 0; k < factor->n; k++)
        if (!isfinite(values[k])) return sm_fail(error, SMERF_BAD_FILE, "the model's W is not finite");
    return SMERF_OK;
}

static smerf_status load_map(sm_linear_map *map, const double *factor, size_t rank, size_t n_columns,
                             smerf_error *error) {
    map->rank = rank;
    map->factor = sm_copy(factor, rank * n_columns, sizeof *map->factor);
    return map->factor != NULL ? SMERF_OK : sm_no_memory(error, "loading a model");
}

/* Models without an intercept of their own have no such array. */
static smerf_status load_intercept(sm_learned *learned, const sm_tensors *tensors, smerf_error *error) {
    const void *data = NULL;
    learned->all.intercept = learned->is_of_differences ? 0 : 1;
    learned->has_intercept = sm_tensors_find(tensors, "learned.intercept") != NULL;
    if (!learned->has_intercept) return SMERF_OK;
    smerf_status status = sm_tensors_get(tensors, "learned.intercept", SM_F64, 1, &data, error);
    if (status != SMERF_OK) return status;
    memcpy(&learned->all.intercept, data, sizeof learned->all.intercept);
    if (isfinite(learned->all.intercept)) return SMERF_OK;
    return sm_fail(error, SMERF_BAD_FILE, "the model's intercept is not finite");
}

static smerf_status load_groups(sm_learned *learned, const sm_tensors *tensors, size_t n_bags, smerf_error *error) {
    const void *data = NULL;
    size_t n_groups = sm_groups_of_bags(n_bags);
    if (n_groups == 0) return sm_fail(error, SMERF_BAD_FILE, "the model's bags are not those of any number of groups");
    smerf_status status = sm_tensors_get(tensors, "learned.group_of", SM_U8, learned->n_items, &data, error);
    if (status != SMERF_OK) return status;
    const uint8_t *group_of = data;
    for (size_t i = 0; i < learned->n_items; i++)
        if (group_of[i] >= n_groups)
            return sm_fail(error, SMERF_BAD_FILE, "the model has an item in a group that there is not");
    learned->group_of = sm_copy(group_of, learned->n_items, sizeof *group_of);
    learned->bags = sm_zeros(n_bags, sizeof *learned->bags);
    if (learned->group_of == NULL || learned->bags == NULL) return sm_no_memory(error, "loading a model");
    learned->n_groups = n_groups;
    return SMERF_OK;
}

/* Intercepts of bags may be NaN: there was nothing to learn from. */
static smerf_status load_bags(sm_learned *learned, const sm_tensors *tensors, smerf_error *error) {
    const sm_tensor *ranks = sm_tensors_find(tensors, "learned.bag_rank");
    if (ranks == NULL) return SMERF_OK;
    size_t n_bags = ranks->n, p = learned->design.n_columns, n_rows = 0;
    const void *rank_data = NULL, *intercept_data = NULL;
    smerf_status status = load_groups(learned, tensors, n_bags, error);
    if (status == SMERF_OK) status = sm_tensors_get(tensors, "learned.bag_rank", SM_U32, n_bags, &rank_data, error);
    if (status == SMERF_OK)
        status = sm_tensors_get(tensors, "learned.bag_intercept", SM_F64, n_bags, &intercept_data, error);
    const sm_tensor *factor = sm_tensors_find(tensors, "learned.bag_factor");
    if (status == SMERF_OK) status = check_factor(factor, p, p * n_bags, error);
    const uint32_t *rank = rank_data;
    const double *intercept = intercept_data;
    for (size_t b = 0; b < n_bags && status == SMERF_OK; b++) {
        if (rank[b] > p || rank[b] > factor->n / p - n_rows || isinf(intercept[b]))
            return sm_fail(error, SMERF_BAD_FILE, "the model's bags do not fit its features");
        status = load_map(&learned->bags[b], (const double *)factor->data + n_rows * p, rank[b], p, error);
        learned->bags[b].intercept = intercept[b];
        n_rows += rank[b];
    }
    if (status == SMERF_OK && n_rows != factor->n / p)
        return sm_fail(error, SMERF_BAD_FILE, "the model's bags do not fit its features");
    return status;
}

smerf_status sm_linear_load(bool is_of_differences, const sm_tensors *tensors, const sm_features *features,
                            size_t n_items, sm_learned **out, smerf_error *error) {
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "loading a model");
    learned->is_of_differences = is_of_differences;
    learned->n_items = n_items;
    const sm_tensor *factor = sm_tensors_find(tensors, "learned.factor");
    smerf_status status = sm_design_load(&learned->design, features, tensors, error);
    size_t n_columns = learned->design.n_columns;
    if (status == SMERF_OK && n_columns == 0)
        status = sm_fail(error, SMERF_BAD_FILE, "the model's features have no columns");
    if (status == SMERF_OK) status = check_factor(factor, n_columns, n_columns, error);
    if (status == SMERF_OK) status = load_intercept(learned, tensors, error);
    if (status == SMERF_OK) status = load_map(&learned->all, factor->data, factor->n / n_columns, n_columns, error);
    if (status == SMERF_OK) status = load_bags(learned, tensors, error);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_linear_free(learned);
    return status;
}
