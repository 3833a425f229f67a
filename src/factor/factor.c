/* factor.c - the leading eigenpairs of K = -1/2 J Z J by subspace iteration.
 *
 *   1. a block of random vectors, a few more than are wanted, is multiplied by K and made orthonormal
 *   2. Rayleigh and Ritz: within the block, the eigenpairs of K are found, largest |lambda| first
 *   3. if K u = lambda u holds well enough for those wanted, done
 *   4. else each vector u becomes T_d(K / c) u, where T_d is a Chebyshev polynomial: within [-c, c] it stays below 1,
 *      outside it grows as fast as a polynomial of degree d can. c is a lower bound of the |lambda| that the block holds
 *      (its smallest singular value), so nothing that is wanted is damped. Then 2.
 * Z itself is only multiplied with (sm_operator). If there are few items, K is written out and solved whole. */
#include "factor/factor.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/square.h"
#include "factor/tall.h"
#include "kernels/matrices.h"

enum {
    FEW_ITEMS = 256,       /* so many are solved whole */
    MANY_ITEMS = 4096,     /* more than these are content with vectors that approximate K as well as eigenvectors do */
    ROWS_AT_ONCE = 64,     /* that one task multiplies */
    MOST_PASSES = 48,      /* products with K */
    MOST_DEGREE = 24,      /* of a polynomial */
    STREAM_FACTOR = 1 << 8 /* away from the streams of trees */
};

static const double small_enough = 1e-8; /* |K u - lambda u| over the largest |lambda| */
static const double slack = 1e-4; /* the squares of what K u - lambda u is, over those of what the rank leaves out */
static const double most_growth = 1e7; /* of the first vector over the last wanted: rounding eats the rest */

typedef struct factoring {
    sm_arena arena; /* holds the arrays below */
    const sm_operator *matrix;
    sm_pool *pool;
    size_t n, m;                  /* items; vectors in the block */
    double *row_mean;             /* [n] of Z - base */
    double grand_mean;            /* likewise */
    double squares, noise;        /* |K|^2; what rounding leaves where K has nothing */
    double *q, *kq, *next;        /* [n][m] orthonormal; K q; scratch for a third */
    double *x_mean, *y_mean;      /* [m] */
    double *found, *value;        /* [m] eigenvalues: in no order; of Ritz, |value| falling */
    double *small, *vectors;      /* [m][m] */
    double *turn, *scratch;       /* [m][m], [3 m] */
    size_t *order;                /* [m] */
    size_t n_passes;              /* products with K so far */
    double fraction_from, to_add; /* progress: where this starts, and its part of the whole */
} factoring;

/* ---- what is known from one look at every row ---- */

typedef struct moments_job {
    const sm_operator *matrix;
    double centre;
    double *sum, *squares; /* [n] */
} moments_job;

static smerf_status moments_of_rows(void *context, size_t task, size_t thread, smerf_error *error) {
    (void)thread, (void)error;
    const moments_job *job = context;
    size_t first = task * ROWS_AT_ONCE, end = first + ROWS_AT_ONCE;
    for (size_t i = first; i < end && i < job->matrix->n; i++)
        job->matrix->row_moments(job->matrix->context, i, job->centre, &job->sum[i], &job->squares[i]);
    return SMERF_OK;
}

