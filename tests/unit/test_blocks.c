/* test_blocks.c - loops over blocks of rows and over codes: what they compute, one number at a time, and that scalar and AVX2 agree
 * to the last bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "kernels/kernels.h"

enum { N_LEAVES = 13, N_COLUMNS = 37, MOST_RANK = 3, N_CLASSES = 4 };

typedef struct numbers {
    double table[N_LEAVES * 8], sums[N_COLUMNS * 8], mean[N_LEAVES * MOST_RANK], spread[N_LEAVES], scale[MOST_RANK];
    double row_mean[MOST_RANK * 8], row_spread[8], fraction[N_LEAVES * N_CLASSES], row_fraction[N_CLASSES * 8];
    float rows[8][N_COLUMNS], items[N_COLUMNS * 8];
    uint32_t marks[N_LEAVES * 8], counts[N_COLUMNS * 8], leaf[N_COLUMNS], item[N_LEAVES], columns[N_COLUMNS];
    uint32_t first[N_LEAVES + 1], label[N_LEAVES * N_CLASSES];
    size_t n_listed;
} numbers;

static void fill(double *to, size_t n, sm_random *random) {
    for (size_t k = 0; k < n; k++) to[k] = exp(4 * sm_random_normal(random));
}

static numbers draw(size_t seed) {
    numbers drawn = {0};
    sm_random random;
    sm_random_start(&random, seed, 0, 0);
    fill(drawn.table, sizeof drawn.table / 8, &random);
    fill(drawn.sums, sizeof drawn.sums / 8, &random);
    fill(drawn.mean, sizeof drawn.mean / 8, &random);
    fill(drawn.spread, N_LEAVES, &random);
    fill(drawn.scale, MOST_RANK, &random);
    fill(drawn.row_mean, MOST_RANK * 8, &random);
    fill(drawn.row_spread, 8, &random);
    fill(drawn.fraction, sizeof drawn.fraction / 8, &random);
    fill(drawn.row_fraction, sizeof drawn.row_fraction / 8, &random);
    for (size_t r = 0; r < 8; r++)
        for (size_t i = 0; i < N_COLUMNS; i++) drawn.rows[r][i] = (float)sm_random_normal(&random);
    for (size_t k = 0; k < N_COLUMNS * 8; k++) drawn.items[k] = (float)sm_random_normal(&random);
    for (size_t k = 0; k < N_LEAVES * 8; k++)
        drawn.marks[k] = (uint32_t)sm_random_below(&random, 2) | (sm_random_below(&random, 2) ? 0x80000000u : 0);
    for (size_t j = 0; j < N_COLUMNS; j++) {
        drawn.leaf[j] = (uint32_t)sm_random_below(&random, N_LEAVES);
        drawn.columns[drawn.n_listed] = (uint32_t)j;
        drawn.n_listed += sm_random_below(&random, 2);
    }
    for (size_t l = 0; l < N_LEAVES; l++) {
        drawn.item[l] = (uint32_t)sm_random_below(&random, N_COLUMNS);
        drawn.first[l + 1] = drawn.first[l];
        for (uint32_t c = 0; c < N_CLASSES; c++)
            if (sm_random_below(&random, 2)) drawn.label[drawn.first[l + 1]++] = c;
    }
    return drawn;
}

static double square_of(const numbers *of, size_t rank, size_t l, size_t r) {
    double sum = 0;
    for (size_t k = 0; k < rank; k++) {
        double apart = of->row_mean[k * 8 + r] - of->mean[l * rank + k];
        sum += of->scale[k] * (apart * apart);
    }
    return (of->row_spread[r] + of->spread[l]) + sum;
}

static void assert_same_bits(double a, double b) { assert_memory_equal(&a, &b, sizeof a); }

static void check_adding(const sm_block_kernels *kernels, const numbers *of) {
    numbers got = *of;
    kernels->add(of->table, of->leaf, N_COLUMNS, got.sums);
    for (size_t k = 0; k < N_COLUMNS * 8; k++)
        assert_same_bits(got.sums[k], of->sums[k] + of->table[of->leaf[k / 8] * 8 + k % 8]);
    got = *of;
    kernels->add_items(of->items, of->item, of->leaf, N_COLUMNS, got.sums);
    for (size_t k = 0; k < N_COLUMNS * 8; k++)
        assert_same_bits(got.sums[k], of->sums[k] + (double)of->items[of->item[of->leaf[k / 8]] * 8 + k % 8]);
    got = *of;
    kernels->add_marked(of->table, of->marks, of->leaf, of->columns, of->n_listed, got.sums, got.counts);
    for (size_t c = 0, j = 0; j < N_COLUMNS; j++) {
        bool is_listed = c < of->n_listed && of->columns[c] == j;
        for (size_t r = 0; r < 8; r++) {
            uint32_t mark = is_listed ? of->marks[of->leaf[j] * 8 + r] : 0;
            assert_int_equal(got.counts[j * 8 + r], mark);
            assert_same_bits(got.sums[j * 8 + r],
                             of->sums[j * 8 + r] + (is_listed ? of->table[of->leaf[j] * 8 + r] : 0));
        }
        c += is_listed;
    }
    kernels->add_marked(of->table, of->marks, of->leaf, of->columns, of->n_listed, got.sums, got.counts);
    for (size_t c = 0; c < of->n_listed * 8; c++) { /* the highest bit stays where it is */
        uint32_t mark = of->marks[of->leaf[of->columns[c / 8]] * 8 + c % 8];
        assert_int_equal(got.counts[of->columns[c / 8] * 8 + c % 8], (mark & 0x80000000u) | 2 * (mark & 1));
    }
}

