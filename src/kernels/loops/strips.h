/* loops/strips.h - the loops of strips.h, included by each file that makes a table of them.
 *
 * Written in vectors, of the width that the processor has: left to itself the compiler looks for vectors across columns,
 * and shuffles more than it adds. */
#ifndef SM_KERNELS_LOOPS_STRIPS_H
#define SM_KERNELS_LOOPS_STRIPS_H

#include <string.h>

#include "kernels/strips.h"

#if defined(__AVX__)
#define STRIP_LANES ((size_t)4)
#else
#define STRIP_LANES ((size_t)2)
#endif

#define HIGHEST_BIT 0x80000000u

typedef double strip_lanes __attribute__((vector_size(STRIP_LANES * sizeof(double))));
typedef float strip_float_lanes __attribute__((vector_size(STRIP_LANES * sizeof(float))));
typedef uint32_t strip_count_lanes __attribute__((vector_size(STRIP_LANES * sizeof(uint32_t))));

static inline strip_lanes strip_load(const double *from) {
    strip_lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void strip_store(double *to, strip_lanes v) { memcpy(to, &v, sizeof v); }

static inline strip_lanes strip_load_floats(const float *from) {
    strip_float_lanes v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, strip_lanes);
}

static inline void strip_add_line(const double *from, double *to) {
    for (size_t r = 0; r < SM_STRIP; r += STRIP_LANES) strip_store(to + r, strip_load(to + r) + strip_load(from + r));
}

static inline void strip_count_line(const uint32_t *mark, uint32_t *count) {
    for (size_t r = 0; r < SM_STRIP; r += STRIP_LANES) {
        strip_count_lanes more, all;
        memcpy(&more, mark + r, sizeof more);
        memcpy(&all, count + r, sizeof all);
        all = (all + (more & ~HIGHEST_BIT)) | (more & HIGHEST_BIT);
        memcpy(count + r, &all, sizeof all);
    }
}

static void strip_add(const double *table, const uint32_t *leaf, size_t n, double *sums) {
    for (size_t j = 0; j < n; j++) strip_add_line(table + leaf[j] * SM_STRIP, sums + j * SM_STRIP);
}

static void strip_add_items(const float *table, const uint32_t *item, const uint32_t *leaf, size_t n, double *sums) {
    for (size_t j = 0; j < n; j++) {
        const float *from = table + item[leaf[j]] * SM_STRIP;
        double *to = sums + j * SM_STRIP;
        for (size_t r = 0; r < SM_STRIP; r += STRIP_LANES)
            strip_store(to + r, strip_load(to + r) + strip_load_floats(from + r));
    }
}

static void strip_add_marked(const double *table, const uint32_t *marks, const uint32_t *leaf, const uint32_t *columns,
                             size_t n, double *sums, uint32_t *counts) {
    for (size_t k = 0; k < n; k++) {
        size_t j = columns[k], entry = leaf[j] * SM_STRIP;
        strip_add_line(table + entry, sums + j * SM_STRIP);
        strip_count_line(marks + entry, counts + j * SM_STRIP);
    }
}

static inline void strip_pack_from(const float *const *rows, size_t first, size_t n, float *strip) {
    for (size_t i = first; i < n; i++)
        for (size_t r = 0; r < SM_STRIP; r++) strip[i * SM_STRIP + r] = rows[r][i];
}

/* <m - m', m - m'> of one leaf and LANES others, of which the means stand side by side.   mean_of  [rank][SM_STRIP] */
static inline strip_lanes strip_square(const double *mean_of, const double *mean, const double *scale, size_t rank) {
    strip_lanes sum = {0};
    for (size_t k = 0; k < rank; k++) {
        strip_lanes apart = strip_load(mean_of + k * SM_STRIP) - mean[k];
        sum += scale[k] * (apart * apart);
    }
    return sum;
}

/* The rank is a constant where it is 1, so that the loop over it is none. */
static inline void strip_square_leaf(const sm_strip_squares *of, size_t rank, size_t l, bool adds, double *line) {
    const double *mean = of->mean + l * rank;
    double spread = of->spread[l];
    for (size_t r = 0; r < SM_STRIP; r += STRIP_LANES) {
        strip_lanes square = strip_square(of->mean_of + r, mean, of->scale, rank);
        strip_lanes distance = (strip_load(of->spread_of + r) + spread) + square;
        strip_store(line + r, adds ? strip_load(line + r) + distance : distance);
    }
}

/* The copy is local, so that the compiler knows that no store changes it, and keeps it in registers. */
static void strip_squares(const sm_strip_squares *of, size_t n, double *table) {
    const sm_strip_squares here = *of;
    for (size_t l = 0; l < n && here.rank == 1; l++) strip_square_leaf(&here, 1, l, false, table + l * SM_STRIP);
    for (size_t l = 0; l < n && here.rank != 1; l++)
        strip_square_leaf(&here, here.rank, l, false, table + l * SM_STRIP);
}

static void strip_add_squares(const sm_strip_squares *of, const uint32_t *leaf, size_t n, double *sums) {
    const sm_strip_squares here = *of;
    for (size_t j = 0; j < n && here.rank == 1; j++) strip_square_leaf(&here, 1, leaf[j], true, sums + j * SM_STRIP);
    for (size_t j = 0; j < n && here.rank != 1; j++)
        strip_square_leaf(&here, here.rank, leaf[j], true, sums + j * SM_STRIP);
}

static void strip_shares(const uint32_t *first, const uint32_t *label, const double *share, size_t n,
                         const double *share_of, double *table) {
    for (size_t l = 0; l < n; l++)
        for (size_t r = 0; r < SM_STRIP; r += STRIP_LANES) {
            strip_lanes distance = 1 - (strip_lanes){0};
            for (size_t i = first[l]; i < first[l + 1]; i++)
                distance -= share[i] * strip_load(share_of + label[i] * SM_STRIP + r);
            strip_store(table + l * SM_STRIP + r, distance);
        }
}

/* Every table of these loops has them all, and packs in a way of its own. */
#define STRIP_LOOPS                                                                                                    \
    .add = strip_add, .add_items = strip_add_items, .add_marked = strip_add_marked, .squares = strip_squares,          \
    .add_squares = strip_add_squares, .shares = strip_shares

#endif
