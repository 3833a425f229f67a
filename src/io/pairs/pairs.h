/* pairs.h - reads a CSV file with two columns of ids of items, alone or with numbers for each pair; or with three, triplets. */
#ifndef SM_IO_PAIRS_H
#define SM_IO_PAIRS_H

#include "io/matrix/matrix.h"

/* What the numbers of a column are. */
typedef enum sm_value_kind { SM_BY_ITS_NAME, SM_DISTANCES, SM_SIMILARITIES } sm_value_kind;

/* The columns of a file as messages call them, "" where there is none. */
typedef struct sm_pair_columns {
    char ids[3][SM_QUOTE], value[SM_QUOTE], weight[SM_QUOTE], judge[SM_QUOTE];
    char unused[4 * SM_QUOTE];   /* all others, with commas; cut short where there are many */
    char other_number[SM_QUOTE]; /* the first of them that has numbers, by the first line of cells */
} sm_pair_columns;

/* Pairs in the order of the file, as they stand there: (i, i) may be among them, and repeats. */
typedef struct sm_pairs {
    size_t n;
    uint32_t *left, *right; /* [n] rows of items, see below */
    uint32_t *third;        /* [n] likewise, of triplets; else NULL */
    bool
        is_odd_one_out; /* of triplets: the third is the one that is unlike the two others; else the first is nearer to the second */
    double *value;   /* [n] finite; NULL: there are none, or none are wanted */
    double *weight;  /* [n] finite and > 0; NULL: there are none, or none are wanted */
    size_t *row;     /* [n] the row of the file that each comes from, from 0; NULL: pair k comes from row k */
    uint32_t *judge; /* [n] who gave the value; NULL: nobody says, or the spec does not want to know */
    char **judges;   /* [n_judges] their names, in the order of the file */
    size_t n_judges;
    bool are_similarities;   /* the file has similarities q: value is largest - q */
    double largest;          /* what similarities were taken from, and weights of edges divided by */
    sm_pair_columns columns; /* what each column of the file is; all "" of a file without columns */
    sm_dialect dialect;      /* of the file */
} sm_pairs;

/* There is a header, at least two columns, and as many cells in each row. Ids are matched as text; where a side has no
 * ids, they are row numbers from 0. No pairs at all are fine. Refused with its position: an unknown id, a row with more or
 * fewer cells than the header, a first line of two ids (the header was forgotten; i,j and source,target are none).
 *
 * The ids are in the columns that the spec names. Else they are in the first two that are not used otherwise, are not
 * called distance, dissimilarity, similarity or weight, and have a name, as far as there are such; of edges in source and
 * target, if there are both. Case does not matter in names that are known, and in names that a spec gives it does. */

/* What is known of the pairs of one set of items, or of those between two sets. In a square both are rows of one set.
 * Between two sets they count both, rows first: the line u,v gives (u in rows, v in columns) and (v in rows, u in
 * columns), as far as the ids are there (u,u gives one). A line that gives neither is left out, but each id must be one
 * of either set. */
typedef struct sm_pairs_spec {
    sm_matrix_side rows, columns;
    bool is_square;            /* there is one set: columns is not looked at */
    const char *id_columns[3]; /* or NULL: as above; the third of triplets */
    const char *value_column;  /* or NULL: as below */
    const char *judge_column;  /* or NULL: no judges */
    sm_value_kind value_kind;  /* what the values are */
    double largest;            /* NaN: 1 if no similarity or weight in the file exceeds 1, else the largest */
} sm_pairs_spec;

/* Pairs alone: the left ones are rows of one side, the right ones of the other, and is_square is not looked at. */
smerf_status sm_pairs_read(const char *path, const sm_pairs_spec *spec, sm_pairs *pairs, smerf_error *error);

/* Pairs with a number, and a weight if there is a column called weight. The number is in value_column, or else in the
 * only one called distance, dissimilarity or similarity; what it is, the spec says, or else such a name. Nothing is guessed
 * of a column with another name. Refused with its position, too: a number that is missing, infinite or none; a weight that
 * is not finite and > 0; a missing judge. */
