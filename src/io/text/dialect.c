/* dialect.c - how a text separates its cells and writes its numbers, found before it is read: see text.h.
 *   1. separator   by the first line, and for white space by the rows below it
 *   2. header      whether it has one cell fewer than the rows
 *   3. numbers     where the separator is no comma, whether they have a decimal comma: all cells are looked at, but only if there
 *                  is a comma at all */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/text/text.h"

/* So many rows below the first line tell what it is. */
enum { ROWS_LOOKED_AT = 64 };

static bool ends_dialect_line(char byte) { return byte == '\n' || byte == '\r'; }

/* ---- 1  The separator ---- */

/* The first line in numbers, outside quotes. */
typedef struct line_facts {
    size_t start, end; /* positions */
    size_t counts[256];
    bool is_quoted; /* it begins with a quote */
} line_facts;

static line_facts look_at_line(const sm_source *source, size_t position) {
    line_facts line = {.start = position};
    bool is_inside = false;
    line.is_quoted = position < source->n_bytes && source->bytes[position] == '"';
    for (size_t n_behind = position; position < source->n_bytes; position++) {
        sm_source_pass(source, &n_behind, position); /* a line may be as long as a matrix */
        char byte = source->bytes[position];
        if (ends_dialect_line(byte) && !is_inside) break;
        if (byte == '"') is_inside = !is_inside;
        if (!is_inside) line.counts[(unsigned char)byte]++;
    }
    line.end = position;
    return line;
}

static bool is_decimal_comma(const char *text, size_t n) {
    const char *comma = memchr(text, ',', n);
    double value;
    bool has_digit = comma != NULL && comma + 1 < text + n && comma[1] >= '0' && comma[1] <= '9';
    return has_digit && memchr(text, '.', n) == NULL && sm_comma_number_parse(text, n, &value) == SM_CELL_NUMBER;
}

/* Whether the commas of the first line are all in numbers, with such a separator. */
static bool has_only_decimal_commas(const sm_source *source, const line_facts *line, char separator) {
    if (line->counts[(unsigned char)separator] == 0) return false;
    sm_csv csv;
    sm_csv_cell cell = {0};
    bool is_found = true, is_so = true;
    sm_csv_start_with(&csv, source, &(sm_dialect){.separator = separator});
    csv.keeps_doubled = true;
    while (is_so && !cell.ends_row) {
        is_so = sm_csv_next(&csv, &cell, &is_found, NULL) == SMERF_OK && is_found;
        bool is_quoted = is_so && cell.position < source->n_bytes && source->bytes[cell.position] == '"';
        is_so = is_so && (is_quoted || memchr(cell.text, ',', cell.n) == NULL || is_decimal_comma(cell.text, cell.n));
    }
    sm_csv_stop(&csv);
    return is_so;
}

static char most_frequent(const line_facts *line) {
    static const char separators[] = {',', ';', '\t'};
    char best = ',';
    for (size_t i = 0; i < sizeof separators; i++)
        if (line->counts[(unsigned char)separators[i]] > line->counts[(unsigned char)best]) best = separators[i];
    return best;
}

/* How many cells the first rows have. */
typedef struct row_facts {
    size_t n_rows;          /* below the first one that were looked at */
    size_t n_first;         /* cells of the first one */
    size_t n_cells;         /* of each of the others; 0: they differ */
    size_t odd_row;         /* where they differ: the position of such a row, */
    size_t n_odd;           /* and its cells */
    bool may_be_names;      /* each cell of the first row is in quotes, or no number */
    bool are_all_quoted;    /* the first cells of all rows are in quotes */
    bool are_all_numbers;   /* each cell of the first row is a number */
    bool begins_with_id;    /* the first cell of all, not in quotes */
    bool ends_with_nothing; /* the last cell of the second row is empty */
} row_facts;

static void note_first_row(const sm_source *source, const sm_csv_cell *cell, row_facts *rows) {
    double value;
    bool is_quoted = cell->position < source->n_bytes && source->bytes[cell->position] == '"';
    bool is_number = sm_number_parse(cell->text, cell->n, &value) == SM_CELL_NUMBER ||
                     sm_comma_number_parse(cell->text, cell->n, &value) == SM_CELL_NUMBER;
    if (rows->n_first == 0) rows->begins_with_id = !is_quoted && cell->n == 2 && memcmp(cell->text, "id", 2) == 0;
    rows->n_first++;
    if (is_number && !is_quoted) rows->may_be_names = false;
    if (!is_number) rows->are_all_numbers = false;
}

static void note_row(row_facts *rows, size_t start, size_t n_cells) {
    rows->n_rows++;
    if (rows->n_rows == 1) rows->n_cells = n_cells;
    if (n_cells == rows->n_cells || rows->n_odd > 0) return;
    rows->n_odd = n_cells;
    rows->odd_row = start;
}

