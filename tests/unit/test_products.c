/* test_products.c - products of doubles: each sum in its order whatever the shape, and the twins agree to the last bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "kernels/kernels.h"

enum { MOST_ROWS = 11, MOST_STEPS = 150, MOST_COLUMNS = 19, N_LEFT = MOST_ROWS * MOST_STEPS };

typedef struct numbers {
    double left[N_LEFT], right[MOST_STEPS * MOST_COLUMNS], out[MOST_ROWS * MOST_COLUMNS];
} numbers;

/* Of very different sizes, so that any other order of a sum shows. */
static void fill(double *to, size_t n, sm_random *random) {
    for (size_t k = 0; k < n; k++) to[k] = sm_random_normal(random) * exp(4 * sm_random_normal(random));
}

static void draw(numbers *drawn, size_t seed) {
    sm_random random;
    sm_random_start(&random, seed, 0, 0);
    fill(drawn->left, N_LEFT, &random);
    fill(drawn->right, sizeof drawn->right / sizeof(double), &random);
    fill(drawn->out, sizeof drawn->out / sizeof(double), &random);
}

/* Compares a product of one shape with the plain triple loop, entries beyond the shape too. */
static void check_product(const sm_product_kernels *kernels, const numbers *from, bool is_transposed, size_t n_rows,
                          size_t n_steps, size_t n_columns) {
    double got[MOST_ROWS * MOST_COLUMNS], expected[MOST_ROWS * MOST_COLUMNS];
    memcpy(got, from->out, sizeof got);
    memcpy(expected, from->out, sizeof expected);
    const sm_left_factor left = {from->left, is_transposed ? 1 : n_steps, is_transposed ? n_rows : 1};
    kernels->add_product(left, from->right, n_rows, n_steps, n_columns, got);
    for (size_t r = 0; r < n_rows; r++)
        for (size_t c = 0; c < n_columns; c++)
            for (size_t k = 0; k < n_steps; k++)
                expected[r * n_columns + c] +=
                    from->left[r * left.by_row + k * left.by_step] * from->right[k * n_columns + c];
    assert_memory_equal(got, expected, sizeof got);
}

static void check_all(const sm_product_kernels *kernels) {
    static const size_t steps[] = {0, 1, 5, 63, 64, 65, MOST_STEPS};
    static numbers from;
    draw(&from, 1);
    for (size_t n_rows = 0; n_rows <= MOST_ROWS; n_rows++)
        for (size_t n_columns = 0; n_columns <= MOST_COLUMNS; n_columns++)
            for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
                for (int is_transposed = 0; is_transposed < 2; is_transposed++)
                    check_product(kernels, &from, is_transposed, n_rows, steps[s], n_columns);
}

static void a_product_is_summed_in_the_order_of_its_terms(void **state) {
    (void)state;
    check_all(sm_kernels_scalar.products);
    check_all(sm_kernels_select(SMERF_KERNELS_AUTO)->products);
}

/* The sum in four lanes, as its comment says. */
static double dot_in_lanes(const double *a, const double *b, size_t n) {
    double lane[4] = {0};
    for (size_t k = 0; k < n; k++) lane[k % 4] += a[k] * b[k];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static void sums_over_rows_are_what_they_say(void **state) {
    (void)state;
    const sm_product_kernels *const both[] = {sm_kernels_scalar.products,
                                              sm_kernels_select(SMERF_KERNELS_AUTO)->products};
    static numbers from;
    assert_true(sm_kernels_select(SMERF_KERNELS_PLAIN)->products == sm_kernels_scalar.products);
    for (size_t n = 0; n <= MOST_STEPS; n++) {
        draw(&from, n);
        for (size_t t = 0; t < 2; t++) {
            double apart[MOST_STEPS], sum[MOST_STEPS];
            const double *a = from.left, *b = from.right;
            memcpy(apart, from.out, sizeof apart);
            memcpy(sum, from.out, sizeof sum);
            assert_true(both[t]->dot(a, b, n) == dot_in_lanes(a, b, n));
            both[t]->add_apart(0.3, a, b, n, apart);
            both[t]->add(0.3, a, n, sum);
            for (size_t k = 0; k < MOST_STEPS; k++) {
                assert_true(apart[k] == (k < n ? from.out[k] + 0.3 * (a[k] - b[k]) : from.out[k]));
                assert_true(sum[k] == (k < n ? from.out[k] + 0.3 * a[k] : from.out[k]));
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_is_summed_in_the_order_of_its_terms),
        cmocka_unit_test(sums_over_rows_are_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
