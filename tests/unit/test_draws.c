/* test_draws.c - what is drawn has the distribution that it is called after. Seeds are fixed: a test that passes once
 * passes always. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>

#include "base/draws.h"

/* The mean of n draws, in standard errors from the expected one: five never happen by chance. */
static void assert_mean(double sum, size_t n, double mean, double variance, const char *what, double parameter) {
    double z = (sum / (double)n - mean) / sqrt(variance / (double)n);
    if (!(fabs(z) < 5))
        fail_msg("%s(%g): the mean is %g, not %g: %g errors", what, parameter, sum / (double)n, mean, z);
}

/* Counts against probabilities, cells of fewer than ten expected draws taken together with the next. */
static void assert_counts(const size_t *counts, const double *probability, size_t n_kinds, size_t n_draws) {
    double chi_square = 0, expected = 0, got = 0, degrees = -1;
    for (size_t i = 0; i < n_kinds; i++) {
        expected += probability[i] * (double)n_draws;
        got += (double)counts[i];
        if (expected < 10) continue;
        chi_square += (got - expected) * (got - expected) / expected;
        expected = got = 0;
        degrees++;
    }
    if (chi_square > degrees + 6 * sqrt(2 * degrees) + 6)
        fail_msg("chi-square %g with %g degrees of freedom", chi_square, degrees);
}

static void words_are_those_of_the_plain_stream(void **state) {
    (void)state;
    sm_random random;
    sm_draws draws;
    sm_random_start(&random, 5, 6, (uint64_t)7 << 40);
    sm_draws_start(&draws, 5, 6, (uint64_t)7 << 40);
    for (size_t i = 0; i < 1000; i++) assert_true(sm_draw_uniform(&draws) == sm_random_uniform(&random));
}

/* Moments 1 to 4 of normals have the variances 1, 2, 15, 96. */
static void normals_have_the_moments_of_the_normal(void **state) {
    (void)state;
    enum { N_DRAWS = 400000 };
    const double expected[4] = {0, 1, 0, 3}, variance[4] = {1, 2, 15, 96};
    double sums[4] = {0}, product = 0, last = 0;
    sm_draws draws;
    sm_draws_start(&draws, 11, 0, 0);
    for (size_t i = 0; i < N_DRAWS; i++) {
        double drawn = sm_draw_normal(&draws), power = 1;
        for (size_t k = 0; k < 4; k++) sums[k] += power *= drawn;
        product += drawn * last;
        last = drawn;
    }
    for (size_t k = 0; k < 4; k++) assert_mean(sums[k], N_DRAWS, expected[k], variance[k], "normal", (double)k + 1);
    assert_mean(product, N_DRAWS, 0, 1, "neighbours", 0); /* the two of a pair know nothing of each other */
}

static double digamma(double x) {
    double sum = 0;
    for (; x < 10; x++) sum -= 1 / x;
    double s = 1 / (x * x);
    return sum + log(x) - 0.5 / x - s * (1.0 / 12 - s * (1.0 / 120 - s / 252));
}

static double trigamma(double x) {
    double sum = 0;
    for (; x < 10; x++) sum += 1 / (x * x);
    double s = 1 / (x * x);
    return sum + 1 / x + s / 2 + s / x * (1.0 / 6 - s * (1.0 / 30 - s / 42));
}

/* The mean of x is the shape, that of (x - shape)^2 is the shape too, and that of ln x is digamma(shape). */
static void gammas_have_the_moments_of_their_shape(void **state) {
    (void)state;
    enum { N_DRAWS = 200000 };
    const double shapes[] = {0.05, 0.3, 0.7, 0.999, 1, 1.5, 4, 30, 1000, 1e6};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        double shape = shapes[s], sum = 0, squares = 0, logarithms = 0;
        sm_draws draws;
        sm_draws_start(&draws, 12, (uint32_t)s, 0);
        for (size_t i = 0; i < N_DRAWS; i++) {
            double drawn = sm_draw_gamma(&draws, shape);
            sum += drawn;
            squares += (drawn - shape) * (drawn - shape);
            logarithms += log(drawn);
        }
        assert_mean(sum, N_DRAWS, shape, shape, "gamma", shape);
        assert_mean(squares, N_DRAWS, shape, 2 * shape * shape + 6 * shape, "gamma squared", shape);
        assert_mean(logarithms, N_DRAWS, digamma(shape), trigamma(shape), "log gamma", shape);
    }
}

