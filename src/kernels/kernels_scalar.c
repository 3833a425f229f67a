/* kernels_scalar.c - the meaning of each kernel, in plain C. */
#include "kernels/kernels.h"

static void pick(const float *from, const float *ahead, const sm_pick *picks, size_t n_picks, float *out) {
    (void)ahead;
    for (size_t p = 0; p < n_picks; out += picks[p++].n)
        for (size_t i = 0; i < picks[p].n; i++) out[i] = from[picks[p].first + picks[p].offset[i]];
}

/* Adds one column of a strip to its four rows and to the column. */
static void add(const double a[SM_STRIP_ROWS], size_t j, double *row_lanes, double *columns) {
    for (size_t r = 0; r < SM_STRIP_ROWS; r++) row_lanes[r * SM_LANES + j % SM_LANES] += a[r];
    columns[j] += (a[0] + a[1]) + (a[2] + a[3]);
}

static void weigh(const sm_tile *tile, const float *const *z, size_t from, size_t to) {
    for (size_t strip = 0; strip < tile->n_strips * SM_STRIP_ROWS; strip += SM_STRIP_ROWS)
        for (size_t j = from; j < to; j++) {
            double weighed[SM_STRIP_ROWS];
            for (size_t r = 0; r < SM_STRIP_ROWS; r++) {
                weighed[r] = (double)z[strip + r][j] * tile->column_weight[j] * tile->row_weight[strip + r];
                tile->weighed[(strip + r) * SM_CHUNK + j] = weighed[r];
            }
            add(weighed, j, tile->row_lanes + strip * SM_LANES, tile->columns);
        }
}

static void sum_after(const sm_tile *tile) {
    for (size_t order = 0; order < tile->n_orders; order++) {
        const int64_t *rank = tile->rank + order * SM_CHUNK, *row_rank = tile->row_rank + order * SM_CHUNK;
        double *row_lanes = tile->row_lanes + (order + 1) * SM_BAND * SM_LANES;
        for (size_t strip = 0; strip < tile->n_strips * SM_STRIP_ROWS; strip += SM_STRIP_ROWS)
            for (size_t j = tile->from; j < tile->to; j++) {
                double after[SM_STRIP_ROWS];
                for (size_t r = 0; r < SM_STRIP_ROWS; r++)
                    after[r] = rank[j] > row_rank[strip + r] ? tile->weighed[(strip + r) * SM_CHUNK + j] : 0;
                add(after, j, row_lanes + strip * SM_LANES, tile->columns + (order + 1) * SM_CHUNK);
            }
    }
}

const sm_kernels sm_kernels_scalar = {.name = "plain", .pick = pick, .weigh = weigh, .sum_after = sum_after};
