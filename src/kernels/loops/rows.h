/* loops/rows.h - the loops of rows.h, included by each file that makes a table of them. */
#ifndef SM_KERNELS_LOOPS_ROWS_H
#define SM_KERNELS_LOOPS_ROWS_H

#include "kernels/matrices.h"

static inline double row_join(const double lane[SM_ROW_LANES]) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static double row_dot(const double *a, const double *b, size_t width) {
    double lane[SM_ROW_LANES] = {0};
    for (size_t k = 0; k < width; k += SM_ROW_LANES)
        for (size_t u = 0; u < SM_ROW_LANES; u++) lane[u] += a[k + u] * b[k + u];
    return row_join(lane);
}

static double row_products(const double *restrict a, const double *restrict b, size_t width, double *restrict out,
                           double *restrict part) {
    double sum = 0;
    for (size_t k = 0; k < width; k++) out[k] = a[k] * b[k];
    for (size_t k = 0; k < width; k += SM_ROW_LANES) sum += part[k / SM_ROW_LANES] = row_join(out + k);
    return sum;
}

/* Four rows of the matrix at a time, so that the sums are loaded and stored a quarter as often. */
static void row_times(const double *restrict row, const double *restrict matrix, size_t width, double *restrict out) {
    for (size_t l = 0; l < width; l++) out[l] = 0;
    for (size_t k = 0; k < width; k += 4) {
        const double *m = matrix + k * width;
        double a = row[k], b = row[k + 1], c = row[k + 2], d = row[k + 3];
        for (size_t l = 0; l < width; l++)
            out[l] += (a * m[l] + b * m[width + l]) + (c * m[2 * width + l] + d * m[3 * width + l]);
    }
}

static void row_outer(const double *restrict left, const double *restrict right, size_t width,
                      double *restrict matrix) {
    for (size_t k = 0; k < width; k++) {
        double a = left[k], b = left[width + k], c = left[2 * width + k], d = left[3 * width + k];
        double *out = matrix + k * width;
        for (size_t l = k / SM_ROW_LANES * SM_ROW_LANES; l < width; l++)
            out[l] += (a * right[l] + b * right[width + l]) + (c * right[2 * width + l] + d * right[3 * width + l]);
    }
}

#endif
