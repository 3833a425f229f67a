/* blocks.h - the inner loops of prediction, over blocks of SM_BLOCK_ROWS query rows.
 *
 * The numbers of a block's rows lie side by side ([column][SM_BLOCK_ROWS]): what is looked up for a column serves all its rows, and
 * is one cache line. Both tables are compiled from the same loops (loops/blocks.h) with the same order of additions, so that the
 * bits are the same. */
#ifndef SM_KERNELS_BLOCKS_H
#define SM_KERNELS_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define SM_BLOCK_ROWS ((size_t)8)

/* Leaves as vectors, and those that the rows of a block are in, side by side. */
typedef struct sm_block_vectors {
    size_t rank;
    const double *scale;                 /* [rank] */
    const double *mean, *spread;         /* [leaves][rank], [leaves] */
    const double *row_mean, *row_spread; /* [rank][SM_BLOCK_ROWS], [SM_BLOCK_ROWS] */
} sm_block_vectors;

typedef struct sm_block_kernels {
    /* sums[j] += table[leaf[j]], for each of n columns.
     *   table  [leaves][SM_BLOCK_ROWS]
     *   sums   [n][SM_BLOCK_ROWS] */
    void (*add)(const double *table, const uint32_t *leaf, size_t n, double *sums);

    /* The same from a table of items, where each leaf is one: sums[j] += table[item[leaf[j]]]. */
    void (*add_items)(const float *table, const uint32_t *item, const uint32_t *leaf, size_t n, double *sums);

    /* The same for the listed columns, with marks that are added below their highest bit, which stays set once it is: how many
     * trees were added to a pair, and whether any was eligible.
     *   columns      [n] indices into leaf, sums and counts
     *   marks        [leaves][SM_BLOCK_ROWS]
     *   counts       like sums */
    void (*add_marked)(const double *table, const uint32_t *marks, const uint32_t *leaf, const uint32_t *columns,
                       size_t n, double *sums, uint32_t *counts);

    /* block[i][r] = rows[r][i].   rows  [SM_BLOCK_ROWS] of [n]    block  [n][SM_BLOCK_ROWS] out */
    void (*pack)(const float *const *rows, size_t n, float *block);

    /* table[l][r] = (row_spread[r] + spread[l]) + sum over k of scale[k] (row_mean[k][r] - mean[l][k])^2.
     *   table  [n][SM_BLOCK_ROWS] out */
    void (*squares)(const sm_block_vectors *of, size_t n, double *table);

    /* The same without a table: sums[j] += what would be table[leaf[j]], for each of n columns. */
    void (*add_squares)(const sm_block_vectors *of, const uint32_t *leaf, size_t n, double *sums);

    /* table[l][r] = 1 less the sum over the classes of leaf l of its fraction times that of row r, taken off one by one.
     *   first, label, fraction  [n + 1], and the classes and fractions of leaf l from first[l] to first[l + 1] - 1
     *   row_fraction             [classes][SM_BLOCK_ROWS]
     *   table                [n][SM_BLOCK_ROWS] out */
    void (*label_distances)(const uint32_t *first, const uint32_t *label, const double *fraction, size_t n,
                            const double *row_fraction, double *table);
} sm_block_kernels;

/* ---- codes ----
 * Neighbours by labels: items have one byte (a code) for each tree; in how many trees two are equal. Both tables are made from the
 * same loop (loops/codes.h); counts are whole numbers, so there is nothing to round. */

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
