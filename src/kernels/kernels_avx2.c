/* kernels_avx2.c - the kernels for x86-64 processors with AVX2: one lane of a sum is one lane of a register. */
#include "kernels/kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>

enum { NUMBERS_A_LINE = 16 };

static inline void fetch(const float *from) { _mm_prefetch((const char *)from, _MM_HINT_T0); }

static void pick(const float *from, const float *ahead, const sm_pick *picks, size_t n_picks, float *out) {
    for (size_t p = 0; p < n_picks; out += picks[p++].n) {
        fetch(ahead + picks[p].first);
        __m256i offset = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)picks[p].offset));
        _mm256_storeu_ps(out, _mm256_permutevar8x32_ps(_mm256_loadu_ps(from + picks[p].first), offset));
    }
}

/* The sums of a strip's rows, by name: an array of them would be kept in memory. */
typedef struct row_sums {
    __m256d a, b, c, d;
} row_sums;

static inline row_sums load_rows(const double *row_lanes) {
    return (row_sums){_mm256_loadu_pd(row_lanes), _mm256_loadu_pd(row_lanes + SM_LANES),
                      _mm256_loadu_pd(row_lanes + 2 * SM_LANES), _mm256_loadu_pd(row_lanes + 3 * SM_LANES)};
}

static inline void store_rows(row_sums rows, double *row_lanes) {
    _mm256_storeu_pd(row_lanes, rows.a);
    _mm256_storeu_pd(row_lanes + SM_LANES, rows.b);
    _mm256_storeu_pd(row_lanes + 2 * SM_LANES, rows.c);
    _mm256_storeu_pd(row_lanes + 3 * SM_LANES, rows.d);
}

static inline void add(__m256d a, __m256d b, __m256d c, __m256d d, row_sums *rows, double *columns) {
    rows->a = _mm256_add_pd(rows->a, a);
    rows->b = _mm256_add_pd(rows->b, b);
    rows->c = _mm256_add_pd(rows->c, c);
    rows->d = _mm256_add_pd(rows->d, d);
    __m256d sum = _mm256_add_pd(_mm256_add_pd(a, b), _mm256_add_pd(c, d));
    _mm256_storeu_pd(columns, _mm256_add_pd(_mm256_loadu_pd(columns), sum));
}

static inline __m256d weigh_four(const float *z, __m256d w, __m256d v, double *y) {
    __m256d weighed = _mm256_mul_pd(_mm256_mul_pd(_mm256_cvtps_pd(_mm_loadu_ps(z)), w), v);
    _mm256_storeu_pd(y, weighed);
    return weighed;
}

static void weigh_strip(const float *const *z, const double *w, const double *v, size_t from, size_t to, double *y,
                        double *row_lanes, double *columns) {
    row_sums rows = load_rows(row_lanes);
    const float *za = z[0], *zb = z[1], *zc = z[2], *zd = z[3];
    __m256d va = _mm256_set1_pd(v[0]), vb = _mm256_set1_pd(v[1]), vc = _mm256_set1_pd(v[2]), vd = _mm256_set1_pd(v[3]);
    for (size_t j = from; j < to; j += SM_LANES) {
        __m256d weight = _mm256_loadu_pd(w + j);
        __m256d a = weigh_four(za + j, weight, va, y + j), b = weigh_four(zb + j, weight, vb, y + SM_CHUNK + j);
        __m256d c = weigh_four(zc + j, weight, vc, y + 2 * SM_CHUNK + j);
        __m256d d = weigh_four(zd + j, weight, vd, y + 3 * SM_CHUNK + j);
        add(a, b, c, d, &rows, columns + j);
    }
    store_rows(rows, row_lanes);
}

static void weigh(const sm_tile *tile, const float *const *z, size_t from, size_t to) {
    for (size_t strip = 0; strip < tile->n_strips * SM_STRIP_ROWS; strip += SM_STRIP_ROWS)
        weigh_strip(z + strip, tile->column_weight, tile->row_weight + strip, from, to,
                    tile->weighed + strip * SM_CHUNK, tile->row_lanes + strip * SM_LANES, tile->columns);
}

static inline __m256d if_after(__m256i rank, __m256i row_rank, const double *y) {
    return _mm256_and_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(rank, row_rank)), _mm256_loadu_pd(y));
}

static inline void sum_strip(const double *y, const int64_t *rank, const int64_t *row_rank, size_t from, size_t to,
                             double *row_lanes, double *columns) {
    row_sums rows = load_rows(row_lanes);
    __m256i ra = _mm256_set1_epi64x(row_rank[0]), rb = _mm256_set1_epi64x(row_rank[1]);
    __m256i rc = _mm256_set1_epi64x(row_rank[2]), rd = _mm256_set1_epi64x(row_rank[3]);
    for (size_t j = from; j < to; j += SM_LANES) {
        __m256i place = _mm256_loadu_si256((const __m256i *)(rank + j));
        __m256d a = if_after(place, ra, y + j), b = if_after(place, rb, y + SM_CHUNK + j);
        __m256d c = if_after(place, rc, y + 2 * SM_CHUNK + j), d = if_after(place, rd, y + 3 * SM_CHUNK + j);
        add(a, b, c, d, &rows, columns + j);
    }
    store_rows(rows, row_lanes);
}

static inline void fetch_row(const float *row) {
    for (size_t j = 0; j < SM_CHUNK; j += NUMBERS_A_LINE) fetch(row + j);
}

/* Rows ahead are fetched one a pass, while there are passes: all at once would be more than the processor waits for. */
static void sum_after(const sm_tile *tile) {
    size_t n_fetched = 0;
    for (size_t order = 0; order < tile->n_orders; order++)
        for (size_t strip = 0; strip < tile->n_strips * SM_STRIP_ROWS; strip += SM_STRIP_ROWS) {
            if (n_fetched < tile->n_ahead) fetch_row(tile->ahead[n_fetched++]);
            sum_strip(tile->weighed + strip * SM_CHUNK, tile->rank + order * SM_CHUNK,
                      tile->row_rank + order * SM_CHUNK + strip, tile->from, tile->to,
                      tile->row_lanes + ((order + 1) * SM_BAND + strip) * SM_LANES,
                      tile->columns + (order + 1) * SM_CHUNK);
        }
    while (n_fetched < tile->n_ahead) fetch_row(tile->ahead[n_fetched++]);
}

const sm_kernels sm_kernels_avx2 = {.name = "avx2", .pick = pick, .weigh = weigh, .sum_after = sum_after};
#endif
