/* matrix.h - reads a matrix of distances or similarities into float32.
 *
 * Accepted: .npy (n x n, or a vector of n(n-1)/2 numbers in the order of scipy's pdist: rows of the upper triangle
 * without the diagonal; any type and order that npy.h reads), CSV with n lines of n numbers, CSV of one line or one
 * column with n(n-1)/2 numbers (condensed; n x n wins where both fit; above a column there may be a header, and before it a column of
 * row names without a header), CSV of (n+1) x (n+1) cells whose first line and
 * column are ids (the corner cell is free). */
#ifndef SM_IO_MATRIX_H
#define SM_IO_MATRIX_H

#include "io/text/text.h"

/* The items on one side of the matrix. */
typedef struct sm_matrix_side {
    size_t n;
    char *const *ids; /* [n] or NULL: then a row is called by its number from 0 */
} sm_matrix_side;

typedef struct sm_matrix_spec {
    sm_matrix_side rows;
    sm_matrix_side columns; /* equal to rows (same n and same ids pointer) for a square matrix */
    bool is_square;         /* the two sides are the same items: condensed vectors are allowed */
    bool are_similarities;  /* read q and store z = largest - q */
    double largest;         /* for similarities: NaN means 1 if no q exceeds 1, else the largest q given */
    bool take_means;        /* square: z_ij = z_ji = (z_ij + z_ji) / 2, taken in double from the rounded values */
    size_t n_threads;       /* at most so many work on a .npy file at once (two are enough); 0: as the machine has */
    bool may_be_missing;    /* entries may be empty, NA or NaN: stored as NaN, on the diagonal of a square one as 0 */
} sm_matrix_spec;

typedef struct sm_matrix {
    size_t n_rows, n_columns;
    float *z;                           /* [n_rows][n_columns] row-major, on a cache line; owned */
    double largest;                     /* what similarities were taken from */
    size_t n_missing;                   /* pairs without a number: i < j of a square matrix, cells of a block */
    bool has_no_diagonal;               /* it is condensed, or a cell of its diagonal is missing */
    bool is_npy, is_condensed, has_ids; /* what the file is */
    bool has_header;                    /* it is condensed, in one column with a name */
    sm_dialect dialect;
} sm_matrix;

/* z is rounded to float32 as it is read (a similarity: after the subtraction in double); a diagonal that is not given
 * (condensed) is 0 (also for similarities). Refused, with FILE:LINE:COLUMN where the file is text, and with "row R,
 * column C" (from 0) in .npy: a number of rows or columns that does not fit the items (say what was found and what
 * would fit: n x n or n(n-1)/2), text, infinities, missing entries (empty, NA, NaN: "a missing distance; this target
 * needs all pairs") unless they may be, a number too large for float32, ids that are unknown, repeated or absent, and a square matrix that
 * is not symmetric after rounding unless take_means: the first cell (i, j), j > i, in reading order of rows, e.g.
 * "Z.csv:3:1: z[2][0] = 5 but z[0][2] = 4: a distance is symmetric (--symmetrize mean averages the two)"; the position
 * named is that of the cell in the lower triangle. One that is missing where the other is given is not symmetric either;
 * with take_means the one that is given counts. (Rows in the order of the items, which are called by their ids where
 * the file does so.) Memory: the float32 matrix, for .npy a few megabytes of the file at a time, for CSV the memory-mapped file;
 * no further copy. sm_check_memory is called before it is allocated; sizes are checked against the file before anything is allocated. */
smerf_status sm_matrix_read(const char *path, const sm_matrix_spec *spec, sm_matrix *matrix, smerf_error *error);
void sm_matrix_free(sm_matrix *matrix);

#endif
