/* kernels_avx2.c - the kernels for x86-64 processors with AVX2: one lane of a sum is one lane of a register. */
#include "kernels/kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>

/* How far ahead rows are asked for, in numbers: the processor would not guess where four rows go on. */
enum { AHEAD = SM_CHUNK, NUMBERS_A_LINE = 16 };

static inline void fetch(const float *from) { _mm_prefetch((const char *)from, _MM_HINT_T0); }

static void pick(const float *from, const sm_pick *picks, size_t n_picks, float *out) {
    for (size_t p = 0; p < n_picks; out += picks[p++].n) {
        fetch(from + picks[p].first + 2 * AHEAD);
        __m256i offset = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)picks[p].offset));
        _mm256_storeu_ps(out, _mm256_permutevar8x32_ps(_mm256_loadu_ps(from + picks[p].first), offset));
    }
}

static inline void add_column(double *columns, const __m256d a[SM_STRIP_ROWS]) {
    __m256d sum = _mm256_add_pd(_mm256_add_pd(a[0], a[1]), _mm256_add_pd(a[2], a[3]));
    _mm256_storeu_pd(columns, _mm256_add_pd(_mm256_loadu_pd(columns), sum));
}

static void weigh(const float *const *z, const double *w, const double *v, size_t n, double *y, double *row_lanes,
                  double *columns) {
    __m256d lanes[SM_STRIP_ROWS], row_weight[SM_STRIP_ROWS], weighed[SM_STRIP_ROWS];
    for (size_t r = 0; r < SM_STRIP_ROWS; r++) {
        lanes[r] = _mm256_loadu_pd(row_lanes + r * SM_LANES);
        row_weight[r] = _mm256_set1_pd(v[r]);
    }
    const float *z0 = z[0], *z1 = z[1], *z2 = z[2], *z3 = z[3];
    for (size_t j = 0; j < n; j += SM_LANES) {
        if (j % NUMBERS_A_LINE == 0) {
            fetch(z0 + j + AHEAD);
            fetch(z1 + j + AHEAD);
            fetch(z2 + j + AHEAD);
            fetch(z3 + j + AHEAD);
        }
        __m256d weight = _mm256_loadu_pd(w + j);
        weighed[0] = _mm256_cvtps_pd(_mm_loadu_ps(z0 + j));
        weighed[1] = _mm256_cvtps_pd(_mm_loadu_ps(z1 + j));
        weighed[2] = _mm256_cvtps_pd(_mm_loadu_ps(z2 + j));
        weighed[3] = _mm256_cvtps_pd(_mm_loadu_ps(z3 + j));
        for (size_t r = 0; r < SM_STRIP_ROWS; r++) {
            weighed[r] = _mm256_mul_pd(_mm256_mul_pd(weighed[r], weight), row_weight[r]);
            _mm256_storeu_pd(y + r * SM_CHUNK + j, weighed[r]);
            lanes[r] = _mm256_add_pd(lanes[r], weighed[r]);
        }
        add_column(columns + j, weighed);
    }
    for (size_t r = 0; r < SM_STRIP_ROWS; r++) _mm256_storeu_pd(row_lanes + r * SM_LANES, lanes[r]);
}

static void sum_after(const double *y, const int64_t *rank, const int64_t *row_rank, size_t n, double *row_lanes,
                      double *columns) {
    __m256d lanes[SM_STRIP_ROWS], after[SM_STRIP_ROWS];
    __m256i own[SM_STRIP_ROWS];
    for (size_t r = 0; r < SM_STRIP_ROWS; r++) {
        lanes[r] = _mm256_loadu_pd(row_lanes + r * SM_LANES);
        own[r] = _mm256_set1_epi64x(row_rank[r]);
    }
    for (size_t j = 0; j < n; j += SM_LANES) {
        __m256i place = _mm256_loadu_si256((const __m256i *)(rank + j));
        for (size_t r = 0; r < SM_STRIP_ROWS; r++) {
            __m256d is_after = _mm256_castsi256_pd(_mm256_cmpgt_epi64(place, own[r]));
            after[r] = _mm256_and_pd(is_after, _mm256_loadu_pd(y + r * SM_CHUNK + j));
            lanes[r] = _mm256_add_pd(lanes[r], after[r]);
        }
        add_column(columns + j, after);
    }
    for (size_t r = 0; r < SM_STRIP_ROWS; r++) _mm256_storeu_pd(row_lanes + r * SM_LANES, lanes[r]);
}

const sm_kernels sm_kernels_avx2 = {.name = "avx2", .pick = pick, .weigh = weigh, .sum_after = sum_after};
#endif