/* For a tiny shape a, P(x <= t) is nearly t^a (1 - a digamma(1) ...): here within 1e-4 of exp(a ln t + 0.5772 a). */
static void tiny_gammas_are_mostly_zero_and_never_nonsense(void **state) {
    (void)state;
    enum { N_DRAWS = 100000 };
    const double shapes[] = {1e-300, 1e-320, 1e-30, 1e-5, 1e-3, 1e-2}, bound = 1e-100;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t n_above = 0;
        sm_draws draws;
        sm_draws_start(&draws, 13, (uint32_t)s, 0);
        for (size_t i = 0; i < N_DRAWS; i++) {
            double drawn = sm_draw_gamma(&draws, shapes[s]);
            assert_true(drawn >= 0 && drawn < 100);
            n_above += drawn > bound;
        }
        double expected = -expm1(shapes[s] * log(bound) + 0.5772 * shapes[s]);
        if (expected < 1e-9)
            assert_int_equal(n_above, 0);
        else
            assert_mean((double)n_above, N_DRAWS, expected, expected * (1 - expected), "tiny gamma", shapes[s]);
    }
    sm_draws draws;
    sm_draws_start(&draws, 14, 0, 0);
    assert_true(sm_draw_gamma(&draws, 0) == 0 && sm_draw_gamma(&draws, -1) == 0 && sm_draw_gamma(&draws, NAN) == 0);
    assert_true(isfinite(sm_draw_gamma(&draws, 1e300)));
}

static double poisson_probability(double mean, double n) { return exp(n * log(mean) - mean - lgamma(n + 1)); }

static void poissons_have_their_probabilities(void **state) {
    (void)state;
    enum { N_DRAWS = 300000, N_KINDS = 400 };
    const double means[] = {1e-3, 0.3, 1, 4, 9.99, 10, 25, 120};
    for (size_t m = 0; m < sizeof means / sizeof *means; m++)
        for (int is_positive = 0; is_positive < 2; is_positive++) {
            size_t counts[N_KINDS] = {0};
            double probability[N_KINDS] = {0};
            sm_draws draws;
            sm_draws_start(&draws, 15, (uint32_t)m, (uint64_t)is_positive);
            for (size_t i = 0; i < N_DRAWS; i++) {
                uint32_t drawn =
                    is_positive ? sm_draw_positive_poisson(&draws, means[m]) : sm_draw_poisson(&draws, means[m]);
                assert_true(drawn < N_KINDS);
                counts[drawn]++;
            }
            for (size_t n = (size_t)is_positive; n < N_KINDS; n++)
                probability[n] = poisson_probability(means[m], (double)n) / (is_positive ? -expm1(-means[m]) : 1);
            assert_counts(counts, probability, N_KINDS, N_DRAWS);
        }
}

static void poissons_of_the_ends_are_what_they_must_be(void **state) {
    (void)state;
    sm_draws draws;
    sm_draws_start(&draws, 16, 0, 0);
    double sum = 0;
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(sm_draw_poisson(&draws, 0), 0);
        assert_int_equal(sm_draw_positive_poisson(&draws, 0), 1);
        assert_int_equal(sm_draw_positive_poisson(&draws, 1e-300), 1);
        sum += sm_draw_poisson(&draws, 1e9);
    }
    assert_mean(sum, 1000, 1e9, 1e9, "poisson", 1e9);
    assert_true(sm_draw_poisson(&draws, INFINITY) > 0);
}

/* The probabilities of 0 ... n tables, customer by customer. */
static void enumerate_tables(size_t n_customers, double concentration, double *probability) {
    probability[0] = 1;
    for (size_t before = 0; before < n_customers; before++) {
        double opens = before == 0 ? 1 : concentration / (concentration + (double)before);
        probability[before + 1] = 0;
        for (size_t t = before + 1; t > 0; t--)
            probability[t] = probability[t] * (1 - opens) + probability[t - 1] * opens;
        probability[0] *= 1 - opens;
    }
}

static void tables_have_their_probabilities(void **state) {
    (void)state;
    enum { N_DRAWS = 100000, MOST = 40 };
    const size_t n_customers[] = {0, 1, 2, 3, 7, MOST};
    const double concentrations[] = {0, 1e-300, 0.02, 0.5, 1, 6, 1e4};
    for (size_t c = 0; c < sizeof concentrations / sizeof *concentrations; c++)
        for (size_t m = 0; m < sizeof n_customers / sizeof *n_customers; m++) {
            size_t counts[MOST + 1] = {0};
            double probability[MOST + 1] = {0};
            sm_draws draws;
            sm_draws_start(&draws, 17, (uint32_t)m, c);
            for (size_t i = 0; i < N_DRAWS; i++)
                counts[sm_draw_tables(&draws, (uint32_t)n_customers[m], concentrations[c])]++;
            enumerate_tables(n_customers[m], concentrations[c], probability);
            for (size_t t = 0; t <= MOST; t++) assert_true(probability[t] > 0 || counts[t] == 0);
            assert_counts(counts, probability, MOST + 1, N_DRAWS);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_the_plain_stream),
        cmocka_unit_test(normals_have_the_moments_of_the_normal),
        cmocka_unit_test(gammas_have_the_moments_of_their_shape),
        cmocka_unit_test(tiny_gammas_are_mostly_zero_and_never_nonsense),
        cmocka_unit_test(poissons_have_their_probabilities),
        cmocka_unit_test(poissons_of_the_ends_are_what_they_must_be),
        cmocka_unit_test(tables_have_their_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
