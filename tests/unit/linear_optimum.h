/* linear_optimum.h - for tests of the linear methods: what W gets wrong, pair by pair, and whether anything lowers that. */
#ifndef TESTS_UNIT_LINEAR_OPTIMUM_H
#define TESTS_UNIT_LINEAR_OPTIMUM_H

#include "tests/unit/linear_data.h"

#include "base/square.h"

/* What W says of two items, to which a difference adds and from which 1 - a product subtracts. */
static inline double predicted(const linear_data *at, const double *w, bool is_of_differences, size_t i, size_t j) {
    double sum = 0;
    for (size_t a = 0; a < at->p; a++)
        for (size_t b = 0; b < at->p; b++)
            sum += w[a * at->p + b] * (is_of_differences ? (at->x[i][a] - at->x[j][a]) * (at->x[i][b] - at->x[j][b])
                                                         : at->x[i][a] * at->x[j][b]);
    return sum;
}

/* What W gets wrong, pair by pair: the gradient, and the size that it is held against. */
static inline void brute_gradient(const linear_data *at, const double *w, bool is_of_differences, double *g,
                                  double *size) {
    size_t p = at->p;
    memset(g, 0, p * p * sizeof *g);
    *size = 0;
    for (size_t i = 0; i < at->n; i++)
        for (size_t j = 0; j < at->n; j++) {
            if (at->weight[i][j] == 0) continue;
            double given = is_of_differences ? at->z[i][j] : 1 - at->z[i][j], largest = 0;
            double wrong = at->weight[i][j] * (predicted(at, w, is_of_differences, i, j) - given);
            for (size_t a = 0; a < p; a++)
                for (size_t b = 0; b < p; b++) {
                    double d = is_of_differences ? (at->x[i][a] - at->x[j][a]) * (at->x[i][b] - at->x[j][b])
                                                 : (at->x[i][a] * at->x[j][b] + at->x[i][b] * at->x[j][a]) / 2;
                    g[a * p + b] += wrong * d;
                    largest = fmax(largest, fabs(d));
                }
            *size += at->weight[i][j] * fabs(given) * largest;
        }
}

static inline void take_w(const smerf_model *model, size_t p, double *w) {
    smerf_linear linear = SMERF_INIT(smerf_linear);
    assert_int_equal(smerf_model_linear(model, &linear, NULL), SMERF_OK);
    assert_int_equal(linear.n_columns, p);
    assert_int_equal(smerf_model_linear_matrix(model, w, NULL), SMERF_OK);
}

static inline double intercept_of(const smerf_model *model) {
    smerf_linear linear = SMERF_INIT(smerf_linear);
    assert_int_equal(smerf_model_linear(model, &linear, NULL), SMERF_OK);
    return linear.intercept;
}

/* Nothing lowers the objective: its gradient is positive semidefinite, and 0 along W.   g  overwritten    size  of what was added up */
static inline void assert_no_way_down(const smerf_model *model, size_t p, const double *w, double *g, double size) {
    double vectors[MOST_P * MOST_P], values[MOST_P], scratch[3 * MOST_P], inner = 0, along = 0;
    for (size_t k = 0; k < p * p; k++) inner += w[k] * g[k], along += w[k] * w[k];
    sm_eigen(g, p, values, vectors, scratch);
    for (size_t k = 0; k < p; k++)
        if (!(values[k] > -1e-7 * size)) fail_msg("eigenvalue %g of the gradient, whose size is %g", values[k], size);
    if (!(fabs(inner) <= 1e-7 * size * (1 + sqrt(along)))) fail_msg("<W, G> = %g, size %g", inner, size);
    assert_true(diagnostic(model, "kkt residual") < 1e-6);
}

/* Numbers, categories, missing values, weights, a diagonal or none. */
static inline linear_data *mixed_linear_data(uint64_t seed, target_sort sort) {
    data_plan plan = {.n_items = 30 + 4 * seed, .n_numbers = 2 + seed % 4, .seed = seed};
    plan.n_categories = seed % 3;
    plan.missing = seed % 2 == 0 ? 0 : 0.1;
    plan.has_diagonal = seed % 4 < 2;
    return linear_data_new(plan, sort, seed % 2 == 1);
}

#endif
