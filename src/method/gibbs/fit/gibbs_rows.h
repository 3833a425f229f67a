/* gibbs_rows.h - more arithmetic on rows, for the samplers: what takes little time, or knows of networks. The rest is
 * kernels/rows.h, whose rules hold here too. */
#ifndef SM_METHOD_GIBBS_ROWS_H
#define SM_METHOD_GIBBS_ROWS_H

#include "method/gibbs/gibbs.h"

static inline size_t sm_row_width(size_t n) { return (n + SM_ROW_LANES - 1) / SM_ROW_LANES * SM_ROW_LANES; }

double sm_row_sum(const double *row, size_t width);

/* The k at which the running sum of products, as sm_row_kernels gives them, passes `target`, 0 <= target < the sum; of a k whose product is 0 only
 * if all are. */
size_t sm_row_find(const double *product, const double *part, size_t width, double target);

void sm_row_clear(double *row, size_t width);
void sm_row_add(double *row, const double *other, size_t width);
void sm_row_subtract(double *row, const double *other, size_t width);

/* total = the sum of all rows.   rows  [n][width] */
void sm_rows_total(const double *rows, size_t n, size_t width, double *total);

/* out = the sum of the rows of a node's observed partners.   total  the sum of all rows */
void sm_rows_of_partners(const sm_network *network, size_t node, const double *rows, const double *total, size_t width,
                         double *out);

#endif
