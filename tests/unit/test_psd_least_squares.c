/* test_psd_least_squares.c - the solver finds the optimum of random problems, whatever their condition and scale. */
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
#include "method/linear/fit/psd_least_squares.h"

enum { MOST = 12, MOST_TERMS = 300 };

/* H W = sum of <D_t, W> D_t, and b = sum of number_t D_t, with D_t = x x' (even seeds) or (x y' + y x') / 2. */
typedef struct sums {
    size_t n, n_terms;
    double d[MOST_TERMS][MOST * MOST], b[MOST * MOST];
} sums;

static smerf_status apply(void *context, sm_pool *pool, const double *w, double *out, smerf_error *error) {
    const sums *of = context;
    (void)pool, (void)error;
    memset(out, 0, of->n * of->n * sizeof *out);
    for (size_t t = 0; t < of->n_terms; t++) {
        double inner = 0;
        for (size_t k = 0; k < of->n * of->n; k++) inner += of->d[t][k] * w[k];
        for (size_t k = 0; k < of->n * of->n; k++) out[k] += inner * of->d[t][k];
    }
    return SMERF_OK;
}

static void draw(sums *of, size_t n, size_t n_terms, double scale, uint64_t seed) {
    sm_random random;
    sm_random_start(&random, seed, 5, 6);
    of->n = n;
    of->n_terms = n_terms;
    memset(of->b, 0, sizeof of->b);
    for (size_t t = 0; t < n_terms; t++) {
        double x[MOST], y[MOST], number = scale * (fabs(sm_random_normal(&random)) + (double)(seed % 3) - 1);
        if (n_terms < 20) number = fabs(number);
        for (size_t i = 0; i < n; i++) {
            x[i] = sm_random_normal(&random);
            y[i] = seed % 2 == 0 ? x[i] : sm_random_normal(&random);
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) of->d[t][i * n + j] = (x[i] * y[j] + y[i] * x[j]) / 2;
        for (size_t k = 0; k < n * n; k++) of->b[k] += number * of->d[t][k];
    }
}

static double smallest_eigenvalue(const double *a, size_t n) {
    double copy[MOST * MOST], values[MOST], vectors[MOST * MOST], scratch[3 * MOST], smallest = INFINITY;
    memcpy(copy, a, n * n * sizeof *copy);
    sm_eigen(copy, n, values, vectors, scratch);
    for (size_t k = 0; k < n; k++) smallest = fmin(smallest, values[k]);
    return smallest;
}

static double norm(const double *a, size_t n) {
    double squares = 0;
    for (size_t k = 0; k < n; k++) squares += a[k] * a[k];
    return sqrt(squares);
}

/* W and its gradient are semidefinite and orthogonal, as far as the residual says. */
static void check(const sums *of, const double *w, const sm_psd_facts *facts) {
    double g[MOST * MOST], inner = 0;
    size_t n = of->n, nn = n * n;
    apply((void *)of, NULL, w, g, NULL);
    for (size_t k = 0; k < nn; k++) g[k] -= of->b[k];
    for (size_t k = 0; k < nn; k++) inner += w[k] * g[k];
    double slack = 2 * facts->kkt * norm(of->b, nn) + 1e-13 * norm(of->b, nn);
    assert_true(smallest_eigenvalue(w, n) >= -1e-14 * norm(w, nn));
    assert_true(smallest_eigenvalue(g, n) >= -slack);
    assert_true(fabs(inner) <= slack * norm(w, nn));
}

static void solve(sums *of, double *w, sm_psd_facts *facts) {
    sm_pool pool;
    smerf_error error;
    sm_pool_start(&pool, NULL);
    const sm_psd_problem problem = {.n = of->n, .b = of->b, .apply = apply, .context = of};
    assert_int_equal(sm_psd_least_squares(&problem, &pool, w, facts, &error), SMERF_OK);
    assert_true(pool.fraction_from == 1 && pool.fraction_to == 1);
}

static void random_problems_are_solved(void **state) {
    (void)state;
    static sums of;
    double w[MOST * MOST];
    sm_psd_facts facts;
    for (uint64_t seed = 0; seed < 60; seed++) {
        size_t n = 1 + seed % MOST;
        draw(&of, n, 4 * n * (n + 1) / 2 < MOST_TERMS ? 4 * n * (n + 1) / 2 : MOST_TERMS, 1, seed);
        solve(&of, w, &facts);
        assert_true(facts.kkt < 1e-8);
        check(&of, w, &facts);
    }
}

static void fewer_terms_than_unknowns_are_no_obstacle(void **state) {
    (void)state;
    static sums of;
    double w[MOST * MOST];
    sm_psd_facts facts;
    for (uint64_t seed = 0; seed < 40; seed += 2) { /* squares, and numbers >= 0: distances */
        draw(&of, 6, 3 + seed % 15, 1, seed);
        solve(&of, w, &facts);
        assert_true(facts.kkt < 1e-6);
        check(&of, w, &facts);
    }
}

static void scale_changes_nothing(void **state) {
    (void)state;
    static sums of;
    double w[MOST * MOST], scaled[MOST * MOST];
    sm_psd_facts facts, same;
    for (int e = -300; e <= 300; e += 150) {
        draw(&of, 7, 100, 1, 4);
        solve(&of, w, &facts);
        for (size_t k = 0; k < 49; k++) of.b[k] = ldexp(of.b[k], e);
        solve(&of, scaled, &same);
        assert_int_equal(facts.n_iterations, same.n_iterations);
        for (size_t k = 0; k < 49; k++) assert_true(scaled[k] == ldexp(w[k], e));
    }
}

static void nothing_to_fit_is_zero(void **state) {
    (void)state;
    static sums of;
    double w[MOST * MOST];
    sm_psd_facts facts;
    draw(&of, 5, 40, 0, 3);
    solve(&of, w, &facts);
    for (size_t k = 0; k < 25; k++) assert_true(w[k] == 0);
    assert_true(facts.kkt == 0);
    draw(&of, 5, 40, 1, 4); /* all distances below 0: the best is none */
    for (size_t k = 0; k < 25; k++) of.b[k] = k % 6 == 0 ? -1 : 0;
    solve(&of, w, &facts);
    for (size_t k = 0; k < 25; k++) assert_true(w[k] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_are_solved),
        cmocka_unit_test(fewer_terms_than_unknowns_are_no_obstacle),
        cmocka_unit_test(scale_changes_nothing),
        cmocka_unit_test(nothing_to_fit_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
