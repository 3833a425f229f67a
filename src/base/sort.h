/* sort.h - stable sorting of places by keys. */
#ifndef SM_BASE_SORT_H
#define SM_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* A number as a key: keys stand in the order of the numbers, and 0 and -0 have the same. Not for NaN. */
uint64_t sm_sort_key(double number);

/* For qsort and bsearch: places (uint32_t) ascending. */
int sm_by_index(const void *left, const void *right);

/* Sorts n keys ascending and carries the places along; equal keys keep their order. Few keys by insertion, many by
 * radix over the bits in which they differ.
 *   spare_keys, spare_places  [n] scratch */
void sm_sort(uint64_t *keys, uint32_t *places, size_t n, uint64_t *spare_keys, uint32_t *spare_places);

/* Sorts n numbers and carries the places along; equal ones keep their order. The places of NaN come last, in their order;
 * returns how many others there are. Made for numbers that are spread fairly evenly: one pass puts each near its place, and
 * insertion does the rest. Others are sorted by their keys.
 *   spare, spare_places  [n] scratch */
size_t sm_sort_numbers(double *numbers, uint32_t *places, size_t n, double *spare, uint32_t *spare_places);

/* A rank and a place in one number: sorted by rank, then by place. */
static inline uint64_t sm_pack_rank(uint32_t rank, uint32_t place) { return (uint64_t)rank << 32 | place; }
static inline uint32_t sm_packed_rank(uint64_t packed) { return (uint32_t)(packed >> 32); }
static inline uint32_t sm_packed_index(uint64_t packed) { return (uint32_t)packed; }

/* Sorts packed ranks whose places ascend.   spare  [n] scratch */
void sm_sort_packed(uint64_t *packed, size_t n, uint64_t *spare);

#endif
