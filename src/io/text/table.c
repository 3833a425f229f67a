/* table.c - reads ITEMS into columns, in steps: see table.h.
 *   1. names   the header of a CSV file; x0, x1, ... for .npy             table_roles.c
 *   2. roles   what the spec says of each column
 *   3. cells   in one pass each goes to its column, which its first value makes one of numbers or a category
 *   4. checks  mixtures of numbers and text, and text that is none        table_checks.c
 *   5. table   the features in the order of the file, the ids, the weights, the targets in the order of the spec */
#include "io/text/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/matrix/npy.h"
#include "io/text/table_reader.h"

enum { FIRST_CAPACITY = 1024 };

/* Reserves memory for `capacity` rows, where `expected` ones will come. */
static smerf_status reserve_rows(sm_table_reader *reader, size_t capacity, double expected) {
    if (capacity >= SMERF_MISSING) return sm_table_fail_header(reader, "more rows than can be counted in 32 bits");
    double bytes = expected * (double)reader->n_kept * sizeof(double);
    smerf_status status = sm_check_memory(bytes, reader->source.name, reader->error);
    for (size_t j = 0; j < reader->n_columns && status == SMERF_OK; j++)
        if (!sm_column_reserve(&reader->columns[j], capacity)) status = sm_no_memory(reader->error, "reading a table");
    for (size_t j = 0; j < reader->n_columns; j++) reader->plain[j] = reader->columns[j].plain;
    reader->capacity = capacity;
    return status;
}

/* ---- 3  Cells ---- */

static smerf_status fail_ragged(const sm_table_reader *reader, const sm_csv_cell *cell, const char *how) {
    return sm_source_fail(&reader->source, cell->position, reader->error,
                          "a row with %s cells than the header, which has %zu", how, reader->n_columns);
}

static smerf_status check_length(const sm_table_reader *reader, size_t j, const sm_csv_cell *cell) {
    if (j == reader->n_columns) return fail_ragged(reader, cell, "more");
    if (cell->ends_row && j + 1 < reader->n_columns) return fail_ragged(reader, cell, "fewer");
    return SMERF_OK;
}

/* How many rows there will be is estimated from those that have been read; where that is too few, the capacity doubles. */
static smerf_status reserve_more_rows(sm_table_reader *reader, const sm_csv *csv) {
    double fraction = (double)csv->next / (double)reader->source.n_bytes, expected = (double)reader->n_rows / fraction;
    double capacity = fmax(FIRST_CAPACITY, fmax(2 * (double)reader->n_rows, 1.05 * expected));
    if (reader->n_rows + 1 < SMERF_MISSING) capacity = fmin(capacity, SMERF_MISSING - 1);
    return reserve_rows(reader, (size_t)capacity, expected);
}

/* Reads one cell, which may be anything, into column j. *is_found: there was one. */
static smerf_status read_table_cell(sm_table_reader *reader, sm_csv *csv, size_t j, sm_csv_cell *cell, bool *is_found) {
    smerf_status status = sm_csv_next(csv, cell, is_found, reader->error);
    if (status != SMERF_OK || !*is_found) return status;
    status = check_length(reader, j, cell);
    if (status != SMERF_OK) return status;
    status = sm_column_put_cell(&reader->columns[j], &reader->source, reader->n_rows, cell, reader->error);
    reader->plain[j] = reader->columns[j].plain;
    return status;
}

static bool is_left_out(const sm_table_reader *reader) {
    return reader->file_row < reader->n_in_file && reader->row_of[reader->file_row] == SMERF_MISSING;
}

static smerf_status skip_row(sm_table_reader *reader, sm_csv *csv) {
    sm_csv_cell cell = {0};
    smerf_status status = SMERF_OK;
    bool is_found = true;
    for (size_t j = 0; status == SMERF_OK && is_found && !cell.ends_row; j++) {
        status = sm_csv_next(csv, &cell, &is_found, reader->error);
        if (status == SMERF_OK && is_found) status = check_length(reader, j, &cell);
    }
    reader->file_row++;
    return status;
}

