/* matrix.c - reads a matrix of distances or similarities, in steps: see matrix.h.
 *   1. start   which of the accepted forms the file has                     matrix_csv.c, matrix_npy.c
 *   2. look    one pass without storing anything, where the largest similarity is to be found, or where the file is
 *              too small for the matrix: then this pass fails, before memory is allocated
 *   3. store   one pass into float32
 *   4. mirror  the upper triangle of a condensed matrix; take means, or check that a full one is symmetric; count what
 *              is missing
 *                                                                            base/square.c */
#include "io/matrix/matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/square.h"
#include "io/matrix/matrix_reader.h"

size_t sm_matrix_condensed_length(size_t n) {
    return n % 2 == 0 ? sm_size(n / 2, n == 0 ? 0 : n - 1, 0) : sm_size(n, (n - 1) / 2, 0);
}

const char *sm_matrix_need(const sm_matrix_reader *reader, char text[SM_MATRIX_NEED]) {
    const sm_matrix_spec *spec = reader->spec;
    size_t n_rows = spec->rows.n, n_columns = spec->columns.n;
    int n = snprintf(text, SM_MATRIX_NEED, "%zu ", n_rows);
    if (!spec->is_square) n += snprintf(text + n, SM_MATRIX_NEED - (size_t)n, "x %zu ", n_columns);
    n += snprintf(text + n, SM_MATRIX_NEED - (size_t)n, "items need %zu x %zu numbers", n_rows, n_columns);
    if (!reader->is_npy)
        n += snprintf(text + n, SM_MATRIX_NEED - (size_t)n, ", or %zu x %zu cells with ids", n_rows + 1, n_columns + 1);
    if (spec->is_square)
        snprintf(text + n, SM_MATRIX_NEED - (size_t)n, ", or %zu numbers in one line or column",
                 sm_matrix_condensed_length(n_rows));
    return text;
}

smerf_status sm_matrix_keep(sm_matrix_reader *reader, size_t row, size_t column, double number, sm_spot spot) {
    const sm_matrix_spec *spec = reader->spec;
    const char *what = spec->are_similarities ? "similarity" : "distance";
    if (isnan(number) && !spec->may_be_missing)
        return sm_source_fail_spot(&reader->source, spot, reader->error, "a missing %s; this target needs all pairs",
                                   what);
    if (isinf(number))
        return sm_source_fail_spot(&reader->source, spot, reader->error, "an infinite %s; it must be finite", what);
    if (reader->z == NULL) {
        if (number > reader->largest) reader->largest = number;
        return SMERF_OK;
    }
    float z = (float)(spec->are_similarities ? reader->largest - number : number);
    if (isinf(z))
        return sm_source_fail_spot(&reader->source, spot, reader->error,
                                   "%g is too large a %s for float32, which ends at 3.4e38", number, what);
    reader->z[row * spec->columns.n + column] = z;
    reader->has_missing |= isnan(z) != 0;
    return SMERF_OK;
}

static smerf_status pass_numbers(sm_matrix_reader *reader) {
    return reader->is_npy ? sm_matrix_pass_npy(reader) : sm_matrix_pass_csv(reader);
}

/* Whether the file is large enough for what its form promises: each cell of a text takes a byte at least, but for the
 * last. (A .npy file has been found to be as long as its header says.) */
static bool may_fit(const sm_matrix_reader *reader) {
    return reader->is_npy || sm_size(reader->n_lines, reader->n_cells, 0) <= reader->source.n_bytes + 1;
}

/* A float as short as it reads back the same, for messages. */
static void print_float(float value, char text[32]) {
    for (int n_digits = 6; n_digits <= 9; n_digits++) {
        snprintf(text, 32, "%.*g", n_digits, (double)value);
        if (strtof(text, NULL) == value) return;
    }
}

enum { ENTRY = 2 * SM_QUOTE + 48 };

/* An item as the file calls it. */
static void print_item(const sm_matrix_reader *reader, size_t item, char text[SM_QUOTE]) {
    char *const *ids = reader->spec->rows.ids;
    if (reader->form == SM_MATRIX_WITH_IDS && ids != NULL)
        sm_quote(ids[item], strlen(ids[item]), text);
    else
        snprintf(text, SM_QUOTE, "%zu", item);
}

/* What stands in the file for a pair, as in "z[2][0] = 5". */
static void print_entry(const sm_matrix_reader *reader, size_t i, size_t j, char text[ENTRY]) {
    char row[SM_QUOTE], column[SM_QUOTE], value[32];
    bool is_q = reader->spec->are_similarities;
    float z = reader->z[i * reader->spec->columns.n + j];
    print_item(reader, i, row);
    print_item(reader, j, column);
    print_float(is_q ? (float)(reader->largest - (double)z) : z, value);
    snprintf(text, ENTRY, "%c[%s][%s] %s%s", is_q ? 'q' : 'z', row, column, isnan(z) ? "is missing" : "= ",
             isnan(z) ? "" : value);
}

