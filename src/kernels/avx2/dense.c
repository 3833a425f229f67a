/* avx2/dense.c - the kernels over the distances of a node for x86-64 with AVX2: one lane of a sum is one lane of a register, added
 * in the order of scalar/dense.c. */
#include "kernels/dense.h"

#if defined(__AVX2__)
#include <immintrin.h>

enum { FLOATS_A_CACHE_LINE = 16 };

static inline void prefetch(const float *from) { _mm_prefetch((const char *)from, _MM_HINT_T0); }

static void dense_pick(const float *from, const float *ahead, const sm_pick *picks, size_t n_picks, float *out) {
    for (size_t p = 0; p < n_picks; out += picks[p++].n) {
        prefetch(ahead + picks[p].first);
        __m256i offset = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)picks[p].offset));
        _mm256_storeu_ps(out, _mm256_permutevar8x32_ps(_mm256_loadu_ps(from + picks[p].first), offset));
    }
}

/* The sums of a band's rows, by name: an array of them would be kept in memory. */
typedef struct row_sums {
    __m256d a, b, c, d;
} row_sums;

/*   step  between the lanes of two rows */
static inline row_sums load_rows(const double *lanes, size_t step) {
    return (row_sums){_mm256_loadu_pd(lanes), _mm256_loadu_pd(lanes + step), _mm256_loadu_pd(lanes + 2 * step),
                      _mm256_loadu_pd(lanes + 3 * step)};
}

static inline void store_rows(row_sums rows, double *lanes, size_t step) {
    _mm256_storeu_pd(lanes, rows.a);
    _mm256_storeu_pd(lanes + step, rows.b);
    _mm256_storeu_pd(lanes + 2 * step, rows.c);
    _mm256_storeu_pd(lanes + 3 * step, rows.d);
}

static inline void add_band(__m256d a, __m256d b, __m256d c, __m256d d, row_sums *rows, double *columns) {
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

static void weigh_band(const sm_tile *tile, size_t band, const float *const *z, size_t from, size_t to) {
    const double *w = tile->column_weight, *v = tile->row_weight + band;
    double *y = tile->weighed + band * SM_CHUNK, *row_lanes = tile->row_lanes + band * SM_LANES;
    double *columns = tile->columns;
    row_sums rows = load_rows(row_lanes, SM_LANES);
    const float *za = z[band], *zb = z[band + 1], *zc = z[band + 2], *zd = z[band + 3];
    __m256d va = _mm256_set1_pd(v[0]), vb = _mm256_set1_pd(v[1]), vc = _mm256_set1_pd(v[2]), vd = _mm256_set1_pd(v[3]);
    for (size_t j = from; j < to; j += SM_LANES) {
        __m256d weight = _mm256_loadu_pd(w + j);
        __m256d a = weigh_four(za + j, weight, va, y + j), b = weigh_four(zb + j, weight, vb, y + SM_CHUNK + j);
        __m256d c = weigh_four(zc + j, weight, vc, y + 2 * SM_CHUNK + j);
        __m256d d = weigh_four(zd + j, weight, vd, y + 3 * SM_CHUNK + j);
        add_band(a, b, c, d, &rows, columns + j);
    }
    store_rows(rows, row_lanes, SM_LANES);
}

static void dense_weigh(const sm_tile *tile, const float *const *z, size_t from, size_t to) {
    for (size_t band = 0; band < tile->frame.n_bands * SM_BAND_ROWS; band += SM_BAND_ROWS)
        weigh_band(tile, band, z, from, to);
}

static inline __m256d if_after(__m256i rank, __m256i row_rank, const double *y) {
    return _mm256_and_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(rank, row_rank)), _mm256_loadu_pd(y));
}

