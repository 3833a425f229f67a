/* text.h - input files as bytes with positions for messages; the cells of CSV; the numbers in cells; and how numbers and names are
 * written. */
#ifndef SM_IO_TEXT_H
#define SM_IO_TEXT_H

#include <stddef.h>

#include "base/input.h"
#include "base/output.h"

/* ---- source.c: a whole file as bytes, and positions in it ---- */

/* How a text separates its cells and writes its numbers. */
typedef struct sm_dialect {
    char separator;          /* comma, semicolon, tab; or ' ': white space, any number of blanks and tabs */
    bool has_decimal_commas; /* 3,14 is a number (and 3.14, where text stands beside it) */
    bool has_both;           /* numbers with a comma and numbers with a point: only those with a point are read, */
    size_t point;            /* and here is the first of them */
    bool
        has_short_header; /* one cell fewer than the rows: the cells begin with an empty one, the first column's name */
    bool skips_first;     /* the cells are without the first one of each row */
} sm_dialect;

typedef struct sm_source {
    const char *name; /* as messages call it: the path, or "standard input"; owned */
    const char *bytes;
    size_t n_bytes;
    sm_input input;     /* where the bytes come from */
    sm_dialect dialect; /* of a text */
    bool is_compressed; /* the file is; the bytes are not */
} sm_source;

/* A compressed file (gzip, by its first bytes) is read and decompressed, in memory. An empty file is fine here; a folder, or a file
 * that cannot be opened, is not (SMERF_IO), nor one that is damaged, nor text of which it is not clear how cells are separated. */
smerf_status sm_source_open(const char *path, sm_source *source, smerf_error *error);
void sm_source_close(sm_source *source); /* fine on a source filled with zeros */

/* A reader that goes through the bytes once calls this as often as it likes with the position it has come to; each time
 * that is far enough, the pages behind it are given back. Bytes behind may still be looked at.
 *   n_behind  the reader's, 0 at the start of a pass */
static inline void sm_source_pass(const sm_source *source, size_t *n_behind, size_t position) {
    const size_t far = (size_t)16 << 20;
    if (position - *n_behind < far) return;
    sm_input_let_go(&source->input, *n_behind, position);
    *n_behind = position;
}

/* Fails with "NAME:LINE:COLUMN: ..." for the byte at `position`; lines and columns from 1, as an editor counts
 * (a column is a character of UTF-8, not a byte). */
