/* tall.c - see tall.h. Every function is one parallel loop over blocks of rows, and a reduction in the order of the blocks. */
#include "factor/tall.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/kernels.h"

enum { BLOCK_ROWS = 1024 };

size_t sm_tall_blocks(size_t n, size_t m) {
    size_t n_blocks = n / (m > BLOCK_ROWS / 2 ? 2 * m : BLOCK_ROWS);
    return n_blocks > 0 ? n_blocks : 1;
}

typedef struct tall_job {
    size_t n, m, n_blocks;
    const double *x;
    double *y;
    const double *v;
    double *parts; /* what each block brings to a sum */
    double *beta;  /* [n_blocks][m] of the reflections */
} tall_job;

static size_t first_row(const tall_job *job, size_t block) { return sm_tall_first(job->n, job->n_blocks, block); }

/* Adds up parts [n_blocks][size] into out, in the order of the blocks. */
static void add_parts(const double *parts, size_t n_blocks, size_t size, double *out) {
    memset(out, 0, size * sizeof *out);
    for (size_t b = 0; b < n_blocks; b++)
        for (size_t k = 0; k < size; k++) out[k] += parts[b * size + k];
}

/* ---- sums over rows ---- */

static smerf_status sum_block(void *context, size_t task, size_t thread, smerf_error *error) {
    (void)thread, (void)error;
    const tall_job *job = context;
    double *sum = job->parts + task * job->m;
    memset(sum, 0, job->m * sizeof *sum);
    for (size_t i = first_row(job, task); i < first_row(job, task + 1); i++)
        for (size_t c = 0; c < job->m; c++) sum[c] += job->x[i * job->m + c];
    return SMERF_OK;
}

smerf_status sm_tall_means(sm_pool *pool, const double *x, size_t n, size_t m, double *means, smerf_error *error) {
    tall_job job = {.n = n, .m = m, .n_blocks = sm_tall_blocks(n, m), .x = x};
    job.parts = sm_array(sm_size(job.n_blocks, m, 0), sizeof *job.parts);
    if (job.parts == NULL) return sm_no_memory(error, "factoring distances");
    smerf_status status = sm_pool_run(pool, job.n_blocks, sum_block, &job, error);
    if (status == SMERF_OK) add_parts(job.parts, job.n_blocks, m, means);
    for (size_t c = 0; c < m && status == SMERF_OK; c++) means[c] /= (double)n;
    sm_free(job.parts);
    return status;
}

static smerf_status inner_block(void *context, size_t task, size_t thread, smerf_error *error) {
    (void)thread, (void)error;
    const tall_job *job = context;
    size_t m = job->m;
    double *sum = job->parts + task * m * m;
    memset(sum, 0, m * m * sizeof *sum);
    size_t first = first_row(job, task), end = first_row(job, task + 1);
    sm_kernels_select(SMERF_KERNELS_AUTO)
        ->products->add_product((sm_left_factor){job->x + first * m, 1, m}, job->y + first * m, m, end - first, m, sum);
    return SMERF_OK;
}

smerf_status sm_tall_inner(sm_pool *pool, const double *x, const double *y, size_t n, size_t m, double *out,
                           smerf_error *error) {
    tall_job job = {.n = n, .m = m, .n_blocks = sm_tall_blocks(n, m), .x = x, .y = (double *)y};
    job.parts = sm_array(sm_size(job.n_blocks, sm_size(m, m, 0), 0), sizeof *job.parts);
    if (job.parts == NULL) return sm_no_memory(error, "factoring distances");
    smerf_status status = sm_pool_run(pool, job.n_blocks, inner_block, &job, error);
    if (status == SMERF_OK) add_parts(job.parts, job.n_blocks, m * m, out);
    sm_free(job.parts);
    return status;
}

static smerf_status apart_block(void *context, size_t task, size_t thread, smerf_error *error) {
    (void)thread, (void)error;
    const tall_job *job = context;
    size_t m = job->m;
    double *sum = job->parts + task * m;
    memset(sum, 0, m * sizeof *sum);
    for (size_t i = first_row(job, task); i < first_row(job, task + 1); i++)
        for (size_t c = 0; c < m; c++) {
            double apart = job->x[i * m + c] - job->v[c] * job->y[i * m + c];
            sum[c] += apart * apart;
        }
    return SMERF_OK;
}

