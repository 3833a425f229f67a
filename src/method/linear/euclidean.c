/* euclidean.c - squared Euclidean distance of the features as given: the sum of squared differences of the numbers, and
 * 1 for each category that differs. Nothing is learned but what stands for a missing value (design.h).
 *
 * A category counts as half the squared distance of its columns, which of two levels is exactly 1. A missing one has the
 * fractions s of the levels in these columns: its distance to level a is ((1 - s_a)^2 + sum over the others of s^2) / 2. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/linear/linear.h"
#include "method/methods.h"

/* Borrows the views, and knows the distance of each level to the fractions. */
struct sm_predictor {
    const sm_design *design;
    const sm_view *rows, *columns;
    double *to_fractions; /* [design->n_columns]; of a number: not used */
};

/* ---- predicting ---- */

static void free_euclidean(sm_predictor *predictor) {
    if (predictor == NULL) return;
    sm_free(predictor->to_fractions);
    sm_free(predictor);
}

static void measure_fractions(const sm_design *design, double *to_fractions) {
    for (size_t f = 0; f < design->n_features; f++)
        for (size_t own = design->first[f]; own < design->first[f + 1]; own++) {
            double sum = (1 - design->mean[own]) * (1 - design->mean[own]);
            for (size_t c = design->first[f]; c < design->first[f + 1]; c++)
                if (c != own) sum += design->mean[c] * design->mean[c];
            to_fractions[own] = sum / 2;
        }
}

static smerf_status new_euclidean(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
                                  sm_predictor **out, smerf_error *error) {
    (void)pool;
    smerf_status status = sm_design_check(sides->features, sides->rows.view, error);
    if (status == SMERF_OK) status = sm_design_check(sides->features, sides->columns.view, error);
    if (status != SMERF_OK) return status;
    sm_predictor *predictor = sm_zeros(1, sizeof *predictor);
    if (predictor == NULL) return sm_no_memory(error, "comparing items");
    *predictor = (sm_predictor){.design = &learned->design, .rows = sides->rows.view, .columns = sides->columns.view};
    predictor->to_fractions = sm_array(learned->design.n_columns, sizeof *predictor->to_fractions);
    if (predictor->to_fractions == NULL) {
        free_euclidean(predictor);
        return sm_no_memory(error, "comparing items");
    }
    measure_fractions(&learned->design, predictor->to_fractions);
    *out = predictor;
    return SMERF_OK;
}

static double number_or_mean(const sm_predictor *predictor, const sm_view *view, size_t feature, size_t item) {
    double value = sm_number_at(&view->numbers[feature], item);
    return isnan(value) ? predictor->design->mean[predictor->design->first[feature]] : value;
}

static double category_distance(const sm_predictor *predictor, size_t feature, uint32_t code, uint32_t other) {
    const double *to_fractions = predictor->to_fractions + predictor->design->first[feature];
    if (code == other) return 0;
    if (code == SMERF_MISSING) return to_fractions[other];
    return other == SMERF_MISSING ? to_fractions[code] : 1;
}

/* Adds what one feature brings to the distances of a row. */
static void add_euclidean_feature(const sm_predictor *predictor, size_t feature, size_t row, const uint32_t *columns,
                                  size_t n, double *distances) {
    if (!sm_are_numbers(&predictor->rows->numbers[feature])) {
        const uint32_t own = predictor->rows->codes[feature][row], *codes = predictor->columns->codes[feature];
        for (size_t j = 0; j < n; j++)
            distances[j] += category_distance(predictor, feature, own, codes[columns != NULL ? columns[j] : j]);
        return;
    }
    double own = number_or_mean(predictor, predictor->rows, feature, row);
    for (size_t j = 0; j < n; j++) {
        double apart = own - number_or_mean(predictor, predictor->columns, feature, columns != NULL ? columns[j] : j);
        distances[j] += apart * apart;
    }
}

static void predict_euclidean_row(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n, size_t thread,
                                  double *distances) {
    (void)thread;
    memset(distances, 0, n * sizeof *distances);
    for (size_t f = 0; f < predictor->design->n_features; f++)
        add_euclidean_feature(predictor, f, row, columns, n, distances);
}

/* ---- files ---- */

static smerf_status save_euclidean(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    return sm_design_save(&learned->design, tensors, error);
}

static smerf_status load_euclidean(const sm_tensors *tensors, const sm_features *features, size_t n_items,
                                   sm_learned **out, smerf_error *error) {
    (void)n_items;
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "loading a model");
    smerf_status status = sm_design_load(&learned->design, features, tensors, error);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_linear_free(learned);
    return status;
}

const sm_method sm_method_euclidean = {
    .name = "euclidean",
    .free = sm_linear_free,
    .predictor_new = new_euclidean,
    .predictor_free = free_euclidean,
    .predict_row = predict_euclidean_row,
    .save = save_euclidean,
    .load = load_euclidean,
};
