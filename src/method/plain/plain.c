/* plain.c - three distances that hardly learn:
 *
 *     mean          of any two items the mean of the known training distances
 *     standardized  sqrt of the sum of squares of (x - y) / s, s the standard deviation; a category that differs counts 1
 *     gower         the mean of |x - y| / range, and of 1 for each category that differs
 *
 * s and the range are those of the training items; a feature that does not vary among them is left out. So is, for a pair, one that
 * is missing in either item: the squares are then scaled up to all features, and of Gower it is the mean of the others. A
 * pair of which no feature is known in both counts 1 for each feature. */
#include "method/plain/plain.h"

#include <math.h>

#include "base/memory.h"
#include "method/linear/design.h"
#include "method/methods.h"

sm_learned *sm_plain_new(size_t n_features) {
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return NULL;
    learned->n_features = n_features;
    learned->scale = sm_zeros(n_features, sizeof *learned->scale);
    if (learned->scale != NULL) return learned;
    sm_free(learned);
    return NULL;
}

void sm_plain_free(sm_learned *learned) {
    if (learned == NULL) return;
    sm_free(learned->scale);
    sm_free(learned);
}

void sm_plain_count(sm_learned *learned) {
    learned->n_used = 0;
    for (size_t f = 0; f < learned->n_features; f++) learned->n_used += learned->scale[f] > 0;
}

/* ---- predicting ---- */

/* Borrows all. */
struct sm_predictor {
    const sm_learned *learned;
    const sm_view *rows, *columns;
};

static void free_plain_predictor(sm_predictor *predictor) { sm_free(predictor); }

static smerf_status new_plain_predictor(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
                                        sm_predictor **out, smerf_error *error) {
    (void)pool;
    smerf_status status = sm_design_check(sides->features, sides->rows.view, error);
    if (status == SMERF_OK) status = sm_design_check(sides->features, sides->columns.view, error);
    if (status != SMERF_OK) return status;
    sm_predictor *predictor = sm_zeros(1, sizeof *predictor);
    if (predictor == NULL) return sm_no_memory(error, "comparing items");
    *predictor = (sm_predictor){.learned = learned, .rows = sides->rows.view, .columns = sides->columns.view};
    *out = predictor;
    return SMERF_OK;
}

/* How far two items are apart in one feature; NaN: it is missing in either. */
static double apart_in(const sm_predictor *predictor, size_t feature, size_t row, size_t column) {
    const sm_view *rows = predictor->rows, *columns = predictor->columns;
    if (!sm_are_numbers(&rows->numbers[feature])) {
        const uint32_t code = rows->codes[feature][row], other = columns->codes[feature][column];
        if (code == SMERF_MISSING || other == SMERF_MISSING) return NAN;
        return code != other;
    }
    double apart = fabs(sm_number_at(&rows->numbers[feature], row) - sm_number_at(&columns->numbers[feature], column));
    if (isnan(apart)) return NAN;
    return fmin(apart * predictor->learned->scale[feature], SM_LARGEST_FEATURE);
}

/* The mean over the features that are known in both of what they are apart, or of its square. */
static double mean_apart(const sm_predictor *predictor, size_t row, size_t column, bool is_squared) {
    const sm_learned *learned = predictor->learned;
    double sum = 0;
    size_t n = 0;
    for (size_t f = 0; f < learned->n_features; f++) {
        double apart = learned->scale[f] > 0 ? apart_in(predictor, f, row, column) : NAN;
        if (isnan(apart)) continue;
        sum += is_squared ? apart * apart : apart;
        n++;
    }
    return n > 0 ? sum / (double)n : learned->n_used > 0 ? 1 : 0;
}

static void predict_mean_row(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n, size_t thread,
                             double *distances) {
    (void)row, (void)columns, (void)thread;
    for (size_t j = 0; j < n; j++) distances[j] = predictor->learned->mean;
}

static void predict_standardized_row(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n,
                                     size_t thread, double *distances) {
    double n_used = (double)predictor->learned->n_used;
    (void)thread;
    for (size_t j = 0; j < n; j++)
        distances[j] = sqrt(n_used * mean_apart(predictor, row, columns != NULL ? columns[j] : j, true));
}

static void predict_gower_row(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n, size_t thread,
                              double *distances) {
    (void)thread;
    for (size_t j = 0; j < n; j++) distances[j] = mean_apart(predictor, row, columns != NULL ? columns[j] : j, false);
}

/* ---- files ---- */

static smerf_status save_scales(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    return sm_tensors_add(tensors, "learned.scale", SM_F64, learned->scale, learned->n_features, error);
}

static smerf_status load_scales(const sm_tensors *tensors, const sm_features *features, size_t n_items,
                                sm_learned **out, smerf_error *error) {
    (void)n_items;
    const void *data = NULL;
    smerf_status status = sm_tensors_get(tensors, "learned.scale", SM_F64, features->n, &data, error);
    if (status != SMERF_OK) return status;
    sm_learned *learned = sm_plain_new(features->n);
    if (learned == NULL) return sm_no_memory(error, "loading a model");
    for (size_t f = 0; f < features->n && status == SMERF_OK; f++) {
        learned->scale[f] = ((const double *)data)[f];
        if (!(learned->scale[f] >= 0 && isfinite(learned->scale[f])))
            status = sm_fail(error, SMERF_BAD_FILE, "the model has a feature that is scaled by %g", learned->scale[f]);
    }
    sm_plain_count(learned);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_plain_free(learned);
    return status;
}

static smerf_status save_mean(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    return sm_tensors_add(tensors, "learned.mean", SM_F64, &learned->mean, 1, error);
}

static smerf_status load_mean(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                              smerf_error *error) {
    (void)n_items;
    const void *data = NULL;
    smerf_status status = sm_tensors_get(tensors, "learned.mean", SM_F64, 1, &data, error);
    if (status != SMERF_OK) return status;
    double mean = *(const double *)data;
    if (!isfinite(mean)) return sm_fail(error, SMERF_BAD_FILE, "the model's mean distance is not finite");
    sm_learned *learned = sm_plain_new(features->n);
    if (learned == NULL) return sm_no_memory(error, "loading a model");
    learned->mean = mean;
    *out = learned;
    return SMERF_OK;
}

#define SHARED_BY_PLAIN                                                                                                \
    .free = sm_plain_free, .predictor_new = new_plain_predictor, .predictor_free = free_plain_predictor

const sm_method sm_method_mean = {
    .name = "mean", SHARED_BY_PLAIN, .predict_row = predict_mean_row, .save = save_mean, .load = load_mean};
const sm_method sm_method_standardized = {.name = "standardized",
                                          SHARED_BY_PLAIN,
                                          .predict_row = predict_standardized_row,
                                          .save = save_scales,
                                          .load = load_scales};
const sm_method sm_method_gower = {
    .name = "gower", SHARED_BY_PLAIN, .predict_row = predict_gower_row, .save = save_scales, .load = load_scales};