smerf_status sm_tall_apart(sm_pool *pool, const sm_tall_pair *of, const double *factor, double *out,
                           smerf_error *error) {
    size_t n = of->n, m = of->m;
    tall_job job = {.n = n, .m = m, .n_blocks = sm_tall_blocks(n, m), .x = of->x, .y = (double *)of->y, .v = factor};
    job.parts = sm_array(sm_size(job.n_blocks, m, 0), sizeof *job.parts);
    if (job.parts == NULL) return sm_no_memory(error, "factoring distances");
    smerf_status status = sm_pool_run(pool, job.n_blocks, apart_block, &job, error);
    if (status == SMERF_OK) add_parts(job.parts, job.n_blocks, m, out);
    sm_free(job.parts);
    return status;
}

/* ---- another basis ---- */

static smerf_status rotate_block(void *context, size_t task, size_t thread, smerf_error *error) {
    (void)thread;
    const tall_job *job = context;
    size_t m = job->m;
    double *turned = sm_array(m, sizeof *turned);
    if (turned == NULL) return sm_no_memory(error, "factoring distances");
    for (size_t i = first_row(job, task); i < first_row(job, task + 1); i++) {
        double *row = job->y + i * m;
        memset(turned, 0, m * sizeof *turned);
        for (size_t b = 0; b < m; b++) /* v is stored transposed, so that this runs along its rows */
            for (size_t a = 0; a < m; a++) turned[a] += job->v[b * m + a] * row[b];
        memcpy(row, turned, m * sizeof *row);
    }
    sm_free(turned);
    return SMERF_OK;
}

smerf_status sm_tall_rotate(sm_pool *pool, double *x, size_t n, size_t m, const double *v, smerf_error *error) {
    double *transposed = sm_array(sm_size(m, m, 0), sizeof *transposed);
    if (transposed == NULL) return sm_no_memory(error, "factoring distances");
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m; b++) transposed[b * m + a] = v[a * m + b];
    tall_job job = {.n = n, .m = m, .n_blocks = sm_tall_blocks(n, m), .y = x, .v = transposed};
    smerf_status status = sm_pool_run(pool, job.n_blocks, rotate_block, &job, error);
    sm_free(transposed);
    return status;
}

/* ---- orthonormal columns ---- */

/* I - beta v v', where v is a column of a matrix from row `first` on. */
typedef struct reflection {
    const double *v;
    size_t first, end;
    double beta;
} reflection;

/* w[c] = the sum over rows first .. end-1 of v_i y_ic; then y_ic -= beta v_i w_c: for columns from_column .. m-1. */
static void reflect(const reflection *by, double *y, size_t m, size_t from_column, double *w) {
    const double *v = by->v, beta = by->beta;
    size_t first = by->first, end = by->end;
    memset(w, 0, m * sizeof *w);
    for (size_t i = first; i < end; i++)
        for (size_t c = from_column; c < m; c++) w[c] += v[i * m] * y[i * m + c];
    for (size_t c = from_column; c < m; c++) w[c] *= beta;
    for (size_t i = first; i < end; i++)
        for (size_t c = from_column; c < m; c++) y[i * m + c] -= v[i * m] * w[c];
}

/* Less than this is nothing: its inverse would overflow. */
static const double smallest_square = 1e-290;

/* Householder's Y = Q R for n >= m: column j of Y becomes the vector of reflection j from row j on, and beta[j] its factor.
 *   r  [m][m] out    w  [m] scratch */
static void decompose_rows(double *y, size_t n, size_t m, double *beta, double *r, double *w) {
    memset(r, 0, m * m * sizeof *r);
    for (size_t j = 0; j < m; j++) {
        double tail = 0, head = y[j * m + j], alpha = head;
        for (size_t i = j + 1; i < n; i++) tail += y[i * m + j] * y[i * m + j];
        beta[j] = 0;
        if (tail > smallest_square) {
            double norm = sqrt(head * head + tail);
            alpha = head > 0 ? -norm : norm;
            y[j * m + j] = head - alpha;
            beta[j] = 2 / (y[j * m + j] * y[j * m + j] + tail);
            reflect(&(reflection){y + j, j, n, beta[j]}, y, m, j + 1, w);
        }
        r[j * m + j] = alpha;
        for (size_t c = j + 1; c < m; c++) r[j * m + c] = y[j * m + c];
    }
}

