/* loops/groups.h - SIMD groups of four doubles: one register of AVX2, or two of SSE2 and the like.
 * (Compilers make little of vectors that are wider than their registers.) */
#ifndef SM_KERNELS_LOOPS_GROUPS_H
#define SM_KERNELS_LOOPS_GROUPS_H

#include <stddef.h>
#include <string.h>

#include "kernels/deviations.h"

#define INLINE static inline __attribute__((always_inline))

typedef double half_group __attribute__((vector_size(2 * sizeof(double))));

#if defined(__AVX2__)
#include <immintrin.h>

typedef __m256d group;
typedef __m256i group_mask; /* which of four */

INLINE group group_all_of(double number) { return _mm256_set1_pd(number); }
INLINE group group_load(const double *from) { return _mm256_loadu_pd(from); }
INLINE void group_store(double *to, group numbers) { _mm256_storeu_pd(to, numbers); }
INLINE group group_add(group a, group b) { return _mm256_add_pd(a, b); }
INLINE group group_subtract(group a, group b) { return _mm256_sub_pd(a, b); }
INLINE group group_multiply(group a, group b) { return _mm256_mul_pd(a, b); }
INLINE group group_divide(group a, group b) { return _mm256_div_pd(a, b); }
INLINE half_group group_low_half(group numbers) { return _mm256_castpd256_pd128(numbers); }
INLINE half_group group_high_half(group numbers) { return _mm256_extractf128_pd(numbers, 1); }

INLINE group_mask group_first_ones(size_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)n), _mm256_setr_epi64x(0, 1, 2, 3));
}

/* The others are 0, and not read. */
INLINE group group_load_some(const double *from, group_mask there) { return _mm256_maskload_pd(from, there); }

/* out[j][i] = in[i][j] */
INLINE void group_transpose(const group *in, group *out) {
    group low = _mm256_unpacklo_pd(in[0], in[1]), high = _mm256_unpackhi_pd(in[0], in[1]);
    group next_low = _mm256_unpacklo_pd(in[2], in[3]), next_high = _mm256_unpackhi_pd(in[2], in[3]);
    out[0] = _mm256_permute2f128_pd(low, next_low, 0x20);
    out[1] = _mm256_permute2f128_pd(high, next_high, 0x20);
    out[2] = _mm256_permute2f128_pd(low, next_low, 0x31);
    out[3] = _mm256_permute2f128_pd(high, next_high, 0x31);
}

#else

typedef struct group {
    half_group low, high;
} group;
typedef size_t group_mask;

INLINE group group_all_of(double number) { return (group){{number, number}, {number, number}}; }

INLINE group group_load(const double *from) {
    group numbers;
    memcpy(&numbers.low, from, sizeof numbers.low);
    memcpy(&numbers.high, from + 2, sizeof numbers.high);
    return numbers;
}

INLINE void group_store(double *to, group numbers) {
    memcpy(to, &numbers.low, sizeof numbers.low);
    memcpy(to + 2, &numbers.high, sizeof numbers.high);
}

INLINE group group_add(group a, group b) { return (group){a.low + b.low, a.high + b.high}; }
INLINE group group_subtract(group a, group b) { return (group){a.low - b.low, a.high - b.high}; }
INLINE group group_multiply(group a, group b) { return (group){a.low * b.low, a.high * b.high}; }
INLINE group group_divide(group a, group b) { return (group){a.low / b.low, a.high / b.high}; }
INLINE half_group group_low_half(group numbers) { return numbers.low; }
INLINE half_group group_high_half(group numbers) { return numbers.high; }

INLINE group_mask group_first_ones(size_t n) { return n; }

INLINE group group_load_some(const double *from, group_mask there) {
    if (there >= SM_GROUP) return group_load(from);
    return (group){{there > 0 ? from[0] : 0, there > 1 ? from[1] : 0}, {there > 2 ? from[2] : 0, 0}};
}

INLINE void group_transpose(const group *in, group *out) {
    out[0] = (group){{in[0].low[0], in[1].low[0]}, {in[2].low[0], in[3].low[0]}};
    out[1] = (group){{in[0].low[1], in[1].low[1]}, {in[2].low[1], in[3].low[1]}};
    out[2] = (group){{in[0].high[0], in[1].high[0]}, {in[2].high[0], in[3].high[0]}};
    out[3] = (group){{in[0].high[1], in[1].high[1]}, {in[2].high[1], in[3].high[1]}};
}

#endif

INLINE void group_store_some(double *to, group numbers, size_t n) {
    double all[SM_GROUP];
    group_store(n >= SM_GROUP ? to : all, numbers);
    if (n < SM_GROUP) memcpy(to, all, n * sizeof *to);
}

INLINE double group_join(group lanes) {
    half_group sum = group_low_half(lanes) + group_high_half(lanes);
    return sum[0] + sum[1];
}

#endif
