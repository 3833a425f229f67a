/* table.c - reads ITEMS into columns, in steps: see table.h.
 *   1. names   the header of a CSV file; x0, x1, ... for .npy
 *   2. roles   what the spec says of each column
 *   3. cells   in one pass each goes to its column, which its first value makes one of numbers or a category
 *   4. table   the features in the order of the file, the ids, the weights, the targets in the order of the spec */
#include "io/text/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/matrix/npy.h"
#include "io/text/column.h"
#include "io/text/text.h"

typedef struct table_reader {
    sm_source source;
    const sm_table_spec *spec;
    bool is_npy;
    sm_names *names; /* of the columns */
    size_t header;   /* where it starts, for messages */
    sm_column *columns;
    double **plain; /* [n_columns] theirs */
    size_t n_columns;
    size_t n_kept;   /* columns that are not ignored */
    size_t n_rows;   /* read so far */
    size_t capacity; /* rows that the columns have memory for */
    smerf_error *error;
} table_reader;

enum { FIRST_CAPACITY = 1024 };

/* ---- 1  Names ---- */

static smerf_status fail_header(const table_reader *reader, const char *what) {
    if (!reader->is_npy) return sm_source_fail(&reader->source, reader->header, reader->error, "%s", what);
    return sm_fail(reader->error, SMERF_BAD_INPUT, "%s: %s", reader->source.name, what);
}

/* Whole numbers may be names (years, pandas' default); other numbers are data. */
static bool looks_like_data(const sm_names *names) {
    bool has_fraction = false;
    for (uint32_t j = 0; j < sm_names_count(names); j++) {
        const char *name = sm_names_get(names, j);
        double value;
        if (sm_number_parse(name, strlen(name), &value) != SM_CELL_NUMBER) return false;
        if (strspn(name, "0123456789") < strlen(name)) has_fraction = true;
    }
    return has_fraction;
}

static smerf_status read_header(table_reader *reader, sm_csv *csv) {
    const sm_source *source = &reader->source;
    sm_csv_cell cell = {0};
    reader->header = csv->next;
    while (!cell.ends_row) {
        bool is_found, is_new;
        char shown[SM_QUOTE];
        smerf_status status = sm_csv_next(csv, &cell, &is_found, reader->error);
        if (status != SMERF_OK) return status;
        if (!is_found) return fail_header(reader, "the file is empty: a header and a row for each item are needed");
        if (cell.n == 0)
            return sm_source_fail(source, cell.position, reader->error, "a column without a name; each needs one");
        status = sm_csv_check_text(&cell, source, reader->error);
        if (status != SMERF_OK) return status;
        if (sm_names_add(reader->names, cell.text, cell.n, &is_new) == SMERF_MISSING)
            return sm_no_memory(reader->error, "reading a header");
        if (!is_new)
            return sm_source_fail(source, cell.position, reader->error,
                                  "a second column is called \"%s\"; the names must be different",
                                  sm_quote(cell.text, cell.n, shown));
    }
    if (looks_like_data(reader->names))
        return fail_header(reader,
                           "the first line holds numbers, and a header with the names of the columns is needed");
    return SMERF_OK;
}

static smerf_status make_names(table_reader *reader, size_t n_columns) {
    for (size_t j = 0; j < n_columns; j++) {
        char name[SM_QUOTE];
        bool is_new;
        int n = snprintf(name, sizeof name, "x%zu", j);
        if (sm_names_add(reader->names, name, (size_t)n, &is_new) == SMERF_MISSING)
            return sm_no_memory(reader->error, "naming columns");
    }
    return SMERF_OK;
}

/* ---- 2  Roles ---- */

static sm_column *find_column(const table_reader *reader, const char *name) {
    size_t n = strlen(name);
    uint32_t index = sm_names_find(reader->names, name, n);
    if (index == SMERF_MISSING && reader->is_npy) /* by number, where there are no names */
        index = sm_id_table_find(&(sm_id_table){.n_items = reader->n_columns}, name, n);
    return index == SMERF_MISSING ? NULL : &reader->columns[index];
}

