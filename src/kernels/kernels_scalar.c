/* kernels_scalar.c - the meaning of each kernel, in plain C. */
#include "kernels/kernels.h"

static void weigh(const float *z, const double *w, size_t n, double *out) {
    for (size_t j = 0; j < n; j++) out[j] = (double)z[j] * w[j];
    for (size_t j = n; j < sm_padded(n); j++) out[j] = 0;
}

static double join(const double lanes[SM_LANES]) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

static double sum(const double *zw, size_t n) {
    double lanes[SM_SUM_LANES] = {0};
    for (size_t j = 0; j < n; j += SM_SUM_LANES)
        for (size_t lane = 0; lane < SM_SUM_LANES; lane++) lanes[lane] += zw[j + lane];
    for (size_t lane = 0; lane < SM_LANES; lane++) /* 16 lanes become 4 */
        lanes[lane] = (lanes[lane] + lanes[lane + 4]) + (lanes[lane + 8] + lanes[lane + 12]);
    return join(lanes);
}

static double masked_sum(const double *zw, const int32_t *ranks, size_t n, int32_t row_rank) {
    double lanes[SM_LANES] = {0};
    for (size_t j = 0; j < n; j += SM_LANES)
        for (size_t lane = 0; lane < SM_LANES; lane++) lanes[lane] += ranks[j + lane] < row_rank ? zw[j + lane] : 0;
    return join(lanes);
}

static void masked_sums(const double *const *zw, size_t n_rows, const int32_t *const *ranks, size_t n_line_ups,
                        size_t n, const int32_t *row_rank, double *out) {
    for (size_t r = 0; r < n_rows; r++)
        for (size_t u = 0; u < n_line_ups; u++)
            out[r * SM_TILE_LINE_UPS + u] = masked_sum(zw[r], ranks[u], n, row_rank[r * SM_TILE_LINE_UPS + u]);
}

const sm_kernels sm_kernels_scalar = {.name = "plain", .weigh = weigh, .sum = sum, .masked_sums = masked_sums};
