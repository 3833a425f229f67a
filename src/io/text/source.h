/* source.h - a whole input file as bytes, with a name and places for messages. */
#ifndef SM_IO_SOURCE_H
#define SM_IO_SOURCE_H

#include "base/input.h"
#include "base/output.h"

typedef struct sm_source {
    const char *name; /* as messages call it: the path, or "standard input"; owned */
    const char *bytes;
    size_t n_bytes;
    sm_input input; /* where the bytes come from */
} sm_source;

/* An empty file is fine here; a folder, or a file that cannot be opened, is not (SMERF_IO). */
smerf_status sm_source_open(const char *path, sm_source *source, smerf_error *error);
void sm_source_close(sm_source *source); /* fine on a source filled with zeros */

/* A reader that goes through the bytes once calls this as often as it likes with the place it has come to; each time
 * that is far enough, the memory of what lies behind is given back. Bytes behind may still be looked at.
 *   n_behind  the reader's, 0 at the start of a pass */
static inline void sm_source_pass(const sm_source *source, size_t *n_behind, size_t place) {
    const size_t far = (size_t)16 << 20;
    if (place - *n_behind < far) return;
    sm_input_let_go(&source->input, *n_behind, place);
    *n_behind = place;
}

/* Fails with "NAME:LINE:COLUMN: ..." for the byte at `place`; lines and columns from 1, as an editor counts
 * (a column is a character of UTF-8, not a byte). */
smerf_status sm_source_fail(const sm_source *source, size_t place, smerf_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Where something stands in a source; SM_NO_POSITION: nowhere that could be told. */
typedef size_t (*sm_position_finder)(const sm_source *source, const void *what);

/* Says where a complaint about something in a file belongs, which is read once more: the message becomes
 * "FILE:LINE:COLUMN: ..."; standard input and pipes, which have gone by, are only named. Returns error->status. */
smerf_status sm_source_position(const char *path, sm_position_finder find, const void *what, smerf_error *error);

/* A cell, for messages: a byte of a text, or a row and a column (from 0) of a binary array. */
typedef struct sm_spot {
    size_t place; /* SM_NO_POSITION: the array's row and column count */
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

/* ---- some of the rows of a table, as they stand in its file. ---- */

/* Writes the header and the chosen rows of ITEMS as CSV. A table that has no ids gets a first column `id` with the number
 * of each row, so that an item keeps its name. A CSV file is copied byte by byte, but for line ends, which become LF, and
 * blank lines; of .npy the numbers are written.
 *   is_chosen  by row; NULL: all of them
 *   has_ids    whether one of the columns names the items */
smerf_status sm_quote_write(const char *path, const bool *is_chosen, bool has_ids, sm_output *output,
                            smerf_error *error);

/* Refuses a table without ids that has a column called id, which the quotes would have twice. */
smerf_status sm_quote_check(const char *path, bool has_ids, smerf_error *error);

#endif
