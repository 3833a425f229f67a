/* table_place.c - where a value of a table stands in its file: see table.h. */
#include <string.h>

#include "io/matrix/npy.h"
#include "io/text/csv.h"
#include "io/text/table.h"

/* A cell by the name of its column and the number of its row. */
typedef struct named_cell {
    const char *column;
    size_t row;
} named_cell;

static size_t find_cell(const sm_source *source, const void *what) {
    const named_cell *named = what;
    sm_csv csv;
    sm_csv_cell cell = {0};
    bool is_found = true;
    size_t n_rows = 0, c = 0, wanted = SIZE_MAX; /* the header is a row */
    if (sm_npy_is(source)) return SM_NO_PLACE;
    sm_csv_start(&csv, source);
    while (sm_csv_next(&csv, &cell, &is_found, NULL) == SMERF_OK && is_found) {
        bool is_name = n_rows == 0 && cell.n == strlen(named->column);
        if (is_name && memcmp(cell.text, named->column, cell.n) == 0) wanted = c;
        if (n_rows == named->row + 1 && c == wanted) break;
        n_rows += cell.ends_row;
        c = cell.ends_row ? 0 : c + 1;
    }
    sm_csv_stop(&csv);
    return cell.place;
}

smerf_status sm_table_position(const char *path, const char *column, size_t row, smerf_error *error) {
    const named_cell cell = {.column = column, .row = row};
    return sm_source_position(path, find_cell, &cell, error);
}