static smerf_status read_rows(sm_table_reader *reader, sm_csv *csv) {
    const size_t n = reader->n_columns;
    sm_csv_cell cell;
    bool is_found;
    for (size_t j = 0;;) {
        if (j == 0 && is_left_out(reader)) {
            smerf_status status = skip_row(reader, csv);
            if (status != SMERF_OK) return status;
            continue;
        }
        smerf_status status = reader->n_rows == reader->capacity ? reserve_more_rows(reader, csv) : SMERF_OK;
        if (status != SMERF_OK) return status;
        size_t next = j < n ? sm_csv_next_numbers(csv, reader->plain, j, n, reader->n_rows) : j;
        bool ends_row = j < n && next == n;
        if (!ends_row) { /* after the last column, too: the row is too long, or there is no further one */
            status = read_table_cell(reader, csv, next, &cell, &is_found);
            if (status != SMERF_OK || !is_found) return status;
            ends_row = cell.ends_row;
        }
        reader->n_rows += ends_row;
        reader->file_row += ends_row;
        j = ends_row ? 0 : next + 1;
    }
}

static smerf_status read_csv(sm_table_reader *reader) {
    sm_csv csv;
    sm_csv_start(&csv, &reader->source);
    smerf_status status = sm_table_read_header(reader, &csv);
    if (status == SMERF_OK) status = sm_table_give_roles(reader);
    if (status == SMERF_OK) status = sm_table_find_dropped(reader);
    if (status == SMERF_OK) status = read_rows(reader, &csv);
    if (status == SMERF_OK && reader->n_rows == 0)
        status = sm_source_fail(&reader->source, reader->source.n_bytes, reader->error,
                                "a header without rows; one row for each item is needed");
    sm_csv_stop(&csv);
    return status;
}

static smerf_status put_tile(sm_table_reader *reader, const sm_npy *npy, const sm_npy_tile *tile) {
    double numbers[SM_NPY_TILE * SM_NPY_TILE];
    sm_npy_get_tile(npy, tile, numbers);
    for (size_t i = 0; i < tile->n_rows; i++) {
        size_t row = reader->row_of != NULL ? reader->row_of[tile->row + i] : tile->row + i;
        for (size_t j = 0; j < tile->n_columns && row != SMERF_MISSING; j++) {
            const sm_spot spot = {.position = SM_NO_POSITION, .row = tile->row + i, .column = tile->column + j};
            smerf_status status = sm_column_put_number(&reader->columns[spot.column], &reader->source, row,
                                                       numbers[i * tile->n_columns + j], spot, reader->error);
            if (status != SMERF_OK) return status;
        }
    }
    return SMERF_OK;
}

static smerf_status read_npy(sm_table_reader *reader) {
    sm_npy npy;
    smerf_status status = sm_npy_read(&reader->source, &npy, reader->error);
    if (status != SMERF_OK) return status;
    if (npy.n_dims != 2 || npy.shape[0] == 0 || npy.shape[1] == 0)
        return sm_table_fail_header(reader, "items are a 2-D array of at least one row and one column");
    status = sm_table_make_names(reader, npy.shape[1]);
    if (status == SMERF_OK) status = sm_table_give_roles(reader);
    if (status == SMERF_OK) status = sm_table_find_dropped(reader);
    if (status == SMERF_OK) status = reserve_rows(reader, npy.shape[0], (double)npy.shape[0]);
    for (sm_npy_tile tile = {0}; status == SMERF_OK && sm_npy_next_tile(&npy, &tile);)
        status = put_tile(reader, &npy, &tile);
    reader->n_rows = npy.shape[0] - reader->n_dropped;
    return status;
}

/* ---- 5  Table ---- */

static bool finish_values(sm_column *column, sm_table_column *feature) {
    feature->name = sm_copy_string(column->name);
    feature->is_category = column->kind == SM_WORDS;
    feature->values = column->values;
    feature->codes = column->codes;
    column->values = NULL; /* now the table's */
    column->codes = NULL;
    if (!feature->is_category) return feature->name != NULL;
    feature->levels = sm_names_list(column->words);
    feature->n_levels = sm_names_count(column->words);
    return feature->name != NULL && feature->levels != NULL;
}

static bool finish_column(const sm_table_reader *reader, sm_column *column, sm_table *table) {
    if (!sm_column_finish(column, &reader->source, reader->n_rows)) return false;
    switch (column->role) {
    case SM_FEATURE: return finish_values(column, &table->columns[table->n_columns++]);
    case SM_WEIGHT:
        table->weights = column->values;
        column->values = NULL;
        return true;
    case SM_ID:
        table->id_column = sm_copy_string(column->name);
        table->ids = sm_names_list(column->words);
        return table->id_column != NULL && table->ids != NULL;
    case SM_OTHER: return finish_values(column, &table->others[table->n_others++]);
    case SM_TARGET: /* in the order of the spec: finish_targets */
    case SM_IGNORED: break;
    }
    return true;
}

