/* triplet_data.h - for tests of triplets: lists of them, drawn at random or from the distances of a data set. */
#ifndef TESTS_UNIT_TRIPLET_DATA_H
#define TESTS_UNIT_TRIPLET_DATA_H

#include "tests/unit/stand_in.h"

enum { MOST_TRIPLETS = 4000 };

typedef struct triplet_data {
    uint32_t anchor[MOST_TRIPLETS], near[MOST_TRIPLETS], far[MOST_TRIPLETS];
    double weight[MOST_TRIPLETS];
    smerf_triplet_list list; /* of these, weights included */
} triplet_data;

static inline void start_triplets(triplet_data *to) {
    to->list = (smerf_triplet_list){.anchor = to->anchor, .near = to->near, .far = to->far, .weight = to->weight};
}

static inline void put_triplet(triplet_data *to, uint32_t anchor, uint32_t near, uint32_t far, double weight) {
    size_t k = to->list.n++;
    to->anchor[k] = anchor;
    to->near[k] = near;
    to->far[k] = far;
    to->weight[k] = weight;
}

/* Three different items. */
static inline void draw_three(sm_random *random, size_t n_items, uint32_t items[3]) {
    do
        for (size_t k = 0; k < 3; k++) items[k] = sm_random_below(random, (uint32_t)n_items);
    while (items[0] == items[1] || items[0] == items[2] || items[1] == items[2]);
}

/* Answers are right with the logistic chance of `steepness` times the difference of the data's distances. */
static inline void judge_triplets(triplet_data *to, const data_set *data, size_t n, double steepness,
                                  sm_random *random) {
    size_t n_items = data->plan.n_items;
    start_triplets(to);
    for (size_t k = 0; k < n; k++) {
        uint32_t items[3];
        draw_three(random, n_items, items);
        double margin = steepness * ((double)data->z[items[0] * n_items + items[2]] -
                                     (double)data->z[items[0] * n_items + items[1]]);
        bool is_right = sm_random_uniform(random) < 1 / (1 + exp(-margin));
        put_triplet(to, items[0], items[is_right ? 1 : 2], items[is_right ? 2 : 1], 1);
    }
}

static inline smerf_target *triplets_of(const triplet_data *from, size_t n_items) {
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_triplets(&from->list, n_items, &target, &error), &error);
    return target;
}

static inline smerf_model *fit_triplets(const data_set *data, smerf_target *target, size_t n_threads) {
    smerf_options options = options_for(1);
    options.method = SMERF_METHOD_MAHALANOBIS;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    smerf_model *model = NULL;
    smerf_error error;
    demand_ok(smerf_fit(data->items, target, &options, &run, &model, &error), &error);
    return model;
}

static inline double triplet_diagnostic(const smerf_model *model, const char *name) {
    for (size_t k = 0; k < smerf_model_n_diagnostics(model); k++) {
        double value;
        if (strcmp(smerf_model_diagnostic(model, k, &value), name) == 0) return value;
    }
    return NAN;
}

#endif