static row_facts look_at_rows(const sm_source *source, char separator) {
    row_facts rows = {.may_be_names = true, .are_all_quoted = true, .are_all_numbers = true};
    sm_csv csv;
    sm_csv_cell cell = {.ends_row = true};
    bool is_found = true, is_first = true;
    size_t c = 0, start = 0;
    sm_csv_start_with(&csv, source, &(sm_dialect){.separator = separator});
    csv.keeps_doubled = true;
    while (rows.n_rows < ROWS_LOOKED_AT && sm_csv_next(&csv, &cell, &is_found, NULL) == SMERF_OK && is_found) {
        if (c == 0) start = cell.position;
        if (c == 0 && source->bytes[start < source->n_bytes ? start : 0] != '"') rows.are_all_quoted = false;
        if (is_first) note_first_row(source, &cell, &rows);
        if (separator != ' ' && !rows.may_be_names)
            break; /* no header, which is all that is looked for; a line may be long */
        if (!is_first && rows.n_rows == 0 && cell.ends_row) rows.ends_with_nothing = cell.n == 0;
        c++;
        if (!cell.ends_row) continue;
        if (!is_first) note_row(&rows, start, c);
        is_first = false;
        c = 0;
    }
    sm_csv_stop(&csv);
    if (rows.n_odd > 0) rows.n_cells = 0;
    return rows;
}

/* A header that is one cell short: R's write.table, which does not name the column of row names. Where the rows end with a
 * separator, there is no further column; where the first name is id, it is another one that is not there. One cell is a header of two columns only in quotes: it may have been forgotten. */
static bool is_header_short(const row_facts *rows) {
    return rows->n_rows > 0 && rows->n_cells == rows->n_first + 1 && rows->may_be_names && !rows->ends_with_nothing &&
           !rows->begins_with_id && (rows->n_first > 1 || rows->are_all_quoted);
}

/* White space separates cells if each row has as many, or the header one fewer. A first line of several words above rows of one
 * is one column, whose name has a space in it. */
static smerf_status try_white_space(const sm_source *source, const line_facts *line, sm_dialect *dialect,
                                    smerf_error *error) {
    row_facts rows = look_at_rows(source, ' ');
    bool is_short = is_header_short(&rows);
    bool is_even = rows.n_rows > 0 ? rows.n_cells == rows.n_first : rows.are_all_numbers;
    if ((is_even && rows.n_first > 1) || is_short) {
        dialect->separator = ' ';
        return SMERF_OK;
    }
    if (rows.n_first < 2 || rows.n_cells == 1 || rows.n_rows == 0 || line->counts[','] > 0) return SMERF_OK;
    if (rows.n_cells > 0)
        return sm_source_fail(source, line->start, error,
                              "%zu words above rows of %zu: where spaces separate cells, each row has as many, or the "
                              "header one fewer; text with spaces needs quotes, or cells need commas between them",
                              rows.n_first, rows.n_cells);
    return sm_source_fail(
        source, rows.odd_row, error,
        "%zu words in this row, and %zu in the first line: where spaces separate cells, each row has as "
        "many; text with spaces needs quotes, or cells need commas between them",
        rows.n_odd, rows.n_first);
}

/* The header is one name in quotes, so that the row below it tells what separates: it may have one cell more. */
static void look_below_one_name(const sm_source *source, size_t end_of_name, sm_dialect *dialect) {
    size_t next = end_of_name;
    while (next < source->n_bytes && ends_dialect_line(source->bytes[next])) next++;
    line_facts below = look_at_line(source, next);
    static const char separators[] = {';', '\t', ',', ' '};
    size_t s = 0;
    while (s < 3 && below.counts[(unsigned char)separators[s]] == 0) s++;
    row_facts rows = look_at_rows(source, separators[s]);
    dialect->separator = is_header_short(&rows) ? separators[s] : ',';
}

static smerf_status find_separator(const sm_source *source, size_t start, sm_dialect *dialect, smerf_error *error) {
    line_facts line = look_at_line(source, start);
    char other = line.counts[';'] >= line.counts['\t'] ? ';' : '\t';
    dialect->separator = most_frequent(&line);
    if (dialect->separator == ',' && line.counts[','] > 0) {
        if (has_only_decimal_commas(source, &line, other))
            dialect->separator = other;
        else if (has_only_decimal_commas(source, &line, ' '))
            return try_white_space(source, &line, dialect, error);
    } else if (line.counts[(unsigned char)dialect->separator] == 0) {
        if (line.counts[' '] > 0) return try_white_space(source, &line, dialect, error);
        if (line.is_quoted) look_below_one_name(source, line.end, dialect);
    }
    return SMERF_OK;
}

/* ---- 3  The numbers ---- */

/* What the cells of a column are. */
typedef struct column_facts {
    size_t n_numbers, n_texts;
    size_t comma, point; /* where the first such number stands, or SM_NO_POSITION */
} column_facts;

