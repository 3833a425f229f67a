/* avx2/loops.c - every kernel for x86-64 processors with AVX2 but those of dense.c, and the table of them all. Loops are the scalar
 * ones, compiled with -mavx2 (without contraction, so that the bits are the same), but for those below that the compiler does not
 * find by itself. */
#include "kernels/kernels.h"
#include "kernels/loops/blocks.h"
#include "kernels/loops/codes.h"
#include "kernels/loops/deviations.h"
#include "kernels/loops/products.h"
#include "kernels/loops/rows.h"

#if defined(__AVX2__)
#include <immintrin.h>
#include <string.h>

/* ---- eight rows side by side: transposed eight by eight ---- */

static void block_transpose(const float *const *rows, size_t i, float *block) {
    __m256 row[SM_BLOCK_ROWS], pair[SM_BLOCK_ROWS], quad[SM_BLOCK_ROWS];
    for (size_t r = 0; r < SM_BLOCK_ROWS; r++) row[r] = _mm256_loadu_ps(rows[r] + i);
    for (size_t r = 0; r < SM_BLOCK_ROWS; r += 2) {
        pair[r] = _mm256_unpacklo_ps(row[r], row[r + 1]);
        pair[r + 1] = _mm256_unpackhi_ps(row[r], row[r + 1]);
    }
    for (size_t h = 0; h < SM_BLOCK_ROWS; h += 4)
        for (size_t p = 0; p < 2; p++) {
            quad[h + 2 * p] = _mm256_shuffle_ps(pair[h + p], pair[h + 2 + p], 0x44);
            quad[h + 2 * p + 1] = _mm256_shuffle_ps(pair[h + p], pair[h + 2 + p], 0xEE);
        }
    for (size_t q = 0; q < 4; q++) {
        _mm256_storeu_ps(block + (i + q) * SM_BLOCK_ROWS, _mm256_permute2f128_ps(quad[q], quad[q + 4], 0x20));
        _mm256_storeu_ps(block + (i + 4 + q) * SM_BLOCK_ROWS, _mm256_permute2f128_ps(quad[q], quad[q + 4], 0x31));
    }
}

static void block_pack(const float *const *rows, size_t n, float *block) {
    size_t whole = n / SM_BLOCK_ROWS * SM_BLOCK_ROWS;
    for (size_t i = 0; i < whole; i += SM_BLOCK_ROWS) block_transpose(rows, i, block);
    block_pack_from(rows, whole, n, block);
}

/* ---- a matrix times vectors: four rows and eight columns in registers ---- */

enum { PANEL_ROWS = 4 };

/* Inlined with a constant n_rows, so that all sums are registers. */
static inline __attribute__((always_inline)) void panel_tile(const float *z, size_t stride, size_t n_rows, size_t n,
                                                             const double *x, size_t n_columns, double *y) {
    __m256d low[PANEL_ROWS], high[PANEL_ROWS];
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

static void panel_product(const float *z, size_t stride, size_t n_rows, size_t n, const double *x, size_t n_columns,
                          double *y) {
    size_t r = 0;
    for (; r + PANEL_ROWS <= n_rows; r += PANEL_ROWS)
        for (size_t c = 0; c < n_columns; c += SM_PANEL_COLUMNS)
            panel_tile(z + r * stride, stride, PANEL_ROWS, n, x + c, n_columns, y + r * n_columns + c);
    for (; r < n_rows; r++)
        for (size_t c = 0; c < n_columns; c += SM_PANEL_COLUMNS)
            panel_tile(z + r * stride, stride, 1, n, x + c, n_columns, y + r * n_columns + c);
}

/* ---- stable partition: eight numbers at a time, permuted by a table. Loading the eight flags one by one is twice as fast as
 * a gather instruction. ---- */

enum { NEIGHBOURS = 8 };

/* Which of eight go left, a bit for each. */
static inline unsigned part_mask(const uint32_t *list, const bool *goes_left) {
    unsigned pair[4];
    for (size_t i = 0; i < 4; i++)
        pair[i] = (unsigned)goes_left[list[2 * i]] | (unsigned)goes_left[list[2 * i + 1]] << 1;
    return (pair[0] | pair[1] << 2) | (pair[2] | pair[3] << 2) << 4;
}

static inline void part_store(const uint64_t *table, __m256i numbers, unsigned kept, uint32_t *to) {
    __m256i indices = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)table[kept]));
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(numbers, indices));
}

static size_t part_list(const uint64_t *table, uint32_t *list, size_t n, const bool *goes_left, uint32_t *spare) {
    size_t n_left = 0, n_right = 0, k = 0;
    for (; k + NEIGHBOURS <= n; k += NEIGHBOURS) {
        __m256i numbers = _mm256_loadu_si256((const __m256i *)(list + k));
        unsigned left = part_mask(list + k, goes_left), n_more = (unsigned)__builtin_popcount(left);
        part_store(table, numbers, left, list + n_left); /* never past what was read */
        part_store(table, numbers, left ^ 0xFF, spare + n_right);
        n_left += n_more;
        n_right += NEIGHBOURS - n_more;
    }
    for (; k < n; k++) {
        uint32_t number = list[k];
        bool is_left = goes_left[number];
        list[n_left] = spare[n_right] = number;
        n_left += is_left;
        n_right += !is_left;
    }
    memcpy(list + n_left, spare, n_right * sizeof *list);
    return n_left;
}

/* ---- the table ---- */

extern const sm_dense_kernels sm_dense_kernels_avx2; /* dense.c, which wants flags of its own */

static const sm_deviation_kernels deviation_kernels = {DEVIATION_LOOPS};
static const sm_block_kernels block_kernels = {.pack = block_pack, BLOCK_LOOPS};
static const sm_code_kernels code_kernels = {.count_same = count_same};
static const sm_product_kernels product_kernels = {
    .add_product = product_add_product, .dot = product_dot, .add_apart = product_add_apart, .add = product_add};
static const sm_row_kernels row_kernels = {
    .dot = row_dot, .products = row_products, .times = row_times, .outer = row_outer};

const sm_kernels sm_kernels_avx2 = {.name = "avx2",
                                    .dense = &sm_dense_kernels_avx2,
                                    .deviations = &deviation_kernels,
                                    .blocks = &block_kernels,
                                    .codes = &code_kernels,
                                    .products = &product_kernels,
                                    .rows = &row_kernels,
                                    .panel = panel_product,
                                    .part = part_list};
#endif
