/* column.h - one column of a table while it is being read. */
#ifndef SM_IO_COLUMN_H
#define SM_IO_COLUMN_H

#include "io/csv.h"
#include "io/names.h"

typedef enum sm_column_role { SM_FEATURE, SM_ID, SM_WEIGHT, SM_TARGET, SM_IGNORED } sm_column_role;

/* Open: nothing but missing values so far; the first other one decides. */
typedef enum sm_column_kind { SM_OPEN, SM_NUMBERS, SM_WORDS } sm_column_kind;

typedef struct sm_column {
    const char *name; /* borrowed */
    sm_column_role role;
    sm_column_kind kind;
    bool is_wished;   /* the reader's wish names it: its kind, or its role */
    size_t most_rows; /* for so many there is room */
    double *values;   /* numbers: [most_rows], else NULL; owned */
    uint32_t *codes;  /* words of a feature or a target: [most_rows] places in words, else NULL; owned */
    sm_names *words;  /* the levels of a category, or the ids; owned */
} sm_column;

/* Says how many rows there may be, and makes room where the kind is known; false: no memory. */
bool sm_column_start(sm_column *column, size_t most_rows);
void sm_column_stop(sm_column *column);

/* The column after its last row: an open one becomes numbers, all missing. False: no memory. */
bool sm_column_finish(sm_column *column, size_t n_rows);

/* Rows are put in order. Fails as table.h says, with the cell's place in the source. */
smerf_status sm_column_put_cell(sm_column *column, const sm_source *source, size_t row, const sm_csv_cell *cell,
                                smerf_error *error);
smerf_status sm_column_put_number(sm_column *column, const sm_source *source, size_t row, double value, sm_spot spot,
                                  smerf_error *error);

#endif
