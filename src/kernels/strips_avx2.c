/* strips_avx2.c - the loops over strips for x86-64 processors with AVX2: the same source, compiled with -mavx2, but for
 * turning rows into a strip, eight by eight. */
#include "kernels/strips_loops.h"

#if defined(__AVX2__)
#include <immintrin.h>

static void turn(const float *const *rows, size_t i, float *strip) {
    __m256 row[SM_STRIP], pair[SM_STRIP], quad[SM_STRIP];
    for (size_t r = 0; r < SM_STRIP; r++) row[r] = _mm256_loadu_ps(rows[r] + i);
    for (size_t r = 0; r < SM_STRIP; r += 2) {
        pair[r] = _mm256_unpacklo_ps(row[r], row[r + 1]);
        pair[r + 1] = _mm256_unpackhi_ps(row[r], row[r + 1]);
    }
    for (size_t h = 0; h < SM_STRIP; h += 4)
        for (size_t p = 0; p < 2; p++) {
            quad[h + 2 * p] = _mm256_shuffle_ps(pair[h + p], pair[h + 2 + p], 0x44);
            quad[h + 2 * p + 1] = _mm256_shuffle_ps(pair[h + p], pair[h + 2 + p], 0xEE);
        }
    for (size_t q = 0; q < 4; q++) {
        _mm256_storeu_ps(strip + (i + q) * SM_STRIP, _mm256_permute2f128_ps(quad[q], quad[q + 4], 0x20));
        _mm256_storeu_ps(strip + (i + 4 + q) * SM_STRIP, _mm256_permute2f128_ps(quad[q], quad[q + 4], 0x31));
    }
}

static void pack(const float *const *rows, size_t n, float *strip) {
    size_t whole = n / SM_STRIP * SM_STRIP;
    for (size_t i = 0; i < whole; i += SM_STRIP) turn(rows, i, strip);
    pack_from(rows, whole, n, strip);
}

const sm_strip_kernels sm_strip_kernels_avx2 = {.pack = pack, SHARED_LOOPS};
#endif
