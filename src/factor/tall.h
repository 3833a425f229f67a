/* tall.h - linear algebra on tall matrices: n rows, a few columns, stored by rows (means, X' Y, rotation, orthonormal columns).
 *
 * Rows are divided into blocks that depend on the shape alone, and the results of blocks are reduced in their order: the same
 * bits for any number of threads. */
#ifndef SM_FACTOR_TALL_H
#define SM_FACTOR_TALL_H

#include "base/parallel.h"

/* How many blocks there are, and where block `b` starts; each has at least m rows if n has. */
size_t sm_tall_blocks(size_t n, size_t m);
static inline size_t sm_tall_first(size_t n, size_t n_blocks, size_t b) { return b * n / n_blocks; }

/* means  [m] out, of the columns */
smerf_status sm_tall_means(sm_pool *pool, const double *x, size_t n, size_t m, double *means, smerf_error *error);

/* out  [m][m] = X' Y */
smerf_status sm_tall_inner(sm_pool *pool, const double *x, const double *y, size_t n, size_t m, double *out,
                           smerf_error *error);

/* Two matrices of one shape. */
typedef struct sm_tall_pair {
    const double *x, *y; /* [n][m] */
    size_t n, m;
} sm_tall_pair;

/* out  [m] = the sums over the rows of (x - factor y)^2, factor  [m] */
smerf_status sm_tall_apart(sm_pool *pool, const sm_tall_pair *of, const double *factor, double *out,
                           smerf_error *error);

/* X becomes X V'.   v  [m][m] */
smerf_status sm_tall_rotate(sm_pool *pool, double *x, size_t n, size_t m, const double *v, smerf_error *error);

/* An orthonormal basis of the columns of Y, in their order; where a column depends on those before it, any direction
 * replaces it. By Householder reflections, of each block and then of what is left of the blocks.
 *   y  [n][m] in, n >= m; overwritten    q  [n][m] out */
smerf_status sm_tall_orthonormalise(sm_pool *pool, double *y, size_t n, size_t m, double *q, smerf_error *error);

#endif
