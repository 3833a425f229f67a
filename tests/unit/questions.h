/* questions.h - for tests of predicting: a small model, who may speak out of bag, and all pairs asked for one by one. */
#ifndef TESTS_UNIT_QUESTIONS_H
#define TESTS_UNIT_QUESTIONS_H

#include "tests/unit/fake_kinds.h"

enum { N = 60, N_TREES = 15 };

static const smerf_run one_thread = {.size = sizeof(smerf_run), .n_threads = 1};

static inline smerf_model *fit_small(const data_set *data, smerf_splits splits) {
    smerf_options options = options_for(N_TREES);
    options.splits = splits;
    options.min_parent = 4; /* so that leaves hold several items */
    return fit_with(data, &options, NULL);
}

/* Which trees have a say out of bag. */
static inline bool may_speak(const smerf_tree_view *tree, size_t i, size_t j, smerf_oob_rule rule) {
    bool i_is_out = slow_draws(tree, i) == 0, j_is_out = slow_draws(tree, j) == 0;
    return rule == SMERF_OOB_BOTH ? i_is_out && j_is_out : i_is_out || j_is_out;
}

static inline void ask_all_pairs(const smerf_model *model, const smerf_request *request, const smerf_run *run,
                                 size_t n_rows, size_t n_columns, double *distance, double *spread) {
    uint32_t *left = malloc(n_rows * n_columns * sizeof *left), *right = malloc(n_rows * n_columns * sizeof *right);
    smerf_error error;
    assert_true(left != NULL && right != NULL);
    for (size_t k = 0; k < n_rows * n_columns; k++) {
        left[k] = (uint32_t)(k / n_columns);
        right[k] = (uint32_t)(k % n_columns);
    }
    demand_ok(smerf_predict_pairs(model, request,
                                  &(smerf_pair_list){.n = n_rows * n_columns, .left = left, .right = right}, run,
                                  &SMERF_INIT(smerf_pair_result, .distance = distance, .spread = spread), &error),
              &error);
    free(left);
    free(right);
}

/* Two questions with the same answers to the last bit. */
static inline void assert_same_predictor(const smerf_model *model, const smerf_request *one,
                                         const smerf_request *other) {
    double *first = predict_all(model, one, NULL), *second = predict_all(model, other, NULL);
    size_t n = smerf_items_count(one->rows);
    assert_memory_equal(first, second, n * n * sizeof *first);
    free(first);
    free(second);
}

#endif
