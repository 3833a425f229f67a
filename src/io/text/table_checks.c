/* table_checks.c - what the columns of a table turned out to hold, and which rows lack a target: see table_reader.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/matrix/npy.h"
#include "io/text/table_reader.h"

/* ---- messages that name several columns ---- */

enum { WHAT = 400, NAMED_AT_MOST = 3 };

static void add_to(char what[WHAT], const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_to(char what[WHAT], const char *format, ...) {
    size_t used = strlen(what);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what + used, WHAT - used, format, arguments);
    va_end(arguments);
}

typedef bool (*column_question)(const sm_table_reader *reader, const sm_column *column);

/* The column that a message begins with: of those for which it is true the first in the file. */
static const sm_column *find_first(const sm_table_reader *reader, column_question is_so) {
    const sm_column *first = NULL;
    for (size_t j = 0; j < reader->n_columns; j++) {
        const sm_column *column = &reader->columns[j];
        if (is_so(reader, column) && (first == NULL || column->odd_position < first->odd_position)) first = column;
    }
    return first;
}

/* "; likewise "b" ("n/a"), "c" ("-") and 12 more", or nothing. */
static void add_others(const sm_table_reader *reader, column_question is_so, const sm_column *first, char what[WHAT]) {
    size_t n_others = 0;
    for (size_t j = 0; j < reader->n_columns; j++) {
        const sm_column *column = &reader->columns[j];
        char name[SM_QUOTE];
        if (column == first || !is_so(reader, column) || n_others++ >= NAMED_AT_MOST) continue;
        add_to(what, "%s \"%s\" (\"%.16s\")", n_others == 1 ? "; likewise" : ",",
               sm_quote(column->name, strlen(column->name), name), column->odd);
    }
    if (n_others > NAMED_AT_MOST) add_to(what, " and %zu more", n_others - NAMED_AT_MOST);
}

/* ---- numbers and text in one column ---- */

static bool is_mixed(const sm_table_reader *reader, const sm_column *column) {
    (void)reader;
    return column->is_mixed;
}

static smerf_status check_mixtures(const sm_table_reader *reader) {
    static const char way_out[] = "(--categories takes all of it as text)";
    const sm_column *first = find_first(reader, is_mixed);
    if (first == NULL) return SMERF_OK;
    char what[WHAT] = "", name[SM_QUOTE], hint[SM_COMMA_HINT];
    sm_quote(first->name, strlen(first->name), name);
    sm_source_comma_hint(&reader->source, first->odd, strlen(first->odd), hint);
    if (first->kind == SM_WORDS)
        add_to(what, "\"%s\" is a number, and column \"%s\" holds text above %s", first->odd, name, way_out);
    else if (first->is_named)
        add_to(what, "\"%s\" is no number%s, and column \"%s\" must hold numbers", first->odd, hint, name);
    else
        add_to(what, "\"%s\" is no number%s, and column \"%s\" holds numbers above %s", first->odd, hint, name,
               way_out);
    add_others(reader, is_mixed, first, what);
    return sm_source_fail(&reader->source, first->odd_position, reader->error, "%s", what);
}

/* ---- text that is no text ---- */

static bool is_guessed_text(const sm_column *column) {
    return column->role == SM_FEATURE && column->kind == SM_WORDS && !column->is_named && column->words != NULL;
}

static bool holds_commas(const sm_table_reader *reader, const sm_column *column) {
    if (!is_guessed_text(column)) return false;
    size_t n = sm_names_count(column->words);
    for (uint32_t w = 0; w < n; w++) {
        const char *word = sm_names_get(column->words, w);
        if (!sm_source_mistakes_comma(&reader->source, word, strlen(word))) return false;
    }
    return n > 0;
}

static smerf_status check_commas(const sm_table_reader *reader) {
    const sm_column *first = find_first(reader, holds_commas);
    if (first == NULL) return SMERF_OK;
    char what[WHAT] = "", name[SM_QUOTE], hint[SM_COMMA_HINT];
    sm_quote(first->name, strlen(first->name), name);
    sm_source_comma_hint(&reader->source, first->odd, strlen(first->odd), hint);
    add_to(what, "\"%s\" is no number%s, nor is anything in column \"%s\" (--categories takes all of it as text)",
           first->odd, hint, name);
    add_others(reader, holds_commas, first, what);
    return sm_source_fail(&reader->source, first->odd_position, reader->error, "%s", what);
}

