/* matrix_reader.h - what the parts of the matrix reader share: matrix.c, matrix_csv.c, matrix_npy.c, matrix_pieces.c. */
#ifndef SM_IO_MATRIX_READER_H
#define SM_IO_MATRIX_READER_H

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

    size_t n_lines, n_cells;   /* CSV: so many lines of so many cells */
    sm_id_table rows, columns; /* with ids: who the items are, */
    uint32_t *line_of_row;     /* [rows.n] the line of each, from 0 without the line of ids, */
    uint32_t *cell_of_column;  /* [columns.n] the place in a line of each, likewise, */
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

/* What sm_matrix_keep does, for n numbers of one row at once: without a branch, so that the compiler takes several
 * together. False: one of them cannot be kept. */
bool sm_matrix_keep_run(sm_matrix_reader *reader, size_t row, size_t column, const double *numbers, size_t n);

/* Says which of the numbers, which stand in one row of a .npy file, is the first that cannot be kept; fine if all can. */
smerf_status sm_matrix_fail_in_run(sm_matrix_reader *reader, size_t row, size_t column, const double *numbers,
                                   size_t n);

/* A pass over the numbers of a .npy file whose rows follow each other. */
smerf_status sm_matrix_pass_pieces(sm_matrix_reader *reader);

/* Where the number of a pair stands in a CSV file, which has been passed. */
sm_spot sm_matrix_find_in_csv(const sm_matrix_reader *reader, size_t row, size_t column);

#endif
