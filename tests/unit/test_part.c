/* test_part.c - lists are parted as the obvious loop parts them, by both kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "kernels/kernels.h"

enum { MOST = 3000, N_NUMBERS = 5000, REST = 0x7777 };

typedef struct lists {
    uint32_t list[MOST + 1], spare[MOST + 1], expected[MOST]; /* one more, which nobody may touch */
    bool goes_left[N_NUMBERS];
} lists;

static size_t part_obviously(const lists *from, size_t n, uint32_t *expected) {
    size_t n_left = 0, n_all = 0;
    for (int side = 0; side < 2; side++) {
        for (size_t k = 0; k < n; k++)
            if (from->goes_left[from->list[k]] == (side == 0)) expected[n_all++] = from->list[k];
        if (side == 0) n_left = n_all;
    }
    return n_left;
}

static void assert_parted(sm_part part, const uint64_t *table, size_t n, double fraction, sm_random *random) {
    static lists tried;
    for (size_t k = 0; k < N_NUMBERS; k++) tried.goes_left[k] = sm_random_uniform(random) < fraction;
    for (size_t k = 0; k < n; k++) tried.list[k] = sm_random_below(random, N_NUMBERS); /* some of them twice */
    tried.list[n] = tried.spare[n] = REST;
    size_t n_left = part_obviously(&tried, n, tried.expected);
    assert_int_equal(part(table, tried.list, n, tried.goes_left, tried.spare), n_left);
    assert_memory_equal(tried.list, tried.expected, n * sizeof *tried.list);
    assert_int_equal(tried.list[n], REST);
    assert_int_equal(tried.spare[n], REST);
}

static void lists_are_parted_in_order(void **state) {
    (void)state;
    const smerf_kernels choices[] = {SMERF_KERNELS_PLAIN, SMERF_KERNELS_AUTO};
    const double fractions[] = {0, 0.02, 0.5, 0.9, 1};
    sm_random random;
    sm_random_start(&random, 1, 2, 3);
    for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
        sm_part part = sm_kernels_select(choices[c])->part;
        sm_part_table table;
        sm_part_table_fill(table);
        for (size_t s = 0; s < sizeof fractions / sizeof *fractions; s++) {
            for (size_t n = 0; n < 70; n++) assert_parted(part, table, n, fractions[s], &random);
            assert_parted(part, table, MOST, fractions[s], &random);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_are_parted_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
