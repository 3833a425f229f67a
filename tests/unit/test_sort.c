/* test_sort.c - sorted means sorted, equal keys keep their order, and keys stand in the order of the numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/sort.h"

enum { MOST = 5000 };

typedef struct pair {
    uint64_t key;
    uint32_t index;
} pair;

/* Indices are given in ascending order, so that ordering ties by index is what stability means. */
static int by_key_then_index(const void *a, const void *b) {
    const pair *left = a, *right = b;
    if (left->key != right->key) return left->key < right->key ? -1 : 1;
    return (left->index > right->index) - (left->index < right->index);
}

static void assert_sorts(const uint64_t *keys, size_t n) {
    static uint64_t sorted[MOST], spare_keys[MOST];
    static uint32_t indices[MOST], spare_indices[MOST];
    static pair expected[MOST];
    for (size_t i = 0; i < n; i++) {
        sorted[i] = keys[i];
        indices[i] = (uint32_t)(3 * i + 1);
        expected[i] = (pair){.key = keys[i], .index = indices[i]};
    }
    qsort(expected, n, sizeof *expected, by_key_then_index);
    sm_sort(sorted, indices, n, spare_keys, spare_indices);
    for (size_t i = 0; i < n; i++)
        if (sorted[i] != expected[i].key || indices[i] != expected[i].index)
            fail_msg("of %zu keys, number %zu is out of order", n, i);
}

/* Ways in which keys may lie: what each lets vary, and where. */
typedef uint64_t (*key_maker)(sm_random *random, size_t i, size_t n);

static uint64_t word_64(sm_random *random) { return (uint64_t)sm_random_word(random) << 32 | sm_random_word(random); }

static uint64_t any(sm_random *random, size_t i, size_t n) { return (void)i, (void)n, word_64(random); }
static uint64_t few(sm_random *random, size_t i, size_t n) { return (void)i, (void)n, sm_random_below(random, 7); }
static uint64_t one(sm_random *random, size_t i, size_t n) { return (void)random, (void)i, (void)n, 42; }
static uint64_t rising(sm_random *random, size_t i, size_t n) { return (void)random, (void)n, i / 3; }
static uint64_t falling(sm_random *random, size_t i, size_t n) { return (void)random, UINT64_MAX - i * 977 - n; }

static uint64_t ranks_with_missing(sm_random *random, size_t i, size_t n) {
    (void)i;
    return sm_random_below(random, 10) == 0 ? UINT64_MAX : sm_random_below(random, (uint32_t)n);
}

static uint64_t numbers(sm_random *random, size_t i, size_t n) {
    (void)i;
    (void)n;
    return sm_sort_key(round(100 * sm_random_normal(random)) / 16);
}

/* The leading bits say next to nothing: two groups, each to be sorted by the last bits. */
static uint64_t alike_in_front(sm_random *random, size_t i, size_t n) {
    (void)n;
    return (uint64_t)(i % 2) << 63 | (sm_random_word(random) & 0xFFFF);
}

/* The bits that differ start inside a byte, and are no whole number of bytes. */
static uint64_t in_the_middle(sm_random *random, size_t i, size_t n) {
    (void)i;
    (void)n;
    return 0xA000000000000005u | (word_64(random) & 0x0000003FFFFE0000u);
}

static uint64_t only_ends(sm_random *random, size_t i, size_t n) {
    (void)i;
    (void)n;
    return word_64(random) & 0x8000000000000001u;
}

static void keys_are_sorted_as_qsort_would_and_ties_keep_their_order(void **state) {
    (void)state;
    const key_maker makers[] = {any,     few,     one,           rising,         falling,  ranks_with_missing,
                                numbers, numbers, in_the_middle, alike_in_front, only_ends};
    static uint64_t keys[MOST];
    for (size_t m = 0; m < sizeof makers / sizeof *makers; m++)
        for (size_t n = 0; n <= MOST; n = n < 70 ? n + 1 : n * 7 / 5) {
            sm_random random;
            sm_random_start(&random, 1, (uint32_t)m, n);
            for (size_t i = 0; i < n; i++) keys[i] = makers[m](&random, i, n);
            assert_sorts(keys, n);
        }
}

static void five_thousand_keys_are_sorted(void **state) {
    (void)state;
    static uint64_t keys[MOST];
    sm_random random;
    sm_random_start(&random, 2, 0, 0);
    for (size_t i = 0; i < MOST; i++) keys[i] = sm_sort_key(sm_random_normal(&random));
    assert_sorts(keys, MOST);
    for (size_t i = 0; i < MOST; i++) keys[i] &= 0xFFFF; /* 2^16 values, many of them twice */
    assert_sorts(keys, MOST);
}

