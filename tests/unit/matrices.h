/* matrices.h - for tests of clusters: symmetric matrices with all that distances may do to a search. */
#ifndef TESTS_UNIT_MATRICES_H
#define TESTS_UNIT_MATRICES_H

#include "tests/unit/forests.h"

typedef enum matrix_kind {
    POINTS,     /* distances of points in three clouds */
    ANYTHING,   /* no triangle inequality */
    FEW_VALUES, /* nearly everything is tied */
    NEGATIVE,   /* below 0 as well as above */
    DUPLICATES, /* points of which there are three only */
    ALL_EQUAL,
    FAR_APART, /* from 1e-12 to 1e12, so that sums round */
    N_MATRIX_KINDS
} matrix_kind;

static inline double draw_entry(matrix_kind kind, sm_random *random) {
    switch (kind) {
    case ANYTHING: return sm_random_uniform(random);
    case FEW_VALUES: return sm_random_below(random, 3);
    case NEGATIVE: return sm_random_below(random, 7) - 3.0;
    case FAR_APART: return exp(55 * (sm_random_uniform(random) - 0.5));
    default: return 1;
    }
}

/* To be freed. The diagonal is nothing that anyone should look at. */
static inline float *draw_matrix(matrix_kind kind, size_t n, uint64_t seed) {
    float *z = calloc(n * n, sizeof *z);
    double *x = calloc(3 * n, sizeof *x);
    sm_random random;
    assert_true(z != NULL && x != NULL);
    sm_random_start(&random, seed, (uint32_t)kind, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t cloud = sm_random_below(&random, 3);
        for (size_t r = 0; r < 3; r++)
            x[3 * i + r] = 4.0 * (cloud == r) + (kind == POINTS ? sm_random_normal(&random) : 0);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double entry = draw_entry(kind, &random);
            if (kind == POINTS || kind == DUPLICATES)
                entry = sqrt(pow(x[3 * i] - x[3 * j], 2) + pow(x[3 * i + 1] - x[3 * j + 1], 2) +
                             pow(x[3 * i + 2] - x[3 * j + 2], 2));
            z[i * n + j] = z[j * n + i] = i == j ? NAN : (float)entry;
        }
    free(x);
    return z;
}

/* The definition: every item but the medoids is counted to the nearest of them. */
static inline double cost_by_hand(const float *z, size_t n, const uint32_t *medoids, size_t k) {
    double cost = 0;
    for (size_t o = 0; o < n; o++) {
        double near = INFINITY;
        for (size_t s = 0; s < k; s++) near = fmin(near, medoids[s] == o ? -INFINITY : z[o * n + medoids[s]]);
        if (near > -INFINITY) cost += near;
    }
    return cost;
}

static inline bool is_among(size_t item, const uint32_t *medoids, size_t k) {
    for (size_t s = 0; s < k; s++)
        if (medoids[s] == item) return true;
    return false;
}

/* The lowest cost with one medoid less and one more. */
static inline double best_neighbour_by_hand(const float *z, size_t n, const uint32_t *medoids, size_t k) {
    uint32_t other[32];
    double best = INFINITY;
    for (size_t s = 0; s < k; s++)
        for (size_t x = 0; x < n; x++) {
            if (is_among(x, medoids, k)) continue;
            memcpy(other, medoids, k * sizeof *other);
            other[s] = (uint32_t)x;
            best = fmin(best, cost_by_hand(z, n, other, k));
        }
    return best;
}

/* The lowest cost of all sets of medoids.   chosen  [k], the first n_chosen of them set */
static inline double best_of_all(const float *z, size_t n, uint32_t *chosen, size_t n_chosen, size_t k) {
    if (n_chosen == k) return cost_by_hand(z, n, chosen, k);
    double best = INFINITY;
    for (size_t x = n_chosen == 0 ? 0 : chosen[n_chosen - 1] + 1; x < n; x++) {
        chosen[n_chosen] = (uint32_t)x;
        best = fmin(best, best_of_all(z, n, chosen, n_chosen + 1, k));
    }
    return best;
}

#endif
