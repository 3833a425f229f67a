/* test_kernels.c - every kernel gives the bits of the plain one, and the plain one gives the sums it promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "kernels/kernels.h"

enum { MOST = 5003, MOST_PADDED = MOST + 64 };

/* One problem of the largest size, of which a test uses the first n; no array is aligned more than it must be. */
typedef struct rows {
    float z[SM_TILE_ROWS][MOST_PADDED];
    double w[MOST_PADDED];
    double weighed[SM_TILE_ROWS][MOST_PADDED];
    int32_t ranks[SM_TILE_LINE_UPS][MOST_PADDED];
    int32_t row_rank[SM_TILE_ROWS * SM_TILE_LINE_UPS];
} rows;

static rows here;

static void fill_ranks(sm_random *random, int32_t *ranks, size_t n) {
    static uint32_t order[MOST];
    for (size_t j = 0; j < n; j++) order[j] = (uint32_t)j;
    sm_random_shuffle(random, order, n);
    for (size_t j = 0; j < n; j++) ranks[order[j]] = (int32_t)j;
    for (size_t j = n; j < sm_padded(n); j++) ranks[j] = SM_RANK_PAD;
}

/* Distances of both signs, weights of counts times item weights; the rows' own items anywhere, the ends included. */
static void fill(size_t n, uint64_t number) {
    sm_random random;
    sm_random_start(&random, 1, (uint32_t)n, number);
    for (size_t j = 0; j < n; j++) {
        here.w[j] = (1 + sm_random_below(&random, 4)) * (number % 2 == 0 ? 1 : exp(sm_random_normal(&random)));
        for (size_t r = 0; r < SM_TILE_ROWS; r++) here.z[r][j] = (float)(sm_random_normal(&random) * 3 + 1);
    }
    for (size_t u = 0; u < SM_TILE_LINE_UPS; u++) fill_ranks(&random, here.ranks[u], n);
    for (size_t i = 0; i < SM_TILE_ROWS * SM_TILE_LINE_UPS; i++)
        here.row_rank[i] = i == number % 8         ? 0
                           : i == (number + 3) % 8 ? (int32_t)n - 1
                                                   : (int32_t)sm_random_below(&random, (uint32_t)n);
    for (size_t r = 0; r < SM_TILE_ROWS; r++) sm_kernels_scalar.weigh(here.z[r], here.w, n, here.weighed[r]);
}

static void masked(const sm_kernels *kernels, size_t n, size_t n_rows, size_t n_line_ups, double *out) {
    const double *zw[SM_TILE_ROWS] = {here.weighed[0], here.weighed[1]};
    const int32_t *ranks[SM_TILE_LINE_UPS] = {here.ranks[0], here.ranks[1], here.ranks[2], here.ranks[3]};
    for (size_t i = 0; i < SM_TILE_ROWS * SM_TILE_LINE_UPS; i++) out[i] = -12345;
    kernels->masked_sums(zw, n_rows, ranks, n_line_ups, sm_padded(n), here.row_rank, out);
}

static void assert_same_bits(const sm_kernels *kernels, size_t n) {
    double out[MOST_PADDED], plain[SM_TILE_ROWS * SM_TILE_LINE_UPS], fast[SM_TILE_ROWS * SM_TILE_LINE_UPS];
    for (size_t r = 0; r < SM_TILE_ROWS; r++) {
        kernels->weigh(here.z[r], here.w, n, out);
        assert_memory_equal(out, here.weighed[r], sm_padded(n) * sizeof *out);
        double expected = sm_kernels_scalar.sum(out, sm_padded(n)), sum = kernels->sum(out, sm_padded(n));
        assert_memory_equal(&sum, &expected, sizeof sum);
    }
    for (size_t n_rows = 1; n_rows <= SM_TILE_ROWS; n_rows++)
        for (size_t n_line_ups = 1; n_line_ups <= SM_TILE_LINE_UPS; n_line_ups++) {
            masked(&sm_kernels_scalar, n, n_rows, n_line_ups, plain);
            masked(kernels, n, n_rows, n_line_ups, fast);
            assert_memory_equal(plain, fast, sizeof plain);
        }
}

/* Both sums as the definition has them, and no further from it than rounding. */
static void assert_meaning(size_t n) {
    double out[SM_TILE_ROWS * SM_TILE_LINE_UPS];
    masked(&sm_kernels_scalar, n, SM_TILE_ROWS, SM_TILE_LINE_UPS, out);
    for (size_t r = 0; r < SM_TILE_ROWS; r++) {
        double sum = 0, size = 0;
        for (size_t j = 0; j < n; j++) sum += (double)here.z[r][j] * here.w[j];
        for (size_t j = 0; j < n; j++) size += fabs((double)here.z[r][j] * here.w[j]);
        assert_true(fabs(sm_kernels_scalar.sum(here.weighed[r], sm_padded(n)) - sum) <= 1e-12 * size);
        for (size_t u = 0; u < SM_TILE_LINE_UPS; u++) {
            double before = 0;
            for (size_t j = 0; j < n; j++)
                if (here.ranks[u][j] < here.row_rank[r * SM_TILE_LINE_UPS + u])
                    before += (double)here.z[r][j] * here.w[j];
            assert_true(fabs(out[r * SM_TILE_LINE_UPS + u] - before) <= 1e-12 * size);
        }
    }
}

