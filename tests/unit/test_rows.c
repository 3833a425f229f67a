/* test_rows.c - loops over rows: what they compute, and that the twins agree to the last bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "kernels/kernels.h"
#include "method/gibbs/gibbs.h"

enum { MOST = 40 };

typedef struct numbers {
    double a[4][MOST], b[4][MOST], matrix[MOST * MOST];
} numbers;

/* Of very different sizes, so that any other order of a sum shows. */
static void fill(double *to, size_t n, sm_random *random) {
    for (size_t k = 0; k < n; k++) to[k] = exp(4 * sm_random_normal(random)) * (sm_random_below(random, 5) > 0);
}

static numbers draw(size_t seed) {
    numbers drawn = {0};
    sm_random random;
    sm_random_start(&random, seed, 0, 0);
    fill(drawn.a[0], sizeof drawn.a / sizeof(double), &random);
    fill(drawn.b[0], sizeof drawn.b / sizeof(double), &random);
    fill(drawn.matrix, sizeof drawn.matrix / sizeof(double), &random);
    return drawn;
}

/* All results one after the other; rows of the matrices are `width` long. */
typedef struct results {
    double dot, sum, product[MOST], part[MOST], times[MOST], outer[MOST * MOST];
} results;

static results compute(const sm_row_kernels *kernels, const numbers *from, size_t width) {
    results to = {0};
    memcpy(to.outer, from->matrix, sizeof to.outer);
    to.dot = kernels->dot(from->a[0], from->b[0], width);
    to.sum = kernels->products(from->a[0], from->b[0], width, to.product, to.part);
    kernels->times(from->a[0], from->matrix, width, to.times);
    kernels->outer(from->a[0], from->b[0], width, to.outer);
    return to;
}

static void assert_near(double got, double expected) {
    if (!(fabs(got - expected) <= 1e-12 * fabs(expected))) fail_msg("%.17g is not %.17g", got, expected);
}

static void rows_are_multiplied_as_plain_sums_say(void **state) {
    (void)state;
    for (size_t width = 8; width <= MOST; width += 8) {
        numbers from = draw(width);
        results got = compute(sm_kernels_scalar.rows, &from, width);
        double sum = 0;
        for (size_t k = 0; k < width; k++) {
            double times = 0;
            sum += from.a[0][k] * from.b[0][k];
            assert_true(got.product[k] == from.a[0][k] * from.b[0][k]);
            for (size_t l = 0; l < width; l++) times += from.a[0][l] * from.matrix[l * width + k];
            assert_near(got.times[k], times);
            for (size_t l = k; l < width; l++) {
                double outer = from.matrix[k * width + l];
                for (size_t u = 0; u < 4; u++) outer += (&from.a[0][0])[u * width + k] * (&from.b[0][0])[u * width + l];
                assert_near(got.outer[k * width + l], outer);
            }
        }
        assert_near(got.dot, sum);
        assert_near(got.sum, sum);
    }
}

static void both_tables_give_the_same_bits(void **state) {
    (void)state;
    const sm_row_kernels *fast = sm_kernels_select(SMERF_KERNELS_AUTO)->rows;
    assert_true(sm_kernels_select(SMERF_KERNELS_PLAIN)->rows == sm_kernels_scalar.rows);
    for (size_t seed = 0; seed < 50; seed++)
        for (size_t width = 8; width <= MOST; width += 8) {
            numbers from = draw(seed);
            results one = compute(sm_kernels_scalar.rows, &from, width), other = compute(fast, &from, width);
            assert_memory_equal(&one, &other, sizeof one);
        }
}

/* Every product owns the stretch of the sum that is its own. */
static void a_target_is_found_where_the_running_sum_passes_it(void **state) {
    (void)state;
    const double product[16] = {0, 2, 0, 0, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 0}, part[2] = {3, 5};
    const struct {
        double target;
        size_t index;
    } cases[] = {{0, 1}, {1.9, 1}, {2, 4}, {2.9, 4}, {3, 10}, {6.9, 10}, {7, 14}, {7.9, 14}, {8, 14}, {9, 14}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(sm_row_find(product, part, 16, cases[k].target), cases[k].index);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_multiplied_as_plain_sums_say),
        cmocka_unit_test(both_tables_give_the_same_bits),
        cmocka_unit_test(a_target_is_found_where_the_running_sum_passes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