static void check_tables(const sm_block_kernels *kernels, const numbers *of) {
    numbers got = *of;
    for (size_t rank = 0; rank <= MOST_RANK; rank++) {
        const sm_block_vectors vectors = {rank, of->scale, of->mean, of->spread, of->row_mean, of->row_spread};
        kernels->squares(&vectors, N_LEAVES, got.table);
        for (size_t k = 0; k < N_LEAVES * 8; k++) assert_same_bits(got.table[k], square_of(of, rank, k / 8, k % 8));
        memcpy(got.sums, of->sums, sizeof got.sums);
        kernels->add_squares(&vectors, of->leaf, N_COLUMNS, got.sums);
        for (size_t k = 0; k < N_COLUMNS * 8; k++)
            assert_same_bits(got.sums[k], of->sums[k] + square_of(of, rank, of->leaf[k / 8], k % 8));
    }
    kernels->label_distances(of->first, of->label, of->fraction, N_LEAVES, of->row_fraction, got.table);
    for (size_t k = 0; k < N_LEAVES * 8; k++) {
        double distance = 1;
        for (size_t i = of->first[k / 8]; i < of->first[k / 8 + 1]; i++)
            distance -= of->fraction[i] * of->row_fraction[of->label[i] * 8 + k % 8];
        assert_same_bits(got.table[k], distance);
    }
    const float *rows[8];
    for (size_t r = 0; r < 8; r++) rows[r] = of->rows[r];
    for (size_t n = 0; n <= N_COLUMNS; n++) {
        kernels->pack(rows, n, got.items);
        for (size_t k = 0; k < n * 8; k++) assert_true(got.items[k] == of->rows[k % 8][k / 8]);
    }
}

static void blocks_are_what_they_say(void **state) {
    (void)state;
    for (size_t seed = 0; seed < 20; seed++) {
        const numbers drawn = draw(seed);
        const sm_block_kernels *twins[2] = {sm_kernels_select(SMERF_KERNELS_PLAIN)->blocks,
                                            sm_kernels_select(SMERF_KERNELS_AUTO)->blocks};
        for (size_t t = 0; t < 2; t++) {
            check_adding(twins[t], &drawn);
            check_tables(twins[t], &drawn);
        }
    }
}

static void check_codes(const sm_code_kernels *kernels, size_t n_codes, sm_random *random) {
    enum { TILES = 3 };
    static uint8_t tiles[TILES * 600 * 128], wanted[600];
    static uint16_t same[TILES * 128], most[TILES];
    uint32_t n_levels = 1 + (uint32_t)sm_random_below(random, 3);
    for (size_t k = 0; k < TILES * n_codes * 128; k++) tiles[k] = (uint8_t)(254 + sm_random_below(random, n_levels));
    for (size_t b = 0; b < n_codes; b++) wanted[b] = (uint8_t)(254 + sm_random_below(random, n_levels));
    kernels->count_same(tiles, TILES, wanted, n_codes, same, most);
    for (size_t t = 0; t < TILES; t++) {
        size_t largest = 0;
        for (size_t i = 0; i < 128; i++) {
            size_t n = 0;
            for (size_t b = 0; b < n_codes; b++) n += tiles[(t * n_codes + b) * 128 + i] == wanted[b];
            assert_int_equal(same[t * 128 + i], n);
            largest = n > largest ? n : largest;
        }
        assert_int_equal(most[t], largest);
    }
}

static void equal_codes_are_counted(void **state) {
    (void)state;
    const size_t numbers_of_codes[7] = {1, 2, 100, 255, 256, 511, 600};
    sm_random random;
    sm_random_start(&random, 7, 0, 0);
    for (size_t k = 0; k < 14; k++) {
        check_codes(sm_kernels_select(SMERF_KERNELS_PLAIN)->codes, numbers_of_codes[k % 7], &random);
        check_codes(sm_kernels_select(SMERF_KERNELS_AUTO)->codes, numbers_of_codes[k % 7], &random);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_what_they_say),
        cmocka_unit_test(equal_codes_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