static inline void sum_band(const double *y, const int32_t *rank, const int32_t *row_rank, size_t from, size_t to,
                            double *row_lanes, double *columns) {
    row_sums rows = load_rows(row_lanes, SM_LANES);
    __m256i ra = _mm256_set1_epi64x(row_rank[0]), rb = _mm256_set1_epi64x(row_rank[1]);
    __m256i rc = _mm256_set1_epi64x(row_rank[2]), rd = _mm256_set1_epi64x(row_rank[3]);
    for (size_t j = from; j < to; j += SM_LANES) {
        __m256i ranks = _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(rank + j)));
        __m256d a = if_after(ranks, ra, y + j), b = if_after(ranks, rb, y + SM_CHUNK + j);
        __m256d c = if_after(ranks, rc, y + 2 * SM_CHUNK + j), d = if_after(ranks, rd, y + 3 * SM_CHUNK + j);
        add_band(a, b, c, d, &rows, columns + j);
    }
    store_rows(rows, row_lanes, SM_LANES);
}

/* Rows need not start on a cache line: then they end in one more. */
static inline void prefetch_row(const float *row) {
    for (size_t j = 0; j < SM_CHUNK; j += FLOATS_A_CACHE_LINE) prefetch(row + j);
    prefetch(row + SM_CHUNK - 1);
}

/* Rows ahead are prefetched one a pass, while there are passes: all at once would be more than a core has line-fill buffers for. */
static void dense_sum_after(const sm_tile *tile) {
    const sm_tile_frame *frame = &tile->frame;
    size_t n_prefetched = 0;
    for (size_t order = 0; order < frame->n_orders; order++)
        for (size_t band = 0; band < frame->n_bands * SM_BAND_ROWS; band += SM_BAND_ROWS) {
            if (n_prefetched < frame->n_ahead) prefetch_row(frame->ahead[n_prefetched++]);
            sum_band(tile->weighed + band * SM_CHUNK, frame->rank + order * SM_CHUNK,
                     frame->row_rank + order * SM_CHUNK + band, frame->from, frame->to,
                     tile->row_lanes + ((order + 1) * SM_TILE_ROWS + band) * SM_LANES,
                     tile->columns + (order + 1) * SM_CHUNK);
        }
    while (n_prefetched < frame->n_ahead) prefetch_row(frame->ahead[n_prefetched++]);
}

/* ---- approximate sums: whole numbers ---- */

static inline __m256i load_eight(const int32_t *from) { return _mm256_loadu_si256((const __m256i *)from); }
static inline void store_eight(int32_t *to, __m256i values) { _mm256_storeu_si256((__m256i *)to, values); }

typedef struct integer_sums {
    __m256i a, b, c, d;
} integer_sums;

static inline integer_sums load_sums(const int32_t *row_lanes) {
    return (integer_sums){load_eight(row_lanes), load_eight(row_lanes + SM_APPROXIMATE_LANES),
                          load_eight(row_lanes + 2 * SM_APPROXIMATE_LANES),
                          load_eight(row_lanes + 3 * SM_APPROXIMATE_LANES)};
}

static inline void store_sums(integer_sums rows, int32_t *row_lanes) {
    store_eight(row_lanes, rows.a);
    store_eight(row_lanes + SM_APPROXIMATE_LANES, rows.b);
    store_eight(row_lanes + 2 * SM_APPROXIMATE_LANES, rows.c);
    store_eight(row_lanes + 3 * SM_APPROXIMATE_LANES, rows.d);
}

static inline void add_integers(__m256i a, __m256i b, __m256i c, __m256i d, integer_sums *rows, int32_t *columns) {
    rows->a = _mm256_add_epi32(rows->a, a);
    rows->b = _mm256_add_epi32(rows->b, b);
    rows->c = _mm256_add_epi32(rows->c, c);
    rows->d = _mm256_add_epi32(rows->d, d);
    __m256i sum = _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d));
    store_eight(columns, _mm256_add_epi32(load_eight(columns), sum));
}

