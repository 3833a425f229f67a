/* matrix_reader.h - the parts of the matrix reader: matrix.c (the steps), matrix_csv.c and matrix_npy.c (the kinds of file), fetch.c
 * (pieces of a large file). */
#ifndef SM_IO_MATRIX_READER_H
#define SM_IO_MATRIX_READER_H

#include <stdatomic.h>

#include "io/matrix/matrix.h"
#include "io/matrix/npy.h"
#include "io/text/names.h"

typedef enum sm_matrix_form { SM_MATRIX_FULL, SM_MATRIX_WITH_IDS, SM_MATRIX_CONDENSED } sm_matrix_form;

typedef struct sm_matrix_reader {
    const sm_matrix_spec *spec;
    sm_source source;
    bool is_npy;
    sm_npy npy;
    sm_matrix_form form;

    size_t n_lines, n_cells;   /* CSV: so many lines of so many cells, */
    bool has_header;           /* below one that names a condensed vector */
    sm_id_table rows, columns; /* with ids: who the items are, */
    uint32_t *line_of_row;     /* [rows.n] the line of each, from 0 without the line of ids, */
    uint32_t *cell_of_column;  /* [columns.n] the cell in a line of each, likewise, */
    uint32_t *column_of_cell;  /* [columns.n] and the other way round; owned */

    bool has_no_diagonal; /* see sm_matrix */
    bool has_missing;     /* an entry without a number has been stored */
    bool is_symmetric;    /* has been found to be; else it has not been looked at, or is not */
    size_t row, column;   /* condensed: the pair read last; with ids: the row of this line */
    float *z;             /* NULL: the numbers are looked at, not stored */
    double largest;       /* similarities: what they are taken from; grows while they are only looked at */
    smerf_error *error;
} sm_matrix_reader;

/* Takes the number of one pair; fails if it is none that can be kept. */
smerf_status sm_matrix_keep(sm_matrix_reader *reader, size_t row, size_t column, double number, sm_spot spot);

/* n(n-1)/2, or SIZE_MAX if that does not fit. */
size_t sm_matrix_condensed_length(size_t n);

#define SM_MATRIX_NEED 256

/* What would fit the items, for messages. Returns text. */
const char *sm_matrix_need(const sm_matrix_reader *reader, char text[SM_MATRIX_NEED]);

/* Each kind of file: which form it has; then one pass over its numbers, as often as needed. */
smerf_status sm_matrix_start_csv(sm_matrix_reader *reader);
smerf_status sm_matrix_pass_csv(sm_matrix_reader *reader);
smerf_status sm_matrix_start_npy(sm_matrix_reader *reader);
smerf_status sm_matrix_pass_npy(sm_matrix_reader *reader);

/* Where the number of a pair stands in a CSV file, which has been passed. */
sm_spot sm_matrix_find_in_csv(const sm_matrix_reader *reader, size_t row, size_t column);

/* ---- fetch.c: large pieces of a source, through the page cache or past it (direct I/O).
 *
 * The system keeps what it reads from a disk in its page cache, and copies it from there. A disk of gigabytes a second may wait for
 * that copy: so what the page cache does not hold is read by direct I/O, if that is clearly faster, which is tried. From a slow disk
 * it goes through the page cache, where it is found the next time, and the copy is made while the disk is at work. ---- */

typedef struct sm_fetch {
    const sm_source *source;
    int direct;         /* the file, opened once more for direct I/O; -1: it cannot be, or need not */
    atomic_uint n_slow; /* times in a row that its disk was slow */

    /* For sm_fetch_choose: one thread at a time. */
    size_t n_tried;           /* pieces, from the first on that the page cache did not hold */
    double since, seconds[2]; /* when a trial began; how long each took: direct I/O, and not */
} sm_fetch;

/* Pieces will be read of the n bytes from `from` on, which the source has. */
void sm_fetch_start(sm_fetch *fetch, const sm_source *source, size_t from, size_t n);
void sm_fetch_end(sm_fetch *fetch);

/* Whether some of them are not in the page cache: whoever reads them may wait. */
static inline bool sm_fetch_may_wait(const sm_fetch *fetch) { return fetch->direct >= 0; }

/* A buffer for pieces of n bytes, aligned for direct I/O, or NULL. Freed with sm_free. */
char *sm_fetch_buffer(size_t n);

/* Whether n bytes from `from` on are best read by direct I/O. Then several threads may wait for the disk at once; else one after
 * the other, so that the system reads ahead. */
bool sm_fetch_is_direct(const sm_fetch *fetch, size_t from, size_t n);

/* The same for the next of many pieces, which are taken in order, by one thread at a time, as fast as they are read: both ways
 * are tried for a while, and then direct I/O is kept to if it was clearly faster, else the page cache. */
bool sm_fetch_choose(sm_fetch *fetch, size_t from, size_t n);

/* Reads n bytes from `from` on, which the source has, into a buffer for as many; *bytes is where they start there. SMERF_IO if
 * the file gives them no more. */
smerf_status sm_fetch_read(sm_fetch *fetch, size_t from, size_t n, bool is_direct, char *buffer, const char **bytes,
                           smerf_error *error);

#endif