static smerf_status all_moments(factoring *at, moments_job *job, smerf_error *error) {
    return sm_pool_run(at->pool, (at->n + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, moments_of_rows, job, error);
}

/* Row means, and |K|^2 = 1/4 (the sum of (z - g)^2 - 2 n times that of (row mean - g)^2), g the grand mean: taken in
 * deviations from g, so that a constant in Z costs no digits. */
static smerf_status look_at_rows(factoring *at, smerf_error *error) {
    double n = (double)at->n, total = 0, apart = 0, squares = 0, sum_squares = 0;
    double *row_squares = sm_array(at->n, sizeof *row_squares);
    if (row_squares == NULL) return sm_no_memory(error, "factoring distances");
    moments_job job = {.matrix = at->matrix, .sum = at->row_mean, .squares = row_squares};
    smerf_status status = all_moments(at, &job, error);
    for (size_t i = 0; i < at->n && status == SMERF_OK; i++) {
        total += at->row_mean[i] / n;
        sum_squares += row_squares[i];
    }
    at->grand_mean = job.centre = total / n;
    if (status == SMERF_OK) status = all_moments(at, &job, error);
    for (size_t i = 0; i < at->n && status == SMERF_OK; i++) {
        double deviation = at->row_mean[i] / n;
        squares += row_squares[i];
        apart += deviation * deviation;
        at->row_mean[i] = at->grand_mean + deviation;
    }
    sm_free(row_squares);
    if (status != SMERF_OK) return status;
    if (!(sum_squares < DBL_MAX)) return sm_fail(error, SMERF_BAD_INPUT, "the distances are too large to be squared");
    at->squares = fmax(0, (squares - 2 * n * apart) / 4);
    at->noise = 4 * DBL_EPSILON * sqrt(sum_squares);
    return SMERF_OK;
}

/* ---- products with K ---- */

typedef struct product_job {
    factoring *at;
    const double *x;
    double *y, *before;
    double scale;
} product_job;

static smerf_status multiply_rows(void *context, size_t task, size_t thread, smerf_error *error) {
    (void)thread, (void)error;
    const product_job *job = context;
    const factoring *at = job->at;
    size_t first = task * ROWS_AT_ONCE, end = first + ROWS_AT_ONCE < at->n ? first + ROWS_AT_ONCE : at->n;
    at->matrix->rows(at->matrix->context, first, end, job->x, at->m, job->y + first * at->m);
    for (size_t i = first; i < end; i++) /* J X in place of X */
        for (size_t c = 0; c < at->m; c++) job->y[i * at->m + c] -= (double)at->n * at->row_mean[i] * at->x_mean[c];
    return SMERF_OK;
}

/* From Z J X to K X, and for a Chebyshev step to scale K X - what was before. */
static smerf_status centre_rows(void *context, size_t task, size_t thread, smerf_error *error) {
    (void)thread, (void)error;
    const product_job *job = context;
    const factoring *at = job->at;
    size_t m = at->m, n_blocks = sm_tall_blocks(at->n, m);
    for (size_t i = sm_tall_first(at->n, n_blocks, task); i < sm_tall_first(at->n, n_blocks, task + 1); i++)
        for (size_t c = 0; c < m; c++) {
            double *y = &job->y[i * m + c];
            *y = -0.5 * job->scale * (*y - at->y_mean[c]);
            if (job->before != NULL) *y -= job->before[i * m + c];
        }
    return SMERF_OK;
}

/* y = scale K x - before (or nothing, if that is NULL). */
static smerf_status multiply_by_k(factoring *at, const double *x, double scale, double *before, double *y,
                                  smerf_error *error) {
    product_job job = {.at = at, .x = x, .y = y, .before = before, .scale = scale};
    sm_pool *pool = at->pool;
    pool->fraction_from = pool->fraction_to;
    smerf_status status = sm_tall_means(pool, x, at->n, at->m, at->x_mean, error);
    at->n_passes++;
    pool->fraction_to =
        at->fraction_from + at->to_add * (1 - pow(0.9, (double)at->n_passes)); /* how many, is not known */
    if (status == SMERF_OK)
        status = sm_pool_run(pool, (at->n + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, multiply_rows, &job, error);
    pool->fraction_from = pool->fraction_to;
    if (status == SMERF_OK) status = sm_tall_means(pool, y, at->n, at->m, at->y_mean, error);
    if (status == SMERF_OK) status = sm_pool_run(pool, sm_tall_blocks(at->n, at->m), centre_rows, &job, error);
    return status;
}

/* ---- the iteration ---- */

typedef struct start_job {
    factoring *at;
    uint64_t seed;
} start_job;

static smerf_status draw_rows(void *context, size_t task, size_t thread, smerf_error *error) {
    (void)thread, (void)error;
    const start_job *job = context;
    factoring *at = job->at;
    size_t n_blocks = sm_tall_blocks(at->n, at->m);
    sm_random random;
    sm_random_start(&random, job->seed, (uint32_t)task, STREAM_FACTOR);
    for (size_t i = sm_tall_first(at->n, n_blocks, task) * at->m; i < sm_tall_first(at->n, n_blocks, task + 1) * at->m;
         i++)
        at->q[i] = sm_random_normal(&random);
    return SMERF_OK;
}

static smerf_status start_block(factoring *at, uint64_t seed, smerf_error *error) {
    start_job job = {.at = at, .seed = seed};
    smerf_status status = sm_pool_run(at->pool, sm_tall_blocks(at->n, at->m), draw_rows, &job, error);
    if (status == SMERF_OK) status = multiply_by_k(at, at->q, 1, NULL, at->kq, error);
    if (status == SMERF_OK) status = sm_tall_orthonormalise(at->pool, at->kq, at->n, at->m, at->q, error);
    return status;
}

void sm_factor_order(const double *values, size_t n, size_t *order) {
    for (size_t k = 0; k < n; k++) {
        size_t at = k;
        for (; at > 0; at--) {
            double before = values[order[at - 1]];
            bool is_larger = fabs(values[k]) > fabs(before) || (values[k] == -before && values[k] > 0);
            if (!is_larger) break;
            order[at] = order[at - 1];
        }
        order[at] = k;
    }
}

/* Turns the block to the eigenvectors of Q' K Q. */
static smerf_status find_ritz_pairs(factoring *at, smerf_error *error) {
    size_t m = at->m;
    smerf_status status = sm_tall_inner(at->pool, at->q, at->kq, at->n, m, at->small, error);
    if (status != SMERF_OK) return status;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < a; b++)
            at->small[a * m + b] = at->small[b * m + a] = (at->small[a * m + b] + at->small[b * m + a]) / 2;
    sm_eigen(at->small, m, at->found, at->vectors, at->scratch);
    sm_factor_order(at->found, m, at->order);
    for (size_t k = 0; k < m; k++) {
        at->value[k] = at->found[at->order[k]];
        memcpy(at->turn + k * m, at->vectors + at->order[k] * m, m * sizeof *at->turn);
    }
    status = sm_tall_rotate(at->pool, at->q, at->n, m, at->turn, error);
    if (status == SMERF_OK) status = sm_tall_rotate(at->pool, at->kq, at->n, m, at->turn, error);
    return status;
}

/* Whether K u = lambda u holds well enough for the first `rank` vectors: to the last digits that matter; or, where a product
 * with K is a long task, so well that better ones would leave out no less of K. What they leave out is |K|^2 less the sum of
 * the squares of lambda. */
static smerf_status check_ritz_pairs(factoring *at, size_t rank, bool *is_done, smerf_error *error) {
    smerf_status status =
        sm_tall_apart(at->pool, &(sm_tall_pair){at->kq, at->q, at->n, at->m}, at->value, at->found, error);
    double allowed = fmax(small_enough * fabs(at->value[0]), at->noise), missed = 0, left_out = at->squares;
    *is_done = true;
    for (size_t c = 0; c < rank && status == SMERF_OK; c++) {
        missed += at->found[c];
        left_out -= at->value[c] * at->value[c];
        if (!(sqrt(at->found[c]) <= allowed)) *is_done = false;
    }
    if (at->n > MANY_ITEMS && !at->matrix->wants_vectors && missed <= slack * left_out) *is_done = true;
    return status;
}

/* T_d(x) for x >= 1, in effect. */
static double growth(double x, size_t degree) { return cosh((double)degree * acosh(fmax(x, 1))); }

/* The smallest singular value of K Q. By interlacing no more of the |lambda| of K than there are vectors lie above it. */
static smerf_status find_cut(factoring *at, double *cut, smerf_error *error) {
    smerf_status status = sm_tall_inner(at->pool, at->kq, at->kq, at->n, at->m, at->small, error);
    if (status != SMERF_OK) return status;
    sm_eigen(at->small, at->m, at->found, at->vectors, at->scratch);
    double smallest = at->found[0];
    for (size_t k = 1; k < at->m; k++) smallest = fmin(smallest, at->found[k]);
    *cut = fmax(sqrt(fmax(smallest, 0)), 1e-6 * fabs(at->value[0]));
    return SMERF_OK;
}

/* Q becomes T_d(K / cut) Q, orthonormal again. */
static smerf_status filter_block(factoring *at, size_t rank, smerf_error *error) {
    double cut;
    smerf_status status = find_cut(at, &cut, error);
    if (status != SMERF_OK) return status;
    double first = fabs(at->value[0]) / cut, last = fabs(at->value[rank - 1]) / cut;
    size_t degree = 1;
    while (degree < MOST_DEGREE && growth(first, degree + 1) <= most_growth * growth(last, degree + 1)) degree++;
    for (size_t i = 0; i < at->n * at->m; i++) at->kq[i] /= cut;
    for (size_t d = 2; d <= degree && status == SMERF_OK; d++) {
        status = multiply_by_k(at, at->kq, 2 / cut, at->q, at->next, error);
        double *oldest = at->q;
        at->q = at->kq;
        at->kq = at->next;
        at->next = oldest;
    }
    if (status == SMERF_OK) status = sm_tall_orthonormalise(at->pool, at->kq, at->n, at->m, at->q, error);
    return status;
}

static smerf_status iterate(factoring *at, size_t rank, uint64_t seed, smerf_error *error) {
    smerf_status status = start_block(at, seed, error);
    for (bool is_done = false; status == SMERF_OK;) {
        status = multiply_by_k(at, at->q, 1, NULL, at->kq, error);
        if (status == SMERF_OK) status = find_ritz_pairs(at, error);
        if (status == SMERF_OK) status = check_ritz_pairs(at, rank, &is_done, error);
        if (status != SMERF_OK || is_done || at->n_passes >= MOST_PASSES) break;
        status = filter_block(at, rank, error);
    }
    return status;
}

/* ---- all of K, if there are few items ---- */

/* The block is the unit matrix first, hence Q and K Q are all eigenvectors and K. */
static smerf_status solve_whole(factoring *at, smerf_error *error) {
    size_t n = at->n, m = at->m;
    memset(at->q, 0, n * m * sizeof *at->q);
    for (size_t i = 0; i < n; i++) at->q[i * m + i] = 1;
    at->matrix->rows(at->matrix->context, 0, n, at->q, m, at->kq);
    double *k = at->small;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double z = (at->kq[i * m + j] + at->kq[j * m + i]) / 2;
            k[i * n + j] = k[j * n + i] = -0.5 * ((z - at->row_mean[i]) - (at->row_mean[j] - at->grand_mean));
        }
    sm_eigen(k, n, at->found, at->vectors, at->scratch);
    sm_factor_order(at->found, n, at->order);
    for (size_t r = 0; r < n; r++) {
        at->value[r] = at->found[at->order[r]];
        for (size_t i = 0; i < n; i++) at->q[i * m + r] = at->vectors[at->order[r] * n + i];
    }
    return sm_pool_report(at->pool, at->fraction_from + at->to_add, error);
}

