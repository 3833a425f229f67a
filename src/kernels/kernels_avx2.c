/* kernels_avx2.c - the kernels for x86-64 processors with AVX2: one lane of a sum is one lane of a register, or of four. */
#include "kernels/kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>

static void weigh(const float *z, const double *w, size_t n, double *out) {
    size_t whole = n / SM_LANES * SM_LANES;
    for (size_t j = 0; j < whole; j += SM_LANES) {
        __m256d distances = _mm256_cvtps_pd(_mm_loadu_ps(z + j));
        _mm256_storeu_pd(out + j, _mm256_mul_pd(distances, _mm256_loadu_pd(w + j)));
    }
    for (size_t j = whole; j < n; j++) out[j] = (double)z[j] * w[j];
    for (size_t j = n; j < sm_padded(n); j++) out[j] = 0;
}

static double join(__m256d lanes) {
    double lane[SM_LANES];
    _mm256_storeu_pd(lane, lanes);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static double sum(const double *zw, size_t n) {
    __m256d a = _mm256_setzero_pd(), b = a, c = a, d = a;
    for (size_t j = 0; j < n; j += SM_SUM_LANES) {
        a = _mm256_add_pd(a, _mm256_loadu_pd(zw + j));
        b = _mm256_add_pd(b, _mm256_loadu_pd(zw + j + 4));
        c = _mm256_add_pd(c, _mm256_loadu_pd(zw + j + 8));
        d = _mm256_add_pd(d, _mm256_loadu_pd(zw + j + 12));
    }
    return join(_mm256_add_pd(_mm256_add_pd(a, b), _mm256_add_pd(c, d)));
}

/* Inlined with constant n_rows and n_line_ups, so that all accumulators are registers. */
static inline __attribute__((always_inline)) void tile(const double *const *zw, size_t n_rows,
                                                       const int32_t *const *ranks, size_t n_line_ups, size_t n,
                                                       const int32_t *row_rank, double *out) {
    __m256d lanes[SM_TILE_ROWS][SM_TILE_LINE_UPS];
    __m256i last_before[SM_TILE_ROWS][SM_TILE_LINE_UPS];
    for (size_t r = 0; r < n_rows; r++)
        for (size_t u = 0; u < n_line_ups; u++) {
            lanes[r][u] = _mm256_setzero_pd();
            last_before[r][u] = _mm256_set1_epi64x((int64_t)row_rank[r * SM_TILE_LINE_UPS + u] - 1);
        }
    for (size_t j = 0; j < n; j += SM_LANES) {
        __m256i rank[SM_TILE_LINE_UPS];
        for (size_t u = 0; u < n_line_ups; u++)
            rank[u] = _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(ranks[u] + j)));
        for (size_t r = 0; r < n_rows; r++) {
            __m256d distances = _mm256_loadu_pd(zw[r] + j);
            for (size_t u = 0; u < n_line_ups; u++) {
                __m256d after = _mm256_castsi256_pd(_mm256_cmpgt_epi64(rank[u], last_before[r][u]));
                lanes[r][u] = _mm256_add_pd(lanes[r][u], _mm256_andnot_pd(after, distances));
            }
        }
    }
    for (size_t r = 0; r < n_rows; r++)
        for (size_t u = 0; u < n_line_ups; u++) out[r * SM_TILE_LINE_UPS + u] = join(lanes[r][u]);
}

static void masked_sums(const double *const *zw, size_t n_rows, const int32_t *const *ranks, size_t n_line_ups,
                        size_t n, const int32_t *row_rank, double *out) {
    switch (n_rows * 8 + n_line_ups) {
    case 2 * 8 + 4: tile(zw, 2, ranks, 4, n, row_rank, out); break;
    case 2 * 8 + 3: tile(zw, 2, ranks, 3, n, row_rank, out); break;
    case 2 * 8 + 2: tile(zw, 2, ranks, 2, n, row_rank, out); break;
    case 2 * 8 + 1: tile(zw, 2, ranks, 1, n, row_rank, out); break;
    case 1 * 8 + 4: tile(zw, 1, ranks, 4, n, row_rank, out); break;
    case 1 * 8 + 3: tile(zw, 1, ranks, 3, n, row_rank, out); break;
    case 1 * 8 + 2: tile(zw, 1, ranks, 2, n, row_rank, out); break;
    case 1 * 8 + 1: tile(zw, 1, ranks, 1, n, row_rank, out); break;
    default: break;
    }
}

const sm_kernels sm_kernels_avx2 = {.name = "avx2", .weigh = weigh, .sum = sum, .masked_sums = masked_sums};
#endif