static inline __m256i round_eight(const float *z, __m256 w, __m256 v, int32_t *y) {
    __m256i weighed = _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_mul_ps(_mm256_loadu_ps(z), w), v));
    store_eight(y, weighed);
    return weighed;
}

static void dense_weigh_approximate(const sm_approximate_tile *tile, const float *const *z, size_t from, size_t to) {
    for (size_t band = 0; band < tile->frame.n_bands * SM_BAND_ROWS; band += SM_BAND_ROWS) {
        const float *za = z[band], *zb = z[band + 1], *zc = z[band + 2], *zd = z[band + 3];
        const float *v = tile->row_weight + band;
        __m256 va = _mm256_set1_ps(v[0]), vb = _mm256_set1_ps(v[1]), vc = _mm256_set1_ps(v[2]),
               vd = _mm256_set1_ps(v[3]);
        int32_t *y = tile->weighed + band * SM_CHUNK, *row_lanes = tile->row_lanes + band * SM_APPROXIMATE_LANES;
        integer_sums rows = load_sums(row_lanes);
        for (size_t j = from; j < to; j += SM_APPROXIMATE_LANES) {
            __m256 weight = _mm256_loadu_ps(tile->column_weight + j);
            __m256i a = round_eight(za + j, weight, va, y + j), b = round_eight(zb + j, weight, vb, y + SM_CHUNK + j);
            __m256i c = round_eight(zc + j, weight, vc, y + 2 * SM_CHUNK + j);
            __m256i d = round_eight(zd + j, weight, vd, y + 3 * SM_CHUNK + j);
            add_integers(a, b, c, d, &rows, tile->columns + j);
        }
        store_sums(rows, row_lanes);
    }
}

static inline __m256i integers_if_after(__m256i rank, __m256i row_rank, const int32_t *y) {
    return _mm256_and_si256(_mm256_cmpgt_epi32(rank, row_rank), load_eight(y));
}

static inline void sum_integer_band(const int32_t *y, const int32_t *rank, const int32_t *row_rank, size_t from,
                                    size_t to, int32_t *row_lanes, int32_t *columns) {
    integer_sums rows = load_sums(row_lanes);
    __m256i ra = _mm256_set1_epi32(row_rank[0]), rb = _mm256_set1_epi32(row_rank[1]);
    __m256i rc = _mm256_set1_epi32(row_rank[2]), rd = _mm256_set1_epi32(row_rank[3]);
    for (size_t j = from; j < to; j += SM_APPROXIMATE_LANES) {
        __m256i ranks = load_eight(rank + j);
        __m256i a = integers_if_after(ranks, ra, y + j), b = integers_if_after(ranks, rb, y + SM_CHUNK + j);
        __m256i c = integers_if_after(ranks, rc, y + 2 * SM_CHUNK + j);
        __m256i d = integers_if_after(ranks, rd, y + 3 * SM_CHUNK + j);
        add_integers(a, b, c, d, &rows, columns + j);
    }
    store_sums(rows, row_lanes);
}

static void dense_sum_approximate(const sm_approximate_tile *tile) {
    const sm_tile_frame *frame = &tile->frame;
    size_t n_prefetched = 0;
    for (size_t order = 0; order < frame->n_orders; order++)
        for (size_t band = 0; band < frame->n_bands * SM_BAND_ROWS; band += SM_BAND_ROWS) {
            if (n_prefetched < frame->n_ahead) prefetch_row(frame->ahead[n_prefetched++]);
            sum_integer_band(tile->weighed + band * SM_CHUNK, frame->rank + order * SM_CHUNK,
                             frame->row_rank + order * SM_CHUNK + band, frame->from, frame->to,
                             tile->row_lanes + ((order + 1) * SM_TILE_ROWS + band) * SM_APPROXIMATE_LANES,
                             tile->columns + (order + 1) * SM_CHUNK);
        }
    while (n_prefetched < frame->n_ahead) prefetch_row(frame->ahead[n_prefetched++]);
}

