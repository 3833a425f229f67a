/* csv.c - cell by cell, numbers without a search for the end of their cell; and cells written: see text.h. */
#include "io/text/text.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/strings.h"

static bool ends_line(char byte) { return byte == '\n' || byte == '\r'; }

static size_t skip_empty_lines(const sm_source *source, size_t position) {
    while (position < source->n_bytes && ends_line(source->bytes[position])) position++;
    return position;
}

size_t sm_csv_first_line(const sm_source *source) {
    bool has_mark = source->n_bytes >= 3 && memcmp(source->bytes, "\xEF\xBB\xBF", 3) == 0;
    return skip_empty_lines(source, has_mark ? 3 : 0);
}

void sm_csv_start(sm_csv *csv, const sm_source *source) { sm_csv_start_with(csv, source, &source->dialect); }

void sm_csv_start_with(sm_csv *csv, const sm_source *source, const sm_dialect *dialect) {
    *csv = (sm_csv){.source = source,
                    .separator = dialect->separator,
                    .is_plain = dialect->separator != ' ' && !dialect->has_decimal_commas,
                    .begins = dialect->has_short_header,
                    .skips_first = dialect->skips_first};
    csv->next = sm_csv_first_line(source);
    csv->ends_cell['\0'] = csv->ends_cell['\n'] = csv->ends_cell['\r'] = true;
    csv->ends_cell[(unsigned char)csv->separator] = true;
    if (csv->separator == ' ') csv->ends_cell['\t'] = true;
}

void sm_csv_stop(sm_csv *csv) {
    sm_free(csv->unquoted);
    *csv = (sm_csv){0};
}

static size_t skip_blanks(const sm_source *source, size_t position) {
    while (position < source->n_bytes && (source->bytes[position] == ' ' || source->bytes[position] == '\t'))
        position++;
    return position;
}

/* Where white space separates cells: takes what follows one, which is nothing at the end of a line. False: the line ends at *position,
 * or something else stands there. */
static bool takes_blanks(sm_csv *csv, size_t *position) {
    size_t after = skip_blanks(csv->source, *position);
    bool is_between = after > *position && after < csv->source->n_bytes && !ends_line(csv->source->bytes[after]);
    *position = after;
    if (is_between) csv->next = after;
    return is_between;
}

/* Takes what must follow a cell that ends before `position`: a separator, the end of the line or of the text. */
static inline smerf_status end_cell(sm_csv *csv, size_t position, sm_csv_cell *cell, smerf_error *error) {
    const char *bytes = csv->source->bytes;
    size_t n_bytes = csv->source->n_bytes;
    if (csv->separator == ' ' && takes_blanks(csv, &position)) {
        cell->ends_row = false;
        csv->is_in_row = true;
        sm_source_pass(csv->source, &csv->n_behind, csv->next);
        return SMERF_OK;
    }
    cell->ends_row = position == n_bytes || bytes[position] != csv->separator;
    csv->is_in_row = !cell->ends_row;
    csv->next = position + (position < n_bytes);
    sm_source_pass(csv->source, &csv->n_behind, csv->next);
    if (position == n_bytes || bytes[position] == csv->separator || bytes[position] == '\n') return SMERF_OK;
    if (bytes[position] == '\r') {
        if (csv->next < n_bytes && bytes[csv->next] == '\n') csv->next++;
        return SMERF_OK;
    }
    if (bytes[position] == '\0')
        return sm_source_fail(csv->source, position, error, "a NUL byte, and CSV is text (in UTF-8)");
    return sm_source_fail(csv->source, position, error,
                          "text after a closing quote (a quote inside quotes is written twice)");
}

/* Copies the inside of a quoted cell, each doubled quote once. */
static smerf_status unquote(sm_csv *csv, sm_csv_cell *cell, smerf_error *error) {
    void *buffer = csv->unquoted;
    bool fits = sm_grow(&buffer, &csv->unquoted_size, cell->n, 1);
    csv->unquoted = buffer;
    if (!fits) return sm_no_memory(error, "reading a quoted cell");
    size_t n = 0;
    for (size_t i = 0; i < cell->n; i++) {
        csv->unquoted[n++] = cell->text[i];
        if (cell->text[i] == '"') i++;
    }
    cell->text = csv->unquoted;
    cell->n = n;
    return SMERF_OK;
}

