/* csv.h - walks through the cells of a CSV text (RFC 4180, with comma, semicolon or tab).
 *
 * Cells may be quoted ("" inside is a quote; separators and line ends inside quotes are text). Lines end with LF,
 * CRLF or CR. A byte order mark is skipped; empty lines are skipped. */
#ifndef SM_IO_CSV_H
#define SM_IO_CSV_H

#include "io/text/source.h"

typedef struct sm_csv {
    const sm_source *source;
    char separator;
    bool ends_cell[256]; /* the bytes that end a cell without quotes */
    size_t next;         /* place of the next byte to read */
    bool is_in_row;      /* the last cell did not end its row: one more follows, even if it is empty */
    size_t n_behind;     /* see sm_source_pass */
    char *unquoted;      /* room for a cell with doubled quotes; owned */
    size_t unquoted_size;
} sm_csv;

typedef struct sm_csv_cell {
    const char *text; /* not ended by NUL; valid until the next call */
    size_t n;
    size_t place;  /* where the cell starts in the source, for messages */
    bool ends_row; /* the last cell of its row */
} sm_csv_cell;

/* Finds the separator: the one of comma, semicolon and tab that is most frequent in the first line, outside quotes;
 * comma if there is none. */
void sm_csv_start(sm_csv *csv, const sm_source *source);
void sm_csv_stop(sm_csv *csv);

/* The next cell. *found is false at the end of the text. Fails on a quote that never ends, or with text after a
 * closing quote, and on a NUL byte. */
smerf_status sm_csv_next(sm_csv *csv, sm_csv_cell *cell, bool *found, smerf_error *error);

/* The next cell if it is a plain finite number, as most are: read at once, without looking for its end first. False:
 * it is something else, or there is none; nothing has been taken, and sm_csv_next will tell. */
bool sm_csv_next_number(sm_csv *csv, sm_csv_cell *cell, double *value);

/* The same for the cells of a row from the j-th on, as far as they are such numbers and have a place to go to, and the
 * row ends after n of them. Returns how far that was: n if the row is complete.
 *   columns  [n] number j goes to columns[j][row]; NULL: not a number, or more is to be done about it */
size_t sm_csv_next_numbers(sm_csv *csv, double *const *columns, size_t j, size_t n, size_t row);

/* How many rows of n_cells cells the text from here on can hold at most: a bound for memory, found quickly. */
size_t sm_csv_most_rows(const sm_csv *csv, size_t n_cells);

/* Refuses a cell that is not UTF-8, with the place of the first such byte. */
smerf_status sm_csv_check_text(const sm_csv_cell *cell, const sm_source *source, smerf_error *error);

#endif
