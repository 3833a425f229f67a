/* column.c - values go in row by row; the first one that is not missing decides between numbers and words: see column.h. */
#include "io/text/column.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/matrix/npy.h"
#include "io/text/table.h"
#include "io/text/text.h"

bool sm_column_reserve(sm_column *column, size_t n_rows) {
    column->n_reserved = n_rows;
    if (column->role == SM_IGNORED || column->kind == SM_OPEN) return true;
    bool are_numbers = column->kind == SM_NUMBERS;
    if (!are_numbers && column->words == NULL) column->words = sm_names_new();
    if (!are_numbers && (column->words == NULL || column->role == SM_ID)) return column->words != NULL;
    void *array = are_numbers ? (void *)column->values : column->codes;
    bool fits = sm_grow(&array, &column->capacity, n_rows, are_numbers ? sizeof(double) : sizeof(uint32_t));
    if (are_numbers)
        column->values = array;
    else
        column->codes = array;
    column->plain = column->role == SM_FEATURE || column->role == SM_TARGET ? column->values : NULL;
    return fits;
}

void sm_column_stop(sm_column *column) {
    sm_free(column->values);
    sm_free(column->codes);
    sm_names_free(column->words);
    *column = (sm_column){0};
}

/* Decides what an open column is; the n_rows above were missing, which is written down now. */
static bool decide_kind(sm_column *column, sm_column_kind kind, size_t n_rows) {
    column->kind = kind;
    if (!sm_column_reserve(column, column->n_reserved)) return false;
    for (size_t i = 0; i < n_rows; i++) {
        if (kind == SM_NUMBERS)
            column->values[i] = NAN;
        else
            column->codes[i] = SMERF_MISSING;
    }
    return true;
}

/* A column of words that are all numbers becomes one of numbers. False: no memory. */
static bool take_as_numbers(sm_column *column, const sm_source *source, size_t n_rows) {
    size_t n_words = sm_names_count(column->words);
    double *number = sm_array(n_words, sizeof *number);
    if (number == NULL) return false;
    bool are_numbers = true;
    for (uint32_t w = 0; w < n_words && are_numbers; w++) {
        const char *word = sm_names_get(column->words, w);
        are_numbers = sm_source_number(source, word, strlen(word), &number[w]) == SM_CELL_NUMBER;
    }
    if (are_numbers) {
        column->kind = SM_NUMBERS;
        column->values = sm_array(n_rows, sizeof *column->values);
        for (size_t i = 0; i < n_rows && column->values != NULL; i++)
            column->values[i] = column->codes[i] == SMERF_MISSING ? NAN : number[column->codes[i]];
        sm_free(column->codes);
        column->codes = NULL;
    }
    sm_free(number);
    return !are_numbers || column->values != NULL;
}

bool sm_column_finish(sm_column *column, const sm_source *source, size_t n_rows) {
    if (column->role == SM_IGNORED) return true;
    if (column->role == SM_OTHER && !take_as_numbers(column, source, n_rows)) return false;
    if (column->kind == SM_OPEN && !decide_kind(column, SM_NUMBERS, n_rows)) return false;
    if (column->values != NULL) column->values = sm_shrink(column->values, n_rows, sizeof *column->values);
    if (column->codes != NULL) column->codes = sm_shrink(column->codes, n_rows, sizeof *column->codes);
    return true;
}

static const char *shown_name(const sm_column *column, char shown[SM_QUOTE]) {
    return sm_quote(column->name, strlen(column->name), shown);
}

static smerf_status fail_missing_target(const sm_column *column, const sm_source *source, sm_spot spot,
                                        smerf_error *error) {
    static const char *const what[3] = {[SM_OPEN] = "label or number", [SM_NUMBERS] = "response", [SM_WORDS] = "label"};
    return sm_source_fail_spot(source, spot, error, "a missing %s; every item needs one%s", what[column->kind],
                               column->can_drop ? " (--drop-missing leaves out those without)" : "");
}

static smerf_status put_column_value(sm_column *column, const sm_source *source, size_t row, double value, sm_spot spot,
                                     smerf_error *error) {
    char shown[SM_QUOTE];
    if (column->role == SM_WEIGHT && !(value > 0 && isfinite(value)))
        return sm_source_fail_spot(source, spot, error, "an item weight must be a number > 0");
    if (column->role == SM_TARGET && isnan(value)) return fail_missing_target(column, source, spot, error);
    if (isinf(value))
        return sm_source_fail_spot(source, spot, error, "an infinite value in column \"%s\"; numbers must be finite%s",
                                   shown_name(column, shown), column->role == SM_TARGET ? "" : ", or missing");
    column->values[row] = value;
    return SMERF_OK;
}

