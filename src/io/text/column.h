/* column.h - one column of a table while it is being read. */
#ifndef SM_IO_COLUMN_H
#define SM_IO_COLUMN_H

#include "io/text/names.h"
#include "io/text/text.h"

/* Other: nothing is known of it, so that its values are words until all are there. */
typedef enum sm_column_role { SM_FEATURE, SM_ID, SM_WEIGHT, SM_TARGET, SM_OTHER, SM_IGNORED } sm_column_role;

/* Open: nothing but missing values so far; the first other one decides. */
typedef enum sm_column_kind { SM_OPEN, SM_NUMBERS, SM_WORDS } sm_column_kind;

typedef struct sm_column {
    const char *name; /* borrowed */
    sm_column_role role;
    sm_column_kind kind;
    bool is_named;       /* by the spec: its kind, or its role */
    bool can_drop;       /* items that lack it can be left out */
    bool is_mixed;       /* numbers and text: this is said when all rows are there */
    size_t odd_position; /* of the first cell that is of the other kind, or else of the first text, */
    char odd[SM_QUOTE];  /* and what it says */
    size_t n_reserved;   /* rows that it must have memory for as soon as the kind is known, */
    size_t capacity;     /* and that it has memory for */
    double *values;      /* numbers: [capacity], else NULL; owned */
    double *plain;       /* values, where writing a finite number down is all there is to do; else NULL */
    uint32_t *codes;     /* words, but for ids: [capacity] indices of words, else NULL; owned */
    sm_names *words;     /* the levels of a category, or the ids; owned */
} sm_column;

/* Reserves memory for so many rows, where the kind is known; those that were put stay. False: no memory. */
bool sm_column_reserve(sm_column *column, size_t n_rows);
void sm_column_stop(sm_column *column);

/* The column after its last row: an open one becomes numbers, all missing, and memory that was not needed is given back.
 * False: no memory. */
bool sm_column_finish(sm_column *column, const sm_source *source, size_t n_rows);

/* Rows are put in order. Fails as table.h says, with the cell's position in the source; a cell of the wrong kind is noted. */
smerf_status sm_column_put_cell(sm_column *column, const sm_source *source, size_t row, const sm_csv_cell *cell,
                                smerf_error *error);
smerf_status sm_column_put_number(sm_column *column, const sm_source *source, size_t row, double value, sm_spot spot,
                                  smerf_error *error);

#endif
