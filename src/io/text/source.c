/* source.c - see text.h: files as bytes, messages that name a line and a column, and tables copied row by row. */
#include "io/text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/strings.h"
#include "io/matrix/npy.h"

/* Neither NumPy's nor Matrix Market. */
static bool is_csv(const sm_source *source) {
    return !sm_npy_is(source) && (source->n_bytes == 0 || source->bytes[0] != '%');
}

smerf_status sm_source_open(const char *path, sm_source *source, smerf_error *error) {
    *source = (sm_source){0};
    source->name = sm_copy_string(sm_input_name(path));
    if (source->name == NULL) return sm_no_memory(error, "opening a file");
    smerf_status status = sm_input_open(path, &source->input, error);
    source->is_compressed = status == SMERF_OK && sm_gzip_is(source->input.bytes, source->input.n_bytes);
    if (source->is_compressed) status = sm_gzip_open(source->name, &source->input, error);
    source->bytes = source->input.bytes;
    source->n_bytes = source->input.n_bytes;
    if (status == SMERF_OK && source->is_compressed && sm_npy_is(source))
        status = sm_fail(error, SMERF_BAD_INPUT,
                         "%s: a compressed .npy file, which cannot be mapped into memory; decompress it (gunzip)",
                         source->name);
    if (status == SMERF_OK && is_csv(source)) status = sm_dialect_find(source, error);
    if (status != SMERF_OK) sm_source_close(source);
    return status;
}

void sm_source_close(sm_source *source) {
    sm_input_close(&source->input);
    sm_free((void *)source->name);
    *source = (sm_source){0};
}

/* Counted from the start each time: an error happens once, and cells need not remember where they stood. */
static void find_line(const sm_source *source, size_t position, size_t *line, size_t *column) {
    const char *bytes = source->bytes;
    size_t start = source->n_bytes >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* byte order mark */
    *line = 1;
    *column = 1;
    for (size_t i = start; i < position && i < source->n_bytes; i++) {
        bool is_pair = bytes[i] == '\r' && i + 1 < source->n_bytes && bytes[i + 1] == '\n';
        if (bytes[i] == '\n' || (bytes[i] == '\r' && !is_pair)) {
            ++*line;
            *column = 1;
        } else if (((unsigned char)bytes[i] & 0xC0) != 0x80) { /* no continuation byte of UTF-8 */
            ++*column;
        }
    }
}

size_t sm_source_line(const sm_source *source, size_t position) {
    size_t line, column;
    find_line(source, position, &line, &column);
    return line;
}

static smerf_status fail_at_spot(const sm_source *source, sm_spot spot, smerf_error *error, const char *format,
                                 va_list arguments) {
    char what[sizeof error->message];
    vsnprintf(what, sizeof what, format, arguments);
    if (spot.position == SM_NO_POSITION)
        return sm_fail_at(error, spot.row, spot.column, "%s: row %zu, column %zu: %s", source->name, spot.row,
                          spot.column, what);
    size_t line, column;
    find_line(source, spot.position, &line, &column);
    return sm_fail(error, SMERF_BAD_INPUT, "%s:%zu:%zu: %s", source->name, line, column, what);
}

smerf_status sm_source_fail(const sm_source *source, size_t position, smerf_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    smerf_status status = fail_at_spot(source, (sm_spot){.position = position}, error, format, arguments);
    va_end(arguments);
    return status;
}

smerf_status sm_source_fail_spot(const sm_source *source, sm_spot spot, smerf_error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    smerf_status status = fail_at_spot(source, spot, error, format, arguments);
    va_end(arguments);
    return status;
}

smerf_status sm_source_position(const char *path, sm_position_finder find, const void *what, smerf_error *error) {
    const smerf_error complaint = *error;
    sm_source source = {0};
    size_t position = SM_NO_POSITION;
    if (sm_input_can_repeat(path) && sm_source_open(path, &source, NULL) == SMERF_OK) position = find(&source, what);
    if (position != SM_NO_POSITION)
        (void)sm_source_fail(&source, position, error, "%s", complaint.message);
    else
        (void)sm_fail(error, complaint.status, "%s: %s", sm_input_name(path), complaint.message);
    sm_source_close(&source);
    error->status = complaint.status;
    error->row = complaint.row;
    error->column = complaint.column;
    return error->status;
}

const char *sm_quote(const char *text, size_t n, char quote[SM_QUOTE]) {
    const size_t most = SM_QUOTE - sizeof "...";
    size_t kept = n;
    if (n > SM_QUOTE - 1) {
        kept = most;
        while (kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80) kept--; /* whole characters */
    }
    for (size_t i = 0, n_fine = sm_utf8_length(text, kept); i < kept; i++) {
        unsigned char byte = (unsigned char)text[i];
        bool is_odd = i == n_fine; /* a byte that no terminal can show */
        quote[i] = is_odd ? '?' : byte < 0x20 || byte == 0x7F ? ' ' : text[i];
        if (is_odd) n_fine = i + 1 + sm_utf8_length(text + i + 1, kept - i - 1);
    }
    memcpy(quote + kept, kept < n ? "..." : "", kept < n ? 4 : 1);
    return quote;
}