static smerf_status next_quoted(sm_csv *csv, sm_csv_cell *cell, smerf_error *error) {
    const char *bytes = csv->source->bytes, *end = bytes + csv->source->n_bytes;
    const char *inside = bytes + cell->position + 1, *quote = inside;
    bool has_quotes = false;
    for (;;) {
        quote = memchr(quote, '"', (size_t)(end - quote));
        if (quote == NULL)
            return sm_source_fail(csv->source, cell->position, error, "a quote that opens here is never closed");
        if (quote + 1 == end || quote[1] != '"') break;
        has_quotes = true;
        quote += 2;
    }
    cell->text = inside;
    cell->n = (size_t)(quote - inside);
    const char *nul = memchr(inside, '\0', cell->n);
    if (nul != NULL) return end_cell(csv, (size_t)(nul - bytes), cell, error); /* which refuses it */
    smerf_status status = end_cell(csv, (size_t)(quote + 1 - bytes), cell, error);
    return status == SMERF_OK && has_quotes && !csv->keeps_doubled ? unquote(csv, cell, error) : status;
}

static smerf_status next_cell(sm_csv *csv, sm_csv_cell *cell, smerf_error *error) {
    const char *bytes = csv->source->bytes;
    size_t n_bytes = csv->source->n_bytes;
    cell->position = csv->next;
    if (csv->next < n_bytes && bytes[csv->next] == '"') return next_quoted(csv, cell, error);
    size_t end = csv->next;
    while (end < n_bytes && !csv->ends_cell[(unsigned char)bytes[end]]) end++;
    cell->text = bytes + cell->position;
    cell->n = end - cell->position;
    return end_cell(csv, end, cell, error);
}

static void skip_to_row(sm_csv *csv) {
    size_t before = csv->next;
    do {
        before = csv->next;
        csv->next = skip_empty_lines(csv->source, csv->next);
        if (csv->separator == ' ') csv->next = skip_blanks(csv->source, csv->next);
    } while (csv->next > before);
}

smerf_status sm_csv_next(sm_csv *csv, sm_csv_cell *cell, bool *found, smerf_error *error) {
    bool starts_row = !csv->is_in_row;
    if (starts_row) skip_to_row(csv);
    *found = csv->is_in_row || csv->next < csv->source->n_bytes;
    if (!*found) return SMERF_OK;
    if (csv->begins) { /* the first column's name, which is not there */
        csv->begins = false;
        csv->is_in_row = true;
        *cell = (sm_csv_cell){.text = "", .position = csv->next};
    } else {
        smerf_status status = next_cell(csv, cell, error);
        if (status != SMERF_OK) return status;
    }
    bool is_skipped = starts_row && csv->skips_first && !cell->ends_row;
    return is_skipped ? next_cell(csv, cell, error) : SMERF_OK;
}

bool sm_csv_next_number(sm_csv *csv, sm_csv_cell *cell, double *value) {
    const char *bytes = csv->source->bytes, *end = bytes + csv->source->n_bytes, *start = bytes + csv->next;
    double number;
    if (!csv->is_plain || csv->begins || (csv->skips_first && !csv->is_in_row)) return false;
    const char *after = sm_number_scan(start, end, &number);
    if (after == NULL || after == end || (*after != csv->separator && *after != '\n') || isinf(number)) return false;
    *value = number;
    *cell = (sm_csv_cell){start, (size_t)(after - start), csv->next, *after == '\n'};
    csv->is_in_row = !cell->ends_row;
    csv->next = (size_t)(after + 1 - bytes);
    sm_source_pass(csv->source, &csv->n_behind, csv->next);
    return true;
}

