/* test_stack_weights.c - the weights of a stack against every set of bases that could have any, and against small moves. */
#include "tests/unit/scarce_memory.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "method/stack/fit/stack_weights.h"

enum { MOST_PAIRS = 400, MOST_BASES = 7 };

typedef struct drawn {
    sm_stack_pairs pairs;
    double said[MOST_PAIRS * MOST_BASES], z[MOST_PAIRS], weight[MOST_PAIRS];
} drawn;

/* Some bases know something, some nothing, some the contrary; one is constant, and one is another's copy. */
static void draw(drawn *of, uint64_t seed, size_t n, size_t n_bases, bool is_logistic) {
    sm_random random;
    sm_random_start(&random, seed, 3, 7);
    *of = (drawn){.pairs = {.n = n, .n_bases = n_bases, .is_logistic = is_logistic}};
    of->pairs.said = of->said;
    of->pairs.z = of->z;
    of->pairs.weight = of->weight;
    for (size_t p = 0; p < n; p++) {
        double truth = sm_random_normal(&random);
        for (size_t k = 0; k < n_bases; k++) {
            double knows = k % 3 == 0 ? 1 : k % 3 == 1 ? 0 : -0.5;
            of->said[p * n_bases + k] = 10 + (double)k + knows * truth + sm_random_normal(&random);
        }
        if (n_bases > 4) of->said[p * n_bases + 4] = 3;
        if (n_bases > 5) of->said[p * n_bases + 5] = of->said[p * n_bases];
        double noisy = truth + 0.3 * sm_random_normal(&random);
        of->z[p] = is_logistic ? (p % 3 == 0 ? 1 / (1 + exp(-noisy)) : noisy > 0) : 5 + 2 * noisy;
        of->weight[p] = seed % 2 == 0 ? 1 : 0.1 + sm_random_uniform(&random);
    }
}

static double loss_of(const drawn *of, const double *weight, double intercept) {
    double sum = 0, total = 0;
    for (size_t p = 0; p < of->pairs.n; p++) {
        double f = intercept, w = of->weight[p];
        for (size_t k = 0; k < of->pairs.n_bases; k++) f += weight[k] * of->said[p * of->pairs.n_bases + k];
        double probability = 1 / (1 + exp(-f));
        sum += of->pairs.is_logistic ? -w * (of->z[p] * log(probability) + (1 - of->z[p]) * log(1 - probability))
                                     : w * (of->z[p] - f) * (of->z[p] - f) / 2;
        total += w;
    }
    return sum / total;
}

static void no_small_move_is_better(void **state) {
    (void)state;
    static drawn of;
    for (uint64_t seed = 0; seed < 60; seed++)
        for (int is_logistic = 0; is_logistic < 2; is_logistic++) {
            size_t n_bases = 1 + seed % MOST_BASES;
            double weight[MOST_BASES];
            sm_stack_fit fit;
            draw(&of, seed, 30 + 6 * seed, n_bases, is_logistic);
            assert_int_equal(sm_stack_weigh(&of.pairs, NULL, &fit, weight, NULL), SMERF_OK);
            double best = loss_of(&of, weight, fit.intercept);
            assert_true(fabs(best - fit.loss) < 1e-9 * (1 + best));
            for (size_t k = 0; k <= n_bases; k++)
                for (double step = -1e-2; step < 2e-2; step += 2e-2) {
                    double moved[MOST_BASES], intercept = fit.intercept;
                    memcpy(moved, weight, sizeof weight);
                    if (k == n_bases)
                        intercept += step;
                    else if (weight[k] + step >= 0)
                        moved[k] += step,
                            intercept -= step * (10 + (double)k); /* about what the base says on average */
                    assert_true(loss_of(&of, moved, intercept) > best - 1e-12);
                }
            for (size_t k = 0; k < n_bases; k++) assert_true(weight[k] >= 0);
            if (n_bases > 4) assert_true(weight[4] == 0);
        }
}