static smerf_status fail_to_find(const table_reader *reader, const char *name) {
    char shown[SM_QUOTE], what[320];
    int n = snprintf(what, sizeof what, "there is no column \"%s\"; there is", sm_quote(name, strlen(name), shown));
    for (uint32_t j = 0; j < reader->n_columns && n < 200; j++) {
        const char *there = sm_names_get(reader->names, j);
        n += snprintf(what + n, sizeof what - (size_t)n, "%s \"%s\"", j > 0 ? "," : "",
                      sm_quote(there, strlen(there), shown));
        if (n >= 200 && j + 1 < reader->n_columns) snprintf(what + n, sizeof what - (size_t)n, ", ...");
    }
    return fail_header(reader, what);
}

static smerf_status give_kind(table_reader *reader, const char *const *names, size_t n_names, sm_column_kind kind) {
    for (size_t i = 0; i < n_names; i++) {
        sm_column *column = find_column(reader, names[i]);
        if (column == NULL) return fail_to_find(reader, names[i]);
        column->role = SM_FEATURE;
        column->kind = kind;
        column->is_named = true;
    }
    return SMERF_OK;
}

static smerf_status give_role(table_reader *reader, const char *name, sm_column_role role, bool is_needed) {
    sm_column *column = find_column(reader, name);
    if (column == NULL) return is_needed ? fail_to_find(reader, name) : SMERF_OK;
    column->role = role;
    if (role == SM_ID) column->kind = SM_WORDS;
    if (role == SM_WEIGHT) column->kind = SM_NUMBERS;
    column->is_named = true;
    return SMERF_OK;
}

/* What else the spec makes of a column that is to be a target; NULL: nothing. */
static const char *other_use(const table_reader *reader, const sm_column *column) {
    switch (column->role) {
    case SM_ID: return reader->spec->id_may_be_absent ? NULL : "the id";
    case SM_WEIGHT: return "the weight";
    case SM_FEATURE: return !column->is_named ? NULL : column->kind == SM_WORDS ? "a category" : "a feature";
    case SM_TARGET: /* has a message of its own */
    case SM_OTHER:
    case SM_IGNORED: break;
    }
    return NULL;
}

static smerf_status give_targets(table_reader *reader) {
    const sm_table_spec *spec = reader->spec;
    for (size_t i = 0; i < spec->n_targets; i++) {
        sm_column *column = find_column(reader, spec->targets[i]);
        if (column == NULL && spec->targets_may_be_absent) continue;
        if (column == NULL) return fail_to_find(reader, spec->targets[i]);
        const char *use = other_use(reader, column);
        char shown[SM_QUOTE], what[160];
        if (use != NULL || column->role == SM_TARGET) {
            snprintf(what, sizeof what, "column \"%s\" is named as the target %s%s%s",
                     sm_quote(column->name, strlen(column->name), shown), use != NULL ? "and as " : "a second time",
                     use != NULL ? use : "", use != NULL ? "; it can be one thing only" : "");
            return fail_header(reader, what);
        }
        column->role = SM_TARGET;
        if (spec->targets_are_open && !spec->targets_are_labels) continue;
        column->kind = spec->targets_are_labels ? SM_WORDS : SM_NUMBERS;
        column->is_named = true;
    }
    return SMERF_OK;
}

static smerf_status give_roles(table_reader *reader) {
    const sm_table_spec *spec = reader->spec;
    reader->n_columns = sm_names_count(reader->names);
    reader->columns = sm_zeros(reader->n_columns, sizeof *reader->columns);
    reader->plain = sm_zeros(reader->n_columns, sizeof *reader->plain);
    if (reader->columns == NULL || reader->plain == NULL) return sm_no_memory(reader->error, "reading a table");
    for (size_t j = 0; j < reader->n_columns; j++) {
        reader->columns[j].name = sm_names_get(reader->names, (uint32_t)j);
        reader->columns[j].role = !spec->only_known ? SM_FEATURE : spec->keeps_others ? SM_OTHER : SM_IGNORED;
        reader->columns[j].kind = reader->columns[j].role == SM_OTHER ? SM_WORDS
                                  : reader->is_npy                    ? SM_NUMBERS
                                                                      : SM_OPEN;
    }
    smerf_status status = give_kind(reader, spec->numbers, spec->n_numbers, SM_NUMBERS);
    if (status == SMERF_OK) status = give_kind(reader, spec->categories, spec->n_categories, SM_WORDS);
    for (size_t i = 0; i < spec->n_ignore && status == SMERF_OK && !spec->only_known; i++)
        status = give_role(reader, spec->ignore[i], SM_IGNORED, true);
    if (status == SMERF_OK && spec->weight != NULL) status = give_role(reader, spec->weight, SM_WEIGHT, true);
    if (status == SMERF_OK && spec->id != NULL) status = give_role(reader, spec->id, SM_ID, !spec->id_may_be_absent);
    if (status == SMERF_OK) status = give_targets(reader);
    if (status != SMERF_OK || spec->id != NULL) return status;
    const sm_column *usual_id = find_column(reader, "id");
    return usual_id == NULL || usual_id->is_named || usual_id->role == SM_TARGET ? SMERF_OK
                                                                                 : give_role(reader, "id", SM_ID, true);
}