size_t sm_csv_next_numbers(sm_csv *csv, double *const *columns, size_t j, size_t n, size_t row) {
    const char *bytes = csv->source->bytes, *end = bytes + csv->source->n_bytes, *at = bytes + csv->next;
    const char separator = csv->separator;
    double number;
    if (!csv->is_plain || csv->begins) return j;
    for (; j < n && columns[j] != NULL; j++) {
        const char *after = sm_number_scan(at, end, &number);
        if (after == NULL || after == end || *after != (j + 1 < n ? separator : '\n') || isinf(number)) break;
        columns[j][row] = number;
        at = after + 1;
    }
    csv->is_in_row = j > 0 && j < n;
    csv->next = (size_t)(at - bytes);
    sm_source_pass(csv->source, &csv->n_behind, csv->next);
    return j;
}

/* Line ends, in quotes or not: LF, CRLF and CR.
 *   end  of the text, which may go on after `to` */
static size_t count_line_ends(const char *from, const char *to, const char *end) {
    size_t n = 0;
    for (const char *at = from; at < to && (at = memchr(at, '\n', (size_t)(to - at))) != NULL; at++) n++;
    for (const char *at = from; at < to && (at = memchr(at, '\r', (size_t)(to - at))) != NULL; at++)
        n += at + 1 == end || at[1] != '\n';
    return n;
}

enum { COUNTED_AT_ONCE = 1 << 20 };

/* Each row ends with a line end or with the text, and each of its cells with one byte. */
size_t sm_csv_most_rows(const sm_csv *csv, size_t n_cells) {
    const char *bytes = csv->source->bytes, *from = bytes + csv->next, *end = bytes + csv->source->n_bytes;
    size_t n_lines = 1, n_behind = csv->next;
    for (const char *part = from, *to; part < end; part = to) {
        to = (size_t)(end - part) > COUNTED_AT_ONCE ? part + COUNTED_AT_ONCE : end;
        n_lines += count_line_ends(part, to, end);
        sm_source_pass(csv->source, &n_behind, (size_t)(to - bytes));
    }
    size_t n_fitting = (size_t)(end - from) / (n_cells == 0 ? 1 : n_cells) + 1;
    return n_lines < n_fitting ? n_lines : n_fitting;
}

smerf_status sm_csv_check_text(const sm_csv_cell *cell, const sm_source *source, smerf_error *error) {
    size_t n_fine = sm_utf8_length(cell->text, cell->n);
    if (n_fine == cell->n) return SMERF_OK;
    bool is_quoted = source->bytes[cell->position] == '"';
    return sm_source_fail(source, cell->position + n_fine + is_quoted, error,
                          "a byte that is not UTF-8, and CSV is text (in UTF-8)");
}

/* ---- writing ---- */

void sm_put_number(sm_output *output, double value) {
    char text[SM_NUMBER_SPACE];
    sm_output_write(output, text, sm_number_format(value, text));
}

void sm_put_json_number(sm_output *output, double value) {
    if (isfinite(value))
        sm_put_number(output, value);
    else
        sm_output_write(output, "null", 4);
}

void sm_put_cell(sm_output *output, const char *text) { sm_put_cell_after(output, "", text); }

void sm_put_cell_after(sm_output *output, const char *prefix, const char *text) {
    if (strpbrk(text, ",;\t\"\r\n") == NULL) {
        sm_output_write(output, prefix, strlen(prefix));
        sm_output_write(output, text, strlen(text));
        return;
    }
    sm_output_write(output, "\"", 1);
    sm_output_write(output, prefix, strlen(prefix));
    for (const char *c = text; *c != '\0'; c++) sm_output_write(output, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    sm_output_write(output, "\"", 1);
}

void sm_put_json_string(sm_output *output, const char *text) {
    sm_output_write(output, "\"", 1);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            sm_output_print(output, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            sm_output_print(output, "\\u%04x", (unsigned)*c);
        else
            sm_output_write(output, c, 1);
    }
    sm_output_write(output, "\"", 1);
}
