/* sort.h - stable sorting of places by keys. */
#ifndef SM_BASE_SORT_H
#define SM_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* A number as a key: keys stand in the order of the numbers, and 0 and -0 have the same. Not for NaN. */
uint64_t sm_sort_key(double number);

/* Sorts n keys ascending and carries the places along; equal keys keep their order. Few keys by insertion, many by
 * radix over the bits in which they differ.
 *   spare_keys, spare_places  [n] scratch */
void sm_sort(uint64_t *keys, uint32_t *places, size_t n, uint64_t *spare_keys, uint32_t *spare_places);

#endif
