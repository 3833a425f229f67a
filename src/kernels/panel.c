/* panel.c - the panel product in plain C, and the choice between it and its twin. */
#include "kernels/panel.h"

static void row(const float *z, size_t n, const double *x, size_t n_columns, double *y) {
    for (size_t c = 0; c < n_columns; c += SM_PANEL_COLUMNS) {
        double sum[SM_PANEL_COLUMNS];
        for (size_t lane = 0; lane < SM_PANEL_COLUMNS; lane++) sum[lane] = y[c + lane];
        for (size_t k = 0; k < n; k++)
            for (size_t lane = 0; lane < SM_PANEL_COLUMNS; lane++)
                sum[lane] += (double)z[k] * x[k * n_columns + c + lane];
        for (size_t lane = 0; lane < SM_PANEL_COLUMNS; lane++) y[c + lane] = sum[lane];
    }
}

void sm_panel_scalar(const float *z, size_t stride, size_t n_rows, size_t n, const double *x, size_t n_columns,
                     double *y) {
    for (size_t r = 0; r < n_rows; r++) row(z + r * stride, n, x, n_columns, y + r * n_columns);
}

sm_panel sm_panel_select(smerf_kernels choice) {
    if (choice == SMERF_KERNELS_PLAIN) return sm_panel_scalar;
#if defined(__x86_64__) && !defined(SMERF_PLAIN_ONLY)
    if (__builtin_cpu_supports("avx2")) return sm_panel_avx2;
#endif
    return sm_panel_scalar;
}
