/* normal_equations.c - what listed pairs and single items bring to H, as one matrix over the entries of A.
 *
 * A symmetric matrix is the vector of its upper triangle, entries above the diagonal times sqrt(2), so that the inner
 * product of two vectors is that of the matrices. Each pair adds weight q q' with q the vector of its D_ij. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/linear/fit/pair_squares.h"

enum { N_BLOCKS = 16, USUAL_STEPS = 60 };

static const double most_bytes = 256e6, root_of_two = 1.4142135623730951;

static size_t n_unknowns(const sm_pair_squares *squares) {
    return squares->frame->rank * (squares->frame->rank + 1) / 2;
}

bool sm_normal_equations_pay(const sm_pair_squares *squares) {
    const sm_training_pairs *pairs = squares->pairs;
    double n = (double)pairs->n_items, rank = (double)squares->frame->rank, m = rank * (rank + 1) / 2;
    double n_terms = (squares->has_own ? n : 0) + (pairs->links != NULL ? (double)pairs->links->n / 2 : 0);
    double a_step = pairs->links != NULL ? (double)pairs->links->n * 4 * rank + 4 * n * rank * rank : 4 * n * m;
    if (n_terms == 0 || m * m * (N_BLOCKS + 1) * sizeof(double) > most_bytes) return false;
    return n_terms * m * m + USUAL_STEPS * 2 * m * m < USUAL_STEPS * a_step;
}

/* q of the product of two vectors. */
static void fold_normal(const double *x, const double *y, size_t rank, double *q) {
    for (size_t k = 0; k < rank; k++) {
        *q++ = x[k] * y[k];
        for (size_t l = k + 1; l < rank; l++) *q++ = (x[k] * y[l] + x[l] * y[k]) / root_of_two;
    }
}

/* normal += weight q q', in the upper triangle. */
static void add_term(double *normal, const double *q, size_t m, double weight) {
    for (size_t k = 0; k < m; k++) {
        double factor = weight * q[k];
        for (size_t l = k; l < m; l++) normal[k * m + l] += factor * q[l];
    }
}

typedef struct form_job {
    const sm_pair_squares *squares;
    double *parts;   /* [N_BLOCKS][m][m] */
    double *scratch; /* [n_threads][m + rank] */
} form_job;

static void add_normal_item(const form_job *job, size_t i, double *normal, double *q, double *apart) {
    const sm_pair_squares *squares = job->squares;
    const sm_links *links = squares->pairs->links;
    size_t rank = squares->frame->rank, m = n_unknowns(squares);
    const double *y = squares->frame->y + i * rank;
    if (squares->own[i] != 0) {
        fold_normal(y, y, rank, q);
        add_term(normal, q, m, squares->own[i]);
    }
    for (size_t e = links != NULL ? links->first[i] : 0; links != NULL && e < links->first[i + 1]; e++) {
        const double *other = squares->frame->y + links->partner[e] * rank;
        if (links->partner[e] < i) continue; /* each pair once, with the weight of both its orders */
        for (size_t c = 0; c < rank; c++) apart[c] = y[c] - other[c];
        fold_normal(squares->is_of_differences ? apart : y, squares->is_of_differences ? apart : other, rank, q);
        add_term(normal, q, m, 2 * sm_listed_weight(squares->pairs, i, e));
    }
}

/* Items are dealt out one by one: their numbers of partners differ. */
static smerf_status form_block(void *context, size_t task, size_t thread, smerf_error *error) {
    const form_job *job = context;
    (void)error;
    size_t m = n_unknowns(job->squares), rank = job->squares->frame->rank;
    double *q = job->scratch + thread * (m + rank);
    for (size_t i = task; i < job->squares->frame->n_items; i += N_BLOCKS)
        add_normal_item(job, i, job->parts + task * m * m, q, q + m);
    return SMERF_OK;
}

smerf_status sm_normal_equations_form(sm_pair_squares *squares, sm_pool *pool, smerf_error *error) {
    size_t m = n_unknowns(squares), mm = m * m;
    form_job job = {.squares = squares, .parts = sm_zeros(N_BLOCKS * mm, sizeof(double))};
    job.scratch = sm_array(pool->n_threads * (m + squares->frame->rank), sizeof(double));
    squares->normal = sm_zeros(mm, sizeof(double));
    smerf_status status = SMERF_OK;
    if (job.parts == NULL || job.scratch == NULL || squares->normal == NULL)
        status = sm_no_memory(error, "forming normal equations");
    if (status == SMERF_OK) status = sm_pool_run(pool, N_BLOCKS, form_block, &job, error);
    for (size_t b = 0; b < N_BLOCKS && status == SMERF_OK; b++)
        for (size_t k = 0; k < mm; k++) squares->normal[k] += job.parts[b * mm + k];
    if (status == SMERF_OK) sm_symmetric_mirror(squares->normal, m);
    sm_free(job.parts);
    sm_free(job.scratch);
    return status;
}

void sm_normal_equations_apply(const sm_pair_squares *squares, const double *a, double *out) {
    size_t rank = squares->frame->rank, m = n_unknowns(squares), at = 0;
    double *q = squares->sums; /* there is memory for rank * rank numbers at least, and twice */
    for (size_t k = 0; k < rank; k++)
        for (size_t l = k; l < rank; l++) q[at++] = (k == l ? 1 : root_of_two) * a[k * rank + l];
    at = 0;
    for (size_t k = 0; k < rank; k++)
        for (size_t l = k; l < rank; l++, at++)
            out[k * rank + l] += sm_symmetric_dot(squares->normal + at * m, q, m) / (k == l ? 1 : root_of_two);
    sm_symmetric_mirror(out, rank);
}
