/* pairs_exact.c - sums that do not depend on the order of their terms, to the last bit: see pairs_exact.h. */
#include "target/links/pairs_exact.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { WORD_BITS = 64, SPARE_BITS = 50, MANTISSA_BITS = 52 };

sm_exact sm_exact_for(double least, double most, size_t n) {
    int n_bits = ilogb((double)n + 1) + 3; /* enough for n terms, their rounding and the sign */
    int low = ilogb(least) - SPARE_BITS, high = ilogb(most) + 1 + n_bits;
    int n_words = (high - low + WORD_BITS - 1) / WORD_BITS;
    if (n_words > SM_EXACT_MOST_WORDS) n_words = SM_EXACT_MOST_WORDS;
    return (sm_exact){.unit = high - n_words * WORD_BITS, .n_words = (size_t)n_words}; /* whole words: what is left over
                                                                                          makes the unit finer */
}

/* Adds or takes away a number of two words, from word `at` on. */
static void add_at(uint64_t *sum, size_t n_words, size_t at, unsigned __int128 number) {
    for (; at < n_words && number != 0; at++) {
        number += sum[at];
        sum[at] = (uint64_t)number;
        number >>= WORD_BITS;
    }
}

static void take_at(uint64_t *sum, size_t n_words, size_t at, unsigned __int128 number) {
    for (; at < n_words && number != 0; at++) {
        uint64_t low = (uint64_t)number;
        number = (number >> WORD_BITS) + (sum[at] < low);
        sum[at] -= low;
    }
}

void sm_exact_add(const sm_exact *exact, uint64_t *sum, double term) {
    uint64_t bits;
    memcpy(&bits, &term, sizeof bits);
    int exponent = (int)(bits >> MANTISSA_BITS & 0x7ff);
    if (exponent == 0) return; /* zero, or next to nothing */
    uint64_t mantissa = (bits & (((uint64_t)1 << MANTISSA_BITS) - 1)) | (uint64_t)1 << MANTISSA_BITS;
    int shift = exponent - 1023 - MANTISSA_BITS - exact->unit;
    if (shift < 0) {
        if (shift < -MANTISSA_BITS - 1) return;
        mantissa = (mantissa + ((uint64_t)1 << (-shift - 1))) >> -shift;
        shift = 0;
    }
    unsigned __int128 number = (unsigned __int128)mantissa << shift % WORD_BITS;
    if (bits >> 63)
        take_at(sum, exact->n_words, (size_t)shift / WORD_BITS, number);
    else
        add_at(sum, exact->n_words, (size_t)shift / WORD_BITS, number);
}

void sm_exact_add_sum(const sm_exact *exact, uint64_t *sum, const uint64_t *other) {
    bool carry = false;
    for (size_t w = 0; w < exact->n_words; w++) {
        uint64_t added = sum[w] + other[w], total = added + carry;
        carry = added < other[w] || total < added;
        sum[w] = total;
    }
}

void sm_exact_take_sum(const sm_exact *exact, uint64_t *sum, const uint64_t *other) {
    bool borrow = false;
    for (size_t w = 0; w < exact->n_words; w++) {
        uint64_t taken = sum[w] - other[w], total = taken - borrow;
        borrow = sum[w] < other[w] || taken < borrow;
        sum[w] = total;
    }
}

double sm_exact_get(const sm_exact *exact, const uint64_t *sum) {
    bool is_negative = sum[exact->n_words - 1] >> 63;
    uint64_t size[SM_EXACT_MOST_WORDS] = {0};
    if (is_negative)
        sm_exact_take_sum(exact, size, sum);
    else
        memcpy(size, sum, exact->n_words * sizeof *sum);
    double number = 0;
    for (size_t w = exact->n_words; w-- > 0;)
        if (size[w] != 0) number += ldexp((double)size[w], exact->unit + WORD_BITS * (int)w);
    return is_negative ? -number : number;
}
