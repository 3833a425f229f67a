/* pairs_exact.h - sums that do not depend on the order of their terms, to the last bit.
 *
 * A sum is a whole multiple of a power of two, in as many words as it takes: nothing is lost when terms are added, in
 * whatever order, or when the sum of some is taken away from the sum of all. Only each term by itself is rounded, to
 * 2^-50 of the smallest weight or better. */
#ifndef SM_TARGET_PAIRS_EXACT_H
#define SM_TARGET_PAIRS_EXACT_H

#include <stddef.h>
#include <stdint.h>

enum { SM_EXACT_MOST_WORDS = 32 };

/* Numbers that are all multiples of 2^unit, in words of 64 bits, the low one first (two's complement). */
typedef struct sm_exact {
    int unit;
    size_t n_words;
} sm_exact;

/* For n terms of a size up to `most`, the smallest of which that matters is `least`; both are > 0. */
sm_exact sm_exact_for(double least, double most, size_t n);

/* sum += term, sum += other, sum -= other. */
void sm_exact_add(const sm_exact *exact, uint64_t *sum, double term);
void sm_exact_add_sum(const sm_exact *exact, uint64_t *sum, const uint64_t *other);
void sm_exact_take_sum(const sm_exact *exact, uint64_t *sum, const uint64_t *other);

double sm_exact_get(const sm_exact *exact, const uint64_t *sum);

#endif
