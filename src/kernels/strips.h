/* strips.h - loops over strips: the numbers of SM_STRIP rows that stand side by side, so that what is looked up for a column
 * serves all of them, a cache line at a time.
 *
 * Both tables are made from the same loops (loops/strips.h), and nothing is added in another order: the bits are the same. */
#ifndef SM_KERNELS_STRIPS_H
#define SM_KERNELS_STRIPS_H

#include <stddef.h>
#include <stdint.h>

#define SM_STRIP ((size_t)8)

/* Leaves as mean vectors, and SM_STRIP of them side by side. */
typedef struct sm_strip_squares {
    const double *mean;   /* [leaves][rank] */
    const double *spread; /* [leaves] */
    const double *scale;  /* [rank] */
    size_t rank;
    const double *mean_of;   /* [rank][SM_STRIP] */
    const double *spread_of; /* [SM_STRIP] */
} sm_strip_squares;

typedef struct sm_strip_kernels {
    /* sums[j] += table[leaf[j]], for each of n columns.
     *   table  [leaves][SM_STRIP]
     *   sums   [n][SM_STRIP] */
    void (*add)(const double *table, const uint32_t *leaf, size_t n, double *sums);

    /* The same from a table of items, where each leaf is one: sums[j] += table[item[leaf[j]]]. */
    void (*add_items)(const float *table, const uint32_t *item, const uint32_t *leaf, size_t n, double *sums);

    /* The same for the listed columns, with marks that are added below their highest bit, which stays where it is once
     * set: counts of who has spoken.
     *   columns      [n] places in leaf, sums and counts
     *   marks        [leaves][SM_STRIP]
     *   counts       like sums */
    void (*add_marked)(const double *table, const uint32_t *marks, const uint32_t *leaf, const uint32_t *columns,
                       size_t n, double *sums, uint32_t *counts);

    /* strip[i][r] = rows[r][i].   rows  [SM_STRIP] of [n]    strip  [n][SM_STRIP] out */
    void (*pack)(const float *const *rows, size_t n, float *strip);

    /* table[l][r] = (spread_r + spread[l]) + sum over k of scale[k] (mean_r[k] - mean[l][k])^2, of leaf r and leaf l.
     *   table  [n][SM_STRIP] out */
    void (*squares)(const sm_strip_squares *of, size_t n, double *table);

    /* The same without a table: sums[j] += what would be table[leaf[j]], for each of n columns. */
    void (*add_squares)(const sm_strip_squares *of, const uint32_t *leaf, size_t n, double *sums);

    /* table[l][r] = 1 less the sum over the classes of leaf l of its share times that of leaf r, taken off one by one.
     *   first, label, share  [n + 1], and the classes and shares of leaf l from first[l] to first[l + 1] - 1
     *   share_of             [classes][SM_STRIP]
     *   table                [n][SM_STRIP] out */
    void (*shares)(const uint32_t *first, const uint32_t *label, const double *share, size_t n, const double *share_of,
                   double *table);
} sm_strip_kernels;

#endif
