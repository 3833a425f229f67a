/* shrinkage.c - sums over trees that were out of bag for some pairs, and the shrinkage that follows from them: see shrinkage.h. */
#include "model/shrinkage.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

/* Distances are never drawn together altogether: who is nearer than whom stays to be seen. */
static const double least_scale = 0.02;

/* A slope above this is left alone: drawing distances less than that gains next to nothing, and loses a little where the slope is
 * wrong. Below 1/2, distances as they are would be worse than their mean. */
static const double largest_slope = 0.75;

/* How sure it must be that the slope is below 1, in standard errors. Errors are large where predicted distances hardly differ,
 * and then little is at stake either way. */
static const double n_errors = 0.5;

/* ---- sums ---- */

void sm_shrinkage_start(sm_shrinkage *shrinkage) {
    *shrinkage = (sm_shrinkage){.scale = 1, .mean = NAN, .slope = NAN, .error = NAN, .unit = NAN};
}

void sm_shrinkage_free(sm_shrinkage *shrinkage) {
    sm_free(shrinkage->left);
    sm_free(shrinkage->right);
    sm_free(shrinkage->truth);
    sm_free(shrinkage->n_trees);
    sm_free(shrinkage->sum);
    sm_free(shrinkage->squares);
    sm_shrinkage_start(shrinkage);
}

bool sm_shrinkage_reserve(sm_shrinkage *shrinkage, size_t n_pairs) {
    shrinkage->n_pairs = n_pairs;
    shrinkage->left = sm_zeros(n_pairs, sizeof *shrinkage->left);
    shrinkage->right = sm_zeros(n_pairs, sizeof *shrinkage->right);
    shrinkage->truth = sm_zeros(n_pairs, sizeof *shrinkage->truth);
    shrinkage->n_trees = sm_zeros(n_pairs, sizeof *shrinkage->n_trees);
    shrinkage->sum = sm_zeros(n_pairs, sizeof *shrinkage->sum);
    shrinkage->squares = sm_zeros(n_pairs, sizeof *shrinkage->squares);
    return shrinkage->left != NULL && shrinkage->right != NULL && shrinkage->truth != NULL &&
           shrinkage->n_trees != NULL && shrinkage->sum != NULL && shrinkage->squares != NULL;
}

void sm_shrinkage_add(sm_shrinkage *shrinkage, size_t pair, double distance) {
    const double most = (double)SM_MOST_UNITS;
    if (isnan(distance)) return;
    int64_t units = (int64_t)rint(fmax(-most, fmin(most, (distance - shrinkage->mean) / shrinkage->unit)));
    shrinkage->n_trees[pair]++;
    shrinkage->sum[pair] += (uint64_t)(units + SM_MOST_UNITS);
    shrinkage->squares[pair] += (uint64_t)(units * units);
}

void sm_shrinkage_join(sm_shrinkage *shrinkage, const sm_shrinkage *other) {
    for (size_t p = 0; p < shrinkage->n_pairs; p++) {
        shrinkage->n_trees[p] += other->n_trees[p];
        shrinkage->sum[p] += other->sum[p];
        shrinkage->squares[p] += other->squares[p];
    }
}

static bool copy_numbers(sm_shrinkage *copy, const sm_shrinkage *shrinkage) {
    size_t n = shrinkage->n_pairs;
    if (!sm_shrinkage_reserve(copy, n)) return false;
    for (size_t p = 0; p < n; p++) {
        copy->left[p] = shrinkage->left[p];
        copy->right[p] = shrinkage->right[p];
        copy->truth[p] = shrinkage->truth[p];
    }
    sm_shrinkage_join(copy, shrinkage);
    return true;
}

bool sm_shrinkage_copy(sm_shrinkage *copy, const sm_shrinkage *shrinkage) {
    *copy = *shrinkage;
    copy->n_pairs = 0;
    copy->left = copy->right = copy->n_trees = NULL;
    copy->truth = NULL;
    copy->sum = copy->squares = NULL;
    return shrinkage->n_pairs == 0 || copy_numbers(copy, shrinkage);
}

/* Numbers that are the same, or both none. */
static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

bool sm_shrinkage_same_pairs(const sm_shrinkage *a, const sm_shrinkage *b) {
    bool is_same = a->n_pairs == b->n_pairs && same_number(a->mean, b->mean) && same_number(a->unit, b->unit);
    for (size_t p = 0; p < a->n_pairs && is_same; p++)
        is_same = a->left[p] == b->left[p] && a->right[p] == b->right[p] && a->truth[p] == b->truth[p];
    return is_same;
}

/* ---- the slope ---- */

/* What a pair adds to the covariance of true and predicted distances and to the square of what a forest of n_trees says, in
 * units. False: too few trees were out of bag. */
static bool weigh_pair(const sm_shrinkage *of, size_t p, double n_trees, double *covariance, double *square) {
    double n = of->n_trees[p], squares = (double)of->squares[p];
    if (of->n_trees[p] < 2) return false;
    double sum = (double)((int64_t)of->sum[p] - (int64_t)of->n_trees[p] * SM_MOST_UNITS);
    double product = (sum * sum - squares) / (n * (n - 1)); /* of what two trees say, on average */
    double variance = squares / n - product;                /* of what one tree says */
    *covariance = (of->truth[p] - of->mean) / of->unit * (sum / n);
    *square = product + variance / n_trees;
    return true;
}

/* The standard error by the infinitesimal jackknife over items: pairs that share an item are not independent.
 *   residual  [n_items] zeros */
