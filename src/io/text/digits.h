/* digits.h - decimal digits in text, several at once. How many a number has differs from one to the next, so nothing
 * here branches on it: a branch misprediction costs more than all the arithmetic. */
#ifndef SM_IO_DIGITS_H
#define SM_IO_DIGITS_H

#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Eight bytes, the first of them lowest, each less by '0': a digit becomes 0 ... 9. */
static inline uint64_t sm_digits_load(const char *text) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word ^ 0x3030303030303030;
}

/* The top bit of each byte that is no digit. */
static inline uint64_t sm_digits_others(uint64_t word) {
    const uint64_t low = 0x7F7F7F7F7F7F7F7F;
    return (((word & low) + 0x7676767676767676) | word) & ~low;
}

/* Which of 32 bytes are no digits: a bit for each, the first lowest. */
static inline uint32_t sm_digits_map_plain(const char *text) {
    uint32_t map = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t others = sm_digits_others(sm_digits_load(text + 8 * i)) >> 7;
        map |= (uint32_t)(others * 0x0102040810204080 >> 56) << 8 * i; /* gathers the lowest bits of eight bytes */
    }
    return map;
}

#ifdef __SSE2__
static inline uint32_t sm_digits_map(const char *text) {
    const __m128i to_least = _mm_set1_epi8((char)(0x80 - '0')), nine = _mm_set1_epi8((char)(0x80 + 9));
    __m128i first = _mm_add_epi8(_mm_loadu_si128((const __m128i *)(const void *)text), to_least);
    __m128i second = _mm_add_epi8(_mm_loadu_si128((const __m128i *)(const void *)(text + 16)), to_least);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(first, nine)) |
           (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(second, nine)) << 16;
}
#else
static inline uint32_t sm_digits_map(const char *text) { return sm_digits_map_plain(text); }
#endif

/* Eight digits as one number: joined in pairs, fours and eights. */
static inline uint64_t sm_digits_join(uint64_t word) {
    word = 10 * word + (word >> 8);
    const uint64_t pairs = 0x000000FF000000FF;
    word = (word & pairs) * ((1000000ull << 32) + 100) + ((word >> 16) & pairs) * ((10000ull << 32) + 1);
    return word >> 32;
}

/* The number that the first n digits of the word make, n = 1 ... 8. */
static inline uint64_t sm_digits_value(uint64_t word, unsigned n) { return sm_digits_join(word << (64 - 8 * n)); }

/* The first n digits here, n = 1 ... 12, with zeros behind them: a number of 12 digits. Reads 16 bytes. */
static inline uint64_t sm_digits_twelve_plain(const char *text, unsigned n) {
    uint64_t first = sm_digits_load(text), second = sm_digits_load(text + 8);
    if (n < 8) first &= UINT64_MAX >> (64 - 8 * n);
    second = n > 8 ? second & UINT64_MAX >> (128 - 8 * n) : 0;
    return sm_digits_join(first) * 10000 + sm_digits_join(second) / 10000;
}

#ifdef __SSE2__
static inline uint64_t sm_digits_twelve(const char *text, unsigned n) {
    static const unsigned char kept[28] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}; /* then 0 */
    __m128i digits = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)(const void *)text), _mm_set1_epi8('0'));
    digits = _mm_and_si128(digits, _mm_loadu_si128((const __m128i *)(const void *)(kept + 12 - n)));
    __m128i tens = _mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi16(0xFF)), _mm_set1_epi16(10));
    __m128i pairs = _mm_add_epi16(tens, _mm_srli_epi16(digits, 8));
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
    uint64_t eight = (uint64_t)_mm_cvtsi128_si64(fours);
    uint64_t last = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(fours, fours));
    return (eight & UINT32_MAX) * 100000000 + (eight >> 32) * 10000 + (last & UINT32_MAX);
}
#else
static inline uint64_t sm_digits_twelve(const char *text, unsigned n) { return sm_digits_twelve_plain(text, n); }
#endif

#endif