static bool finish_targets(const sm_table_reader *reader, sm_table *table) {
    const sm_table_spec *spec = reader->spec;
    table->targets = sm_zeros(spec->n_targets, sizeof *table->targets);
    bool is_done = table->targets != NULL;
    for (size_t i = 0; i < spec->n_targets && is_done; i++) {
        sm_column *column = sm_table_find(reader, spec->targets[i]);
        if (column != NULL) is_done = finish_values(column, &table->targets[table->n_targets++]);
    }
    return is_done;
}

/* What the file was, for those who tell. False: no memory. */
static bool finish_facts(const sm_table_reader *reader, sm_table *table) {
    table->dialect = reader->source.dialect;
    table->n_dropped = reader->n_dropped;
    const char **ignored = sm_array(reader->n_columns, sizeof *ignored);
    bool is_done = ignored != NULL;
    size_t n_ignored = 0;
    for (size_t j = 0; j < reader->n_columns && is_done; j++)
        if (reader->columns[j].role == SM_IGNORED) ignored[n_ignored++] = reader->columns[j].name;
    is_done = is_done && sm_strings_copy(&table->ignored, ignored, n_ignored);
    sm_free(ignored);
    if (!is_done || reader->n_dropped == 0) return is_done;
    table->file_rows = sm_array(reader->n_rows, sizeof *table->file_rows);
    for (size_t i = 0; i < reader->n_in_file && table->file_rows != NULL; i++)
        if (reader->row_of[i] != SMERF_MISSING) table->file_rows[reader->row_of[i]] = i;
    return table->file_rows != NULL;
}

static smerf_status finish_table(sm_table_reader *reader, sm_table *table) {
    table->n_rows = reader->n_rows;
    table->columns = sm_zeros(reader->n_columns, sizeof *table->columns);
    table->others = sm_zeros(reader->n_columns, sizeof *table->others);
    bool is_done = table->columns != NULL && table->others != NULL;
    for (size_t j = 0; j < reader->n_columns && is_done; j++)
        is_done = finish_column(reader, &reader->columns[j], table);
    is_done = is_done && finish_targets(reader, table) && finish_facts(reader, table);
    return is_done ? SMERF_OK : sm_no_memory(reader->error, "reading a table");
}

smerf_status sm_table_read(const char *path, const sm_table_spec *spec, sm_table *table, smerf_error *error) {
    sm_table_reader reader = {.spec = spec, .error = error};
    *table = (sm_table){0};
    smerf_status status = sm_source_open(path, &reader.source, error);
    if (status != SMERF_OK) return status;
    reader.is_npy = sm_npy_is(&reader.source);
    reader.names = sm_names_new();
    if (reader.names == NULL)
        status = sm_no_memory(error, "reading a table");
    else
        status = reader.is_npy ? read_npy(&reader) : read_csv(&reader);
    if (status == SMERF_OK) status = sm_table_check_columns(&reader);
    if (status == SMERF_OK) status = finish_table(&reader, table);
    if (status != SMERF_OK) sm_table_free(table);
    for (size_t j = 0; reader.columns != NULL && j < reader.n_columns; j++) sm_column_stop(&reader.columns[j]);
    sm_free(reader.columns);
    sm_free(reader.plain);
    sm_free(reader.row_of);
    sm_names_free(reader.names);
    sm_source_close(&reader.source);
    return status;
}

static void free_table_columns(sm_table_column *columns, size_t n) {
    for (size_t j = 0; j < n; j++) {
        sm_free(columns[j].name);
        sm_free(columns[j].values);
        sm_free(columns[j].codes);
        sm_free(columns[j].levels);
    }
    sm_free(columns);
}

void sm_table_free(sm_table *table) {
    free_table_columns(table->columns, table->n_columns);
    free_table_columns(table->targets, table->n_targets);
    free_table_columns(table->others, table->n_others);
    sm_free(table->id_column);
    sm_free(table->ids);
    sm_free(table->weights);
    sm_free(table->file_rows);
    sm_strings_free(&table->ignored);
    *table = (sm_table){0};
}