static double error_of_slope(const sm_shrinkage *of, double n_trees, double square, size_t n_items, double *residual) {
    double squares = 0, own_covariance, own_square;
    for (size_t p = 0; p < of->n_pairs; p++) {
        if (!weigh_pair(of, p, n_trees, &own_covariance, &own_square)) continue;
        residual[of->left[p]] += own_covariance - of->slope * own_square;
        residual[of->right[p]] += own_covariance - of->slope * own_square;
    }
    for (size_t i = 0; i < n_items; i++) squares += residual[i] * residual[i];
    return sqrt(squares) / square;
}

static bool estimate_scale(sm_shrinkage *shrinkage, size_t n_trees, size_t n_items) {
    double covariance = 0, square = 0, own_covariance, own_square;
    size_t n_weighed = 0;
    for (size_t p = 0; p < shrinkage->n_pairs; p++) {
        if (!weigh_pair(shrinkage, p, (double)n_trees, &own_covariance, &own_square)) continue;
        covariance += own_covariance;
        square += own_square;
        n_weighed++;
    }
    if (n_weighed < SM_FEWEST_SHRINKAGE_PAIRS || !(square > 0)) return true;
    double *residual = sm_zeros(n_items, sizeof *residual);
    if (residual == NULL) return false;
    shrinkage->slope = covariance / square;
    shrinkage->error = error_of_slope(shrinkage, (double)n_trees, square, n_items, residual);
    if (shrinkage->slope < largest_slope && shrinkage->slope + n_errors * shrinkage->error < 1)
        shrinkage->scale = fmax(shrinkage->slope, least_scale);
    sm_free(residual);
    return true;
}

bool sm_shrinkage_choose(sm_shrinkage *shrinkage, double option, size_t n_trees, size_t n_items) {
    shrinkage->scale = option > 0 ? option : 1;
    shrinkage->slope = shrinkage->error = NAN;
    return option != SMERF_SHRINK_AUTO || estimate_scale(shrinkage, n_trees, n_items);
}

/* ---- files ---- */

smerf_status sm_shrinkage_save(const sm_shrinkage *shrinkage, sm_tensors *tensors, smerf_error *error) {
    size_t n = shrinkage->n_pairs;
    smerf_status status = sm_tensors_add(tensors, "shrink.left", SM_U32, shrinkage->left, n, error);
    if (status == SMERF_OK) status = sm_tensors_add(tensors, "shrink.right", SM_U32, shrinkage->right, n, error);
    if (status == SMERF_OK) status = sm_tensors_add(tensors, "shrink.truth", SM_F64, shrinkage->truth, n, error);
    if (status == SMERF_OK) status = sm_tensors_add(tensors, "shrink.n_trees", SM_U32, shrinkage->n_trees, n, error);
    if (status == SMERF_OK) status = sm_tensors_add(tensors, "shrink.sum", SM_U64, shrinkage->sum, n, error);
    if (status == SMERF_OK) status = sm_tensors_add(tensors, "shrink.squares", SM_U64, shrinkage->squares, n, error);
    return status;
}

/* Whether a pair stands after the one before it, and has sums that trees can have: by Cauchy and Schwarz, and no more of
 * anything than so many trees may add. */
static bool pair_is_fine(const sm_shrinkage *of, size_t p, size_t n_items) {
    uint64_t n = of->n_trees[p], most = (uint64_t)SM_MOST_UNITS;
    bool is_after =
        p == 0 || of->left[p] > of->left[p - 1] || (of->left[p] == of->left[p - 1] && of->right[p] > of->right[p - 1]);
    if (!is_after || of->left[p] >= of->right[p] || of->right[p] >= n_items) return false;
    if (!(fabs(of->truth[p]) <= (double)FLT_MAX) || n >= 1 << 15) return false;
    if (of->sum[p] > 2 * n * most || of->squares[p] > n * most * most) return false;
    double sum = (double)of->sum[p] - (double)n * (double)most;
    return sum * sum <= (double)n * (double)of->squares[p] * (1 + 1e-12);
}

static smerf_status take_array(const sm_tensors *tensors, const char *name, sm_tensor_type type, size_t n, void *to,
                               smerf_error *error) {
    const void *data;
    smerf_status status = sm_tensors_get(tensors, name, type, n, &data, error);
    if (status == SMERF_OK && n > 0) memcpy(to, data, n * sm_tensor_type_bytes(type));
    return status;
}

smerf_status sm_shrinkage_load(sm_shrinkage *shrinkage, const sm_tensors *tensors, size_t n_items, smerf_error *error) {
    const sm_tensor *left = sm_tensors_find(tensors, "shrink.left");
    size_t n = left != NULL ? left->n : 0;
    if (n > SM_MOST_SHRINKAGE_PAIRS)
        return sm_fail(error, SMERF_BAD_FILE, "the model has too many pairs in shrink.left");
    if (!sm_shrinkage_reserve(shrinkage, n)) return sm_no_memory(error, "loading a model");
    const struct {
        const char *name;
        sm_tensor_type type;
        void *to;
    } arrays[] = {{"shrink.left", SM_U32, shrinkage->left},   {"shrink.right", SM_U32, shrinkage->right},
                  {"shrink.truth", SM_F64, shrinkage->truth}, {"shrink.n_trees", SM_U32, shrinkage->n_trees},
                  {"shrink.sum", SM_U64, shrinkage->sum},     {"shrink.squares", SM_U64, shrinkage->squares}};
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && status == SMERF_OK; k++)
        status = take_array(tensors, arrays[k].name, arrays[k].type, n, arrays[k].to, error);
    for (size_t p = 0; p < n && status == SMERF_OK; p++)
        if (!pair_is_fine(shrinkage, p, n_items))
            status =
                sm_fail(error, SMERF_BAD_FILE, "pair %zu of the model's shrinkage has sums that no trees can have", p);
    return status;
}
