/* matrix_npy.c - the numbers of a matrix in a .npy file: see matrix_reader.h. */
#include <float.h>
#include <math.h>

#include "base/finite.h"
#include "io/matrix_reader.h"

smerf_status sm_matrix_start_npy(sm_matrix_reader *reader) {
    const sm_matrix_wish *wish = reader->wish;
    smerf_status status = sm_npy_read(&reader->source, &reader->npy, reader->error);
    if (status != SMERF_OK) return status;
    const size_t *shape = reader->npy.shape;
    bool is_vector = shape[0] == 1 || shape[1] == 1;
    reader->form = SM_MATRIX_FULL;
    if (shape[0] == wish->rows.n && shape[1] == wish->columns.n) return SMERF_OK;
    reader->form = SM_MATRIX_CONDENSED;
    if (wish->is_square && is_vector && shape[0] * shape[1] == sm_matrix_condensed_length(wish->rows.n))
        return SMERF_OK;
    char text[SM_MATRIX_NEED];
    return sm_fail(reader->error, SMERF_BAD_INPUT, "%s: has %zu x %zu numbers; %s", reader->source.name, shape[0],
                   shape[1], sm_matrix_need(reader, text));
}

/* What sm_matrix_keep does, for n numbers of one row at once: without a branch, so that the compiler takes several
 * together. False: one of them cannot be kept. */
static bool keep_run(sm_matrix_reader *reader, size_t row, size_t column, const double *numbers, size_t n) {
    const bool may_be_missing = reader->wish->may_be_missing;
    bool are_fine = true;
    if (reader->z == NULL) {
        double largest = reader->largest;
        for (size_t j = 0; j < n; j++) {
            are_fine &= (fabs(numbers[j]) <= DBL_MAX) | (may_be_missing & isnan(numbers[j]));
            if (numbers[j] > largest) largest = numbers[j];
        }
        reader->largest = largest;
        return are_fine;
    }
    float *z = reader->z + row * reader->wish->columns.n + column;
    if (reader->wish->are_similarities)
        for (size_t j = 0; j < n; j++) z[j] = (float)(reader->largest - numbers[j]);
    else
        for (size_t j = 0; j < n; j++) z[j] = (float)numbers[j];
    if (sm_are_finite(z, n)) return true;
    for (size_t j = 0; j < n; j++) are_fine &= (fabsf(z[j]) <= FLT_MAX) | (may_be_missing & isnan(z[j]));
    reader->has_missing = true; /* or is refused */
    return are_fine;
}

/* Says which of the numbers, which stand in one row, is the first that cannot be kept; fine if all can. */
static smerf_status fail_in_run(sm_matrix_reader *reader, size_t row, size_t column, const double *numbers, size_t n) {
    smerf_status status = SMERF_OK;
    for (size_t j = 0; j < n && status == SMERF_OK; j++) {
        const sm_spot spot = {.place = SM_NO_PLACE, .row = row, .column = column + j};
        status = sm_matrix_keep(reader, row, column + j, numbers[j], spot);
    }
    return status;
}

/* n numbers as they stand in the file from number `first` on, which belong to one row from `column` on. */
static smerf_status pass_run(sm_matrix_reader *reader, size_t row, size_t column, size_t first, size_t n,
                             size_t *n_behind) {
    enum { AT_ONCE = 1024 };
    double run[AT_ONCE];
    for (size_t j = 0, n_now; j < n; j += n_now) {
        n_now = n - j < AT_ONCE ? n - j : AT_ONCE;
        sm_npy_get_run(&reader->npy, first + j, n_now, run);
        if (!keep_run(reader, row, column + j, run, n_now)) return fail_in_run(reader, row, column + j, run, n_now);
    }
    sm_source_pass(&reader->source, n_behind, first * reader->npy.item_bytes); /* a little less has been read */
    return SMERF_OK;
}

/* The rows of the upper triangle follow each other without a gap. */
static smerf_status pass_condensed(sm_matrix_reader *reader) {
    size_t n_items = reader->wish->rows.n, n_behind = 0;
    smerf_status status = SMERF_OK;
    for (size_t row = 0, first = 0; row < n_items && status == SMERF_OK; first += n_items - 1 - row, row++)
        status = pass_run(reader, row, row + 1, first, n_items - 1 - row, &n_behind);
    return status;
}

static smerf_status pass_rows(sm_matrix_reader *reader) {
    const size_t *shape = reader->npy.shape;
    size_t n_behind = 0;
    smerf_status status = SMERF_OK;
    for (size_t row = 0; row < shape[0] && status == SMERF_OK; row++)
        status = pass_run(reader, row, 0, row * shape[1], shape[1], &n_behind);
    return status;
}

static bool pass_tile(sm_matrix_reader *reader, const sm_npy_tile *tile) {
    double numbers[SM_NPY_TILE * SM_NPY_TILE];
    bool are_kept = true;
    sm_npy_get_tile(&reader->npy, tile, numbers);
    for (size_t i = 0; i < tile->n_rows; i++)
        are_kept &= keep_run(reader, tile->row + i, tile->column, numbers + i * tile->n_columns, tile->n_columns);
    return are_kept;
}

/* The tiles of a file in Fortran's order do not come in the order of rows, and the message shall be about the first number
 * that cannot be kept. */
static smerf_status fail_in_order(sm_matrix_reader *reader) {
    smerf_status status = SMERF_OK;
    for (size_t i = 0; i < reader->npy.shape[0] && status == SMERF_OK; i++) {
        for (size_t j = 0; j < reader->npy.shape[1] && status == SMERF_OK; j++) {
            double number = sm_npy_get(&reader->npy, i, j);
            status = fail_in_run(reader, i, j, &number, 1);
        }
    }
    return status;
}

smerf_status sm_matrix_pass_npy(sm_matrix_reader *reader) {
    if (reader->form == SM_MATRIX_CONDENSED) return pass_condensed(reader);
    if (!reader->npy.is_fortran) return pass_rows(reader);
    for (sm_npy_tile tile = {0}; sm_npy_next_tile(&reader->npy, &tile);)
        if (!pass_tile(reader, &tile)) return fail_in_order(reader);
    return SMERF_OK;
}
