/* scalar/dense.c - the kernels over the distances of a node in plain C: they define the order of every addition (dense.h). */
#include "kernels/dense.h"

static void dense_pick(const float *from, const float *ahead, const sm_pick *picks, size_t n_picks, float *out) {
    (void)ahead;
    for (size_t p = 0; p < n_picks; out += picks[p++].n)
        for (size_t i = 0; i < picks[p].n; i++) out[i] = from[picks[p].first + picks[p].offset[i]];
}

/* Adds one column of a band to its four rows and to the column. */
static void add_band(const double a[SM_BAND_ROWS], size_t j, double *row_lanes, double *columns) {
    for (size_t r = 0; r < SM_BAND_ROWS; r++) row_lanes[r * SM_LANES + j % SM_LANES] += a[r];
    columns[j] += (a[0] + a[1]) + (a[2] + a[3]);
}

static void dense_weigh(const sm_tile *tile, const float *const *z, size_t from, size_t to) {
    for (size_t band = 0; band < tile->frame.n_bands * SM_BAND_ROWS; band += SM_BAND_ROWS)
        for (size_t j = from; j < to; j++) {
            double weighed[SM_BAND_ROWS];
            for (size_t r = 0; r < SM_BAND_ROWS; r++) {
                weighed[r] = (double)z[band + r][j] * tile->column_weight[j] * tile->row_weight[band + r];
                tile->weighed[(band + r) * SM_CHUNK + j] = weighed[r];
            }
            add_band(weighed, j, tile->row_lanes + band * SM_LANES, tile->columns);
        }
}

static void dense_sum_after(const sm_tile *tile) {
    const sm_tile_frame *frame = &tile->frame;
    for (size_t order = 0; order < frame->n_orders; order++) {
        const int32_t *rank = frame->rank + order * SM_CHUNK, *row_rank = frame->row_rank + order * SM_CHUNK;
        double *row_lanes = tile->row_lanes + (order + 1) * SM_TILE_ROWS * SM_LANES;
        for (size_t band = 0; band < frame->n_bands * SM_BAND_ROWS; band += SM_BAND_ROWS)
            for (size_t j = frame->from; j < frame->to; j++) {
                double after[SM_BAND_ROWS];
                for (size_t r = 0; r < SM_BAND_ROWS; r++)
                    after[r] = rank[j] > row_rank[band + r] ? tile->weighed[(band + r) * SM_CHUNK + j] : 0;
                add_band(after, j, row_lanes + band * SM_LANES, tile->columns + (order + 1) * SM_CHUNK);
            }
    }
}

/* ---- approximate sums: whole numbers ---- */

/* The nearest whole number, of two as near the even one: a double this large has no other digits. */
static int32_t rounded(float value) {
    const double large = 6755399441055744.0; /* 1.5 x 2^52 */
    return (int32_t)(((double)value + large) - large);
}

static void dense_weigh_approximate(const sm_approximate_tile *tile, const float *const *z, size_t from, size_t to) {
    for (size_t r = 0; r < tile->frame.n_bands * SM_BAND_ROWS; r++)
        for (size_t j = from; j < to; j++) {
            int32_t y = rounded(z[r][j] * tile->column_weight[j] * tile->row_weight[r]);
            tile->weighed[r * SM_CHUNK + j] = y;
            tile->row_lanes[r * SM_APPROXIMATE_LANES + j % SM_APPROXIMATE_LANES] += y;
            tile->columns[j] += y;
        }
}

static void dense_sum_approximate(const sm_approximate_tile *tile) {
    const sm_tile_frame *frame = &tile->frame;
    for (size_t order = 0; order < frame->n_orders; order++) {
        const int32_t *rank = frame->rank + order * SM_CHUNK, *row_rank = frame->row_rank + order * SM_CHUNK;
        int32_t *columns = tile->columns + (order + 1) * SM_CHUNK;
        for (size_t r = 0; r < frame->n_bands * SM_BAND_ROWS; r++) {
            int32_t *row_lanes = tile->row_lanes + ((order + 1) * SM_TILE_ROWS + r) * SM_APPROXIMATE_LANES;
            for (size_t j = frame->from; j < frame->to; j++) {
                int32_t y = rank[j] > row_rank[r] ? tile->weighed[r * SM_CHUNK + j] : 0;
                row_lanes[j % SM_APPROXIMATE_LANES] += y;
                columns[j] += y;
            }
        }
    }
}

static void dense_join_approximate(const int32_t *lanes, size_t n, double *sums) {
    for (size_t r = 0; r < n; r++) {
        int64_t sum = 0;
        for (size_t i = 0; i < SM_APPROXIMATE_LANES; i++) sum += lanes[r * SM_APPROXIMATE_LANES + i];
        sums[r] = (double)sum;
    }
}

static void dense_carry_approximate(int32_t *columns, size_t n, double unit, double *sums) {
    for (size_t j = 0; j < n; j++) {
        sums[j] += unit * (double)columns[j];
        columns[j] = 0;
    }
}

/* ---- rows ---- */

static void dense_sum_rows(const sm_rows_tile *tile, const float *const *z, size_t from, size_t to) {
    for (size_t r = 0; r < tile->n_bands * SM_BAND_ROWS; r++)
        for (size_t j = from; j < to; j++)
            tile->row_lanes[r * SM_EXACT_LANES + j % SM_EXACT_LANES] += (double)z[r][j] * tile->weight[j];
}

extern const sm_dense_kernels sm_dense_kernels_scalar;
const sm_dense_kernels sm_dense_kernels_scalar = {.pick = dense_pick,
                                                  .weigh = dense_weigh,
                                                  .sum_after = dense_sum_after,
                                                  .weigh_approximate = dense_weigh_approximate,
                                                  .sum_approximate = dense_sum_approximate,
                                                  .join_approximate = dense_join_approximate,
                                                  .carry_approximate = dense_carry_approximate,
                                                  .sum_rows = dense_sum_rows};