static smerf_status put_word(sm_column *column, const sm_source *source, size_t row, const char *text, size_t n,
                             sm_spot spot, smerf_error *error) {
    char shown[SM_QUOTE];
    bool is_new;
    if (column->role == SM_ID && n == 0)
        return sm_source_fail_spot(source, spot, error, "an item without an id; each needs one");
    uint32_t word = sm_names_add(column->words, text, n, &is_new);
    if (word == SMERF_MISSING) return sm_no_memory(error, "reading words");
    if (is_new && spot.position != SM_NO_POSITION) {
        const sm_csv_cell cell = {.text = text, .n = n, .position = spot.position};
        smerf_status status = sm_csv_check_text(&cell, source, error);
        if (status != SMERF_OK) return status;
    }
    if (column->role != SM_ID)
        column->codes[row] = word;
    else if (!is_new)
        return sm_source_fail_spot(source, spot, error, "a second item has the id \"%s\"; ids must be different",
                                   sm_quote(text, n, shown));
    return SMERF_OK;
}

static smerf_status put_missing_word(sm_column *column, const sm_source *source, size_t row, sm_spot spot,
                                     smerf_error *error) {
    if (column->role == SM_TARGET) return fail_missing_target(column, source, spot, error);
    column->codes[row] = SMERF_MISSING;
    return SMERF_OK;
}

static void note_odd(sm_column *column, const sm_csv_cell *cell) {
    column->odd_position = cell->position;
    sm_quote(cell->text, cell->n, column->odd);
}

/* A cell of the wrong kind counts as missing until all of them can be named. */
static smerf_status put_odd_cell(sm_column *column, size_t row, const sm_csv_cell *cell) {
    if (!column->is_mixed) note_odd(column, cell);
    column->is_mixed = true;
    if (column->kind == SM_NUMBERS)
        column->values[row] = NAN;
    else
        column->codes[row] = SMERF_MISSING;
    return SMERF_OK;
}

smerf_status sm_column_put_cell(sm_column *column, const sm_source *source, size_t row, const sm_csv_cell *cell,
                                smerf_error *error) {
    const sm_spot spot = {.position = cell->position};
    if (column->role == SM_IGNORED) return SMERF_OK;
    if (column->role == SM_ID) return put_word(column, source, row, cell->text, cell->n, spot, error);

    double value = NAN;
    sm_cell content = sm_source_number(source, cell->text, cell->n, &value);
    if (content == SM_CELL_INFINITE) value = INFINITY;
    if (column->kind == SM_OPEN) {
        if (content == SM_CELL_MISSING && column->role == SM_TARGET)
            return fail_missing_target(column, source, spot, error);
        if (content == SM_CELL_MISSING) return SMERF_OK;
        if (!decide_kind(column, content == SM_CELL_TEXT ? SM_WORDS : SM_NUMBERS, row))
            return sm_no_memory(error, "reading a table");
        if (column->kind == SM_WORDS) note_odd(column, cell);
    }
    if (column->kind == SM_NUMBERS) {
        if (content == SM_CELL_TEXT) return put_odd_cell(column, row, cell);
        return put_column_value(column, source, row, value, spot, error);
    }
    if (content == SM_CELL_MISSING) return put_missing_word(column, source, row, spot, error);
    if (content != SM_CELL_TEXT && !column->is_named && column->role != SM_OTHER)
        return put_odd_cell(column, row, cell);
    return put_word(column, source, row, cell->text, cell->n, spot, error);
}

smerf_status sm_column_put_number(sm_column *column, const sm_source *source, size_t row, double value, sm_spot spot,
                                  smerf_error *error) {
    if (column->role == SM_IGNORED) return SMERF_OK;
    if (column->kind == SM_NUMBERS) return put_column_value(column, source, row, value, spot, error);
    char text[SM_NUMBER_SPACE];
    size_t n = sm_number_format(value, text); /* "" for NaN: a missing level, and no id */
    if (column->role == SM_ID || n > 0) return put_word(column, source, row, text, n, spot, error);
    return put_missing_word(column, source, row, spot, error);
}

/* ---- where a value of a table is in its file: see table.h ---- */

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
    if (sm_npy_is(source)) return SM_NO_POSITION;
    sm_csv_start(&csv, source);
    while (sm_csv_next(&csv, &cell, &is_found, NULL) == SMERF_OK && is_found) {
        bool is_name = n_rows == 0 && cell.n == strlen(named->column);
        if (is_name && memcmp(cell.text, named->column, cell.n) == 0) wanted = c;
        if (n_rows == named->row + 1 && c == wanted) break;
        n_rows += cell.ends_row;
        c = cell.ends_row ? 0 : c + 1;
    }
    sm_csv_stop(&csv);
    return cell.position;
}

smerf_status sm_table_position(const char *path, const char *column, size_t row, smerf_error *error) {
    const named_cell cell = {.column = column, .row = row};
    return sm_source_position(path, find_cell, &cell, error);
}
