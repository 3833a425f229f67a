/* sort.h - stable sorting of indices by keys: insertion sort for few, radix sort for many.
 *
 * What a node does most is to put its items in order along a direction, so each sort is made for what such keys look like; all of
 * them keep the order of equal keys, which makes ties reproducible. */
#ifndef SM_BASE_SORT_H
#define SM_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* A number as a key: keys stand in the order of the numbers, and 0 and -0 have the same. Not for NaN. */
uint64_t sm_sort_key(double number);

/* For qsort and bsearch: indices (uint32_t) ascending. */
int sm_by_index(const void *left, const void *right);

/* Sorts n keys ascending and carries the indices along; equal keys keep their order. Insertion sort for few keys, radix sort over
 * the bits in which they differ for many.
 *   spare_keys, spare_indices  [n] scratch */
void sm_sort(uint64_t *keys, uint32_t *indices, size_t n, uint64_t *spare_keys, uint32_t *spare_indices);

/* Sorts n numbers and carries the indices along; equal ones keep their order. The indices of NaN come last, in their order;
 * returns how many others there are. Made for numbers that are spread fairly evenly: one pass of a bucket sort puts each near its
 * final position, and insertion sort does the rest. Others are sorted by their keys.
 *   spare, spare_indices  [n] scratch */
size_t sm_sort_numbers(double *numbers, uint32_t *indices, size_t n, double *spare, uint32_t *spare_indices);

/* A rank and an index in one number: sorted by rank, then by index. */
static inline uint64_t sm_pack_rank(uint32_t rank, uint32_t index) { return (uint64_t)rank << 32 | index; }
static inline uint32_t sm_packed_rank(uint64_t packed) { return (uint32_t)(packed >> 32); }
static inline uint32_t sm_packed_index(uint64_t packed) { return (uint32_t)packed; }

/* Sorts packed ranks whose indices ascend.   spare  [n] scratch */
void sm_sort_packed(uint64_t *packed, size_t n, uint64_t *spare);

#endif
