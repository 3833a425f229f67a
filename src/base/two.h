/* two.h - two doubles in one SIMD register. Scanners work on two line-ups of a node together: a sum depends on the one before it,
 * so that one line-up alone would wait for the latency of each addition. */
#ifndef SM_BASE_TWO_H
#define SM_BASE_TWO_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef double sm_two __attribute__((vector_size(16))); /* an extension that gcc and clang have on every machine */

static inline sm_two sm_both(double number) { return (sm_two){number, number}; }

/* Two whole numbers, converted at once. */
static inline sm_two sm_two_whole(int32_t a, int32_t b) {
    typedef int32_t two_whole __attribute__((vector_size(8)));
    return __builtin_convertvector(((two_whole){a, b}), sm_two);
}

/* The larger ones; b where there is none. */
static inline sm_two sm_two_most(sm_two a, sm_two b) {
#if defined(__SSE2__)
    return _mm_max_pd(a, b); /* one instruction, which compilers do not find */
#else
    return (sm_two){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
#endif
}

#endif
