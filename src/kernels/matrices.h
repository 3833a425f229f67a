/* matrices.h - matrices and rows of doubles: products with few columns, for learning from listed pairs; rows of factors, for the
 * samplers of epm and narm; and a matrix of distances times vectors, for training on a leading part.
 *
 * Nothing that is written overlaps what is read. Tables are made from the same loops (loops/), which the compiler turns into what
 * each processor may use. */
#ifndef SM_KERNELS_MATRICES_H
#define SM_KERNELS_MATRICES_H

#include <stddef.h>

/* ---- products ----
 * Each entry of a product is summed in the order of its terms, and a dot product in four lanes that are joined at the end: the
 * bits depend neither on a machine's vectors nor on how the work is cut into tiles. */

/* The left factor of a product: entry (row, step) is at[row * by_row + step * by_step], so that it may be transposed. */
typedef struct sm_left_factor {
    const double *at;
    size_t by_row, by_step;
} sm_left_factor;

typedef struct sm_product_kernels {
    /* out[r][c] += the sum over k of left(r, k) right[k][c], added one by one in the order of k.
     *   right  [n_steps][n_columns]    out  [n_rows][n_columns] */
    void (*add_product)(sm_left_factor left, const double *right, size_t n_rows, size_t n_steps, size_t n_columns,
                        double *out);

    /* The sum of a_k b_k, in four lanes: k, k + 4, ... */
    double (*dot)(const double *a, const double *b, size_t n);

    /* out_k += factor (a_k - b_k) */
    void (*add_apart)(double factor, const double *a, const double *b, size_t n, double *out);

    /* out_k += factor a_k */
    void (*add)(double factor, const double *a, size_t n, double *out);
} sm_product_kernels;

/* ---- rows ----
 * Rows of `width` doubles, a multiple of eight. Sums are taken in lanes that are joined in a fixed order, so that the bits do not
 * depend on a machine's vectors. Rows do not overlap. */

#define SM_ROW_LANES ((size_t)8)

typedef struct sm_row_kernels {
    double (*dot)(const double *a, const double *b, size_t width);

    /* out_k = a_k b_k; part_p = the sum of the p-th eight; returns the sum of all.   part  [width / 8] out */
    double (*products)(const double *a, const double *b, size_t width, double *out, double *part);

    /* out = row' matrix.   matrix  [width][width] */
    void (*times)(const double *row, const double *matrix, size_t width, double *out);

    /* Adds the outer products of four rows to the upper triangle of a square matrix, and a little below it.
     *   left, right  [4][width] */
    void (*outer)(const double *left, const double *right, size_t width, double *matrix);
} sm_row_kernels;

/* ---- panels ----
 * Rows of distances times a block of vectors, the one product of low-rank training that is worth a kernel. By hand and not from
 * BLAS: for the few columns that there are it is about as fast, and it gives the same bits on every machine, in every process and
 * for any number of threads. Each sum runs in the order of the row, so neither twin nor block size can change it. */

/* Vectors stand side by side in multiples of this many. */
#define SM_PANEL_COLUMNS ((size_t)8)

static inline size_t sm_panel_padded(size_t n_columns) {
    return (n_columns + SM_PANEL_COLUMNS - 1) / SM_PANEL_COLUMNS * SM_PANEL_COLUMNS;
}

/* y[r][c] += the sum over k of z[r][k] x[k][c], added one by one in the order of k.
 *   z  [n_rows][n], rows `stride` apart
 *   x  [n][n_columns], n_columns a multiple of SM_PANEL_COLUMNS
 *   y  [n_rows][n_columns] */
typedef void (*sm_panel_product)(const float *z, size_t stride, size_t n_rows, size_t n, const double *x,
                                 size_t n_columns, double *y);

#endif