/* Fewer items, or fewer levels, may all be different and still be categories. */
enum { FEW_ITEMS = 20, FEW_LEVELS = 20 };

static size_t count_there(const sm_table_reader *reader, const sm_column *column) {
    size_t n = 0;
    for (size_t i = 0; i < reader->n_rows; i++) n += column->codes[i] != SMERF_MISSING;
    return n;
}

static bool holds_names(const sm_table_reader *reader, const sm_column *column) {
    if (!is_guessed_text(column) || column->codes == NULL) return false;
    size_t n_levels = sm_names_count(column->words), n_there = count_there(reader, column);
    return n_there > FEW_ITEMS && n_levels > FEW_LEVELS && n_levels > n_there / 2;
}

static smerf_status check_for_names(const sm_table_reader *reader) {
    const sm_column *first = find_first(reader, holds_names);
    if (first == NULL) return SMERF_OK;
    char what[WHAT] = "", name[SM_QUOTE];
    add_to(what,
           "column \"%s\" holds %zu different texts in %zu items, and looks like a name: give --id or --ignore; "
           "--categories takes it all the same",
           sm_quote(first->name, strlen(first->name), name), sm_names_count(first->words), count_there(reader, first));
    add_others(reader, holds_names, first, what);
    return sm_source_fail(&reader->source, first->odd_position, reader->error, "%s", what);
}

smerf_status sm_table_check_columns(const sm_table_reader *reader) {
    smerf_status status = check_mixtures(reader);
    if (status == SMERF_OK) status = check_commas(reader);
    if (status == SMERF_OK && reader->spec->refuses_names) status = check_for_names(reader);
    return status;
}

/* ---- rows without a target ---- */

static bool mark_row(sm_table_reader *reader, size_t row, bool is_dropped, size_t *capacity) {
    void *row_of = reader->row_of;
    bool fits = sm_grow(&row_of, capacity, row + 1, sizeof *reader->row_of);
    reader->row_of = row_of;
    if (!fits) return false;
    reader->row_of[row] = is_dropped ? SMERF_MISSING : (uint32_t)(row - reader->n_dropped);
    reader->n_in_file = row + 1;
    reader->n_dropped += is_dropped;
    return true;
}

/* What is wrong with the text is said when it is read. */
static bool mark_csv_rows(sm_table_reader *reader) {
    sm_csv csv;
    sm_csv_cell cell = {0};
    bool is_found = true, is_header = true, is_missing = false, has_memory = true;
    size_t c = 0, row = 0, capacity = 0;
    double value;
    sm_csv_start(&csv, &reader->source);
    csv.keeps_doubled = true;
    while (has_memory && row < SMERF_MISSING && sm_csv_next(&csv, &cell, &is_found, NULL) == SMERF_OK && is_found) {
        bool is_target = c < reader->n_columns && reader->columns[c].role == SM_TARGET;
        if (is_target && sm_number_parse(cell.text, cell.n, &value) == SM_CELL_MISSING) is_missing = true;
        c = cell.ends_row ? 0 : c + 1;
        if (!cell.ends_row) continue;
        if (!is_header) has_memory = mark_row(reader, row++, is_missing, &capacity);
        is_header = is_missing = false;
    }
    sm_csv_stop(&csv);
    return has_memory;
}

static bool mark_npy_rows(sm_table_reader *reader) {
    sm_npy npy;
    size_t capacity = 0;
    if (sm_npy_read(&reader->source, &npy, NULL) != SMERF_OK) return true; /* has been read before */
    for (size_t i = 0; i < npy.shape[0]; i++) {
        bool is_missing = false;
        for (size_t j = 0; j < npy.shape[1]; j++)
            is_missing |= reader->columns[j].role == SM_TARGET && isnan(sm_npy_get(&npy, i, j)) != 0;
        if (!mark_row(reader, i, is_missing, &capacity)) return false;
    }
    return true;
}

smerf_status sm_table_find_dropped(sm_table_reader *reader) {
    if (!reader->spec->drops_missing || reader->spec->n_targets == 0) return SMERF_OK;
    if (!(reader->is_npy ? mark_npy_rows : mark_csv_rows)(reader))
        return sm_no_memory(reader->error, "looking for missing targets");
    if (reader->n_dropped > 0 && reader->n_dropped == reader->n_in_file)
        return sm_table_fail_header(reader, "no item is left: each lacks its target (--drop-missing)");
    return SMERF_OK;
}
