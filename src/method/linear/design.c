/* design.c - items as rows of numbers: categories become indicators: see design.h. */
#include "method/linear/design.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static size_t n_design_columns_of(const sm_feature *feature) {
    return feature->kind == SMERF_CATEGORY ? feature->levels.n : 1;
}

size_t sm_design_width(const sm_features *features) {
    size_t width = 0;
    for (size_t f = 0; f < features->n; f++) width = sm_size(1, width, n_design_columns_of(&features->feature[f]));
    return width;
}

static smerf_status start_design(sm_design *design, const sm_features *features, smerf_error *error) {
    *design = (sm_design){.n_features = features->n, .n_columns = sm_design_width(features)};
    design->first = sm_zeros(sm_size(1, features->n, 1), sizeof *design->first);
    design->mean = sm_zeros(design->n_columns, sizeof *design->mean);
    if (design->first == NULL || design->mean == NULL) {
        sm_design_free(design);
        return sm_no_memory(error, "laying out features");
    }
    for (size_t f = 0; f < features->n; f++)
        design->first[f + 1] = design->first[f] + n_design_columns_of(&features->feature[f]);
    return SMERF_OK;
}

void sm_design_free(sm_design *design) {
    sm_free(design->first);
    sm_free(design->mean);
    *design = (sm_design){0};
}

/* The mean of the values that are there, in two rounds: values that are all the same have exactly that mean. */
static double mean_of_numbers(const sm_numbers *numbers, size_t n) {
    double mean = 0;
    for (int round = 0; round < 2; round++) {
        double sum = 0, count = 0;
        for (size_t i = 0; i < n; i++) {
            double value = sm_number_at(numbers, i);
            if (isnan(value)) continue;
            sum += value - mean;
            count++;
        }
        if (count > 0) mean += sum / count;
    }
    return mean;
}

static void learn_level_fractions(const uint32_t *codes, size_t n, double *fractions, size_t n_levels) {
    double count = 0;
    for (size_t i = 0; i < n; i++) {
        if (codes[i] == SMERF_MISSING) continue;
        fractions[codes[i]]++;
        count++;
    }
    for (size_t level = 0; level < n_levels && count > 0; level++) fractions[level] /= count;
}

smerf_status sm_design_learn(sm_design *design, const sm_features *features, const sm_view *view, smerf_error *error) {
    smerf_status status = sm_design_check(features, view, error);
    if (status == SMERF_OK) status = start_design(design, features, error);
    if (status != SMERF_OK) return status;
    for (size_t f = 0; f < features->n; f++) {
        double *mean = design->mean + design->first[f];
        if (sm_are_numbers(&view->numbers[f]))
            *mean = mean_of_numbers(&view->numbers[f], view->n_items);
        else
            learn_level_fractions(view->codes[f], view->n_items, mean, design->first[f + 1] - design->first[f]);
    }
    return SMERF_OK;
}

smerf_status sm_design_check(const sm_features *features, const sm_view *view, smerf_error *error) {
    for (size_t f = 0; f < features->n; f++) {
        const sm_numbers *numbers = &view->numbers[f];
        for (size_t i = 0; i < view->n_items && sm_are_numbers(numbers); i++)
            if (fabs(sm_number_at(numbers, i)) > SM_LARGEST_FEATURE)
                return sm_fail_at(error, i, f,
                                  "column '%s', row %zu: %g is too large to be squared; this method takes "
                                  "numbers up to %g",
                                  features->feature[f].name, i, sm_number_at(numbers, i), SM_LARGEST_FEATURE);
    }
    return SMERF_OK;
}

void sm_design_row(const sm_design *design, const sm_view *view, size_t item, double *x) {
    for (size_t f = 0; f < design->n_features; f++) {
        size_t first = design->first[f], n = design->first[f + 1] - first;
        if (sm_are_numbers(&view->numbers[f])) {
            double value = sm_number_at(&view->numbers[f], item);
            x[first] = isnan(value) ? design->mean[first] : value;
        } else if (view->codes[f][item] == SMERF_MISSING) {
            memcpy(x + first, design->mean + first, n * sizeof *x);
        } else {
            memset(x + first, 0, n * sizeof *x);
            x[first + view->codes[f][item]] = 1;
        }
    }
}

smerf_status sm_design_save(const sm_design *design, sm_tensors *tensors, smerf_error *error) {
    return sm_tensors_add(tensors, "learned.means", SM_F64, design->mean, design->n_columns, error);
}

smerf_status sm_design_load(sm_design *design, const sm_features *features, const sm_tensors *tensors,
                            smerf_error *error) {
    const void *data = NULL;
    smerf_status status = sm_tensors_get(tensors, "learned.means", SM_F64, sm_design_width(features), &data, error);
    if (status != SMERF_OK) return status;
    const double *mean = data;
    for (size_t c = 0; c < sm_design_width(features); c++)
        if (!(fabs(mean[c]) <= SM_LARGEST_FEATURE))
            return sm_fail(error, SMERF_BAD_FILE, "the model's means are not all finite");
    status = start_design(design, features, error);
    if (status == SMERF_OK) memcpy(design->mean, mean, design->n_columns * sizeof *mean);
    return status;
}