smerf_status sm_source_fail(const sm_source *source, size_t position, smerf_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The line of a position, from 1. */
size_t sm_source_line(const sm_source *source, size_t position);

/* Where something is in a source; SM_NO_POSITION: nowhere that could be named. */
typedef size_t (*sm_position_finder)(const sm_source *source, const void *what);

/* Says where a complaint about something in a file belongs, which is read once more: the message becomes
 * "FILE:LINE:COLUMN: ..."; standard input and pipes, which have gone by, are only named. Returns error->status. */
smerf_status sm_source_position(const char *path, sm_position_finder find, const void *what, smerf_error *error);

/* A cell, for messages: a byte of a text, or a row and a column (from 0) of a binary array. */
typedef struct sm_spot {
    size_t position; /* SM_NO_POSITION: the array's row and column count */
    size_t row, column;
} sm_spot;

#define SM_NO_POSITION SIZE_MAX

/* Fails with "NAME:LINE:COLUMN: ..." or with "NAME: row R, column C: ...". */
smerf_status sm_source_fail_spot(const sm_source *source, sm_spot spot, smerf_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#define SM_QUOTE 52

/* Words from a file as messages quote them: on one line, cut short where they are long, with a ? for each byte that is
 * not UTF-8. Returns `quote`. */
const char *sm_quote(const char *text, size_t n, char quote[SM_QUOTE]);

/* ---- some of the rows of a table, copied as they are in its file ---- */

/* Writes the header and the chosen rows of ITEMS as CSV. A table that has no ids gets a first column `id` with the number
 * of each row, so that an item keeps its name. A CSV file is copied byte by byte, but for line ends, which become LF, and
 * blank lines; of .npy the numbers are written.
 *   is_chosen  by row; NULL: all of them
 *   has_ids    whether one of the columns names the items */
smerf_status sm_table_copy_rows(const char *path, const bool *is_chosen, bool has_ids, sm_output *output,
                                smerf_error *error);

/* Refuses a table without ids that has a column called id, which the copy would have twice. */
smerf_status sm_table_check_copy(const char *path, bool has_ids, smerf_error *error);

/* ---- dialect.c ----
 *
 * The separator is the one of comma, semicolon and tab that is most frequent in the first line, outside quotes; but a semicolon or a
 * tab wins where all commas of the line are in numbers. White space separates cells if the first line has none of these, and
 * each row has as many cells, or the header has one fewer; rows of different length are refused. One word a line: a column.
 * A header that has one cell fewer than each of the rows (R's write.table) does not name the first column.
 * Where the separator is no comma, numbers may have a decimal comma, or a point, but not both: they have a comma if there is such
 * a number and none with a point, in columns that are mostly numbers. ---- */

/* Fills source->dialect. Fails as sm_source_open says. */
smerf_status sm_dialect_find(sm_source *source, smerf_error *error);

/* ---- gzip.c: compressed text in and out (zlib) ---- */

/* Whether these are the first bytes of a compressed file. */
bool sm_gzip_is(const char *bytes, size_t n_bytes);

/* Replaces the input by what was compressed, one member or several. Memory is checked as it grows. Refused: data that are damaged, cut
 * short, followed by something else, or not there in the end, as memory for them is not.
 *   name  of the input, for messages */
smerf_status sm_gzip_open(const char *name, sm_input *input, smerf_error *error);

/* Opens an output of text: compressed if its name ends in .gz, the same bytes for the same text. */
smerf_status sm_text_output_open(const char *path, sm_output **output, smerf_error *error);

/* ---- csv.c: the cells of a CSV text (RFC 4180, with comma, semicolon, tab or white space).
 *
 * Cells may be quoted ("" inside is a quote; separators and line ends inside quotes are text). Lines end with LF,
 * CRLF or CR. A byte order mark is skipped; empty lines are skipped. ---- */

typedef struct sm_csv {
    const sm_source *source;
    char separator;
    bool is_plain;       /* a number may be read without a search for its end */
    bool begins;         /* the name that a short header lacks comes next */
    bool skips_first;    /* see sm_dialect */
    bool keeps_doubled;  /* a doubled quote stays one: no memory is needed; the reader may set it */
    bool ends_cell[256]; /* the bytes that end a cell without quotes */
    size_t next;         /* position of the next byte to read */
    bool is_in_row;      /* the last cell did not end its row: one more follows, even if it is empty */
    size_t n_behind;     /* see sm_source_pass */
    char *unquoted;      /* buffer for a cell with doubled quotes; owned */
    size_t unquoted_size;
} sm_csv;

typedef struct sm_csv_cell {
    const char *text; /* not ended by NUL; valid until the next call */
    size_t n;
    size_t position; /* where the cell starts in the source, for messages */
    bool ends_row;   /* the last cell of its row */
} sm_csv_cell;

void sm_csv_start(sm_csv *csv, const sm_source *source); /* in the source's dialect */
void sm_csv_start_with(sm_csv *csv, const sm_source *source, const sm_dialect *dialect);
void sm_csv_stop(sm_csv *csv);

/* The position of the first line that is not empty. */
size_t sm_csv_first_line(const sm_source *source);

/* The next cell. *found is false at the end of the text. Fails on a quote that never ends, or with text after a
 * closing quote, and on a NUL byte. */
smerf_status sm_csv_next(sm_csv *csv, sm_csv_cell *cell, bool *found, smerf_error *error);

/* The next cell if it is a plain finite number, as most are: read at once, without looking for its end first. False:
 * it is something else, or there is none; nothing has been taken, and sm_csv_next says what it is. */
bool sm_csv_next_number(sm_csv *csv, sm_csv_cell *cell, double *value);

/* The same for the cells of a row from the j-th on, as far as they are such numbers and have an array to go to, and the
 * row ends after n of them. Returns how far that was: n if the row is complete.
 *   columns  [n] number j goes to columns[j][row]; NULL: not a number, or more is to be done about it */
size_t sm_csv_next_numbers(sm_csv *csv, double *const *columns, size_t j, size_t n, size_t row);

/* How many rows of n_cells cells the text from here on can hold at most: a bound for memory, found quickly. */
size_t sm_csv_most_rows(const sm_csv *csv, size_t n_cells);

/* Refuses a cell that is not UTF-8, with the position of the first such byte. */
smerf_status sm_csv_check_text(const sm_csv_cell *cell, const sm_source *source, smerf_error *error);

/* Writes a number in the shortest form that reads back; NaN is an empty cell, or null. */
void sm_put_number(sm_output *output, double value);
void sm_put_json_number(sm_output *output, double value);

/* A name as a cell of CSV, quoted where it must be; and as a string of JSON. */
void sm_put_cell(sm_output *output, const char *text);
void sm_put_cell_after(sm_output *output, const char *prefix, const char *text); /* both in one cell; a plain prefix */
void sm_put_json_string(sm_output *output, const char *text);

/* ---- number.c: decimal numbers in text: read exactly, written as short as they read back the same ---- */

typedef enum sm_cell { SM_CELL_NUMBER, SM_CELL_MISSING, SM_CELL_INFINITE, SM_CELL_TEXT } sm_cell;

/* What a cell of text holds. Spaces around it do not count. Missing: empty, NA, NaN (also nan, NAN).
 * Infinite: inf, infinity in any case with or without a sign, or a number too large for a double.
 * Only plain decimal numbers (sign, digits, point, exponent) are numbers: no hex, no thousands separators.
 * Correctly rounded, whatever the locale. *value is set for numbers only. */
sm_cell sm_number_parse(const char *text, size_t n, double *value);

/* The same for a number that has a comma where others have a point; and as the dialect of a source has it. */
sm_cell sm_comma_number_parse(const char *text, size_t n, double *value);
sm_cell sm_source_number(const sm_source *source, const char *text, size_t n, double *value);

/* Whether a cell is a number with a decimal comma where the dialect has none, and so is text: what messages say. */
bool sm_source_mistakes_comma(const sm_source *source, const char *text, size_t n);

#define SM_COMMA_HINT 128

/* Why such a cell is none, to be put behind "is no number"; or "". Returns hint. */
const char *sm_source_comma_hint(const sm_source *source, const char *text, size_t n, char hint[SM_COMMA_HINT]);

/* The same as sm_number_parse for a number that starts here, without spaces, and may go on until `end`: returns the position after it, or
 * NULL if there is none. *value is infinite if the number is too large for a double. */
const char *sm_number_scan(const char *text, const char *end, double *value);

#define SM_NUMBER_SPACE 32

/* The shortest decimal form that reads back as the same double; returns its length. NaN is "" (a missing cell). */
size_t sm_number_format(double value, char text[SM_NUMBER_SPACE]);

#endif
