/* matrix_npy.c - the numbers of a matrix in a .npy file: see matrix_reader.h.
 *
 * A file in Fortran's order is read tile by tile. One whose rows follow each other is read in pieces:
 *   1. whoever has nothing else to do reads the next piece; there are more threads than work, to wait for the disk
 *   2. it turns its piece into rows of Z, while another thread reads on
 *   3. and compares rows that are there with the columns that mirror them, as far as all above them are there too
 * So a matrix is checked while the disk is at work, and a number is used while it is in a cache. Reading (pread) is faster here than
 * the memory-mapped file: there is no page fault for every page. */
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
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

/* What sm_matrix_keep does, for n numbers of one row at once: without a branch, so that the compiler vectorizes it. False: one of
 * them cannot be kept. */
static bool keep_run(sm_matrix_reader *reader, size_t row, size_t column, const double *numbers, size_t n) {
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

/* Says which of the numbers of one row is the first that cannot be kept; fine if all can. */
static smerf_status fail_in_run(sm_matrix_reader *reader, size_t row, size_t column, const double *numbers, size_t n) {
    smerf_status status = SMERF_OK;
    for (size_t j = 0; j < n && status == SMERF_OK; j++) {
        const sm_spot spot = {.position = SM_NO_POSITION, .row = row, .column = column + j};
        status = sm_matrix_keep(reader, row, column + j, numbers[j], spot);
    }
    return status;
}

/* ---- pieces ---- */

/* A piece fills 2 MB of Z, the huge page of most machines: no two threads fault on the same one. Of a matrix with fewer than so
 * many of these it fills less, so that those at work stay small beside it. */
enum { LARGEST_PIECE = 1 << 19, SMALLER_PIECE = LARGEST_PIECE / 4, MANY_PIECES = 32, RUN = 1024 };

/* More that work are limited by memory bandwidth; each has another at its side that waits for the disk. */
enum { MOST_AT_WORK = 2, MOST_THREADS = 2 * MOST_AT_WORK };

/* A number of the file, and the pair that it is of. */
typedef struct cursor {
    size_t number, row, column;
} cursor;

/* What one thread has. */
typedef struct worker {
    sm_matrix_reader reader; /* what it finds is joined at the end */
    smerf_error error;
    size_t failed_at;  /* the number that could not be kept; SIZE_MAX: none */
    char *buffer;      /* for a piece */
    const char *bytes; /* the piece */
} worker;

typedef struct pieces {
    const sm_matrix_reader *reader;
    size_t n_numbers, piece; /* piece: numbers of one; of the last there may be fewer */
    sm_fetch fetch;
    sm_gate reading, working;
    cursor next; /* what comes after the last piece that was taken; guarded by `reading` */
    worker workers[MOST_THREADS];

    size_t n_bands;        /* of rows that are to be compared with columns; 0: nothing is */
    atomic_size_t *n_left; /* [n_bands] numbers that are not there yet */
    atomic_size_t next_band;
    atomic_bool is_asymmetric;
} pieces;

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Goes n numbers on, which are of one row. Condensed rows start beside the diagonal. */
static void go_on(const sm_matrix_reader *reader, cursor *at, size_t n) {
    at->number += n;
    at->column += n;
    if (at->column < reader->spec->columns.n) return;
    at->row++;
    at->column = reader->form == SM_MATRIX_CONDENSED ? at->row + 1 : 0;
}

/* How many of n numbers are of the same row. */
static size_t run_length(const sm_matrix_reader *reader, const cursor *at, size_t n) {
    return smaller(n, reader->spec->columns.n - at->column);
}

/* The byte offset of a number in the file. */
static size_t offset_of_number(const pieces *job, size_t number) {
    const sm_npy *npy = &job->reader->npy;
    return (size_t)(npy->data - npy->source->bytes) + number * npy->item_bytes;
}

/* Reads the next piece: *n numbers from *at on. */
static smerf_status read_piece(pieces *job, worker *self, cursor *at, size_t *n, smerf_error *error) {
    sm_gate_enter(&job->reading);
    *at = job->next;
    *n = smaller(job->piece, job->n_numbers - at->number);
    for (size_t left = *n, n_now; left > 0; left -= n_now) {
        n_now = run_length(job->reader, &job->next, left);
        go_on(job->reader, &job->next, n_now);
    }
    size_t from = offset_of_number(job, at->number), n_bytes = *n * job->reader->npy.item_bytes;
    bool is_direct = sm_fetch_choose(&job->fetch, from, n_bytes);
    if (is_direct) sm_gate_leave(&job->reading);
    smerf_status status = sm_fetch_read(&job->fetch, from, n_bytes, is_direct, self->buffer, &self->bytes, error);
    if (!is_direct) sm_gate_leave(&job->reading);
    return status;
}

/* Writes a piece into Z. Where it fails, so do no earlier pieces of this thread. */
static smerf_status keep_piece(worker *self, cursor at, size_t n) {
    sm_matrix_reader *reader = &self->reader;
    const char *bytes = self->bytes;
    const bool has_doubles = sm_npy_has_doubles(&reader->npy) && (uintptr_t)bytes % sizeof(double) == 0;
    double converted[RUN];
    for (size_t n_now; n > 0; n -= n_now) {
        n_now = smaller(run_length(reader, &at, n), RUN);
        const double *run = has_doubles ? (const void *)bytes : converted;
        if (!has_doubles) sm_npy_convert(&reader->npy, bytes, n_now, converted);
        if (!keep_run(reader, at.row, at.column, run, n_now)) {
            self->failed_at = at.number;
            return fail_in_run(reader, at.row, at.column, run, n_now);
        }
        bytes += n_now * reader->npy.item_bytes;
        go_on(reader, &at, n_now);
    }
    return SMERF_OK;
}

/* ---- rows against columns ---- */

static void note_piece(pieces *job, size_t first, size_t n) {
    size_t in_band = SM_SQUARE_BAND * job->reader->spec->columns.n;
    for (size_t n_now; n > 0 && job->n_bands > 0; n -= n_now, first += n_now) {
        n_now = smaller(n, in_band - first % in_band);
        atomic_fetch_sub(&job->n_left[first / in_band], n_now);
    }
}

/* Bands are taken in their order, each when it is complete: then all above it are. Whoever completes the last one goes on to
 * the end, so none is forgotten. */
static void compare_bands(pieces *job) {
    const sm_matrix_reader *reader = job->reader;
    for (size_t band = atomic_load(&job->next_band); band < job->n_bands && atomic_load(&job->n_left[band]) == 0;) {
        if (!atomic_compare_exchange_strong(&job->next_band, &band, band + 1)) continue; /* band is what it is now */
        if (!sm_square_band_is_symmetric(reader->z, reader->spec->rows.n, band * SM_SQUARE_BAND))
            atomic_store(&job->is_asymmetric, true); /* where, is found out later */
        band = atomic_load(&job->next_band);
    }
}

static smerf_status pass_piece(void *context, size_t task, size_t thread, smerf_error *error) {
    pieces *job = context;
    worker *self = &job->workers[thread];
    (void)task; /* pieces are taken in the order in which they can be read */
    cursor at;
    size_t n;
    smerf_status status = read_piece(job, self, &at, &n, error);
    if (status != SMERF_OK) return status;
    sm_gate_enter(&job->working);
    status = keep_piece(self, at, n);
    if (status == SMERF_OK) {
        note_piece(job, at.number, n);
        compare_bands(job);
    } else {
        *error = self->error;
    }
    sm_gate_leave(&job->working);
    return status;
}

/* ---- all of it ---- */

static smerf_status start_pieces(pieces *job, size_t n_threads, smerf_error *error) {
    const sm_matrix_reader *reader = job->reader;
    const sm_matrix_spec *spec = reader->spec;
    size_t n = spec->rows.n, n_bytes = smaller(job->n_numbers, job->piece) * reader->npy.item_bytes;
    bool is_there = true;
    job->next.column = reader->form == SM_MATRIX_CONDENSED ? 1 : 0;
    if (reader->z != NULL && spec->is_square && !spec->take_means && reader->form == SM_MATRIX_FULL)
        job->n_bands = (n + SM_SQUARE_BAND - 1) / SM_SQUARE_BAND;
    for (size_t t = 0; t < n_threads; t++) {
        worker *self = &job->workers[t];
        *self = (worker){.reader = *reader, .failed_at = SIZE_MAX, .buffer = sm_fetch_buffer(n_bytes)};
        self->reader.error = &self->error;
        is_there = is_there && self->buffer != NULL;
    }
    job->n_left = sm_array(job->n_bands, sizeof *job->n_left);
    if (!is_there || job->n_left == NULL) return sm_no_memory(error, "reading a matrix");
    for (size_t b = 0; b < job->n_bands; b++)
        atomic_init(&job->n_left[b], n * smaller(SM_SQUARE_BAND, n - b * SM_SQUARE_BAND));
    return SMERF_OK;
}

/* Pieces were begun in their order and each was finished: of all that failed, the first is the first of the file. */
static smerf_status join_workers(pieces *job, size_t n_threads, sm_matrix_reader *reader, smerf_status status) {
    size_t first_failed = SIZE_MAX;
    for (size_t t = 0; t < n_threads; t++) {
        const worker *self = &job->workers[t];
        reader->has_missing |= self->reader.has_missing;
        if (self->reader.largest > reader->largest) reader->largest = self->reader.largest;
        if (self->failed_at >= first_failed) continue;
        first_failed = self->failed_at;
        status = self->error.status;
        if (reader->error != NULL) *reader->error = self->error;
    }
    reader->is_symmetric = status == SMERF_OK && job->n_bands > 0 && !atomic_load(&job->is_asymmetric);
    return status;
}

static smerf_status pass_pieces(sm_matrix_reader *reader) {
    pieces job = {.reader = reader, .n_numbers = reader->npy.shape[0] * reader->npy.shape[1]};
    const smerf_run run = {.n_threads = reader->spec->n_threads};
    job.piece = job.n_numbers / LARGEST_PIECE < MANY_PIECES ? SMALLER_PIECE : LARGEST_PIECE;
    size_t n_tasks = (job.n_numbers + job.piece - 1) / job.piece;
    sm_pool pool;
    sm_pool_start(&pool, &run);
    size_t n_at_work = smaller(pool.n_threads, MOST_AT_WORK);
    sm_fetch_start(&job.fetch, reader->npy.source, offset_of_number(&job, 0), job.n_numbers * reader->npy.item_bytes);
    pool.n_threads = smaller(sm_fetch_may_wait(&job.fetch) ? 2 * n_at_work : n_at_work, n_tasks);
    sm_gate_make(&job.reading, 1);
    sm_gate_make(&job.working, n_at_work);
    atomic_init(&job.next_band, 0);
    atomic_init(&job.is_asymmetric, false);
    smerf_status status = start_pieces(&job, pool.n_threads, reader->error);
    if (status == SMERF_OK) status = sm_pool_run(&pool, n_tasks, pass_piece, &job, reader->error);
    status = join_workers(&job, pool.n_threads, reader, status);
    for (size_t t = 0; t < pool.n_threads; t++) sm_free(job.workers[t].buffer);
    sm_free(job.n_left);
    sm_gate_free(&job.reading);
    sm_gate_free(&job.working);
    sm_fetch_end(&job.fetch);
    return status;
}

/* ---- a pass over all numbers ---- */

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
    if (reader->form == SM_MATRIX_CONDENSED || !reader->npy.is_fortran) return pass_pieces(reader);
    for (sm_npy_tile tile = {0}; sm_npy_next_tile(&reader->npy, &tile);)
        if (!pass_tile(reader, &tile)) return fail_in_order(reader);
    return SMERF_OK;
}
