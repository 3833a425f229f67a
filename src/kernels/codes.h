/* codes.h - the inner loop of neighbours by labels: items have one byte (a code) for each tree; in how many trees two are equal.
 *
 * Both tables are made from the same loop (loops/codes.h); counts are whole numbers, so there is nothing to round. */
#ifndef SM_KERNELS_CODES_H
#define SM_KERNELS_CODES_H

#include <stddef.h>
#include <stdint.h>

/* Items are stored in tiles, tree after tree in each, so that a tile is read from end to end. */
#define SM_CODE_TILE ((size_t)128)

#define SM_MOST_CODES ((size_t)65535)

typedef struct sm_code_kernels {
    /* In how many trees each item has the wanted code; and the most in each tile.
     *   tiles   [n_tiles][n_codes][SM_CODE_TILE], n_codes <= SM_MOST_CODES
     *   wanted  [n_codes]
     *   same    [n_tiles][SM_CODE_TILE] out
     *   most    [n_tiles] out */
    void (*count_same)(const uint8_t *tiles, size_t n_tiles, const uint8_t *wanted, size_t n_codes, uint16_t *same,
                       uint16_t *most);
} sm_code_kernels;

#endif
