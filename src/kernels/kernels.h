/* kernels.h - the inner loops over a row of distances.
 *
 * kernels_scalar.c says what they mean, down to the order of the additions: a sum runs in lanes (element j belongs to
 * lane j mod n_lanes, added in order), and the lanes are joined as a fixed tree. Every twin adds in that order, without
 * fused multiply-add, so that all of them give the same bits and a forest does not depend on the machine that grew it. */
#ifndef SM_KERNELS_KERNELS_H
#define SM_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "smerf.h"

/* Masked sums have few lanes, because several of them run side by side; a plain sum is alone, and has more. */
#define SM_LANES ((size_t)4)
#define SM_SUM_LANES ((size_t)16)

/* Lengths are padded to whole lanes of both: weighted distances with 0, ranks with SM_RANK_PAD, which lies before nothing. */
#define SM_RANK_PAD INT32_MAX

static inline size_t sm_padded(size_t n) { return (n + SM_SUM_LANES - 1) / SM_SUM_LANES * SM_SUM_LANES; }

/* The most rows and line-ups that one call of masked_sums takes. */
enum { SM_TILE_ROWS = 2, SM_TILE_LINE_UPS = 4 };

typedef struct sm_kernels {
    const char *name;

    /* out[j] = z[j] * w[j], and 0 up to the padded length.
     *   z  [n]    w  [n]    out  [sm_padded(n)] */
    void (*weigh)(const float *z, const double *w, size_t n, double *out);

    /* The sum of a weighed row.   zw  [n], n padded */
    double (*sum)(const double *zw, size_t n);

    /* For each of n_rows weighed rows and each of n_line_ups orders of the items: the sum over the items that stand
     * before the row's own. Reading a row and a rank once serves several sums.
     *   zw        [n_rows][n], n padded
     *   ranks     [n_line_ups][n], the place of each item in the line-up
     *   row_rank  [n_rows * SM_TILE_LINE_UPS], the places of the rows' own items: row r, line-up u at r * 4 + u
     *   out       likewise */
    void (*masked_sums)(const double *const *zw, size_t n_rows, const int32_t *const *ranks, size_t n_line_ups,
                        size_t n, const int32_t *row_rank, double *out);
} sm_kernels;

extern const sm_kernels sm_kernels_scalar;
extern const sm_kernels sm_kernels_avx2; /* x86-64 only */

/* The fastest that this processor can run, or the scalar ones. */
const sm_kernels *sm_kernels_select(smerf_kernels choice);

#endif
