/* part.h - the stable partition of a list: those that go left first, the order kept on both sides. Lists that are sorted once and
 * partitioned at every split (train/order) spend their time here. */
#ifndef SM_KERNELS_PART_H
#define SM_KERNELS_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By which of eight neighbours are kept, a bit for each: the indices of these, a byte for each, lowest first. */
typedef uint64_t sm_part_table[256];

/* Puts the numbers of a list that go left first; returns how many do.
 *   table      sm_part_table_fill
 *   goes_left  by number
 *   spare      [n] */
typedef size_t (*sm_part)(const uint64_t *table, uint32_t *list, size_t n, const bool *goes_left, uint32_t *spare);

static inline void sm_part_table_fill(sm_part_table table) {
    for (unsigned kept = 0; kept < 256; kept++) {
        table[kept] = 0;
        for (unsigned i = 0, n = 0; i < 8; i++)
            if (kept >> i & 1) table[kept] |= (uint64_t)i << 8 * n++;
    }
}

#endif