static smerf_status check_symmetry(const sm_matrix_reader *reader) {
    size_t n = reader->spec->rows.n, i, j; /* i < j */
    if (reader->is_symmetric || sm_square_is_symmetric(reader->z, n, &i, &j)) return SMERF_OK;
    char below[ENTRY], above[ENTRY];
    print_entry(reader, j, i, below);
    print_entry(reader, i, j, above);
    bool is_one_missing = isnan(reader->z[i * n + j]) || isnan(reader->z[j * n + i]);
    sm_spot spot = {.position = SM_NO_POSITION, .row = j, .column = i};
    if (!reader->is_npy) spot = sm_matrix_find_in_csv(reader, j, i);
    return sm_source_fail_spot(&reader->source, spot, reader->error,
                               "%s but %s: a %s is symmetric (--symmetrize mean %s)", below, above,
                               reader->spec->are_similarities ? "similarity" : "distance",
                               is_one_missing ? "takes the one that is given" : "averages the two");
}

static smerf_status finish_matrix(sm_matrix_reader *reader) {
    size_t n = reader->spec->rows.n;
    if (!reader->spec->is_square) return SMERF_OK;
    for (size_t i = 0; i < n; i++) {
        if (reader->form != SM_MATRIX_CONDENSED && !isnan(reader->z[i * n + i])) continue;
        reader->z[i * n + i] = 0;
        reader->has_no_diagonal = true;
    }
    if (reader->form == SM_MATRIX_CONDENSED)
        sm_square_mirror(reader->z, n);
    else if (reader->spec->take_means)
        sm_square_average(reader->z, n);
    else
        return check_symmetry(reader);
    return SMERF_OK;
}

static size_t count_missing_pairs(const sm_matrix_reader *reader) {
    const sm_matrix_spec *spec = reader->spec;
    size_t n_missing = 0;
    for (size_t i = 0; i < spec->rows.n && reader->has_missing; i++)
        for (size_t j = spec->is_square ? i + 1 : 0; j < spec->columns.n; j++)
            n_missing += isnan(reader->z[i * spec->columns.n + j]) != 0;
    return n_missing;
}

static smerf_status read_matrix(sm_matrix_reader *reader) {
    const sm_matrix_spec *spec = reader->spec;
    bool looks_for_largest = spec->are_similarities && isnan(spec->largest);
    reader->largest = looks_for_largest ? 1 : spec->largest;
    smerf_status status = reader->is_npy ? sm_matrix_start_npy(reader) : sm_matrix_start_csv(reader);
    if (status == SMERF_OK && (looks_for_largest || !may_fit(reader))) status = pass_numbers(reader);
    if (status == SMERF_OK)
        status = sm_check_memory((double)spec->rows.n * (double)spec->columns.n * sizeof(float), reader->source.name,
                                 reader->error);
    if (status != SMERF_OK) return status;
    reader->z = sm_aligned_whole(sm_size(spec->rows.n, spec->columns.n, 0), sizeof *reader->z);
    if (reader->z == NULL) return sm_no_memory(reader->error, "reading a matrix");
    status = pass_numbers(reader);
    return status == SMERF_OK ? finish_matrix(reader) : status;
}

smerf_status sm_matrix_read(const char *path, const sm_matrix_spec *spec, sm_matrix *matrix, smerf_error *error) {
    sm_matrix_reader reader = {.spec = spec, .error = error};
    *matrix = (sm_matrix){0};
    smerf_status status = sm_source_open(path, &reader.source, error);
    if (status != SMERF_OK) return status;
    reader.is_npy = sm_npy_is(&reader.source);
    status = read_matrix(&reader);
    if (status == SMERF_OK) {
        *matrix = (sm_matrix){.n_rows = spec->rows.n,
                              .n_columns = spec->columns.n,
                              .z = reader.z,
                              .largest = reader.largest,
                              .n_missing = count_missing_pairs(&reader),
                              .has_no_diagonal = reader.has_no_diagonal,
                              .is_npy = reader.is_npy,
                              .is_condensed = reader.form == SM_MATRIX_CONDENSED,
                              .has_ids = reader.form == SM_MATRIX_WITH_IDS,
                              .has_header = reader.has_header,
                              .dialect = reader.source.dialect};
        reader.z = NULL; /* now the caller's */
    }
    sm_free(reader.z);
    sm_free(reader.line_of_row);
    sm_free(reader.cell_of_column);
    sm_free(reader.column_of_cell);
    sm_id_table_stop(&reader.rows);
    sm_id_table_stop(&reader.columns);
    sm_source_close(&reader.source);
    return status;
}

void sm_matrix_free(sm_matrix *matrix) {
    sm_free(matrix->z);
    *matrix = (sm_matrix){0};
}