/* q [n][m] = Q S, with S [m][m] and Q as decompose left it in y and beta; beta 0 is no reflection. */
static void compose_rows(const double *y, size_t n, size_t m, const double *beta, const double *s, double *q,
                         double *w) {
    memcpy(q, s, m * m * sizeof *q);
    memset(q + m * m, 0, (n - m) * m * sizeof *q);
    for (size_t j = m; j-- > 0;)
        if (beta[j] != 0) reflect(&(reflection){y + j, j, n, beta[j]}, q, m, 0, w);
}

static smerf_status decompose_block(void *context, size_t task, size_t thread, smerf_error *error) {
    (void)thread;
    const tall_job *job = context;
    size_t m = job->m, first = first_row(job, task), end = first_row(job, task + 1);
    double *w = sm_array(m, sizeof *w);
    if (w == NULL) return sm_no_memory(error, "factoring distances");
    decompose_rows(job->y + first * m, end - first, m, job->beta + task * m, job->parts + task * m * m, w);
    sm_free(w);
    return SMERF_OK;
}

typedef struct compose_job {
    const tall_job *tall;
    const double *s; /* [n_blocks][m][m] */
    double *q;
} compose_job;

static smerf_status compose_block(void *context, size_t task, size_t thread, smerf_error *error) {
    (void)thread;
    const compose_job *job = context;
    const tall_job *tall = job->tall;
    size_t m = tall->m, first = first_row(tall, task), end = first_row(tall, task + 1);
    double *w = sm_array(m, sizeof *w);
    if (w == NULL) return sm_no_memory(error, "factoring distances");
    compose_rows(tall->y + first * m, end - first, m, tall->beta + task * m, job->s + task * m * m, job->q + first * m,
                 w);
    sm_free(w);
    return SMERF_OK;
}

/* The basis of the R factors of all blocks, one above the other.   s  [n_blocks * m][m] out */
static bool join_blocks(double *parts, size_t n_blocks, size_t m, double *s) {
    double *scratch = sm_zeros(sm_size(m, 2 * m + 2, 0), sizeof *scratch);
    if (scratch == NULL) return false;
    double *unit = scratch, *r = scratch + m * m, *beta = r + m * m, *w = beta + m;
    for (size_t j = 0; j < m; j++) unit[j * m + j] = 1;
    decompose_rows(parts, n_blocks * m, m, beta, r, w);
    compose_rows(parts, n_blocks * m, m, beta, unit, s, w);
    sm_free(scratch);
    return true;
}

smerf_status sm_tall_orthonormalise(sm_pool *pool, double *y, size_t n, size_t m, double *q, smerf_error *error) {
    tall_job job = {.n = n, .m = m, .n_blocks = sm_tall_blocks(n, m), .y = y};
    size_t n_numbers = sm_size(job.n_blocks, sm_size(m, m, 0), 0);
    double *s = sm_array(n_numbers, sizeof *s);
    job.parts = sm_array(n_numbers, sizeof *job.parts);
    job.beta = sm_array(sm_size(job.n_blocks, m, 0), sizeof *job.beta);
    compose_job last = {.tall = &job, .s = s, .q = q};
    smerf_status status = SMERF_OK;
    if (s == NULL || job.parts == NULL || job.beta == NULL) status = sm_no_memory(error, "factoring distances");
    if (status == SMERF_OK) status = sm_pool_run(pool, job.n_blocks, decompose_block, &job, error);
    if (status == SMERF_OK && !join_blocks(job.parts, job.n_blocks, m, s))
        status = sm_no_memory(error, "factoring distances");
    if (status == SMERF_OK) status = sm_pool_run(pool, job.n_blocks, compose_block, &last, error);
    sm_free(s);
    sm_free(job.parts);
    sm_free(job.beta);
    return status;
}
