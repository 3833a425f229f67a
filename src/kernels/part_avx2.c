/* part_avx2.c - parting a list for x86-64 processors with AVX2: eight numbers at a time, moved together on either side by a
 * table of which go where. Fetching the eight answers one by one is twice as quick as gathering them. */
#include "kernels/part.h"

#if defined(__AVX2__)
#include <immintrin.h>
#include <string.h>

enum { NEIGHBOURS = 8 };

/* Which of eight go left, a bit for each. */
static inline unsigned ask(const uint32_t *list, const bool *goes_left) {
    unsigned pair[4];
    for (size_t i = 0; i < 4; i++)
        pair[i] = (unsigned)goes_left[list[2 * i]] | (unsigned)goes_left[list[2 * i + 1]] << 1;
    return (pair[0] | pair[1] << 2) | (pair[2] | pair[3] << 2) << 4;
}

static inline void put(const sm_parting *parting, __m256i numbers, unsigned going, uint32_t *to) {
    __m256i places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)parting->places[going]));
    _mm256_storeu_si256((__m256i *)to, _mm256_permutevar8x32_epi32(numbers, places));
}

size_t sm_part_avx2(const sm_parting *parting, uint32_t *list, size_t n, const bool *goes_left, uint32_t *spare) {
    size_t n_left = 0, n_right = 0, k = 0;
    for (; k + NEIGHBOURS <= n; k += NEIGHBOURS) {
        __m256i numbers = _mm256_loadu_si256((const __m256i *)(list + k));
        unsigned left = ask(list + k, goes_left), n_more = (unsigned)__builtin_popcount(left);
        put(parting, numbers, left, list + n_left); /* never past what was read */
        put(parting, numbers, left ^ 0xFF, spare + n_right);
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
#endif
