/* rows.h - arithmetic on rows of `width` doubles, a multiple of eight: where the samplers of epm and narm spend their time.
 *
 * Sums are taken in lanes that are joined in a fixed order, so that the bits do not depend on a machine's vectors. Both
 * tables are made from the same loops (loops/rows.h), which the compiler turns into what each may use. Rows do not overlap. */
#ifndef SM_KERNELS_ROWS_H
#define SM_KERNELS_ROWS_H

#include <stddef.h>

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

#endif
