/* matrix_csv.c - the numbers of a matrix in a CSV file: see matrix_reader.h. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/matrix/matrix_reader.h"
#include "io/text/text.h"

typedef struct first_line {
    bool is_only_line;
    bool has_no_name; /* its first cell is empty */
    bool ends_with_text;
} first_line;

/* Counts the cells of the first line, and looks whether there is another. */
static smerf_status look_at_first_line(sm_matrix_reader *reader, first_line *line) {
    sm_csv csv;
    sm_csv_cell cell = {0};
    bool is_found = true;
    double number;
    smerf_status status = SMERF_OK;
    sm_csv_start(&csv, &reader->source);
    for (reader->n_cells = 0; status == SMERF_OK && is_found && !cell.ends_row; reader->n_cells += is_found) {
        status = sm_csv_next(&csv, &cell, &is_found, reader->error);
        if (reader->n_cells == 0) line->has_no_name = is_found && cell.n == 0;
    }
    line->ends_with_text =
        status == SMERF_OK && is_found && sm_source_number(&reader->source, cell.text, cell.n, &number) == SM_CELL_TEXT;
    if (status == SMERF_OK && is_found) status = sm_csv_next(&csv, &cell, &is_found, reader->error);
    sm_csv_stop(&csv);
    line->is_only_line = !is_found;
    return status;
}

/* A condensed vector below a header: one column, or two of which the first holds the names of rows and has none itself. */
static bool is_named_vector(const sm_matrix_reader *reader, const first_line *line) {
    if (!reader->spec->is_square || reader->spec->rows.n < 2 || line->is_only_line) return false;
    if (reader->n_cells == 1) return line->ends_with_text;
    return reader->n_cells == 2 && line->has_no_name && (reader->spec->columns.n != 2 || line->ends_with_text);
}

/* A line of n cells could be one of n(n-1)/2 only for n = 3, and then only if no other line follows. */
static bool choose_form(sm_matrix_reader *reader, const first_line *line) {
    const sm_matrix_spec *spec = reader->spec;
    const size_t n_pairs = sm_matrix_condensed_length(spec->rows.n);
    if (is_named_vector(reader, line)) {
        reader->has_header = true;
        reader->source.dialect.skips_first = reader->n_cells == 2;
        reader->n_cells = 1;
    }
    const size_t n_cells = reader->n_cells;
    const bool is_only_line = line->is_only_line;
    if (spec->is_square && n_pairs > 0 && (n_cells == 1 || (n_cells == n_pairs && is_only_line))) {
        reader->form = SM_MATRIX_CONDENSED;
        reader->n_lines = n_pairs / n_cells;
        return true;
    }
    if (n_cells == spec->columns.n) {
        reader->form = SM_MATRIX_FULL;
        reader->n_lines = spec->rows.n;
        return true;
    }
    reader->form = SM_MATRIX_WITH_IDS;
    reader->n_lines = spec->rows.n + 1;
    return n_cells == spec->columns.n + 1;
}

static smerf_status prepare_ids(sm_matrix_reader *reader) {
    const sm_matrix_side *rows = &reader->spec->rows, *columns = &reader->spec->columns;
    smerf_status status = sm_id_table_start(&reader->rows, rows->ids, rows->n, reader->error);
    if (status == SMERF_OK) status = sm_id_table_start(&reader->columns, columns->ids, columns->n, reader->error);
    if (status != SMERF_OK) return status;
    reader->line_of_row = sm_array(rows->n, sizeof(uint32_t));
    reader->cell_of_column = sm_array(columns->n, sizeof(uint32_t));
    reader->column_of_cell = sm_array(columns->n, sizeof(uint32_t));
    if (reader->line_of_row != NULL && reader->cell_of_column != NULL && reader->column_of_cell != NULL)
        return SMERF_OK;
    return sm_no_memory(reader->error, "reading a matrix");
}

smerf_status sm_matrix_start_csv(sm_matrix_reader *reader) {
    first_line line = {0};
    smerf_status status = look_at_first_line(reader, &line);
    if (status != SMERF_OK) return status;
    char text[SM_MATRIX_NEED];
    if (reader->n_cells == 0)
        return sm_source_fail(&reader->source, 0, reader->error, "the file is empty; %s", sm_matrix_need(reader, text));
    if (!choose_form(reader, &line))
        return sm_source_fail(&reader->source, 0, reader->error, "the first line has %zu cells; %s", reader->n_cells,
                              sm_matrix_need(reader, text));
    return reader->form == SM_MATRIX_WITH_IDS ? prepare_ids(reader) : SMERF_OK;
}

/* Takes the id of a line or of a column of the file. */
static smerf_status take_matrix_id(sm_matrix_reader *reader, size_t line, size_t c, const sm_csv_cell *cell) {
    if (line == 0 && c == 0) return SMERF_OK; /* the corner is free */
    bool is_row = c == 0;
    uint32_t item = sm_id_table_find(is_row ? &reader->rows : &reader->columns, cell->text, cell->n);
    char shown[SM_QUOTE], need[SM_MATRIX_NEED];
    double number;
    if (item == SMERF_MISSING) { /* a number may be no id at all, but a cell of a matrix that is too large */
        bool is_number = sm_number_parse(cell->text, cell->n, &number) == SM_CELL_NUMBER;
        return sm_source_fail(&reader->source, cell->position, reader->error, "no item has the id \"%s\"%s%s",
                              sm_quote(cell->text, cell->n, shown), is_number ? "; " : "",
                              is_number ? sm_matrix_need(reader, need) : "");
    }
    uint32_t *taken = is_row ? &reader->line_of_row[item] : &reader->cell_of_column[item];
    if (*taken != SMERF_MISSING)
        return sm_source_fail(&reader->source, cell->position, reader->error,
                              "the id \"%s\" for the second time; each item comes once",
                              sm_quote(cell->text, cell->n, shown));
    *taken = (uint32_t)(is_row ? line : c) - 1;
    if (is_row)
        reader->row = item;
    else
        reader->column_of_cell[c - 1] = item;
    return SMERF_OK;
}

