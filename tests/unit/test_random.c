/* test_random.c - the generator is the published one, and what is drawn from it is fair. Seeds are fixed: a test that
 * passes once passes always. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"

/* Chi-square is about its degrees of freedom, give or take sqrt(2 * degrees); six times that never happens by chance. */
static void assert_even(const size_t *counts, size_t n_kinds, size_t n_draws) {
    double expected = (double)n_draws / (double)n_kinds, chi_square = 0, degrees = (double)(n_kinds - 1);
    for (size_t i = 0; i < n_kinds; i++) {
        double off = (double)counts[i] - expected;
        chi_square += off * off / expected;
    }
    if (chi_square > degrees + 6 * sqrt(2 * degrees))
        fail_msg("chi-square %g with %g degrees of freedom", chi_square, degrees);
}

static void assert_philox(const uint32_t counter[4], const uint32_t key[2], const uint32_t expected[4]) {
    uint32_t words[4];
    sm_philox(counter, key, words);
    assert_memory_equal(words, expected, sizeof words);
}

/* kat_vectors of the Random123 library, "philox4x32 10". */
static void the_generator_gives_its_known_predictor(void **state) {
    (void)state;
    const uint32_t zeros[4] = {0}, ones[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const uint32_t of_zeros[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    const uint32_t of_ones[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
    const uint32_t pi[4] = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, more_pi[2] = {0xa4093822, 0x299f31d0};
    const uint32_t of_pi[4] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
    assert_philox(zeros, zeros, of_zeros);
    assert_philox(ones, ones, of_ones);
    assert_philox(pi, more_pi, of_pi);
}

static void a_stream_is_the_blocks_of_its_counter(void **state) {
    (void)state;
    const uint64_t seed = 0x299f31d0a4093822u, stream = 0x0370734413198a2eu;
    const uint32_t tree = 0x85a308d3, key[2] = {0xa4093822, 0x299f31d0};
    sm_random random;
    sm_random_start(&random, seed, tree, stream);
    for (uint32_t block = 0; block < 5; block++) {
        const uint32_t counter[4] = {block, tree, 0x13198a2e, 0x03707344};
        uint32_t expected[4];
        sm_philox(counter, key, expected);
        for (size_t i = 0; i < 4; i++) assert_int_equal(sm_random_word(&random), expected[i]);
    }
}

static void first_words(uint64_t seed, uint32_t tree, uint64_t stream, uint32_t words[8]) {
    sm_random random;
    sm_random_start(&random, seed, tree, stream);
    for (size_t i = 0; i < 8; i++) words[i] = sm_random_word(&random);
}

static void streams_differ_by_seed_tree_and_stream(void **state) {
    (void)state;
    uint32_t words[6][8];
    first_words(1, 0, 0, words[0]);
    first_words(2, 0, 0, words[1]);
    first_words(1, 1, 0, words[2]);
    first_words(1, 0, 1, words[3]);
    first_words(1 + ((uint64_t)1 << 32), 0, 0, words[4]); /* every half of a 64-bit part counts */
    first_words(1, 0, (uint64_t)1 << 32, words[5]);
    for (size_t a = 0; a < 6; a++)
        for (size_t b = 0; b < a; b++) assert_memory_not_equal(words[a], words[b], sizeof words[a]);
}

static void a_stream_does_not_depend_on_what_was_drawn_before(void **state) {
    (void)state;
    uint32_t fresh[8], again[8];
    first_words(7, 3, 11, fresh);
    sm_random random;
    sm_random_start(&random, 7, 3, 10);
    for (size_t i = 0; i < 1001; i++) sm_random_normal(&random);
    sm_random_start(&random, 7, 3, 11);
    for (size_t i = 0; i < 8; i++) again[i] = sm_random_word(&random);
    assert_memory_equal(fresh, again, sizeof fresh);
}

static void whole_numbers_below_a_bound_are_equally_likely(void **state) {
    (void)state;
    enum { N_DRAWS = 200000 };
    for (uint32_t bound = 1; bound <= 37; bound++) {
        size_t counts[37] = {0};
        sm_random random;
        sm_random_start(&random, 5, bound, 0);
        for (size_t i = 0; i < N_DRAWS; i++) {
            uint32_t drawn = sm_random_below(&random, bound);
            assert_true(drawn < bound);
            counts[drawn]++;
        }
        if (bound > 1) assert_even(counts, bound, N_DRAWS);
    }
}

/* A bound of 3/4 of all words: without rejection, every third of the results would be twice as likely. */
static void large_bounds_are_not_biased_either(void **state) {
    (void)state;
    enum { N_DRAWS = 300000 };
    const uint32_t bound = 0xC0000000u;
    size_t thirds[3] = {0}, remainders[3] = {0};
    sm_random random;
    sm_random_start(&random, 6, 0, 0);
    for (size_t i = 0; i < N_DRAWS; i++) {
        uint32_t drawn = sm_random_below(&random, bound);
        assert_true(drawn < bound);
        thirds[drawn >> 30]++;
        remainders[drawn % 3]++;
    }
    assert_even(thirds, 3, N_DRAWS);
    assert_even(remainders, 3, N_DRAWS);
}

static void the_64_bit_draw_continues_the_32_bit_one(void **state) {
    (void)state;
    const uint32_t bounds[] = {1, 2, 3, 1000, UINT32_MAX};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        sm_random narrow, wide;
        sm_random_start(&narrow, 8, (uint32_t)i, 0);
        sm_random_start(&wide, 8, (uint32_t)i, 0);
        for (size_t k = 0; k < 1000; k++)
            assert_int_equal(sm_random_below(&narrow, bounds[i]), sm_random_below_64(&wide, bounds[i]));
    }
}

static void bounds_of_64_bits_are_kept_and_filled_evenly(void **state) {
    (void)state;
    enum { N_DRAWS = 120000, N_PARTS = 12 };
    const uint64_t bounds[] = {(uint64_t)1 << 32, ((uint64_t)1 << 32) + 1, (uint64_t)3 << 62, UINT64_MAX};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        size_t parts[N_PARTS] = {0}, low_bits[4] = {0};
        sm_random random;
        sm_random_start(&random, 9, (uint32_t)i, 0);
        for (size_t k = 0; k < N_DRAWS; k++) {
            uint64_t drawn = sm_random_below_64(&random, bounds[i]);
            assert_true(drawn < bounds[i]);
            size_t part = (size_t)((double)drawn / (double)bounds[i] * N_PARTS);
            parts[part < N_PARTS ? part : N_PARTS - 1]++;
            low_bits[drawn % 4]++;
        }
        assert_even(parts, N_PARTS, N_DRAWS);
        assert_even(low_bits, 4, N_DRAWS);
    }
}

static void uniforms_lie_in_their_interval_on_their_grid(void **state) {
    (void)state;
    enum { N_DRAWS = 200000, N_PARTS = 50 };
    size_t parts[N_PARTS] = {0}, last_bits[2] = {0};
    sm_random random;
    sm_random_start(&random, 10, 0, 0);
    for (size_t i = 0; i < N_DRAWS; i++) {
        double drawn = sm_random_uniform(&random), scaled = ldexp(drawn, 53);
        assert_true(drawn >= 0 && drawn < 1 && scaled == floor(scaled));
        parts[(size_t)(drawn * N_PARTS)]++;
        last_bits[(uint64_t)scaled & 1]++;
    }
    assert_even(parts, N_PARTS, N_DRAWS);
    assert_even(last_bits, 2, N_DRAWS);
}

/* The moments of n normals have the standard errors sqrt(1, 2, 15, 96) / sqrt(n); five of them are allowed. */
static void normals_have_the_moments_of_the_normal(void **state) {
    (void)state;
    enum { N_DRAWS = 400000 };
    const double expected[4] = {0, 1, 0, 3}, variance[4] = {1, 2, 15, 96};
    double sums[4] = {0};
    size_t n_far = 0;
    sm_random random;
    sm_random_start(&random, 11, 0, 0);
    for (size_t i = 0; i < N_DRAWS; i++) {
        double drawn = sm_random_normal(&random), power = 1;
        assert_true(isfinite(drawn));
        for (size_t k = 0; k < 4; k++) sums[k] += power *= drawn;
        n_far += fabs(drawn) > 3;
    }
    for (size_t k = 0; k < 4; k++) assert_true(fabs(sums[k] / N_DRAWS - expected[k]) < 5 * sqrt(variance[k] / N_DRAWS));
    assert_true(fabs((double)n_far / N_DRAWS - 0.0027) < 5 * sqrt(0.0027 / N_DRAWS));
}

static void a_shuffle_loses_and_doubles_nothing(void **state) {
    (void)state;
    for (size_t n = 0; n <= 300; n += n < 10 ? 1 : 29) {
        uint32_t values[300];
        size_t n_seen[300] = {0};
        for (size_t i = 0; i < n; i++) values[i] = (uint32_t)i;
        sm_random random;
        sm_random_start(&random, 12, (uint32_t)n, 0);
        sm_random_shuffle(&random, values, n);
        for (size_t i = 0; i < n; i++) n_seen[values[i]]++;
        for (size_t i = 0; i < n; i++) assert_int_equal(n_seen[i], 1);
    }
}

static void the_six_orders_of_three_are_equally_likely(void **state) {
    (void)state;
    enum { N_DRAWS = 120000 };
    size_t counts[27] = {0}, orders[6];
    sm_random random;
    sm_random_start(&random, 13, 0, 0);
    for (size_t i = 0; i < N_DRAWS; i++) {
        uint32_t values[3] = {0, 1, 2};
        sm_random_shuffle(&random, values, 3);
        counts[values[0] * 9 + values[1] * 3 + values[2]]++;
    }
    const size_t order_index[6] = {0 * 9 + 1 * 3 + 2, 0 * 9 + 2 * 3 + 1, 1 * 9 + 0 * 3 + 2,
                                   1 * 9 + 2 * 3 + 0, 2 * 9 + 0 * 3 + 1, 2 * 9 + 1 * 3 + 0};
    for (size_t i = 0; i < 6; i++) orders[i] = counts[order_index[i]];
    assert_even(orders, 6, N_DRAWS);
}

/* All 2^15 - 1 nodes of a full tree, and the deepest paths. */
static void nodes_of_a_tree_have_streams_of_their_own(void **state) {
    (void)state;
    enum { N_NODES = (1 << 15) - 1 };
    static uint64_t streams[N_NODES];
    streams[0] = SM_STREAM_ROOT;
    for (size_t i = 0; 2 * i + 2 < N_NODES; i++)
        for (unsigned side = 0; side < 2; side++) streams[2 * i + 1 + side] = sm_random_child(streams[i], side);
    static uint16_t table[1 << 20]; /* by the low bits: two equal streams would meet here */
    for (size_t i = 0; i < N_NODES; i++) {
        assert_true(i == 0 || streams[i] > 1u << 20); /* far from the streams of samples and shuffles */
        size_t slot = streams[i] & ((1 << 20) - 1);
        for (; table[slot] != 0; slot = (slot + 1) & ((1 << 20) - 1))
            assert_true(streams[table[slot] - 1] != streams[i]);
        table[slot] = (uint16_t)(i + 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_gives_its_known_predictor),
        cmocka_unit_test(a_stream_is_the_blocks_of_its_counter),
        cmocka_unit_test(streams_differ_by_seed_tree_and_stream),
        cmocka_unit_test(a_stream_does_not_depend_on_what_was_drawn_before),
        cmocka_unit_test(whole_numbers_below_a_bound_are_equally_likely),
        cmocka_unit_test(large_bounds_are_not_biased_either),
        cmocka_unit_test(the_64_bit_draw_continues_the_32_bit_one),
        cmocka_unit_test(bounds_of_64_bits_are_kept_and_filled_evenly),
        cmocka_unit_test(uniforms_lie_in_their_interval_on_their_grid),
        cmocka_unit_test(normals_have_the_moments_of_the_normal),
        cmocka_unit_test(a_shuffle_loses_and_doubles_nothing),
        cmocka_unit_test(the_six_orders_of_three_are_equally_likely),
        cmocka_unit_test(nodes_of_a_tree_have_streams_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
