/* operators.c - what can be factored beside a matrix: listed pairs such as a graph's (an sm_operator that is sparse), and vectors
 * (directly, from the small matrix of their inner products). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/square.h"
#include "factor/factor.h"
#include "factor/tall.h"

/* ---- listed pairs: what they are beyond the distance elsewhere, and z_ii likewise on the diagonal ---- */

static double listed_value(const sm_listed_pairs *pairs, size_t entry) {
    return (pairs->value != NULL ? pairs->value[entry] : pairs->common) - pairs->elsewhere;
}

static double listed_self(const sm_listed_pairs *pairs, size_t item) {
    return (pairs->self != NULL ? pairs->self[item] : 0) - pairs->elsewhere;
}

static void listed_rows(const void *context, size_t first, size_t end, const double *x, size_t m, double *y) {
    const sm_listed_pairs *pairs = context;
    for (size_t i = first; i < end; i++) {
        double *out = y + (i - first) * m, self = listed_self(pairs, i);
        for (size_t c = 0; c < m; c++) out[c] = self * x[i * m + c];
        for (size_t e = pairs->first[i]; e < pairs->first[i + 1]; e++) {
            double value = listed_value(pairs, e);
            const double *from = x + pairs->partner[e] * m;
            for (size_t c = 0; c < m; c++) out[c] += value * from[c];
        }
    }
}

static void listed_moments(const void *context, size_t row, double centre, double *sum, double *squares) {
    const sm_listed_pairs *pairs = context;
    double self = listed_self(pairs, row) - centre;
    double n_elsewhere = (double)(pairs->n_items - 1 - (pairs->first[row + 1] - pairs->first[row]));
    *sum = self - n_elsewhere * centre;
    *squares = self * self + n_elsewhere * centre * centre;
    for (size_t e = pairs->first[row]; e < pairs->first[row + 1]; e++) {
        double z = listed_value(pairs, e) - centre;
        *sum += z;
        *squares += z * z;
    }
}

sm_operator sm_operator_listed(const sm_listed_pairs *pairs) {
    return (sm_operator){.n = pairs->n_items,
                         .base = pairs->elsewhere,
                         .context = pairs,
                         .rows = listed_rows,
                         .row_moments = listed_moments};
}

/* ---- vectors ----
 * K = X X', where X has the columns u - mean u, each times the root of its scale. With X' X = V diag(lambda) V', the
 * columns of X V are what is wanted, and need no division by a small lambda. */

/* Centred and scaled coordinates, and the a_i that go with them: those given - 2 <u_i, mean> + <mean, mean>. */
static void centre_vectors(const sm_vectors *vectors, const double *mean, double *x, double *a) {
    size_t rank = vectors->rank;
    for (size_t i = 0; i < vectors->n_items; i++) {
        const double *u = vectors->u + i * rank;
        double own = 0, toward = 0;
        for (size_t r = 0; r < rank; r++) {
            x[i * rank + r] = sqrt(vectors->scale[r]) * (u[r] - mean[r]);
            own += vectors->scale[r] * u[r] * u[r];
            toward += vectors->scale[r] * mean[r] * (2 * u[r] - mean[r]);
        }
        a[i] = (vectors->a != NULL ? vectors->a[i] : own) - toward;
    }
}

/* The vectors on their way to factors: K = X X'. */
typedef struct spectrum {
    sm_arena arena; /* holds the arrays below */
    size_t n, n_columns;
    double *mean;                    /* [n_columns] */
    double *x, *a;                   /* [n][n_columns], [n] centred and scaled */
    double *inner, *basis, *scratch; /* [n_columns][n_columns] X' X; its eigenvectors; [3 n_columns] */
    double *values;                  /* [n_columns] its eigenvalues */
    size_t *order;                   /* [n_columns] of falling eigenvalues */
} spectrum;

static void take_spectrum(spectrum *of) {
    size_t n_columns = of->n_columns, n_square = sm_size(n_columns, n_columns, 0);
    of->mean = sm_arena_take(&of->arena, n_columns, sizeof *of->mean);
    of->x = sm_arena_take(&of->arena, sm_size(of->n, n_columns, 0), sizeof *of->x);
    of->a = sm_arena_take(&of->arena, of->n, sizeof *of->a);
    of->inner = sm_arena_take(&of->arena, n_square, sizeof *of->inner);
    of->basis = sm_arena_take(&of->arena, n_square, sizeof *of->basis);
    of->values = sm_arena_take(&of->arena, n_columns, sizeof *of->values);
    of->scratch = sm_arena_take(&of->arena, 3 * n_columns, sizeof *of->scratch);
    of->order = sm_arena_take(&of->arena, n_columns, sizeof *of->order);
}

static smerf_status keep_leading(const spectrum *of, size_t rank, sm_factors *out, smerf_error *error) {
    const double *x = of->x, *values = of->values;
    size_t n = of->n, n_columns = of->n_columns, *order = of->order;
    double largest = 0, all = 0, all_squares = 0, kept = 0, kept_squares = 0;
    size_t n_kept = 0;
    sm_factor_order(values, n_columns, order);
    for (size_t r = 0; r < n_columns; r++) {
        double value = fmax(values[r], 0);
        largest = fmax(largest, value);
        all += value;
        all_squares += value * value;
    }
    while (n_kept < rank && n_kept < n_columns && values[order[n_kept]] > 1e-15 * largest) n_kept++;
    smerf_status status = sm_factors_start(out, n, n_kept > 0 ? n_kept : 1, error);
    if (status != SMERF_OK) return status;
    memcpy(out->a, of->a, n * sizeof *out->a);
    for (size_t r = 0; r < out->rank; r++) {
        const double *v = of->basis + order[r] * n_columns;
        double value = out->value[r] = fmax(values[order[r]], 0);
        out->scale[r] = 1;
        kept += value;
        kept_squares += value * value;
        for (size_t i = 0; i < n; i++) {
            double *u = &out->u[i * out->rank + r];
            *u = 0;
            for (size_t c = 0; c < n_columns; c++) *u += x[i * n_columns + c] * v[c];
        }
    }
    out->fraction_of_squares = all_squares > 0 ? fmin(1, kept_squares / all_squares) : 1;
    out->eigenvalue_fraction = all > 0 ? fmin(1, kept / all) : 1;
    sm_factors_finish(out);
    return SMERF_OK;
}

smerf_status sm_factor_vectors(const sm_vectors *vectors, size_t rank, sm_pool *pool, sm_factors *out,
                               smerf_error *error) {
    spectrum of = {.n = vectors->n_items, .n_columns = vectors->rank};
    take_spectrum(&of);
    smerf_status status = SMERF_OK;
    if (of.arena.has_failed) status = sm_no_memory(error, "factoring distances");
    if (status == SMERF_OK) status = sm_tall_means(pool, vectors->u, of.n, of.n_columns, of.mean, error);
    if (status == SMERF_OK) {
        centre_vectors(vectors, of.mean, of.x, of.a);
        status = sm_tall_inner(pool, of.x, of.x, of.n, of.n_columns, of.inner, error);
    }
    if (status == SMERF_OK) {
        sm_eigen(of.inner, of.n_columns, of.values, of.basis, of.scratch);
        status = keep_leading(&of, rank, out, error);
    }
    sm_arena_free(&of.arena);
    return status;
}
