/* pair_features.c - see pair_features.h. */
#include "method/pair_forest/pair_features.h"

#include <float.h>

#include "base/memory.h"

/* Numbers beyond this count as this: the sum or difference of two could leave the range of a double. */
static const double largest_number = DBL_MAX / 2;

/* A category without two levels keeps one indicator: that it is missing may say something. */
static size_t n_numbers_of(const sm_feature *feature) {
    if (feature->kind == SMERF_NUMBER) return 1;
    return feature->levels.n > 2 ? feature->levels.n : 1;
}

size_t sm_item_numbers_count(const sm_features *features) {
    size_t n = 0;
    for (size_t f = 0; f < features->n; f++) n += n_numbers_of(&features->feature[f]);
    return n;
}

/* Fills a column, or the columns of a category's levels.   to  the first item's number */
static void fill(sm_item_numbers *numbers, const sm_view *view, size_t f, size_t n_columns, double *to) {
    for (size_t i = 0; i < numbers->n_items; i++, to += numbers->n) {
        if (sm_are_numbers(&view->numbers[f])) {
            double value = sm_number_at(&view->numbers[f], i);
            *to = value > largest_number ? largest_number : value < -largest_number ? -largest_number : value;
            continue;
        }
        uint32_t code = view->codes[f][i];
        for (size_t level = 0; level < n_columns; level++) to[level] = code == SMERF_MISSING ? NAN : code == level;
    }
}

smerf_status sm_item_numbers_start(sm_item_numbers *numbers, const sm_view *view, const sm_features *features,
                                   smerf_error *error) {
    *numbers = (sm_item_numbers){.n_items = view->n_items, .n = sm_item_numbers_count(features)};
    double bytes = (double)numbers->n_items * (double)numbers->n * sizeof *numbers->values;
    smerf_status status = sm_check_memory(bytes, "describing the items by numbers", error);
    if (status != SMERF_OK) return status;
    numbers->values = sm_array(sm_size(numbers->n_items, numbers->n, 0), sizeof *numbers->values);
    if (numbers->values == NULL) return sm_no_memory(error, "describing the items by numbers");
    for (size_t f = 0, k = 0; f < features->n; f++) {
        size_t n_columns = n_numbers_of(&features->feature[f]);
        fill(numbers, view, f, n_columns, numbers->values + k);
        k += n_columns;
    }
    return SMERF_OK;
}

void sm_item_numbers_free(sm_item_numbers *numbers) {
    sm_free(numbers->values);
    *numbers = (sm_item_numbers){0};
}
