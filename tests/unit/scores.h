/* scores.h - for tests of metrics: truths that are squares or blocks, and a model that is asked about two sets of
 * items. */
#ifndef TESTS_UNIT_SCORES_H
#define TESTS_UNIT_SCORES_H

#include "tests/unit/fake_kinds.h"

/*   z  [n_rows][n_columns] of one set of items, or between two; borrowed */
static inline smerf_target *truth_of(const float *z, size_t n_rows, size_t n_columns, bool is_square) {
    smerf_target *truth;
    smerf_error error;
    demand_ok(is_square ? smerf_target_new_distances(z, n_rows, &truth, &error)
                        : smerf_target_new_block(z, n_rows, n_columns, &truth, &error),
              &error);
    return truth;
}

/* Every combination of the metrics 1 ... most, given as bits: what is asked for is told, and nothing else. */
static inline void check_what_is_told(const double *predicted, const smerf_target *truth, unsigned most) {
    for (unsigned metrics = 1; metrics <= most; metrics++) {
        smerf_scores scores = SMERF_INIT(smerf_scores);
        smerf_error error;
        demand_ok(smerf_score(predicted, truth, metrics, &scores, &error), &error);
        assert_int_equal(scores.metrics, metrics);
        for (unsigned m = 0; m < SMERF_N_METRICS; m++)
            assert_int_equal(isnan(scores.value[m]) == 0, (metrics & SMERF_HAS(m)) != 0);
    }
}

/* ---- two sets of items ---- */

enum { N_LEFT = 13, N_RIGHT = 31 };

/* Two sets out of the training items, a question about them, its answer and the truth. */
typedef struct two_sets {
    data_set *data, *rows, *columns;
    float z[N_LEFT * N_RIGHT];
    smerf_model *model;
    smerf_request request;
    double *predicted; /* [N_LEFT][N_RIGHT] */
    smerf_target *truth;
} two_sets;

static inline two_sets *two_sets_new(void) {
    two_sets *made = calloc(1, sizeof *made);
    size_t left[N_LEFT], right[N_RIGHT], n = 60;
    const smerf_options options = options_for(10);
    assert_non_null(made);
    for (size_t k = 0; k < N_LEFT; k++) left[k] = k;
    for (size_t k = 0; k < N_RIGHT; k++) right[k] = 20 + k;
    made->data = mixed_data(n);
    for (size_t k = 0; k < N_LEFT * N_RIGHT; k++)
        made->z[k] = made->data->z[left[k / N_RIGHT] * n + right[k % N_RIGHT]];
    made->rows = data_set_pick(made->data, left, N_LEFT);
    made->columns = data_set_pick(made->data, right, N_RIGHT);
    made->model = fit_with(made->data, &options, NULL);
    made->request = SMERF_INIT(smerf_request, .rows = made->rows->items, .columns = made->columns->items);
    made->predicted = predict_all(made->model, &made->request, NULL);
    made->truth = truth_of(made->z, N_LEFT, N_RIGHT, false);
    return made;
}

static inline void two_sets_free(two_sets *made) {
    free(made->predicted);
    smerf_target_free(made->truth);
    smerf_model_free(made->model);
    data_set_free(made->rows);
    data_set_free(made->columns);
    data_set_free(made->data);
    free(made);
}

#endif