/* ---- results ---- */

void sm_factors_free(sm_factors *factors) {
    sm_free(factors->u);
    sm_free(factors->scale);
    sm_free(factors->a);
    sm_free(factors->value);
    *factors = (sm_factors){.n_items = 0};
}

smerf_status sm_factors_start(sm_factors *factors, size_t n_items, size_t rank, smerf_error *error) {
    *factors = (sm_factors){.n_items = n_items, .rank = rank, .fraction_of_squares = 1, .eigenvalue_fraction = NAN};
    factors->u = sm_array(sm_size(n_items, rank, 0), sizeof *factors->u);
    factors->scale = sm_array(rank, sizeof *factors->scale);
    factors->a = sm_array(n_items, sizeof *factors->a);
    factors->value = sm_array(rank, sizeof *factors->value);
    if (factors->u != NULL && factors->scale != NULL && factors->a != NULL && factors->value != NULL) return SMERF_OK;
    sm_factors_free(factors);
    return sm_no_memory(error, "factoring distances");
}

void sm_factors_finish(sm_factors *factors) {
    size_t rank = factors->rank;
    for (size_t r = 0; r < rank; r++) {
        size_t largest = 0;
        for (size_t i = 1; i < factors->n_items; i++)
            if (fabs(factors->u[i * rank + r]) > fabs(factors->u[largest * rank + r])) largest = i;
        if (factors->u[largest * rank + r] < 0)
            for (size_t i = 0; i < factors->n_items; i++) factors->u[i * rank + r] *= -1;
    }
}

