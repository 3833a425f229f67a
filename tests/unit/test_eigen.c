/* test_eigen.c - a symmetric matrix is put together again from its eigenvalues and eigenvectors, whatever its shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/square.h"

enum { MOST = 60 };

static const double pi = 3.141592653589793;

typedef struct solution {
    size_t n;
    double values[MOST], vectors[MOST * MOST];
} solution;

static double largest_entry(const double *a, size_t n) {
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
    return largest;
}

static solution solve(const double *a, size_t n) {
    static double copy[MOST * MOST], scratch[3 * MOST];
    solution found = {.n = n};
    memcpy(copy, a, n * n * sizeof *copy);
    sm_eigen(copy, n, found.values, found.vectors, scratch);
    return found;
}

static void assert_orthonormal(const solution *found) {
    size_t n = found->n;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++) {
            double product = 0;
            for (size_t i = 0; i < n; i++) product += found->vectors[a * n + i] * found->vectors[b * n + i];
            assert_true(fabs(product - (a == b)) < 1e-13 * (double)(n + 10));
        }
}

/* A = V' diag(values) V. */
static void assert_rebuilds(const solution *found, const double *a) {
    size_t n = found->n;
    double slack = 1e-14 * (double)(n + 10) * largest_entry(a, n * n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++)
                sum += found->values[k] * found->vectors[k * n + i] * found->vectors[k * n + j];
            if (!(fabs(sum - a[i * n + j]) <= slack))
                fail_msg("n = %zu, entry %zu, %zu: %.17g became %.17g", n, i, j, a[i * n + j], sum);
        }
}

static solution assert_solved(const double *a, size_t n) {
    solution found = solve(a, n);
    assert_orthonormal(&found);
    assert_rebuilds(&found, a);
    return found;
}

static int by_size(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void assert_values(const double *a, size_t n, double *expected, double slack) {
    solution found = assert_solved(a, n);
    qsort(found.values, n, sizeof *found.values, by_size);
    qsort(expected, n, sizeof *expected, by_size);
    for (size_t k = 0; k < n; k++)
        if (!(fabs(found.values[k] - expected[k]) <= slack))
            fail_msg("n = %zu, value %zu: %.17g for %.17g", n, k, found.values[k], expected[k]);
}

static void fill_symmetric(double *a, size_t n, uint32_t number, double scale) {
    sm_random random;
    sm_random_start(&random, 1, number, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = scale * sm_random_normal(&random);
}

static void a_random_matrix_is_put_together_again(void **state) {
    (void)state;
    static double a[MOST * MOST];
    const size_t sizes[] = {1, 2, 3, 4, 5, 10, 33, 50, 60};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint32_t number = 0; number < 20; number++) {
            fill_symmetric(a, sizes[s], number, 1);
            assert_solved(a, sizes[s]);
        }
}

static void one_number_is_its_own_eigenvalue(void **state) {
    (void)state;
    const double a[] = {-3.5};
    solution found = solve(a, 1);
    assert_true(found.values[0] == -3.5 && fabs(found.vectors[0]) == 1);
}

static void two_by_two_has_a_closed_form(void **state) {
    (void)state;
    const double a[] = {2, -1.5, -1.5, -1}; /* 1/2 +- sqrt(9/4 + 9/4) */
    double expected[] = {0.5 - sqrt(4.5), 0.5 + sqrt(4.5)};
    assert_values(a, 2, expected, 1e-14);
}

static void a_diagonal_matrix_is_left_alone(void **state) {
    (void)state;
    double a[25] = {0}, expected[] = {3, -1, 0, 3, 1e-3};
    for (size_t i = 0; i < 5; i++) a[i * 6] = expected[i];
    solution found = solve(a, 5);
    for (size_t k = 0; k < 5; k++) {
        assert_true(found.values[k] == expected[k]);
        for (size_t i = 0; i < 5; i++) assert_true(found.vectors[k * 5 + i] == (i == k));
    }
}

static void zero_has_zeros(void **state) {
    (void)state;
    static const double a[MOST * MOST];
    for (size_t n = 1; n <= MOST; n += 7) {
        solution found = assert_solved(a, n);
        for (size_t k = 0; k < n; k++) assert_true(found.values[k] == 0);
    }
}

/* The Laplacian of a path: 2 - 2 cos(pi k / n). */
static void the_path_graph_has_its_known_values(void **state) {
    (void)state;
    static double a[MOST * MOST];
    for (size_t n = 2; n <= 50; n += 6) {
        double expected[MOST] = {0};
        memset(a, 0, sizeof a);
        for (size_t i = 0; i + 1 < n; i++) {
            a[i * n + i] += 1;
            a[(i + 1) * n + i + 1] += 1;
            a[i * n + i + 1] = a[(i + 1) * n + i] = -1;
        }
        for (size_t k = 0; k < n; k++) expected[k] = 2 - 2 * cos(pi * (double)k / (double)n);
        assert_values(a, n, expected, 1e-13);
    }
}

/* The complete graph: 0 once, n for all the rest; and the cycle, where values come in pairs. */
static void repeated_values_have_a_whole_space_of_vectors(void **state) {
    (void)state;
    static double a[MOST * MOST];
    for (size_t n = 3; n <= 45; n += 7) {
        double expected[MOST] = {0};
        for (size_t i = 0; i < n * n; i++) a[i] = i % (n + 1) == 0 ? (double)n - 1 : -1;
        for (size_t k = 0; k < n; k++) expected[k] = k == 0 ? 0 : (double)n;
        assert_values(a, n, expected, 1e-12);
        memset(a, 0, sizeof a);
        for (size_t i = 0; i < n; i++) a[i * n + (i + 1) % n] = a[(i + 1) % n * n + i] = 1;
        for (size_t k = 0; k < n; k++) expected[k] = 2 * cos(2 * pi * (double)k / (double)n);
        assert_values(a, n, expected, 1e-13);
    }
}

static void rank_one_has_one_value_that_is_not_zero(void **state) {
    (void)state;
    static double a[MOST * MOST];
    for (size_t n = 2; n <= 50; n += 8) {
        double x[MOST], expected[MOST] = {0};
        for (size_t i = 0; i < n; i++) x[i] = (double)i - 3.25;
        for (size_t i = 0; i < n; i++) expected[0] -= x[i] * x[i];
        for (size_t i = 0; i < n * n; i++) a[i] = -x[i / n] * x[i % n];
        assert_values(a, n, expected, 1e-13 * fabs(expected[0]));
    }
}

/* A power of two scales everything exactly, far from the ends of the range. */
static void scale_changes_nothing_but_scale(void **state) {
    (void)state;
    static double a[MOST * MOST], scaled[MOST * MOST];
    const int powers[] = {-400, -60, 60, 400};
    fill_symmetric(a, 12, 3, 1);
    solution plain = assert_solved(a, 12);
    for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
        for (size_t i = 0; i < 144; i++) scaled[i] = ldexp(a[i], powers[p]);
        solution found = assert_solved(scaled, 12);
        for (size_t k = 0; k < 12; k++)
            assert_true(fabs(found.values[k] - ldexp(plain.values[k], powers[p])) <= ldexp(1e-13, powers[p]));
    }
}

