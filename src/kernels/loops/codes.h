/* loops/codes.h - the loop of codes.h, included by each file that makes a table of it. A tile is a few vectors of
 * bytes, whose counts are moved to wider numbers before they are full. */
#ifndef SM_KERNELS_LOOPS_CODES_H
#define SM_KERNELS_LOOPS_CODES_H

#include <string.h>

#include "kernels/blocks.h"

#if defined(__AVX2__)
enum { VECTOR = 32 };
#else
enum { VECTOR = 16 };
#endif

enum { MOST_IN_A_BYTE = 255, VECTORS = 128 / VECTOR };

typedef uint8_t bytes __attribute__((vector_size(VECTOR)));

/* A comparison that holds is a byte of ones, which is -1. */
static inline void count_bytes(const uint8_t *tile, const uint8_t *wanted, size_t n_codes, uint8_t *counts) {
    bytes sum[VECTORS] = {0};
    for (size_t b = 0; b < n_codes; b++)
        for (size_t v = 0; v < VECTORS; v++) {
            bytes code;
            memcpy(&code, tile + b * SM_CODE_TILE + v * VECTOR, sizeof code);
            sum[v] -= (bytes)(code == wanted[b]);
        }
    memcpy(counts, sum, sizeof sum);
}

static uint16_t count_tile(const uint8_t *tile, const uint8_t *wanted, size_t n_codes, uint16_t *same) {
    uint16_t most = 0;
    memset(same, 0, SM_CODE_TILE * sizeof *same);
    for (size_t first = 0; first < n_codes; first += MOST_IN_A_BYTE) {
        size_t n = n_codes - first < MOST_IN_A_BYTE ? n_codes - first : MOST_IN_A_BYTE;
        uint8_t counts[SM_CODE_TILE];
        count_bytes(tile + first * SM_CODE_TILE, wanted + first, n, counts);
        for (size_t i = 0; i < SM_CODE_TILE; i++) same[i] = (uint16_t)(same[i] + counts[i]);
    }
    for (size_t i = 0; i < SM_CODE_TILE; i++) most = same[i] > most ? same[i] : most;
    return most;
}

static void count_same(const uint8_t *tiles, size_t n_tiles, const uint8_t *wanted, size_t n_codes, uint16_t *same,
                       uint16_t *most) {
    for (size_t t = 0; t < n_tiles; t++)
        most[t] = count_tile(tiles + t * n_codes * SM_CODE_TILE, wanted, n_codes, same + t * SM_CODE_TILE);
}

#endif