static smerf_status hand_over_factors(const factoring *at, size_t rank, sm_factors *out, smerf_error *error) {
    size_t n_kept = 0, n_known = at->m < at->n ? at->m : at->n;
    double kept = 0, kept_squares = 0, all = 0;
    while (n_kept < rank && n_kept < n_known && fabs(at->value[n_kept]) > at->noise) n_kept++;
    if (n_kept == 0) n_kept = 1;
    smerf_status status = sm_factors_start(out, at->n, n_kept, error);
    if (status != SMERF_OK) return status;
    for (size_t r = 0; r < n_kept; r++) {
        double value = out->value[r] = fabs(at->value[r]) > at->noise ? at->value[r] : 0;
        out->scale[r] = value < 0 ? -1 : 1;
        for (size_t i = 0; i < at->n; i++) out->u[i * n_kept + r] = sqrt(fabs(value)) * at->q[i * at->m + r];
        kept += fabs(value);
        kept_squares += value * value;
    }
    for (size_t i = 0; i < at->n; i++) out->a[i] = at->matrix->base / 2 + at->row_mean[i] - at->grand_mean / 2;
    for (size_t r = 0; r < n_known; r++) all += fabs(at->value[r]) > at->noise ? fabs(at->value[r]) : 0;
    if (kept > 0) out->fraction_of_squares = fmin(1, kept_squares / at->squares);
    if (at->m >= at->n) out->eigenvalue_fraction = kept > 0 ? fmin(1, kept / all) : 1;
    sm_factors_finish(out);
    return SMERF_OK;
}