smerf_status sm_pairs_read_values(const char *path, const sm_pairs_spec *spec, sm_pairs *pairs, smerf_error *error);

/* Pairs alone; further columns are ignored. */
smerf_status sm_pairs_read_observed(const char *path, const sm_pairs_spec *spec, sm_pairs *pairs, smerf_error *error);

/* Triplets: three ids, and a weight if there is a column called weight. The columns are anchor, near and far, in any case, or
 * a, b and odd: the one of three that is unlike the two others. Or the spec names three, which are anchor, near and far then. Refused with
 * its position, too: an item that stands in a line twice. */
smerf_status sm_triplets_read(const char *path, const sm_pairs_spec *spec, sm_pairs *triplets, smerf_error *error);

/* Says where a complaint about one row (see sm_pairs.row) of a file of pairs or edges belongs, as sm_source_position does.
 * A message that starts with the entry of the list, "entry 3: ...", names the line instead; of standard input and pipes
 * the row, from 0. */
smerf_status sm_pairs_position(const char *path, size_t row, smerf_error *error);

void sm_pairs_free(sm_pairs *pairs); /* fine on one filled with zeros */

/* ---- reads the edges of an undirected graph: CSV (source,target[,weight]) or Matrix Market. ---- */

/* CSV: as above, and the value of an edge is in value_column, or else in a column called weight; it may be any
 * finite number, and without such a column `value` is NULL. An edge from an item to itself is refused with its position.
 *
 * Where a weight exceeds 1, all are divided by the largest (or where the spec says so, by its `largest`), so that the
 * distance 1 - value of the strongest edge is 0, and that of no edge is 1: sm_pairs.largest is the divisor, else 1.
 *
 * Matrix Market (a file that starts with %%MatrixMarket): a coordinate matrix, real, integer or pattern (then `value` is
 * NULL), general or symmetric, n x n for n items; entries are rows of the items, from 1. Refused, with their positions: an
 * entry on the diagonal, out of range or damaged; more or fewer entries than announced; in a general matrix an entry
 * whose mirror image is absent or different (each edge is given once; a symmetric matrix may hold either triangle).
 * Between two sets it is refused: it has no ids.
 *
 * Edges that are given again stay, and sm_pairs.weight is NULL. */
smerf_status sm_edges_read(const char *path, const sm_pairs_spec *spec, sm_pairs *edges, smerf_error *error);

/* ---- which of the pairs that were read are the same: (i, j) and (j, i) are. ---- */

/* The same number for (i, j) and (j, i), in the order of (smaller row, larger row). */
uint64_t sm_pairs_key(const sm_pairs *pairs, size_t k);

/* Makes one entry of the ratings that a judge gave of one pair, with their mean value, averaged by weight, and their mean
 * weight. Entries are in the order of (smaller row, larger row, judge) then; sm_pairs.row has the first row of each. */
smerf_status sm_pairs_fold_judges(sm_pairs *pairs, smerf_error *error);

/* The indices of pairs in the order of their keys, which are the same for (i, j) and (j, i); equal ones in the order of the list. */
typedef struct sm_sorted_pairs {
    uint64_t *keys, *spare_keys; /* [n] spare: the caller's to use */
    uint32_t *indices, *spare_indices;
} sm_sorted_pairs;

smerf_status sm_pairs_sort(const sm_pairs *pairs, sm_sorted_pairs *order, smerf_error *error); /* empty on failure */
void sm_sorted_pairs_free(sm_sorted_pairs *order);

/* Numbers the different pairs of two items from 0, in the order of their rows; (i, i) has SMERF_MISSING.
 *   number       [pairs->n], the caller's
 *   n_different  how many there are */
smerf_status sm_pairs_number(const sm_pairs *pairs, uint32_t *number, size_t *n_different, smerf_error *error);

/* Keeps the edges whose pair is among the others, in their order; sm_pairs.row has the rows that they come from.
 *   n_kept, n_left_out  different pairs */
smerf_status sm_pairs_keep_among(sm_pairs *edges, const sm_pairs *others, size_t *n_kept, size_t *n_left_out,
                                 smerf_error *error);

#endif