/* Goes on to the next pair of a condensed matrix; the first comes after (0, 0). */
static void next_pair(sm_matrix_reader *reader) {
    if (++reader->column < reader->spec->columns.n) return;
    reader->row++;
    reader->column = reader->row + 1;
}

/* Takes the number of a cell for the pair that it stands for. */
static smerf_status take_matrix_number(sm_matrix_reader *reader, size_t line, size_t c, const sm_csv_cell *cell,
                                       double number) {
    const sm_spot spot = {.position = cell->position};
    switch (reader->form) {
    case SM_MATRIX_FULL: return sm_matrix_keep(reader, line, c, number, spot);
    case SM_MATRIX_WITH_IDS: return sm_matrix_keep(reader, reader->row, reader->column_of_cell[c - 1], number, spot);
    case SM_MATRIX_CONDENSED: break;
    }
    next_pair(reader);
    return sm_matrix_keep(reader, reader->row, reader->column, number, spot);
}

/* Refuses a cell that does not fit the shape of the matrix. */
static smerf_status check_shape(const sm_matrix_reader *reader, size_t line, size_t c, const sm_csv_cell *cell,
                                bool is_found) {
    char text[SM_MATRIX_NEED];
    if (!is_found)
        return sm_source_fail(&reader->source, reader->source.n_bytes, reader->error, "only %zu of %zu lines; %s", line,
                              reader->n_lines, sm_matrix_need(reader, text));
    if (cell->ends_row == (c + 1 == reader->n_cells)) return SMERF_OK;
    return sm_source_fail(&reader->source, cell->position, reader->error, "a line of %s %zu cells; %s",
                          cell->ends_row ? "only" : "more than", c + 1, sm_matrix_need(reader, text));
}

static smerf_status read_matrix_cell(sm_matrix_reader *reader, sm_csv *csv, size_t line, size_t c) {
    bool is_id = reader->form == SM_MATRIX_WITH_IDS && (line == 0 || c == 0);
    sm_csv_cell cell;
    double number = NAN; /* as it stays where one is missing */
    bool is_plain = !is_id && sm_csv_next_number(csv, &cell, &number), is_found = true;
    smerf_status status = is_plain ? SMERF_OK : sm_csv_next(csv, &cell, &is_found, reader->error);
    if (status == SMERF_OK) status = check_shape(reader, line, c, &cell, is_found);
    if (status != SMERF_OK) return status;
    if (is_id) return take_matrix_id(reader, line, c, &cell);
    if (!is_plain) {
        char shown[SM_QUOTE], hint[SM_COMMA_HINT];
        sm_cell content = sm_source_number(&reader->source, cell.text, cell.n, &number);
        if (content == SM_CELL_INFINITE) number = INFINITY;
        if (content == SM_CELL_TEXT)
            return sm_source_fail(&reader->source, cell.position, reader->error, "\"%s\" is no number%s",
                                  sm_quote(cell.text, cell.n, shown),
                                  sm_source_comma_hint(&reader->source, cell.text, cell.n, hint));
    }
    return take_matrix_number(reader, line, c, &cell, number);
}

static smerf_status read_matrix_lines(sm_matrix_reader *reader, sm_csv *csv) {
    sm_csv_cell cell;
    bool is_found;
    if (reader->has_header) (void)sm_csv_next(csv, &cell, &is_found, NULL); /* has been read before */
    for (size_t line = 0; line < reader->n_lines; line++) {
        for (size_t c = 0; c < reader->n_cells; c++) {
            smerf_status status = read_matrix_cell(reader, csv, line, c);
            if (status != SMERF_OK) return status;
        }
    }
    char text[SM_MATRIX_NEED];
    smerf_status status = sm_csv_next(csv, &cell, &is_found, reader->error);
    if (status != SMERF_OK || !is_found) return status;
    return sm_source_fail(&reader->source, cell.position, reader->error, "more than %zu lines; %s", reader->n_lines,
                          sm_matrix_need(reader, text));
}

smerf_status sm_matrix_pass_csv(sm_matrix_reader *reader) {
    sm_csv csv;
    reader->row = reader->column = 0;
    if (reader->form == SM_MATRIX_WITH_IDS) { /* SMERF_MISSING: not seen yet */
        memset(reader->line_of_row, 0xFF, reader->spec->rows.n * sizeof(uint32_t));
        memset(reader->cell_of_column, 0xFF, reader->spec->columns.n * sizeof(uint32_t));
    }
    sm_csv_start(&csv, &reader->source);
    smerf_status status = read_matrix_lines(reader, &csv);
    sm_csv_stop(&csv);
    return status;
}

/* Walks there again: an error happens once, and no cell needs to remember where it stood. */
sm_spot sm_matrix_find_in_csv(const sm_matrix_reader *reader, size_t row, size_t column) {
    bool has_ids = reader->form == SM_MATRIX_WITH_IDS;
    size_t line = has_ids ? reader->line_of_row[row] + (size_t)1 : row;
    size_t c = has_ids ? reader->cell_of_column[column] + (size_t)1 : column;
    sm_csv csv;
    sm_csv_cell cell = {0};
    bool is_found;
    sm_csv_start(&csv, &reader->source);
    for (size_t i = 0; i <= line * reader->n_cells + c; i++)
        if (sm_csv_next(&csv, &cell, &is_found, NULL) != SMERF_OK) break;
    sm_csv_stop(&csv);
    return (sm_spot){.position = cell.position};
}