static int by_value(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void packed_ranks_are_sorted_by_rank_and_index(void **state) {
    (void)state;
    static uint64_t packed[MOST], expected[MOST], spare[MOST];
    const uint32_t most[] = {1, 3, 300, 100000, UINT32_MAX};
    for (size_t m = 0; m < 2 * sizeof most / sizeof *most; m++)
        for (size_t n = 0; n <= MOST; n = n < 70 ? n + 1 : n * 7 / 5) {
            sm_random random;
            sm_random_start(&random, 4, (uint32_t)m, n);
            for (size_t i = 0; i < n; i++) {
                uint32_t rank = sm_random_below(&random, most[m / 2]); /* or two heaps, far apart */
                if (m % 2 == 1) rank = i % 2 == 0 ? UINT32_MAX : rank % 1000;
                packed[i] = expected[i] = sm_pack_rank(rank, (uint32_t)(2 * i));
            }
            qsort(expected, n, sizeof *expected, by_value);
            sm_sort_packed(packed, n, spare);
            assert_memory_equal(packed, expected, n * sizeof *packed);
        }
}

/* ---- numbers ---- */

static void assert_sorts_numbers(const double *numbers, size_t n) {
    static double sorted[MOST], spare[MOST];
    static uint32_t indices[MOST], spare_indices[MOST];
    static pair expected[MOST];
    size_t n_present = 0;
    for (size_t i = 0; i < n; i++) {
        sorted[i] = numbers[i];
        indices[i] = (uint32_t)(3 * i + 1);
        expected[i] = (pair){.key = isnan(numbers[i]) ? UINT64_MAX : sm_sort_key(numbers[i]), .index = indices[i]};
        if (!isnan(numbers[i])) n_present++;
    }
    qsort(expected, n, sizeof *expected, by_key_then_index);
    assert_int_equal(sm_sort_numbers(sorted, indices, n, spare, spare_indices), n_present);
    for (size_t i = 0; i < n; i++)
        if (indices[i] != expected[i].index || (i < n_present && sm_sort_key(sorted[i]) != expected[i].key))
            fail_msg("of %zu numbers, number %zu is out of order", n, i);
}

/* Ways in which numbers may lie: some evenly, and some so that equal widths are no use. */
static double draw_number(sm_random *random, size_t way, size_t i) {
    double even = sm_random_uniform(random), normal = sm_random_normal(random);
    switch (way) {
    case 0: return even;
    case 1: return normal;
    case 2: return exp(20 * normal);
    case 3: return sm_random_below(random, 3) == 0 ? 0.0 : -0.0;
    case 4: return floor(5 * even);
    case 5: return i == 0 ? 1e300 : even;
    case 6: return i % 2 == 0 ? DBL_MAX : -DBL_MAX;
    case 7: return 0x1p-1074 * floor(100 * even);
    case 8: return 1e18 + 1e3 * floor(10 * even);
    default: return -(double)i;
    }
}

static void numbers_are_sorted_as_qsort_would_and_ties_keep_their_order(void **state) {
    (void)state;
    static double numbers_to_sort[MOST];
    for (size_t way = 0; way < 20; way++) /* from 10 on, with missing ones */
        for (size_t n = 0; n <= MOST; n = n < 70 ? n + 1 : n * 7 / 5) {
            sm_random random;
            sm_random_start(&random, 3, (uint32_t)way, n);
            for (size_t i = 0; i < n; i++) {
                numbers_to_sort[i] = draw_number(&random, way % 10, i);
                if (way >= 10 && sm_random_below(&random, 4) < way % 4) numbers_to_sort[i] = NAN;
            }
            assert_sorts_numbers(numbers_to_sort, n);
        }
}

/* From the smallest number to the largest. */
static const double ladder[] = {
    -INFINITY, -DBL_MAX,  -1e300,        -2,      -1,      -0.5, -DBL_MIN, -0x1p-1074 * 3,  -0x1p-1074,
    0,         0x1p-1074, 0x1p-1074 * 3, DBL_MIN, 0x1p-52, 0.5,  1,        1 + DBL_EPSILON, 2,
    1e300,     DBL_MAX,   INFINITY};

static void keys_stand_in_the_order_of_the_numbers(void **state) {
    (void)state;
    for (size_t i = 1; i < sizeof ladder / sizeof *ladder; i++)
        assert_true(sm_sort_key(ladder[i - 1]) < sm_sort_key(ladder[i]));
    sm_random random;
    sm_random_start(&random, 3, 0, 0);
    for (size_t i = 0; i < 100000; i++) {
        double a, b;
        uint64_t bits_a = word_64(&random),
                 bits_b = i % 2 == 0 ? word_64(&random) : bits_a + sm_random_below(&random, 3);
        memcpy(&a, &bits_a, sizeof a);
        memcpy(&b, &bits_b, sizeof b);
        if (isnan(a) || isnan(b)) continue;
        assert_int_equal(sm_sort_key(a) < sm_sort_key(b), a < b);
        assert_int_equal(sm_sort_key(a) == sm_sort_key(b), a == b);
    }
}

static void both_zeros_have_one_key(void **state) {
    (void)state;
    assert_true(sm_sort_key(-0.0) == sm_sort_key(0.0));
}

static void no_number_has_the_key_that_means_missing(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++) assert_true(sm_sort_key(ladder[i]) != UINT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_sorted_as_qsort_would_and_ties_keep_their_order),
        cmocka_unit_test(packed_ranks_are_sorted_by_rank_and_index),
        cmocka_unit_test(numbers_are_sorted_as_qsort_would_and_ties_keep_their_order),
        cmocka_unit_test(five_thousand_keys_are_sorted),
        cmocka_unit_test(keys_stand_in_the_order_of_the_numbers),
        cmocka_unit_test(both_zeros_have_one_key),
        cmocka_unit_test(no_number_has_the_key_that_means_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