static smerf_status check_table_features(table_reader *reader) {
    size_t n_features = 0;
    for (size_t j = 0; j < reader->n_columns; j++) {
        n_features += reader->columns[j].role == SM_FEATURE;
        reader->n_kept += reader->columns[j].role != SM_IGNORED;
    }
    if (n_features > 0) return SMERF_OK;
    return fail_header(reader, "no feature is left: every column is an id, a weight, a target or ignored");
}

/* Reserves memory for `capacity` rows, where `expected` ones will come. */
static smerf_status reserve_rows(table_reader *reader, size_t capacity, double expected) {
    if (capacity >= SMERF_MISSING) return fail_header(reader, "more rows than can be counted in 32 bits");
    double bytes = expected * (double)reader->n_kept * sizeof(double);
    smerf_status status = sm_check_memory(bytes, reader->source.name, reader->error);
    for (size_t j = 0; j < reader->n_columns && status == SMERF_OK; j++)
        if (!sm_column_reserve(&reader->columns[j], capacity)) status = sm_no_memory(reader->error, "reading a table");
    for (size_t j = 0; j < reader->n_columns; j++) reader->plain[j] = reader->columns[j].plain;
    reader->capacity = capacity;
    return status;
}

/* ---- 3  Cells ---- */

static smerf_status fail_ragged(const table_reader *reader, const sm_csv_cell *cell, const char *how) {
    return sm_source_fail(&reader->source, cell->position, reader->error,
                          "a row with %s cells than the header, which has %zu", how, reader->n_columns);
}

/* How many rows there will be is estimated from those that have been read; where that is too few, the capacity doubles. */
static smerf_status reserve_more_rows(table_reader *reader, const sm_csv *csv) {
    double fraction = (double)csv->next / (double)reader->source.n_bytes, expected = (double)reader->n_rows / fraction;
    double capacity = fmax(FIRST_CAPACITY, fmax(2 * (double)reader->n_rows, 1.05 * expected));
    if (reader->n_rows + 1 < SMERF_MISSING) capacity = fmin(capacity, SMERF_MISSING - 1);
    return reserve_rows(reader, (size_t)capacity, expected);
}

/* Reads one cell, which may be anything, into column j. *is_found: there was one. */
static smerf_status read_table_cell(table_reader *reader, sm_csv *csv, size_t j, sm_csv_cell *cell, bool *is_found) {
    smerf_status status = sm_csv_next(csv, cell, is_found, reader->error);
    if (status != SMERF_OK || !*is_found) return status;
    if (j == reader->n_columns) return fail_ragged(reader, cell, "more");
    if (cell->ends_row && j + 1 < reader->n_columns) return fail_ragged(reader, cell, "fewer");
    status = sm_column_put_cell(&reader->columns[j], &reader->source, reader->n_rows, cell, reader->error);
    reader->plain[j] = reader->columns[j].plain;
    return status;
}

static smerf_status read_rows(table_reader *reader, sm_csv *csv) {
    const size_t n = reader->n_columns;
    sm_csv_cell cell;
    bool is_found;
    for (size_t j = 0;;) {
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
        j = ends_row ? 0 : next + 1;
    }
}

