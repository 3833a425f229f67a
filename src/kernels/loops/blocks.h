/* loops/blocks.h - the loops of blocks.h, included by each file that makes a table of them.
 *
 * Written in vectors, of the width that the processor has: left to itself the compiler looks for vectors across columns,
 * and shuffles more than it adds. */
#ifndef SM_KERNELS_LOOPS_BLOCKS_H
#define SM_KERNELS_LOOPS_BLOCKS_H

#include <string.h>

#include "kernels/blocks.h"

#if defined(__AVX__)
#define BLOCK_LANES ((size_t)4)
#else
#define BLOCK_LANES ((size_t)2)
#endif

#define HIGHEST_BIT 0x80000000u

typedef double block_lanes __attribute__((vector_size(BLOCK_LANES * sizeof(double))));
typedef float block_float_lanes __attribute__((vector_size(BLOCK_LANES * sizeof(float))));
typedef uint32_t block_count_lanes __attribute__((vector_size(BLOCK_LANES * sizeof(uint32_t))));

static inline block_lanes block_load(const double *from) {
    block_lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void block_store(double *to, block_lanes v) { memcpy(to, &v, sizeof v); }

static inline block_lanes block_load_floats(const float *from) {
    block_float_lanes v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, block_lanes);
}

static inline void block_add_line(const double *from, double *to) {
    for (size_t r = 0; r < SM_BLOCK_ROWS; r += BLOCK_LANES)
        block_store(to + r, block_load(to + r) + block_load(from + r));
}

static inline void block_count_line(const uint32_t *mark, uint32_t *count) {
    for (size_t r = 0; r < SM_BLOCK_ROWS; r += BLOCK_LANES) {
        block_count_lanes more, all;
        memcpy(&more, mark + r, sizeof more);
        memcpy(&all, count + r, sizeof all);
        all = (all + (more & ~HIGHEST_BIT)) | (more & HIGHEST_BIT);
        memcpy(count + r, &all, sizeof all);
    }
}

static void block_add(const double *table, const uint32_t *leaf, size_t n, double *sums) {
    for (size_t j = 0; j < n; j++) block_add_line(table + leaf[j] * SM_BLOCK_ROWS, sums + j * SM_BLOCK_ROWS);
}

static void block_add_items(const float *table, const uint32_t *item, const uint32_t *leaf, size_t n, double *sums) {
    for (size_t j = 0; j < n; j++) {
        const float *from = table + item[leaf[j]] * SM_BLOCK_ROWS;
        double *to = sums + j * SM_BLOCK_ROWS;
        for (size_t r = 0; r < SM_BLOCK_ROWS; r += BLOCK_LANES)
            block_store(to + r, block_load(to + r) + block_load_floats(from + r));
    }
}

static void block_add_marked(const double *table, const uint32_t *marks, const uint32_t *leaf, const uint32_t *columns,
                             size_t n, double *sums, uint32_t *counts) {
    for (size_t k = 0; k < n; k++) {
        size_t j = columns[k], entry = leaf[j] * SM_BLOCK_ROWS;
        block_add_line(table + entry, sums + j * SM_BLOCK_ROWS);
        block_count_line(marks + entry, counts + j * SM_BLOCK_ROWS);
    }
}

static inline void block_pack_from(const float *const *rows, size_t first, size_t n, float *block) {
    for (size_t i = first; i < n; i++)
        for (size_t r = 0; r < SM_BLOCK_ROWS; r++) block[i * SM_BLOCK_ROWS + r] = rows[r][i];
}

/* <m - m', m - m'> of one leaf and those of LANES rows. */
static inline block_lanes block_square(const double *row_mean, const double *mean, const double *scale, size_t rank) {
    block_lanes sum = {0};
    for (size_t k = 0; k < rank; k++) {
        block_lanes apart = block_load(row_mean + k * SM_BLOCK_ROWS) - mean[k];
        sum += scale[k] * (apart * apart);
    }
    return sum;
}

static inline void block_square_leaf(const sm_block_vectors *of, size_t rank, size_t l, bool adds, double *line) {
    const double *mean = of->mean + l * rank, spread = of->spread[l];
    for (size_t r = 0; r < SM_BLOCK_ROWS; r += BLOCK_LANES) {
        block_lanes distance =
            (block_load(of->row_spread + r) + spread) + block_square(of->row_mean + r, mean, of->scale, rank);
        block_store(line + r, adds ? block_load(line + r) + distance : distance);
    }
}

/* The rank is a constant where it is 1, so that the loop over it is none. The vectors are copied: what is written cannot be them. */
static void block_squares(const sm_block_vectors *vectors, size_t n, double *table) {
    const sm_block_vectors of = *vectors;
    for (size_t l = 0; l < n && of.rank == 1; l++) block_square_leaf(&of, 1, l, false, table + l * SM_BLOCK_ROWS);
    for (size_t l = 0; l < n && of.rank != 1; l++) block_square_leaf(&of, of.rank, l, false, table + l * SM_BLOCK_ROWS);
}

static void block_add_squares(const sm_block_vectors *vectors, const uint32_t *leaf, size_t n, double *sums) {
    const sm_block_vectors of = *vectors;
    for (size_t j = 0; j < n && of.rank == 1; j++) block_square_leaf(&of, 1, leaf[j], true, sums + j * SM_BLOCK_ROWS);
    for (size_t j = 0; j < n && of.rank != 1; j++)
        block_square_leaf(&of, of.rank, leaf[j], true, sums + j * SM_BLOCK_ROWS);
}

static void block_label_distances(const uint32_t *first, const uint32_t *label, const double *fraction, size_t n,
                                  const double *row_fraction, double *table) {
    for (size_t l = 0; l < n; l++)
        for (size_t r = 0; r < SM_BLOCK_ROWS; r += BLOCK_LANES) {
            block_lanes distance = 1 - (block_lanes){0};
            for (size_t i = first[l]; i < first[l + 1]; i++)
                distance -= fraction[i] * block_load(row_fraction + label[i] * SM_BLOCK_ROWS + r);
            block_store(table + l * SM_BLOCK_ROWS + r, distance);
        }
}

/* Every table of these loops has them all, and packs in a way of its own. */
#define BLOCK_LOOPS                                                                                                    \
    .add = block_add, .add_items = block_add_items, .add_marked = block_add_marked, .squares = block_squares,          \
    .add_squares = block_add_squares, .label_distances = block_label_distances

#endif
