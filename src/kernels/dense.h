/* dense.h - the inner loops over the distances of a node.
 *
 * They work on a tile: a band of rows, in strips of four, and the columns of one chunk. Every pair of the node is met
 * once, as a row and a column, and goes into two sums: that of its row and that of its column.
 *
 * scalar/dense.c says what they mean, down to the order of the additions: a row is summed in lanes (column j belongs
 * to lane j mod SM_LANES, added in order), and a column by strips, of which the four rows are added as a fixed tree.
 * Every twin adds in that order, without fused multiply-add, so that all of them give the same bits and a forest does
 * not depend on the machine that grew it. Rough sums are of whole numbers, and the same in any order. */
#ifndef SM_KERNELS_DENSE_H
#define SM_KERNELS_DENSE_H

#include <stddef.h>
#include <stdint.h>

#define SM_LANES ((size_t)4)
#define SM_ROUGH_LANES ((size_t)8) /* of whole numbers */
#define SM_EXACT_LANES ((size_t)8) /* of rows that are summed alone */

/* A tile is small enough for the cache next to the processor, with all that is summed over it. */
enum { SM_STRIP_ROWS = 4, SM_BAND = 2 * SM_STRIP_ROWS, SM_CHUNK = 128 };

/* Numbers of columns are padded to whole lanes of either kind, with weight 0. */
static inline size_t sm_padded(size_t n) { return (n + SM_ROUGH_LANES - 1) / SM_ROUGH_LANES * SM_ROUGH_LANES; }

/* Some of eight neighbours: out[i] = from[first + offset[i]] for i < n. */
typedef struct sm_pick {
    uint32_t first, n;
    uint8_t offset[8]; /* below 8, those after n too */
} sm_pick;

/* What a pick may write, and ignore, after the last number that was asked for. */
#define SM_PICK_SLACK ((size_t)8)

/* A band of rows and the columns of a chunk, and the orders that they are summed by. */
typedef struct sm_tile_frame {
    size_t n_strips, n_orders, n_ahead;
    size_t from, to;                /* the columns that count, in whole lanes of either kind */
    const int32_t *rank, *row_rank; /* [n_orders][SM_CHUNK] places in the order; of rows, as many as there are */
    const float *const *ahead;      /* [n_ahead] rows of [SM_CHUNK] wanted soon: they are fetched, not read */
} sm_tile_frame;

/* What is summed over them: without an order, and by each of several. */
typedef struct sm_tile {
    sm_tile_frame frame;
    const double *column_weight; /* [SM_CHUNK] */
    const double *row_weight;    /* [strips][SM_STRIP_ROWS] */
    double *weighed;             /* [SM_BAND][SM_CHUNK] y_rj = z_rj w_j v_r */
    double *columns;             /* [1 + n_orders][SM_CHUNK] */
    double *row_lanes;           /* [1 + n_orders][SM_BAND][SM_LANES] */
} sm_tile;

/* The same with y rounded to whole numbers: twice as many at a time. The caller sees to it that no sum overflows. */
typedef struct sm_rough_tile {
    sm_tile_frame frame;
    const float *column_weight, *row_weight; /* z_rj w_j v_r is formed in floats, from the left */
    int32_t *weighed, *columns;
    int32_t *row_lanes; /* [1 + n_orders][SM_BAND][SM_ROUGH_LANES] */
} sm_rough_tile;

/* Rows alone, with weights that are floats: products are exact, and may be fused with additions. */
typedef struct sm_rows_tile {
    size_t n_strips;
    const double *weight; /* [SM_CHUNK] of columns */
    double *row_lanes;    /* [SM_BAND][SM_EXACT_LANES] */
} sm_rows_tile;

typedef struct sm_dense_kernels {
    /* What the picks name, one after the other.
     *   ahead  from where the same places will be asked for soon: they are fetched, not read
     *   out    with room for SM_PICK_SLACK more */
    void (*pick)(const float *from, const float *ahead, const sm_pick *picks, size_t n_picks, float *out);

    /* Weighs the distances of the columns from .. to - 1, and adds them to the sums without an order.
     *   z  [strips][SM_STRIP_ROWS] rows of [SM_CHUNK] */
    void (*weigh)(const sm_tile *tile, const float *const *z, size_t from, size_t to);

    /* Adds, of what was weighed, the pairs of which the column's item comes after the row's, in each order. */
    void (*sum_after)(const sm_tile *tile);

    void (*weigh_roughly)(const sm_rough_tile *tile, const float *const *z, size_t from, size_t to);
    void (*sum_roughly)(const sm_rough_tile *tile);

    /* What the lanes of rows add up to.   lanes  [n][SM_ROUGH_LANES]    n  of whole strips    sums  [n] out */
    void (*join_roughly)(const int32_t *lanes, size_t n, double *sums);

    /* Adds unit times what columns hold to sums, and sets them to 0.   n  in whole lanes */
    void (*carry_roughly)(int32_t *columns, size_t n, double unit, double *sums);

    /* Adds z_rj w_j over the columns from .. to - 1 to the sums of rows.   z  as above */
    void (*sum_rows)(const sm_rows_tile *tile, const float *const *z, size_t from, size_t to);
} sm_dense_kernels;

static inline double sm_join_lanes(const double *lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

#endif
