/* matrix_npy.c - the numbers of a matrix in a .npy file: see matrix_reader.h. Those that stand in the order of rows are read by
 * matrix_pieces.c. */
#include <float.h>
#include <math.h>

#include "base/square.h"
#include "io/matrix/matrix_reader.h"

smerf_status sm_matrix_start_npy(sm_matrix_reader *reader) {
    const sm_matrix_spec *spec = reader->spec;
    smerf_status status = sm_npy_read(&reader->source, &reader->npy, reader->error);
    if (status != SMERF_OK) return status;
    const size_t *shape = reader->npy.shape;
    bool is_vector = shape[0] == 1 || shape[1] == 1;
    reader->form = SM_MATRIX_FULL;
    if (shape[0] == spec->rows.n && shape[1] == spec->columns.n) return SMERF_OK;
    reader->form = SM_MATRIX_CONDENSED;
    if (spec->is_square && is_vector && shape[0] * shape[1] == sm_matrix_condensed_length(spec->rows.n))
        return SMERF_OK;
    char text[SM_MATRIX_NEED];
    return sm_fail(reader->error, SMERF_BAD_INPUT, "%s: has %zu x %zu numbers; %s", reader->source.name, shape[0],
                   shape[1], sm_matrix_need(reader, text));
}

bool sm_matrix_keep_run(sm_matrix_reader *reader, size_t row, size_t column, const double *numbers, size_t n) {
    const bool may_be_missing = reader->spec->may_be_missing;
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
    float *z = reader->z + row * reader->spec->columns.n + column;
    if (reader->spec->are_similarities)
        for (size_t j = 0; j < n; j++) z[j] = (float)(reader->largest - numbers[j]);
    else
        for (size_t j = 0; j < n; j++) z[j] = (float)numbers[j];
    if (sm_are_finite(z, n)) return true;
    for (size_t j = 0; j < n; j++) are_fine &= (fabsf(z[j]) <= FLT_MAX) | (may_be_missing & isnan(z[j]));
    reader->has_missing = true; /* or is refused */
    return are_fine;
}

smerf_status sm_matrix_fail_in_run(sm_matrix_reader *reader, size_t row, size_t column, const double *numbers,
                                   size_t n) {
    smerf_status status = SMERF_OK;
    for (size_t j = 0; j < n && status == SMERF_OK; j++) {
        const sm_spot spot = {.place = SM_NO_POSITION, .row = row, .column = column + j};
        status = sm_matrix_keep(reader, row, column + j, numbers[j], spot);
    }
    return status;
}

static bool pass_tile(sm_matrix_reader *reader, const sm_npy_tile *tile) {
    double numbers[SM_NPY_TILE * SM_NPY_TILE];
    bool are_kept = true;
    sm_npy_get_tile(&reader->npy, tile, numbers);
    for (size_t i = 0; i < tile->n_rows; i++)
        are_kept &=
            sm_matrix_keep_run(reader, tile->row + i, tile->column, numbers + i * tile->n_columns, tile->n_columns);
    return are_kept;
}

/* The tiles of a file in Fortran's order do not come in the order of rows, and the message shall be about the first number
 * that cannot be kept. */
static smerf_status fail_in_order(sm_matrix_reader *reader) {
    smerf_status status = SMERF_OK;
    for (size_t i = 0; i < reader->npy.shape[0] && status == SMERF_OK; i++) {
        for (size_t j = 0; j < reader->npy.shape[1] && status == SMERF_OK; j++) {
            double number = sm_npy_get(&reader->npy, i, j);
            status = sm_matrix_fail_in_run(reader, i, j, &number, 1);
        }
    }
    return status;
}

smerf_status sm_matrix_pass_npy(sm_matrix_reader *reader) {
    if (reader->form == SM_MATRIX_CONDENSED || !reader->npy.is_fortran) return sm_matrix_pass_pieces(reader);
    for (sm_npy_tile tile = {0}; sm_npy_next_tile(&reader->npy, &tile);)
        if (!pass_tile(reader, &tile)) return fail_in_order(reader);
    return SMERF_OK;
}