/* ---- rows of a table ---- */

/* Finds the row that starts at the next cell. *found is false at the end. */
static smerf_status next_row(sm_csv *csv, size_t *start, bool *found, smerf_error *error) {
    sm_csv_cell cell;
    smerf_status status = sm_csv_next(csv, &cell, found, error);
    *start = cell.position;
    while (status == SMERF_OK && *found && !cell.ends_row) status = sm_csv_next(csv, &cell, found, error);
    return status;
}

/* The bytes of a row without its line end. */
static void put_row(const sm_source *source, size_t start, size_t end, sm_output *output) {
    while (end > start && (source->bytes[end - 1] == '\n' || source->bytes[end - 1] == '\r')) end--;
    sm_output_write(output, source->bytes + start, end - start);
    sm_output_write(output, "\n", 1);
}

static smerf_status put_csv(const sm_source *source, const bool *is_chosen, bool has_ids, sm_output *output,
                            smerf_error *error) {
    sm_csv csv;
    sm_csv_start(&csv, source);
    const char separator[] = {csv.separator, '\0'};
    size_t start, n_lines = 0;
    bool is_found = true;
    smerf_status status = next_row(&csv, &start, &is_found, error);
    for (; status == SMERF_OK && is_found; n_lines++) {
        size_t this_row = start, end;
        bool is_header = n_lines == 0;
        end = csv.next;
        status = next_row(&csv, &start, &is_found, error);
        if (!is_header && is_chosen != NULL && !is_chosen[n_lines - 1]) continue;
        if (!has_ids && is_header) sm_output_print(output, "id%s", separator);
        if (!has_ids && !is_header) sm_output_print(output, "%zu%s", n_lines - 1, separator);
        put_row(source, this_row, end, output);
    }
    sm_csv_stop(&csv);
    return status;
}

static smerf_status put_npy(const sm_source *source, const bool *is_chosen, bool has_ids, sm_output *output,
                            smerf_error *error) {
    sm_npy npy;
    smerf_status status = sm_npy_read(source, &npy, error);
    if (status != SMERF_OK) return status;
    if (!has_ids) sm_output_print(output, "id,");
    for (size_t j = 0; j < npy.shape[1]; j++) sm_output_print(output, "%sx%zu", j > 0 ? "," : "", j);
    sm_output_write(output, "\n", 1);
    for (size_t i = 0; i < npy.shape[0]; i++) {
        if (is_chosen != NULL && !is_chosen[i]) continue;
        if (!has_ids) sm_output_print(output, "%zu,", i);
        for (size_t j = 0; j < npy.shape[1]; j++) {
            if (j > 0) sm_output_write(output, ",", 1);
            sm_put_number(output, sm_npy_get(&npy, i, j));
        }
        sm_output_write(output, "\n", 1);
    }
    return SMERF_OK;
}

static smerf_status check_no_id(const sm_source *source, smerf_error *error) {
    sm_csv csv;
    sm_csv_cell cell = {0};
    bool is_found = true;
    smerf_status status = SMERF_OK;
    sm_csv_start(&csv, source);
    while (status == SMERF_OK && is_found && !cell.ends_row) {
        status = sm_csv_next(&csv, &cell, &is_found, error);
        if (status == SMERF_OK && is_found && cell.n == 2 && memcmp(cell.text, "id", 2) == 0)
            status =
                sm_source_fail(source, cell.position, error,
                               "the items have no ids here, and cannot get any: a column is called \"id\" already");
    }
    sm_csv_stop(&csv);
    return status;
}

smerf_status sm_table_check_copy(const char *path, bool has_ids, smerf_error *error) {
    sm_source source;
    smerf_status status = sm_source_open(path, &source, error);
    if (status != SMERF_OK) return status;
    if (!has_ids && !sm_npy_is(&source)) status = check_no_id(&source, error);
    sm_source_close(&source);
    return status;
}

smerf_status sm_table_copy_rows(const char *path, const bool *is_chosen, bool has_ids, sm_output *output,
                                smerf_error *error) {
    sm_source source;
    smerf_status status = sm_source_open(path, &source, error);
    if (status != SMERF_OK) return status;
    status = sm_npy_is(&source) ? put_npy(&source, is_chosen, has_ids, output, error)
                                : put_csv(&source, is_chosen, has_ids, output, error);
    sm_source_close(&source);
    return status;
}
