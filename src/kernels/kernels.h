/* kernels.h - the inner loops over the distances of a node.
 *
 * They work on a strip: four rows, and the columns of one chunk. Every pair of the node is met once, as a row and a
 * column, and goes into two sums: that of its row and that of its column.
 *
 * kernels_scalar.c says what they mean, down to the order of the additions: a row is summed in lanes (column j belongs
 * to lane j mod SM_LANES, added in order), and a column by strips, of which the four rows are added as a fixed tree.
 * Every twin adds in that order, without fused multiply-add, so that all of them give the same bits and a forest does
 * not depend on the machine that grew it. */
#ifndef SM_KERNELS_KERNELS_H
#define SM_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "smerf.h"

#define SM_LANES ((size_t)4)

/* A chunk of columns is short enough for the cache next to the processor, with all that is summed over it. */
enum { SM_STRIP_ROWS = 4, SM_CHUNK = 128 };

/* Numbers of columns are padded to whole lanes, with weight 0. */
static inline size_t sm_padded(size_t n) { return (n + SM_LANES - 1) / SM_LANES * SM_LANES; }

/* Some of eight neighbours: out[i] = from[first + offset[i]] for i < n. */
typedef struct sm_pick {
    uint32_t first, n;
    uint8_t offset[8]; /* below 8, those after n too */
} sm_pick;

/* What a pick may write, and ignore, after the last number that was asked for. */
#define SM_PICK_SLACK ((size_t)8)

typedef struct sm_kernels {
    const char *name;

    /* What the picks name, one after the other.
     *   ahead  from where the same places will be asked for soon: they are fetched, not read
     *   out    with room for SM_PICK_SLACK more */
    void (*pick)(const float *from, const float *ahead, const sm_pick *picks, size_t n_picks, float *out);

    /* The weighed distances y_rj = z_rj w_j v_r of a strip, which are kept, and their sums.
     *   z          [SM_STRIP_ROWS][n], n padded
     *   w          [n]   v  [SM_STRIP_ROWS]
     *   y          [SM_STRIP_ROWS][SM_CHUNK] out
     *   row_lanes  [SM_STRIP_ROWS][SM_LANES] added to
     *   columns    [n] added to */
    void (*weigh)(const float *const *z, const double *w, const double *v, size_t n, double *y, double *row_lanes,
                  double *columns);

    /* The same sums over the pairs of which the column's item comes after the row's in some order.
     *   rank  [n]   row_rank  [SM_STRIP_ROWS]   places in the order */
    void (*sum_after)(const double *y, const int64_t *rank, const int64_t *row_rank, size_t n, double *row_lanes,
                      double *columns);
} sm_kernels;

static inline double sm_join_lanes(const double *lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

extern const sm_kernels sm_kernels_scalar;
extern const sm_kernels sm_kernels_avx2; /* x86-64 only */

/* The fastest that this processor can run, or the scalar ones. */
const sm_kernels *sm_kernels_select(smerf_kernels choice);

#endif