static void note_cell(column_facts *column, const sm_csv_cell *cell, bool is_header) {
    double value;
    sm_cell content = sm_number_parse(cell->text, cell->n, &value);
    if (content == SM_CELL_MISSING) return;
    bool has_comma = content == SM_CELL_TEXT && is_decimal_comma(cell->text, cell->n);
    bool has_point = content == SM_CELL_NUMBER && memchr(cell->text, '.', cell->n) != NULL;
    if (has_comma && column->comma == SM_NO_POSITION) column->comma = cell->position;
    if (has_point && column->point == SM_NO_POSITION) column->point = cell->position;
    column->n_numbers += content == SM_CELL_NUMBER || has_comma;
    column->n_texts += content == SM_CELL_TEXT && !has_comma && !is_header;
}

/* The numbers of a text are written in one way. A column counts if most of its cells are numbers: a list such as 12,15 among words is
 * none. */
static void choose_decimal(const column_facts *columns, size_t n_columns, sm_dialect *dialect) {
    size_t comma = SM_NO_POSITION, point = SM_NO_POSITION;
    for (size_t c = 0; c < n_columns; c++) {
        if (columns[c].n_numbers <= columns[c].n_texts) continue;
        if (columns[c].comma < comma) comma = columns[c].comma;
        if (columns[c].point < point) point = columns[c].point;
    }
    dialect->has_decimal_commas = comma != SM_NO_POSITION && point == SM_NO_POSITION;
    dialect->has_both = comma != SM_NO_POSITION && point != SM_NO_POSITION;
    dialect->point = point;
}

static smerf_status look_for_commas(const sm_source *source, sm_dialect *dialect, smerf_error *error) {
    column_facts *columns = NULL;
    size_t n_columns = 0, capacity = 0, c = 0, n_rows = 0;
    sm_csv csv;
    sm_csv_cell cell;
    bool is_found = true;
    smerf_status status = SMERF_OK;
    sm_csv_start_with(&csv, source, dialect);
    csv.keeps_doubled = true;
    while (status == SMERF_OK && sm_csv_next(&csv, &cell, &is_found, NULL) == SMERF_OK && is_found) {
        if (c == n_columns) {
            if (!sm_grow((void **)&columns, &capacity, n_columns + 1, sizeof *columns))
                status = sm_no_memory(error, "looking at a text");
            else
                columns[n_columns++] = (column_facts){.comma = SM_NO_POSITION, .point = SM_NO_POSITION};
        }
        if (status == SMERF_OK) note_cell(&columns[c], &cell, n_rows == 0);
        n_rows += cell.ends_row;
        c = cell.ends_row ? 0 : c + 1;
    }
    sm_csv_stop(&csv);
    if (status == SMERF_OK) choose_decimal(columns, n_columns, dialect);
    sm_free(columns);
    return status;
}

static bool has_comma(const sm_source *source) {
    const size_t at_once = 1 << 20;
    size_t n_behind = 0;
    for (size_t from = 0, n; from < source->n_bytes; from += n) {
        n = source->n_bytes - from < at_once ? source->n_bytes - from : at_once;
        if (memchr(source->bytes + from, ',', n) != NULL) return true;
        sm_source_pass(source, &n_behind, from + n);
    }
    return false;
}

smerf_status sm_dialect_find(sm_source *source, smerf_error *error) {
    sm_dialect dialect = {.separator = ','};
    smerf_status status = find_separator(source, sm_csv_first_line(source), &dialect, error);
    if (status != SMERF_OK) return status;
    row_facts rows = look_at_rows(source, dialect.separator);
    dialect.has_short_header = is_header_short(&rows);
    if (dialect.separator != ',' && has_comma(source)) status = look_for_commas(source, &dialect, error);
    source->dialect = dialect;
    return status;
}

/* ---- Numbers in this dialect ---- */

enum { LONGEST_WITH_COMMA = 400 };

sm_cell sm_comma_number_parse(const char *text, size_t n, double *value) {
    char with_point[LONGEST_WITH_COMMA];
    const char *comma = memchr(text, ',', n);
    if (comma == NULL || n > sizeof with_point || memchr(text, '.', n) != NULL) return sm_number_parse(text, n, value);
    memcpy(with_point, text, n);
    with_point[comma - text] = '.';
    return sm_number_parse(with_point, n, value);
}

sm_cell sm_source_number(const sm_source *source, const char *text, size_t n, double *value) {
    return source->dialect.has_decimal_commas ? sm_comma_number_parse(text, n, value) : sm_number_parse(text, n, value);
}

bool sm_source_mistakes_comma(const sm_source *source, const char *text, size_t n) {
    return !source->dialect.has_decimal_commas && is_decimal_comma(text, n);
}

const char *sm_source_comma_hint(const sm_source *source, const char *text, size_t n, char hint[SM_COMMA_HINT]) {
    hint[0] = '\0';
    if (!sm_source_mistakes_comma(source, text, n)) return hint;
    if (source->dialect.has_both)
        snprintf(hint, SM_COMMA_HINT, ": it has a decimal comma, and numbers have a point (as in line %zu)",
                 sm_source_line(source, source->dialect.point));
    else if (source->dialect.separator == ',')
        snprintf(hint, SM_COMMA_HINT, ": a decimal comma wants semicolons or tabs between cells");
    return hint;
}