/* Squares of such entries overflow, or vanish. */
static void entries_near_the_ends_of_the_range_are_no_trouble(void **state) {
    (void)state;
    static double a[MOST * MOST];
    const double scales[] = {1e160, 1e-170};
    for (size_t s = 0; s < 2; s++) {
        fill_symmetric(a, 6, 4, scales[s]);
        assert_solved(a, 6);
    }
}

/* A reflection of (1, tiny) must not take the difference of two numbers that are nearly equal. */
static void a_tiny_entry_beside_a_large_one_is_not_lost(void **state) {
    (void)state;
    for (double tiny = 1e-3; tiny > 1e-13; tiny /= 10)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double a[9] = {1, sign, tiny, sign, 1, 0.5, tiny, 0.5, 2};
            assert_solved(a, 3);
        }
}

static void entries_of_very_different_size_are_solved(void **state) {
    (void)state;
    static double a[MOST * MOST];
    for (uint32_t number = 0; number < 50; number++) {
        size_t n = 3 + number % 20;
        fill_symmetric(a, n, number, 1);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) a[i * n + j] *= pow(10, -(double)((i + j) % 9));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++) a[j * n + i] = a[i * n + j];
        assert_solved(a, n);
    }
}

/* Two groups of points: one value, and the rest is what rounding leaves, down to the smallest numbers there are. */
static void two_groups_of_equal_points_have_one_direction(void **state) {
    (void)state;
    static double a[MOST * MOST], mean[MOST];
    for (size_t n = 3; n <= 40; n++)
        for (size_t n_few = 1; n_few < n / 2; n_few++) {
            double grand = 0;
            for (size_t i = 0; i < n; i++) {
                mean[i] = (i < n_few ? (double)(n - n_few) : (double)n_few) / 2 / (double)n;
                grand += mean[i] / (double)n;
            }
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j <= i; j++) {
                    double z = (i < n_few) != (j < n_few) ? 0.5 : 0;
                    a[i * n + j] = a[j * n + i] = -0.5 * ((z - mean[i]) - (mean[j] - grand));
                }
            assert_solved(a, n);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_matrix_is_put_together_again),
        cmocka_unit_test(one_number_is_its_own_eigenvalue),
        cmocka_unit_test(two_by_two_has_a_closed_form),
        cmocka_unit_test(a_diagonal_matrix_is_left_alone),
        cmocka_unit_test(zero_has_zeros),
        cmocka_unit_test(the_path_graph_has_its_known_values),
        cmocka_unit_test(repeated_values_have_a_whole_space_of_vectors),
        cmocka_unit_test(rank_one_has_one_value_that_is_not_zero),
        cmocka_unit_test(scale_changes_nothing_but_scale),
        cmocka_unit_test(entries_near_the_ends_of_the_range_are_no_trouble),
        cmocka_unit_test(a_tiny_entry_beside_a_large_one_is_not_lost),
        cmocka_unit_test(entries_of_very_different_size_are_solved),
        cmocka_unit_test(two_groups_of_equal_points_have_one_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
