/* spectra.h - for tests of low rank: matrices of all sorts, and their eigenvalues found the obvious way. */
#ifndef TESTS_UNIT_SPECTRA_H
#define TESTS_UNIT_SPECTRA_H

#include "base/parallel.h"
#include "base/square.h"
#include "factor/factor.h"
#include "target/dense/distances.h"
#include "target/vectors/vectors.h"
#include "tests/unit/forests.h"

static inline double *numbers(size_t n) {
    double *made = calloc(n + 1, sizeof *made);
    assert_non_null(made);
    return made;
}

static inline sm_pool pool_of(size_t n_threads) {
    sm_pool pool;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    sm_pool_start(&pool, &run);
    return pool;
}

/* ---- matrices of all sorts ---- */

typedef enum sort_of_matrix {
    NOISE,
    WHOLE_NUMBERS,
    ABSOLUTE,
    EUCLIDEAN,
    SQUARED,   /* rank 3 */
    NEGATIVE,  /* K has no positive eigenvalue */
    CLUSTERED, /* groups: repeated eigenvalues */
    OFFSET,    /* SQUARED, all but the diagonal far from 0: one eigenvalue for nearly all vectors */
    CONSTANT,  /* 3 everywhere, the diagonal too: K is zero */
    SIMPLEX,   /* 3, and 0 on the diagonal: one eigenvalue for all vectors */
    N_SORTS
} sort_of_matrix;

static inline double entry(sort_of_matrix sort, const double *y, size_t i, size_t j, sm_random *random) {
    double sum_squares = 0;
    for (size_t k = 0; k < 3; k++) sum_squares += (y[3 * i + k] - y[3 * j + k]) * (y[3 * i + k] - y[3 * j + k]);
    switch (sort) {
    case NOISE: return sm_random_normal(random);
    case WHOLE_NUMBERS: return sm_random_below(random, 5);
    case ABSOLUTE: return fabs(y[3 * i] - y[3 * j]);
    case EUCLIDEAN: return sqrt(sum_squares);
    case SQUARED: return sum_squares;
    case NEGATIVE: return 10 - sum_squares;
    case CLUSTERED: return i % 4 == j % 4 ? 0 : 2;
    case OFFSET: return i == j ? 0 : 100 + sum_squares;
    case SIMPLEX: return i == j ? 0 : 3;
    default: return 3;
    }
}

static inline float *draw_matrix(sort_of_matrix sort, size_t n, uint64_t seed) {
    float *z = calloc(n * n, sizeof *z);
    double *y = numbers(3 * n);
    sm_random random;
    assert_non_null(z);
    sm_random_start(&random, seed, (uint32_t)n, 1);
    for (size_t k = 0; k < 3 * n; k++) y[k] = sm_random_normal(&random);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) z[i * n + j] = z[j * n + i] = (float)entry(sort, y, i, j, &random);
    free(y);
    return z;
}

static inline smerf_target *target_of(const float *z, size_t n) {
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_distances(z, n, &target, &error), &error);
    return target;
}

/* ---- the obvious way ---- */

typedef struct spectrum {
    size_t n;
    double *k;       /* [n][n] */
    double *values;  /* |value| falling */
    double *vectors; /* [n][n] row r belongs to value r */
    double largest;  /* |z| */
} spectrum;

static inline void slow_centre(spectrum *of, const float *z) {
    size_t n = of->n;
    double *mean = numbers(n), grand = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            mean[i] += (double)z[i * n + j] / (double)n;
            of->largest = fmax(of->largest, fabs((double)z[i * n + j]));
        }
    for (size_t i = 0; i < n; i++) grand += mean[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) of->k[i * n + j] = -0.5 * ((double)z[i * n + j] - mean[i] - mean[j] + grand);
    free(mean);
}

static inline spectrum slow_spectrum(const float *z, size_t n) {
    spectrum of = {.n = n, .k = numbers(n * n), .values = numbers(n), .vectors = numbers(n * n)};
    double *values = numbers(n), *vectors = numbers(n * n), *scratch = numbers(3 * n), *copy = numbers(n * n);
    size_t *order = calloc(n, sizeof *order);
    slow_centre(&of, z);
    for (size_t k = 0; k < n * n; k++) copy[k] = (of.k[k] + of.k[k % n * n + k / n]) / 2;
    sm_eigen(copy, n, values, vectors, scratch);
    sm_factor_order(values, n, order);
    for (size_t r = 0; r < n; r++) {
        of.values[r] = values[order[r]];
        memcpy(of.vectors + r * n, vectors + order[r] * n, n * sizeof *vectors);
    }
    free(values), free(vectors), free(scratch), free(copy), free(order);
    return of;
}

static inline void spectrum_free(spectrum *of) { free(of->k), free(of->values), free(of->vectors); }

static inline double truncated(const spectrum *of, size_t rank, size_t i, size_t j) {
    double sum = 0;
    for (size_t r = 0; r < rank && r < of->n; r++)
        sum += of->values[r] * of->vectors[r * of->n + i] * of->vectors[r * of->n + j];
    return sum;
}

#endif
