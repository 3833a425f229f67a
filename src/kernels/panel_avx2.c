/* panel_avx2.c - the panel product for x86-64 processors with AVX2: four rows and eight columns in registers. */
#include "kernels/panel.h"

#if defined(__AVX2__)
#include <immintrin.h>

enum { ROWS = 4 };

/* Inlined with a constant n_rows, so that all sums are registers. */
static inline __attribute__((always_inline)) void tile(const float *z, size_t stride, size_t n_rows, size_t n,
                                                       const double *x, size_t n_columns, double *y) {
    __m256d low[ROWS], high[ROWS];
    for (size_t r = 0; r < n_rows; r++) {
        low[r] = _mm256_loadu_pd(y + r * n_columns);
        high[r] = _mm256_loadu_pd(y + r * n_columns + 4);
    }
    for (size_t k = 0; k < n; k++) {
        __m256d x_low = _mm256_loadu_pd(x + k * n_columns), x_high = _mm256_loadu_pd(x + k * n_columns + 4);
        for (size_t r = 0; r < n_rows; r++) {
            __m256d distance = _mm256_cvtps_pd(_mm_broadcast_ss(z + r * stride + k));
            low[r] = _mm256_add_pd(low[r], _mm256_mul_pd(distance, x_low));
            high[r] = _mm256_add_pd(high[r], _mm256_mul_pd(distance, x_high));
        }
    }
    for (size_t r = 0; r < n_rows; r++) {
        _mm256_storeu_pd(y + r * n_columns, low[r]);
        _mm256_storeu_pd(y + r * n_columns + 4, high[r]);
    }
}

void sm_panel_avx2(const float *z, size_t stride, size_t n_rows, size_t n, const double *x, size_t n_columns,
                   double *y) {
    size_t r = 0;
    for (; r + ROWS <= n_rows; r += ROWS)
        for (size_t c = 0; c < n_columns; c += SM_PANEL_COLUMNS)
            tile(z + r * stride, stride, ROWS, n, x + c, n_columns, y + r * n_columns + c);
    for (; r < n_rows; r++)
        for (size_t c = 0; c < n_columns; c += SM_PANEL_COLUMNS)
            tile(z + r * stride, stride, 1, n, x + c, n_columns, y + r * n_columns + c);
}

#endif