/* Whole numbers far below 2^53: doubles hold their sums. */
static inline __m256d halves(const int32_t *lanes) {
    __m256i all = load_eight(lanes);
    return _mm256_add_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(all)),
                         _mm256_cvtepi32_pd(_mm256_extracti128_si256(all, 1)));
}

static void dense_join_approximate(const int32_t *lanes, size_t n, double *sums) {
    for (size_t r = 0; r < n; r += SM_BAND_ROWS, lanes += SM_BAND_ROWS * SM_APPROXIMATE_LANES) {
        __m256d ab = _mm256_hadd_pd(halves(lanes), halves(lanes + SM_APPROXIMATE_LANES));
        __m256d cd = _mm256_hadd_pd(halves(lanes + 2 * SM_APPROXIMATE_LANES), halves(lanes + 3 * SM_APPROXIMATE_LANES));
        __m256d low = _mm256_permute2f128_pd(ab, cd, 0x20), high = _mm256_permute2f128_pd(ab, cd, 0x31);
        _mm256_storeu_pd(sums + r, _mm256_add_pd(low, high));
    }
}

static void dense_carry_approximate(int32_t *columns, size_t n, double unit, double *sums) {
    __m256d units = _mm256_set1_pd(unit);
    for (size_t j = 0; j < n; j += SM_LANES) {
        __m128i *four = (__m128i *)(columns + j);
        __m256d carried = _mm256_mul_pd(units, _mm256_cvtepi32_pd(_mm_loadu_si128(four)));
        _mm256_storeu_pd(sums + j, _mm256_add_pd(_mm256_loadu_pd(sums + j), carried));
        _mm_storeu_si128(four, _mm_setzero_si128());
    }
}

/* ---- rows ---- */

static inline __m256d add_weighed(__m256d sum, const float *z, __m256d w) {
    return _mm256_fmadd_pd(_mm256_cvtps_pd(_mm_loadu_ps(z)), w, sum);
}

static void dense_sum_rows(const sm_rows_tile *tile, const float *const *z, size_t from, size_t to) {
    for (size_t band = 0; band < tile->n_bands * SM_BAND_ROWS; band += SM_BAND_ROWS) {
        const float *za = z[band], *zb = z[band + 1], *zc = z[band + 2], *zd = z[band + 3];
        double *lanes = tile->row_lanes + band * SM_EXACT_LANES;
        row_sums even = load_rows(lanes, SM_EXACT_LANES), odd = load_rows(lanes + SM_LANES, SM_EXACT_LANES);
        for (size_t j = from; j < to; j += SM_EXACT_LANES) {
            size_t k = j + SM_LANES;
            __m256d wj = _mm256_loadu_pd(tile->weight + j), wk = _mm256_loadu_pd(tile->weight + k);
            even.a = add_weighed(even.a, za + j, wj);
            odd.a = add_weighed(odd.a, za + k, wk);
            even.b = add_weighed(even.b, zb + j, wj);
            odd.b = add_weighed(odd.b, zb + k, wk);
            even.c = add_weighed(even.c, zc + j, wj);
            odd.c = add_weighed(odd.c, zc + k, wk);
            even.d = add_weighed(even.d, zd + j, wj);
            odd.d = add_weighed(odd.d, zd + k, wk);
        }
        store_rows(even, lanes, SM_EXACT_LANES);
        store_rows(odd, lanes + SM_LANES, SM_EXACT_LANES);
    }
}

extern const sm_dense_kernels sm_dense_kernels_avx2;
const sm_dense_kernels sm_dense_kernels_avx2 = {.pick = dense_pick,
                                                .weigh = dense_weigh,
                                                .sum_after = dense_sum_after,
                                                .weigh_approximate = dense_weigh_approximate,
                                                .sum_approximate = dense_sum_approximate,
                                                .join_approximate = dense_join_approximate,
                                                .carry_approximate = dense_carry_approximate,
                                                .sum_rows = dense_sum_rows};
#endif