/* Least squares over the bases of a set, by Gauss; false: one of them would be negative, or they depend on each other. */
static bool solve_set(const double *gram, const double *right, size_t n, unsigned set, double *x) {
    double a[MOST_BASES][MOST_BASES + 1];
    size_t index[MOST_BASES], m = 0;
    for (size_t k = 0; k < n; k++)
        if (set >> k & 1) index[m++] = k;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < m; j++) a[i][j] = gram[index[i] * n + index[j]];
        a[i][m] = right[index[i]];
    }
    for (size_t i = 0; i < m; i++) {
        if (!(fabs(a[i][i]) > 1e-9)) return false;
        for (size_t r = 0; r < m; r++) {
            double factor = r == i ? 0 : a[r][i] / a[i][i];
            for (size_t c = i; c <= m; c++) a[r][c] -= factor * a[i][c];
        }
    }
    memset(x, 0, n * sizeof *x);
    for (size_t i = 0; i < m; i++) {
        x[index[i]] = a[i][m] / a[i][i];
        if (x[index[i]] < 0) return false;
    }
    return true;
}

static double quadratic(const double *gram, const double *right, size_t n, const double *x) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum -= right[i] * x[i];
        for (size_t j = 0; j < n; j++) sum += x[i] * gram[i * n + j] * x[j] / 2;
    }
    return sum;
}

static void active_sets_find_the_best_of_all_sets(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 5, 1, 2);
    for (int round = 0; round < 2000; round++) {
        size_t n = 1 + (size_t)round % MOST_BASES, rank = 1 + (size_t)(round / MOST_BASES) % 9;
        double f[9][MOST_BASES], gram[MOST_BASES * MOST_BASES] = {0}, right[MOST_BASES] = {0}, x[MOST_BASES];
        double scratch[MOST_BASES * MOST_BASES + 3 * MOST_BASES], tried[MOST_BASES], best = 0;
        for (size_t r = 0; r < rank; r++) {
            double truth = sm_random_normal(&random);
            for (size_t k = 0; k < n; k++) f[r][k] = sm_random_normal(&random);
            for (size_t k = 0; k < n; k++) {
                right[k] += f[r][k] * truth; /* in the range of the Gram matrix, so that there is a least value */
                for (size_t l = 0; l < n; l++) gram[k * n + l] += f[r][k] * f[r][l];
            }
        }
        for (unsigned set = 0; set < 1u << n; set++)
            if (solve_set(gram, right, n, set, tried)) best = fmin(best, quadratic(gram, right, n, tried));
        sm_nonnegative_solve(gram, right, n, x, scratch);
        for (size_t k = 0; k < n; k++) assert_true(x[k] >= 0);
        assert_true(quadratic(gram, right, n, x) <= best + 1e-7 * (1 + fabs(best)));
    }
}

static void bases_that_may_not_count_do_not(void **state) {
    (void)state;
    static drawn of;
    const bool uses[] = {false, true, true, true};
    double weight[4];
    sm_stack_fit fit, alone;
    draw(&of, 4, 200, 4, false);
    assert_int_equal(sm_stack_weigh(&of.pairs, uses, &fit, weight, NULL), SMERF_OK);
    assert_true(weight[0] == 0 && weight[3] > 0);
    const bool none[] = {false, false, false, false};
    double mean = 0;
    for (size_t p = 0; p < 200; p++) mean += of.z[p] / 200;
    assert_int_equal(sm_stack_weigh(&of.pairs, none, &alone, weight, NULL), SMERF_OK);
    assert_true(fabs(alone.intercept - mean) < 1e-12 && alone.loss > fit.loss);
}

static void labels_that_are_told_apart_leave_weights_finite(void **state) {
    (void)state;
    static drawn of;
    double weight[1];
    sm_stack_fit fit;
    draw(&of, 4, 50, 1, true);
    for (size_t p = 0; p < 50; p++) {
        of.z[p] = p < 25;
        of.said[p] = p < 25 ? 1 : 0;
    }
    assert_int_equal(sm_stack_weigh(&of.pairs, NULL, &fit, weight, NULL), SMERF_OK);
    assert_true(isfinite(weight[0]) && weight[0] > 5 && isfinite(fit.intercept) && fit.loss < 0.01);
}

static void memory_may_run_out(void **state) {
    (void)state;
    static drawn of;
    draw(&of, 2, 50, 3, true);
    double weight[3];
    sm_stack_fit fit;
    smerf_error error;
    for (shortage lack = {.of = "weighing"}; shortage_starts(&lack, &error);)
        shortage_ends(&lack, sm_stack_weigh(&of.pairs, NULL, &fit, weight, &error), &error);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_small_move_is_better),
        cmocka_unit_test(active_sets_find_the_best_of_all_sets),
        cmocka_unit_test(bases_that_may_not_count_do_not),
        cmocka_unit_test(labels_that_are_told_apart_leave_weights_finite),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
