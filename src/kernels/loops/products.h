/* loops/products.h - the loops of products.h, included by each file that makes a table of them. */
#ifndef SM_KERNELS_LOOPS_PRODUCTS_H
#define SM_KERNELS_LOOPS_PRODUCTS_H

#include <string.h>

#include "kernels/matrices.h"

/* A tile of so many rows and columns is summed in registers, over so many steps at a time that what it reads stays in the
 * L1 cache for the tiles beside it. */
enum { TILE_ROWS = 4, TILE_COLUMNS = 8, TILE_STEPS = 64, DOT_LANES = 4, PRODUCT_HALF = 4 };

/* Half a row of a tile: one register or two, whatever the processor has. (Compilers that are left to find out by themselves
 * that the sums fit into registers mostly do not.) */
typedef double product_half __attribute__((vector_size(PRODUCT_HALF * sizeof(double))));

/* Up to four numbers; the others are 0. */
static inline __attribute__((always_inline)) void product_load(const double *from, size_t n, product_half *to) {
    *to = (product_half){0};
    memcpy(to, from, (n < PRODUCT_HALF ? n : PRODUCT_HALF) * sizeof *from);
}

/* Inlined with constant numbers of rows and columns, so that the sums need no array. */
static inline __attribute__((always_inline)) void product_add_tile(sm_left_factor left, const double *restrict right,
                                                                   size_t n_rows, size_t n_steps, size_t n_columns,
                                                                   size_t stride, double *restrict out) {
    const size_t n_high = n_columns > PRODUCT_HALF ? n_columns - PRODUCT_HALF : 0, n_low = n_columns - n_high;
    product_half low[TILE_ROWS], high[TILE_ROWS], right_low, right_high;
    for (size_t r = 0; r < n_rows; r++) product_load(out + r * stride, n_low, &low[r]);
    for (size_t r = 0; r < n_rows; r++) product_load(out + r * stride + n_low, n_high, &high[r]);
    for (size_t k = 0; k < n_steps; k++) {
        product_load(right + k * stride, n_low, &right_low);
        product_load(right + k * stride + n_low, n_high, &right_high);
        for (size_t r = 0; r < n_rows; r++) {
            double factor = left.at[r * left.by_row + k * left.by_step];
            low[r] += factor * right_low;
            if (n_high > 0) high[r] += factor * right_high;
        }
    }
    for (size_t r = 0; r < n_rows; r++) memcpy(out + r * stride, &low[r], n_low * sizeof *out);
    for (size_t r = 0; r < n_rows; r++) memcpy(out + r * stride + n_low, &high[r], n_high * sizeof *out);
}

/* A band of rows, from its left to its right end. */
static inline __attribute__((always_inline)) void product_add_band(sm_left_factor left, const double *restrict right,
                                                                   size_t n_rows, size_t n_steps, size_t n_columns,
                                                                   double *restrict out) {
    size_t c = 0;
    for (; c + TILE_COLUMNS <= n_columns; c += TILE_COLUMNS)
        product_add_tile(left, right + c, n_rows, n_steps, TILE_COLUMNS, n_columns, out + c);
    for (; c + PRODUCT_HALF <= n_columns; c += PRODUCT_HALF)
        product_add_tile(left, right + c, n_rows, n_steps, PRODUCT_HALF, n_columns, out + c);
    for (; c + 2 <= n_columns; c += 2) product_add_tile(left, right + c, n_rows, n_steps, 2, n_columns, out + c);
    for (; c < n_columns; c++) product_add_tile(left, right + c, n_rows, n_steps, 1, n_columns, out + c);
}

static void product_add_product(sm_left_factor left, const double *restrict right, size_t n_rows, size_t n_steps,
                                size_t n_columns, double *restrict out) {
    for (size_t k = 0, n_now; k < n_steps; k += n_now) {
        sm_left_factor from = {left.at + k * left.by_step, left.by_row, left.by_step};
        n_now = n_steps - k < TILE_STEPS ? n_steps - k : TILE_STEPS;
        size_t r = 0;
        for (; r + TILE_ROWS <= n_rows; r += TILE_ROWS, from.at += TILE_ROWS * left.by_row)
            product_add_band(from, right + k * n_columns, TILE_ROWS, n_now, n_columns, out + r * n_columns);
        for (; r < n_rows; r++, from.at += left.by_row)
            product_add_band(from, right + k * n_columns, 1, n_now, n_columns, out + r * n_columns);
    }
}

static double product_dot(const double *a, const double *b, size_t n) {
    double lane[DOT_LANES] = {0};
    size_t k = 0;
    for (; k + DOT_LANES <= n; k += DOT_LANES)
        for (size_t u = 0; u < DOT_LANES; u++) lane[u] += a[k + u] * b[k + u];
    for (; k < n; k++) lane[k % DOT_LANES] += a[k] * b[k];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static void product_add_apart(double factor, const double *restrict a, const double *restrict b, size_t n,
                              double *restrict out) {
    for (size_t k = 0; k < n; k++) out[k] += factor * (a[k] - b[k]);
}

static void product_add(double factor, const double *restrict a, size_t n, double *restrict out) {
    for (size_t k = 0; k < n; k++) out[k] += factor * a[k];
}

#endif
