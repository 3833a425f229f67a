/* panel.h - rows of distances times a block of vectors, the one product of low-rank training that is worth a kernel.
 *
 * By hand and not from BLAS: for the few columns that there are it is about as fast, and it gives the same bits on every
 * machine, in every process and for any number of threads. Each sum runs in the order of the row, so neither twin nor
 * block size can change it. */
#ifndef SM_KERNELS_PANEL_H
#define SM_KERNELS_PANEL_H

#include <stddef.h>

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