static void take_scratch(factoring *at, bool is_whole) {
    size_t n = at->n, m = at->m, k = is_whole ? n : m; /* K itself, or what it is within the block */
    sm_arena *arena = &at->arena;
    at->q = sm_arena_take(arena, sm_size(n, m, 0), sizeof *at->q);
    at->kq = sm_arena_take(arena, sm_size(n, m, 0), sizeof *at->kq);
    if (!is_whole) at->next = sm_arena_take(arena, sm_size(n, m, 0), sizeof *at->next);
    if (!is_whole) at->turn = sm_arena_take(arena, sm_size(m, m, 0), sizeof *at->turn);
    at->small = sm_arena_take(arena, sm_size(k, k, 0), sizeof *at->small);
    at->vectors = sm_arena_take(arena, sm_size(k, k, 0), sizeof *at->vectors);
    at->row_mean = sm_arena_take(arena, n, sizeof *at->row_mean);
    at->x_mean = sm_arena_take(arena, m, sizeof *at->x_mean);
    at->y_mean = sm_arena_take(arena, m, sizeof *at->y_mean);
    at->found = sm_arena_take(arena, m, sizeof *at->found);
    at->value = sm_arena_take(arena, m, sizeof *at->value);
    at->scratch = sm_arena_take(arena, 3 * m, sizeof *at->scratch);
    at->order = sm_arena_take(arena, m, sizeof *at->order);
}

smerf_status sm_factor(const sm_operator *matrix, size_t rank, uint64_t seed, sm_pool *pool, sm_factors *out,
                       smerf_error *error) {
    size_t n = matrix->n;
    if (rank > n) rank = n;
    size_t m = sm_panel_padded(rank + rank / 4 + 8);
    bool is_whole = n <= FEW_ITEMS || m >= n / 2;
    if (is_whole) m = sm_panel_padded(n);
    factoring at = {.matrix = matrix, .pool = pool, .n = n, .m = m};
    double fraction_to = pool->fraction_to;
    at.fraction_from = pool->fraction_from;
    at.to_add = pool->fraction_to - pool->fraction_from;
    pool->fraction_to = pool->fraction_from;
    double numbers = (double)m * (3 * (double)n + 3 * (double)m);
    smerf_status status = sm_check_memory(numbers * sizeof(double), "factoring the distances", error);
    if (status != SMERF_OK) return status;
    take_scratch(&at, is_whole);
    if (at.arena.has_failed) status = sm_no_memory(error, "factoring distances");
    if (status == SMERF_OK) status = look_at_rows(&at, error);
    if (status == SMERF_OK) status = is_whole ? solve_whole(&at, error) : iterate(&at, rank, seed, error);
    if (status == SMERF_OK) status = hand_over_factors(&at, rank, out, error);
    sm_arena_free(&at.arena);
    pool->fraction_from = at.fraction_from;
    pool->fraction_to = fraction_to;
    return status;
}