static const size_t large_sizes[] = {100, 255, 256, 257, 1000, 4096, MOST};
enum { N_LARGE = sizeof large_sizes / sizeof *large_sizes };

static void for_all_sizes(void (*check)(const sm_kernels *kernels, size_t n), const sm_kernels *kernels) {
    for (size_t n = 1; n <= 67; n++)
        for (uint64_t number = 0; number < 8; number++) {
            fill(n, number);
            check(kernels, n);
        }
    for (size_t i = 0; i < N_LARGE; i++) {
        fill(large_sizes[i], i);
        check(kernels, large_sizes[i]);
    }
}

static void check_meaning(const sm_kernels *kernels, size_t n) {
    (void)kernels;
    assert_meaning(n);
}

static void the_plain_kernels_are_the_obvious_loops(void **state) {
    (void)state;
    for_all_sizes(check_meaning, NULL);
}

static void the_chosen_kernels_give_the_bits_of_the_plain_ones(void **state) {
    (void)state;
    const sm_kernels *chosen = sm_kernels_select(SMERF_KERNELS_AUTO);
    if (chosen == &sm_kernels_scalar) {
        print_message("this processor has no faster kernels: nothing to compare\n");
        skip();
    }
    for_all_sizes(assert_same_bits, chosen);
}

/* Sums in which the order of the additions shows in every bit. */
static void values_of_very_different_size_are_added_in_one_order(void **state) {
    (void)state;
    const sm_kernels *chosen = sm_kernels_select(SMERF_KERNELS_AUTO);
    sm_random random;
    sm_random_start(&random, 2, 0, 0);
    for (size_t n = 1; n <= 67; n++) {
        fill(n, n);
        for (size_t r = 0; r < SM_TILE_ROWS; r++) {
            for (size_t j = 0; j < n; j++)
                here.z[r][j] = (float)ldexp(sm_random_normal(&random), (int)sm_random_below(&random, 120) - 60);
            sm_kernels_scalar.weigh(here.z[r], here.w, n, here.weighed[r]);
        }
        assert_same_bits(chosen, n);
    }
}

static void weighing_pads_with_zeros_and_writes_no_further(void **state) {
    (void)state;
    const sm_kernels *both[2] = {&sm_kernels_scalar, sm_kernels_select(SMERF_KERNELS_AUTO)};
    for (size_t n = 1; n <= 67; n++)
        for (size_t k = 0; k < 2; k++) {
            double out[100];
            for (size_t j = 0; j < 100; j++) out[j] = 7;
            fill(n, 0);
            both[k]->weigh(here.z[0], here.w, n, out);
            for (size_t j = n; j < 100; j++) assert_true(out[j] == (j < sm_padded(n) ? 0 : 7));
        }
}

static void only_what_is_asked_for_is_written(void **state) {
    (void)state;
    const sm_kernels *both[2] = {&sm_kernels_scalar, sm_kernels_select(SMERF_KERNELS_AUTO)};
    fill(20, 0);
    for (size_t k = 0; k < 2; k++) {
        double out[SM_TILE_ROWS * SM_TILE_LINE_UPS];
        masked(both[k], 20, 1, 3, out);
        for (size_t i = 3; i < sizeof out / sizeof *out; i++) assert_true(out[i] == -12345);
    }
}

/* Exactly as long as promised, so that the sanitizers see a read too far. */
static void no_kernel_reads_past_the_end(void **state) {
    (void)state;
    const sm_kernels *chosen = sm_kernels_select(SMERF_KERNELS_AUTO);
    for (size_t n = 1; n <= 40; n++) {
        size_t padded = sm_padded(n);
        fill(n, 1);
        float *z = sm_copy(here.z[0], n, sizeof *z);
        double *w = sm_copy(here.w, n, sizeof *w), *out = sm_array(padded, sizeof *out);
        int32_t *ranks = sm_copy(here.ranks[0], padded, sizeof *ranks);
        assert_true(z != NULL && w != NULL && out != NULL && ranks != NULL);
        double sums[SM_TILE_ROWS * SM_TILE_LINE_UPS];
        const double *zw[1] = {out};
        const int32_t *lines[1] = {ranks};
        chosen->weigh(z, w, n, out);
        chosen->masked_sums(zw, 1, lines, 1, padded, here.row_rank, sums);
        assert_true(isfinite(chosen->sum(out, padded)) && isfinite(sums[0]));
        sm_free(z);
        sm_free(w);
        sm_free(out);
        sm_free(ranks);
    }
}

static void plain_is_what_one_gets_by_asking_for_it(void **state) {
    (void)state;
    assert_ptr_equal(sm_kernels_select(SMERF_KERNELS_PLAIN), &sm_kernels_scalar);
    assert_string_equal(sm_kernels_scalar.name, "plain");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plain_kernels_are_the_obvious_loops),
        cmocka_unit_test(the_chosen_kernels_give_the_bits_of_the_plain_ones),
        cmocka_unit_test(values_of_very_different_size_are_added_in_one_order),
        cmocka_unit_test(weighing_pads_with_zeros_and_writes_no_further),
        cmocka_unit_test(only_what_is_asked_for_is_written),
        cmocka_unit_test(no_kernel_reads_past_the_end),
        cmocka_unit_test(plain_is_what_one_gets_by_asking_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
