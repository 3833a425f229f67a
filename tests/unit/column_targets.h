/* column_targets.h - for tests of what forests are used for: other targets for the items of a data set, made of what its
 * distances depend on. */
#ifndef TESTS_UNIT_COLUMN_TARGETS_H
#define TESTS_UNIT_COLUMN_TARGETS_H

#include "tests/unit/forests.h"

enum { MOST_TARGET_ITEMS = 512 };

static inline smerf_target *labels_for(const data_set *data, size_t n_classes) {
    static const char *const names[4] = {"a", "b", "c", "d"};
    uint32_t codes[MOST_TARGET_ITEMS];
    smerf_target *target = NULL;
    smerf_error error;
    for (size_t i = 0; i < data->plan.n_items; i++)
        codes[i] = (uint32_t)(fabs(floor(3 * hidden(data, i)))) % (uint32_t)n_classes;
    demand_ok(smerf_target_new_labels("c", codes, data->plan.n_items, names, n_classes, &target, &error), &error);
    return target;
}

/* A response or a product of one column, or of two. */
static inline smerf_target *numbers_for(const data_set *data, bool is_product, size_t n_columns) {
    double values[2][MOST_TARGET_ITEMS];
    const char *const names[2] = {"y", "other"};
    const double *const columns[2] = {values[0], values[1]};
    smerf_target *target = NULL;
    smerf_error error;
    for (size_t i = 0; i < data->plan.n_items; i++) {
        values[0][i] = hidden(data, i);
        values[1][i] = cos(3 * hidden(data, i) + (double)(i % 5));
    }
    demand_ok((is_product ? smerf_target_new_product : smerf_target_new_response)(names, columns, n_columns,
                                                                                  data->plan.n_items, &target, &error),
              &error);
    return target;
}

static inline smerf_target *response_for(const data_set *data) { return numbers_for(data, false, 1); }

/* Fits a target, which it takes over, to the items. */
static inline smerf_model *fit_to_with(const data_set *data, smerf_target *target, const smerf_options *options) {
    smerf_model *model = NULL;
    smerf_error error;
    demand_ok(smerf_fit(data->items, target, options, NULL, &model, &error), &error);
    smerf_target_free(target);
    return model;
}

static inline smerf_model *fit_to(const data_set *data, smerf_target *target, size_t n_trees, size_t min_parent) {
    smerf_options options = options_for(n_trees);
    options.min_parent = min_parent;
    return fit_to_with(data, target, &options);
}

#endif
