/* table_reader.h - the parts of the table reader: table.c (the steps), table_roles.c (names and roles), table_checks.c (what the
 * columns hold). */
#ifndef SM_IO_TABLE_READER_H
#define SM_IO_TABLE_READER_H

#include "io/text/column.h"
#include "io/text/table.h"

typedef struct sm_table_reader {
    sm_source source;
    const sm_table_spec *spec;
    bool is_npy;
    sm_names *names; /* of the columns */
    size_t header;   /* where it starts, for messages */
    sm_column *columns;
    double **plain; /* [n_columns] theirs */
    size_t n_columns;
    size_t n_kept;   /* columns that are not ignored */
    size_t n_rows;   /* read so far, without those that are left out */
    size_t capacity; /* rows that the columns have memory for */
    uint32_t *
        row_of; /* [n_in_file] rows without those that are left out, which have SMERF_MISSING; NULL: all are read; owned */
    size_t n_in_file, n_dropped;
    size_t file_row; /* the row that is read */
    smerf_error *error;
} sm_table_reader;

/* Fails with the position of the header, if there is one. */
smerf_status sm_table_fail_header(const sm_table_reader *reader, const char *what);

/* A column by its name, or in a file without names by its number; NULL: there is none. */
sm_column *sm_table_find(const sm_table_reader *reader, const char *name);

/* ---- table_roles.c ---- */

smerf_status sm_table_read_header(sm_table_reader *reader, sm_csv *csv);
smerf_status sm_table_make_names(sm_table_reader *reader, size_t n_columns); /* x0, x1, ... */
smerf_status sm_table_give_roles(sm_table_reader *reader);

/* ---- table_checks.c: once all rows are there ---- */

/* Refuses columns that mix numbers and text, all at once, and columns of text that is no text: numbers with a decimal comma where the
 * file's have a point, and, where the spec says so, names. */
smerf_status sm_table_check_columns(const sm_table_reader *reader);

/* ---- rows without a target ---- */

/* Finds the rows that the spec leaves out, of a CSV file and of an array. */
smerf_status sm_table_find_dropped(sm_table_reader *reader);

#endif
