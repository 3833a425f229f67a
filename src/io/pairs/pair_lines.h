/* pair_lines.h - the parts of the readers of pairs, of edges and of triplets: the columns of a CSV file (pair_columns.c,
 * triplet_columns.c), its lines (pair_lines.c), and Matrix Market files (market.c). */
#ifndef SM_IO_PAIR_LINES_H
#define SM_IO_PAIR_LINES_H

#include "io/pairs/pairs.h"
#include "io/text/names.h"
#include "io/text/text.h"

/* Where the ids of a line are looked for. */
typedef enum sm_pair_ends {
    SM_BOTH_IN_ROWS,
    SM_ROW_THEN_COLUMN, /* the first in the rows, the second in the columns */
    SM_ONE_IN_EACH      /* either way round */
} sm_pair_ends;

#define SM_NO_CELL SIZE_MAX

enum { SM_MOST_IDS = 3 };

typedef struct sm_pair_lines {
    sm_pair_ends ends;
    sm_source source;
    sm_csv csv;
    sm_id_table rows, columns;
    sm_names *odd_ids;           /* with quotes inside, as they were read; or NULL */
    sm_names *judges;            /* or NULL */
    size_t n_cells;              /* of each line */
    size_t ids[SM_MOST_IDS];     /* the cells that hold them */
    size_t n_ids;                /* 2, or of triplets 3 */
    size_t value, weight, judge; /* likewise, or SM_NO_CELL */
    const char *noun;            /* of a line: "pair", "edge", "triplet" */
    const char *value_noun;      /* "distance", ... */
    bool has_loops;              /* an item and itself may be a pair */
    double largest_value;        /* of all lines, or minus infinity */
    sm_pairs pairs;              /* owned until the caller takes them */
    smerf_error *error;
} sm_pair_lines;

/* What is looked for beside the ids. */
typedef enum sm_pair_content { SM_IDS_ALONE, SM_RATINGS, SM_EDGES } sm_pair_content;

/* In the order of use. */
smerf_status sm_pair_lines_open(sm_pair_lines *lines, const char *path, const sm_pairs_spec *spec, smerf_error *error);
smerf_status sm_pair_lines_read_header(sm_pair_lines *lines, const sm_pairs_spec *spec, sm_pair_content content);
smerf_status sm_pair_lines_read(sm_pair_lines *lines);

/* Whether a cell is one of the ids of a first line that are no header. */
bool sm_pair_lines_has_id(const sm_pair_lines *lines, size_t which, const sm_csv_cell *cell);

/* Closes the file. With SMERF_OK the pairs are the caller's; else there are none. Returns status. */
smerf_status sm_pair_lines_close(sm_pair_lines *lines, smerf_status status, sm_pairs *pairs);

/* Where a row starts, from 0 without the header; the end of the text if there are not so many. */
size_t sm_pair_lines_find_row(const sm_source *source, size_t row);

/* ---- the header of a CSV file, name by name: pair_columns.c ---- */

typedef struct sm_header_walk {
    sm_csv csv;
    sm_csv_cell cell;
    size_t c; /* of the cell */
    smerf_status status;
} sm_header_walk;

/* For (sm_header_start(...); sm_header_next(...);) goes through the names; sm_header_end frees and returns what became of it. */
void sm_header_start(const sm_pair_lines *lines, sm_header_walk *at);
bool sm_header_next(const sm_pair_lines *lines, sm_header_walk *at); /* false: that was the last name, or it failed */
smerf_status sm_header_end(sm_header_walk *at);

bool sm_header_is_nameless(const sm_csv_cell *cell);

/* Whether a text is this word, in any case; whatever the locale. */
bool sm_header_is_word(const char *text, size_t n, const char *lower_case);

/* Fills in sm_pairs.columns, all but other_number, from the cells that are known. */
smerf_status sm_header_note(sm_pair_lines *lines);

/* ---- triplet_columns.c ---- */

/* In place of sm_pair_lines_read_header. */
smerf_status sm_triplet_header_read(sm_pair_lines *lines, const sm_pairs_spec *spec);

/* ---- market.c: graphs in Matrix Market files, as pairs.h describes them ---- */

/* Whether the bytes start as a Matrix Market file does. */
bool sm_market_is(const sm_source *source);

/* The entries of an n x n matrix below or above its diagonal as edges: items count from 0. Of a general matrix, which has
 * each twice, those are given that come first. */
smerf_status sm_market_read(const sm_source *source, size_t n_items, sm_pairs *edges, smerf_error *error);

/* Where an entry stands, from 0; the end of the text if there are not so many. */
size_t sm_market_find_entry(const sm_source *source, size_t entry);

#endif
