/* dense.h - the inner loops over the distances of a node.
 *
 * They work on a tile of Z: up to SM_TILE_ROWS rows, in bands of four, and the columns of one chunk. Every pair of the node
 * occurs once, as a row and a column, and is added to two sums: that of its row and that of its column.
 *
 * scalar/dense.c defines the order of the additions: a row is summed in lanes (column j belongs to lane j mod SM_LANES, added in
 * order), and a column band by band, of which the four rows are added as a fixed tree. AVX2 adds in that order, without fused
 * multiply-add, so that both give the same bits and a forest does not depend on the machine that grew it. Approximate sums are
 * of whole numbers, and the same in any order. */
#ifndef SM_KERNELS_DENSE_H
#define SM_KERNELS_DENSE_H

#include <stddef.h>
#include <stdint.h>

#define SM_LANES ((size_t)4)
#define SM_APPROXIMATE_LANES ((size_t)8) /* of whole numbers */
#define SM_EXACT_LANES ((size_t)8)       /* of rows that are summed alone */

/* A tile and everything that is summed over it fit into the L1 cache. */
enum { SM_BAND_ROWS = 4, SM_TILE_ROWS = 2 * SM_BAND_ROWS, SM_CHUNK = 128 };

/* Numbers of columns are padded to whole lanes of either kind, with weight 0. */
static inline size_t sm_padded(size_t n) {
    return (n + SM_APPROXIMATE_LANES - 1) / SM_APPROXIMATE_LANES * SM_APPROXIMATE_LANES;
}

/* Some of eight neighbours: out[i] = from[first + offset[i]] for i < n. */
typedef struct sm_pick {
    uint32_t first, n;
    uint8_t offset[8]; /* below 8, those after n too */
} sm_pick;

/* How many numbers a pick may write after the last one: it stores whole registers. */
#define SM_PICK_SLACK ((size_t)8)

/* The rows and columns of a tile, and the orders that they are summed by. */
typedef struct sm_tile_frame {
    size_t n_bands, n_orders, n_ahead;
    size_t from, to;                /* the columns that count, in whole lanes of either kind */
    const int32_t *rank, *row_rank; /* [n_orders][SM_CHUNK] of columns; of rows, as many as there are */
    const float *const *ahead;      /* [n_ahead] rows of [SM_CHUNK] of the next tiles, to prefetch */
} sm_tile_frame;

/* What is summed over them: without an order, and by each of several. */
typedef struct sm_tile {
    sm_tile_frame frame;
    const double *column_weight; /* [SM_CHUNK] */
    const double *row_weight;    /* [bands][SM_BAND_ROWS] */
    double *weighed;             /* [SM_TILE_ROWS][SM_CHUNK] y_rj = z_rj w_j v_r */
    double *columns;             /* [1 + n_orders][SM_CHUNK] */
    double *row_lanes;           /* [1 + n_orders][SM_TILE_ROWS][SM_LANES] */
} sm_tile;

/* The same with y rounded to whole numbers: twice as many at a time. The caller sees to it that no sum overflows. */
typedef struct sm_approximate_tile {
    sm_tile_frame frame;
    const float *column_weight, *row_weight; /* z_rj w_j v_r is formed in floats, from the left */
    int32_t *weighed, *columns;
    int32_t *row_lanes; /* [1 + n_orders][SM_TILE_ROWS][SM_APPROXIMATE_LANES] */
} sm_approximate_tile;

/* Sums of rows alone, with weights that are floats: products are exact, so that fused multiply-add gives the same bits. */
typedef struct sm_rows_tile {
    size_t n_bands;
    const double *weight; /* [SM_CHUNK] of columns */
    double *row_lanes;    /* [SM_TILE_ROWS][SM_EXACT_LANES] */
} sm_rows_tile;

typedef struct sm_dense_kernels {
    /* What the picks name, one after the other.
     *   ahead  prefetched at the same indices: the row that is picked from next
     *   out    with a capacity of SM_PICK_SLACK more */
    void (*pick)(const float *from, const float *ahead, const sm_pick *picks, size_t n_picks, float *out);

    /* Weighs the distances of the columns from .. to - 1, and adds them to the sums without an order.
     *   z  [bands][SM_BAND_ROWS] rows of [SM_CHUNK] */
    void (*weigh)(const sm_tile *tile, const float *const *z, size_t from, size_t to);

    /* Adds, of what was weighed, the pairs of which the column's item comes after the row's, in each order. */
    void (*sum_after)(const sm_tile *tile);

    void (*weigh_approximate)(const sm_approximate_tile *tile, const float *const *z, size_t from, size_t to);
    void (*sum_approximate)(const sm_approximate_tile *tile);

    /* What the lanes of rows add up to.   lanes  [n][SM_APPROXIMATE_LANES]    n  in whole bands    sums  [n] out */
    void (*join_approximate)(const int32_t *lanes, size_t n, double *sums);

    /* Adds unit times what columns hold to sums, and sets them to 0.   n  in whole lanes */
    void (*carry_approximate)(int32_t *columns, size_t n, double unit, double *sums);

    /* Adds z_rj w_j over the columns from .. to - 1 to the sums of rows.   z  as above */
    void (*sum_rows)(const sm_rows_tile *tile, const float *const *z, size_t from, size_t to);
} sm_dense_kernels;

static inline double sm_join_lanes(const double *lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

#endif
