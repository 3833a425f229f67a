/* gibbs_rows.h - arithmetic on rows of `width` doubles, a multiple of eight, which start on a cache line.
 *
 * Sums are taken in eight lanes that are joined in a fixed order, so that the bits do not depend on the width of a
 * machine's vectors. Rows do not overlap unless a comment says so. */
#ifndef SM_METHOD_GIBBS_ROWS_H
#define SM_METHOD_GIBBS_ROWS_H

#include "method/gibbs.h"

enum { SM_ROW_LANES = 8 };

static inline size_t sm_row_width(size_t n) { return (n + SM_ROW_LANES - 1) / SM_ROW_LANES * SM_ROW_LANES; }

double sm_row_sum(const double *row, size_t width);
double sm_row_dot(const double *a, const double *b, size_t width);

/* out_k = a_k b_k; part_p = the sum of the p-th eight; returns the sum of all.   part  [width / 8] out */
double sm_row_products(const double *a, const double *b, size_t width, double *out, double *part);

/* The k at which the running sum of such products passes `target`, 0 <= target < the sum; of a k whose product is 0 only
 * if all are. */
size_t sm_row_find(const double *product, const double *part, size_t width, double target);

void sm_row_clear(double *row, size_t width);
void sm_row_add(double *row, const double *other, size_t width);
void sm_row_subtract(double *row, const double *other, size_t width);

/* out = row' matrix.   matrix  [width][width] */
void sm_row_times(const double *row, const double *matrix, size_t width, double *out);

/* Adds the outer products of four rows to the upper triangle of a square matrix, and a little below it.
 *   left, right  [4][width] */
void sm_rows_outer(const double *left, const double *right, size_t width, double *matrix);

/* total = the sum of all rows.   rows  [n][width] */
void sm_rows_total(const double *rows, size_t n, size_t width, double *total);

/* out = the sum of the rows of a node's observed partners.   total  the sum of all rows */
void sm_rows_of_partners(const sm_network *network, size_t node, const double *rows, const double *total, size_t width,
                         double *out);

#endif
