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

static void weigh(const float *const *z, const double *w, const double *v, size_t n, double *y, double *row_lanes,
                  double *columns) {
    for (size_t j = 0; j < n; j++) {
        double weighed[SM_STRIP_ROWS];
        for (size_t r = 0; r < SM_STRIP_ROWS; r++) y[r * SM_CHUNK + j] = weighed[r] = (double)z[r][j] * w[j] * v[r];
        add(weighed, j, row_lanes, columns);
    }
}

static void sum_after(const double *y, const int64_t *rank, const int64_t *row_rank, size_t n, double *row_lanes,
                      double *columns) {
    for (size_t j = 0; j < n; j++) {
        double after[SM_STRIP_ROWS];
        for (size_t r = 0; r < SM_STRIP_ROWS; r++) after[r] = rank[j] > row_rank[r] ? y[r * SM_CHUNK + j] : 0;
        add(after, j, row_lanes, columns);
    }
}

const sm_kernels sm_kernels_scalar = {.name = "plain", .pick = pick, .weigh = weigh, .sum_after = sum_after};
