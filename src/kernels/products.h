/* products.h - products of matrices of doubles with few columns, and sums over pairs of their rows: where learning from listed
 * pairs spends its time.
 *
 * Each entry of a product is summed in the order of its terms, and a dot product in four lanes that are joined at the end: the
 * bits depend neither on a machine's vectors nor on how the work is cut into tiles. Both tables are made from the same loops
 * (loops/products.h), which the compiler turns into what each may use. Nothing that is written overlaps what is read. */
#ifndef SM_KERNELS_PRODUCTS_H
#define SM_KERNELS_PRODUCTS_H

#include <stddef.h>

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

#endif