static smerf_status read_csv(table_reader *reader) {
    sm_csv csv;
    sm_csv_start(&csv, &reader->source);
    smerf_status status = read_header(reader, &csv);
    if (status == SMERF_OK) status = give_roles(reader);
    if (status == SMERF_OK) status = check_table_features(reader);
    if (status == SMERF_OK) status = read_rows(reader, &csv);
    if (status == SMERF_OK && reader->n_rows == 0)
        status = sm_source_fail(&reader->source, reader->source.n_bytes, reader->error,
                                "a header without rows; one row for each item is needed");
    sm_csv_stop(&csv);
    return status;
}

static smerf_status put_tile(table_reader *reader, const sm_npy *npy, const sm_npy_tile *tile) {
    double numbers[SM_NPY_TILE * SM_NPY_TILE];
    sm_npy_get_tile(npy, tile, numbers);
    for (size_t i = 0; i < tile->n_rows; i++)
        for (size_t j = 0; j < tile->n_columns; j++) {
            const sm_spot spot = {.position = SM_NO_POSITION, .row = tile->row + i, .column = tile->column + j};
            smerf_status status = sm_column_put_number(&reader->columns[spot.column], &reader->source, spot.row,
                                                       numbers[i * tile->n_columns + j], spot, reader->error);
            if (status != SMERF_OK) return status;
        }
    return SMERF_OK;
}

static smerf_status read_npy(table_reader *reader) {
    sm_npy npy;
    smerf_status status = sm_npy_read(&reader->source, &npy, reader->error);
    if (status != SMERF_OK) return status;
    if (npy.n_dims != 2 || npy.shape[0] == 0 || npy.shape[1] == 0)
        return fail_header(reader, "items are a 2-D array of at least one row and one column");
    status = make_names(reader, npy.shape[1]);
    if (status == SMERF_OK) status = give_roles(reader);
    if (status == SMERF_OK) status = check_table_features(reader);
    if (status == SMERF_OK) status = reserve_rows(reader, npy.shape[0], (double)npy.shape[0]);
    for (sm_npy_tile tile = {0}; status == SMERF_OK && sm_npy_next_tile(&npy, &tile);)
        status = put_tile(reader, &npy, &tile);
    reader->n_rows = npy.shape[0];
    return status;
}

/* ---- 4  Table ---- */

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

static bool finish_column(const table_reader *reader, sm_column *column, sm_table *table) {
    if (!sm_column_finish(column, reader->n_rows)) return false;
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

static bool finish_targets(const table_reader *reader, sm_table *table) {
    const sm_table_spec *spec = reader->spec;
    table->targets = sm_zeros(spec->n_targets, sizeof *table->targets);
    bool is_done = table->targets != NULL;
    for (size_t i = 0; i < spec->n_targets && is_done; i++) {
        sm_column *column = find_column(reader, spec->targets[i]);
        if (column != NULL) is_done = finish_values(column, &table->targets[table->n_targets++]);
    }
    return is_done;
}

static smerf_status finish_table(table_reader *reader, sm_table *table) {
    table->n_rows = reader->n_rows;
    table->columns = sm_zeros(reader->n_columns, sizeof *table->columns);
    table->others = sm_zeros(reader->n_columns, sizeof *table->others);
    bool is_done = table->columns != NULL && table->others != NULL;
    for (size_t j = 0; j < reader->n_columns && is_done; j++)
        is_done = finish_column(reader, &reader->columns[j], table);
    is_done = is_done && finish_targets(reader, table);
    return is_done ? SMERF_OK : sm_no_memory(reader->error, "reading a table");
}

smerf_status sm_table_read(const char *path, const sm_table_spec *spec, sm_table *table, smerf_error *error) {
    table_reader reader = {.spec = spec, .error = error};
    *table = (sm_table){0};
    smerf_status status = sm_source_open(path, &reader.source, error);
    if (status != SMERF_OK) return status;
    reader.is_npy = sm_npy_is(&reader.source);
    reader.names = sm_names_new();
    if (reader.names == NULL)
        status = sm_no_memory(error, "reading a table");
    else
        status = reader.is_npy ? read_npy(&reader) : read_csv(&reader);
    if (status == SMERF_OK) status = finish_table(&reader, table);
    if (status != SMERF_OK) sm_table_free(table);
    for (size_t j = 0; reader.columns != NULL && j < reader.n_columns; j++) sm_column_stop(&reader.columns[j]);
    sm_free(reader.columns);
    sm_free(reader.plain);
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
    *table = (sm_table){0};
}
