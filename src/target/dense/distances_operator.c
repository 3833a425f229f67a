/* distances_operator.c - a matrix of distances, as factor/factor.h wants to see it: multiplied with, never copied. */
#include <string.h>

#include "kernels/kernels.h"
#include "target/dense/distances.h"

enum { COLUMNS_AT_ONCE = 256 }; /* so many rows of X stay in the cache while a panel of Z passes */

static void distance_rows(const void *context, size_t first, size_t end, const double *x, size_t m, double *y) {
    const sm_distances *distances = context;
    size_t n = distances->head.n_columns;
    sm_panel_product panel = sm_kernels_select(SMERF_KERNELS_AUTO)->panel;
    memset(y, 0, (end - first) * m * sizeof *y);
    for (size_t k = 0; k < n; k += COLUMNS_AT_ONCE) {
        size_t n_columns = n - k < COLUMNS_AT_ONCE ? n - k : COLUMNS_AT_ONCE;
        panel(distances->z + first * n + k, n, end - first, n_columns, x + k * m, m, y);
    }
    for (size_t i = first; i < end && distances->diagonal != NULL; i++) {
        double more = distances->diagonal[i] - (double)distances->z[i * n + i];
        for (size_t c = 0; c < m; c++) y[(i - first) * m + c] += more * x[i * m + c];
    }
}

static void distance_moments(const void *context, size_t row, double centre, double *sum, double *squares) {
    const sm_distances *distances = context;
    size_t n = distances->head.n_columns;
    const float *z = distances->z + row * n;
    double self = sm_distances_self(distances, row) - centre, overruled = (double)z[row] - centre;
    *sum = self - overruled; /* exact where nothing is overruled */
    *squares = 0;
    for (size_t j = 0; j < n; j++) *sum += (double)z[j] - centre;
    for (size_t j = 0; j < row; j++) *squares += ((double)z[j] - centre) * ((double)z[j] - centre);
    for (size_t j = row + 1; j < n; j++) *squares += ((double)z[j] - centre) * ((double)z[j] - centre);
    *squares += self * self;
}

sm_operator sm_operator_distances(const sm_distances *distances) {
    return (sm_operator){
        .n = distances->head.n_rows, .context = distances, .rows = distance_rows, .row_moments = distance_moments};
}
