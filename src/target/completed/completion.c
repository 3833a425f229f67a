/* completion.c - see completion.h.
 *
 * Fits z_ij ~ mean + a_i + b_j + x_i . y_j to the entries of both directions by alternating least squares: with all b
 * and y fixed, each item's (a_i, x_i) is the solution of a small linear system of its own, and the other way round.
 * The two sides need not agree, which is how negative scales come about: their mean is symmetric,
 *     (x_i . y_j + y_i . x_j) / 2 = p_i . p_j - q_i . q_j   with p = (x + y) / 2 and q = (x - y) / 2.
 * Shrinkage adds a ridge to every system: items with few pairs stay near the mean, items with none are at it.
 *
 * Each system is solved by one task, and sums run in the order of the partners, so nothing depends on the threads. */
#include "target/completed/completion.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/square.h"

enum { ITEMS_A_TASK = 256, MOST_SIZE = 65 };

struct sm_completer {
    const sm_links *links;
    const bool *left_out;
    size_t rank, stride; /* stride: 1 + rank, an item's intercept and vector */
    double mean, spread; /* of the observed values */
    double unit;         /* the mean weight of the observed pairs: only how weights compare matters */
    double ridge;
    double *sides[2]; /* [n_items][stride] (a, x) and (b, y), in units of the spread */
    int now;          /* the side that is being fitted */
    double *errors;   /* [n_tasks] sums of squared errors before the step */
    double *scratch;  /* [n_threads][stride * stride + stride] */
};

void sm_completion_free(sm_completion *completion) {
    sm_free(completion->a);
    sm_free(completion->u);
    sm_free(completion->scale);
    *completion = (sm_completion){0};
}

double sm_completion_pair(const sm_completion *completion, size_t i, size_t j) {
    const double *left = completion->u + i * completion->rank, *right = completion->u + j * completion->rank;
    double sum = 0;
    for (size_t r = 0; r < completion->rank; r++)
        sum += completion->scale[r] * (left[r] * right[r]); /* either way round */
    return completion->a[i] + completion->a[j] - 2 * sum;
}

/* ---- one item ---- */

/* A pivot is no smaller than this fraction of its diagonal entry: beside one heavy pair, the ridge may be lost. */
static const double least_pivot = 1e-14;

/* Solves M x = v for a positive definite M in place, by Cholesky: v becomes x. */
static void solve_ridge(double *matrix, double *vector, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = matrix[i * n + j], least = least_pivot * sum;
            for (size_t k = 0; k < j; k++) sum -= matrix[i * n + k] * matrix[j * n + k];
            matrix[i * n + j] = i == j ? sqrt(fmax(sum, least)) : sum / matrix[j * n + j];
        }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) vector[i] -= matrix[i * n + k] * vector[k];
        vector[i] /= matrix[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) vector[i] -= matrix[k * n + i] * vector[k];
        vector[i] /= matrix[i * n + i];
    }
}

/* The lower triangle of the sum of w f f', the sum of w f t, and returns the squared error of what stands now. */
static double gather_completion_pairs(const sm_completer *fit, size_t item, double *matrix, double *vector) {
    const sm_links *links = fit->links;
    const double *other = fit->sides[1 - fit->now], *own = fit->sides[fit->now] + item * fit->stride;
    size_t n = fit->stride;
    double error = 0;
    memset(matrix, 0, n * n * sizeof *matrix);
    memset(vector, 0, n * sizeof *vector);
    for (size_t e = links->first[item]; e < links->first[item + 1]; e++) {
        if (fit->left_out != NULL && fit->left_out[e]) continue;
        const double *of = other + links->partner[e] * n;
        double w = sm_links_weight(links, e) / fit->unit,
               target = (sm_links_value(links, e) - fit->mean) / fit->spread - of[0];
        double miss = target - own[0];
        vector[0] += w * target;
        matrix[0] += w;
        for (size_t r = 1; r < n; r++) {
            double scaled = w * of[r];
            miss -= own[r] * of[r];
            vector[r] += scaled * target;
            matrix[r * n] += scaled;
            for (size_t s = 1; s <= r; s++) matrix[r * n + s] += scaled * of[s];
        }
        error += w * miss * miss;
    }
    for (size_t r = 0; r < n; r++) matrix[r * n + r] += fit->ridge;
    return error;
}

static smerf_status fit_items(void *job, size_t task, size_t thread, smerf_error *error) {
    sm_completer *fit = job;
    (void)error;
    size_t n = fit->stride, first = task * ITEMS_A_TASK, n_items = fit->links->n_items;
    size_t end = first + ITEMS_A_TASK < n_items ? first + ITEMS_A_TASK : n_items;
    double *matrix = fit->scratch + thread * (n * n + n), *vector = matrix + n * n;
    fit->errors[task] = 0;
    for (size_t i = first; i < end; i++) {
        fit->errors[task] += gather_completion_pairs(fit, i, matrix, vector);
        solve_ridge(matrix, vector, n);
        memcpy(fit->sides[fit->now] + i * n, vector, n * sizeof *vector);
    }
    return SMERF_OK;
}

/* ---- all items ---- */

static void find_scale(sm_completer *fit) {
    const sm_links *links = fit->links;
    double sum = 0, weight = 0, squares = 0;
    size_t n = 0;
    for (size_t e = 0; e < links->n; e++) {
        if (fit->left_out != NULL && fit->left_out[e]) continue;
        sum += sm_links_weight(links, e) * sm_links_value(links, e);
        weight += sm_links_weight(links, e);
        n++;
    }
    fit->unit = n > 0 ? weight / (double)n : 1;
    fit->mean = weight > 0 ? sum / weight : 0;
    for (size_t e = 0; e < links->n; e++) {
        if (fit->left_out != NULL && fit->left_out[e]) continue;
        double apart = sm_links_value(links, e) - fit->mean;
        squares += sm_links_weight(links, e) * apart * apart;
    }
    fit->spread = squares > 0 ? sqrt(squares / weight) : 1;
}

static void draw_start(sm_completer *fit, uint64_t seed) {
    sm_random random;
    sm_random_start(&random, seed, 0, SM_STREAM_COMPLETE);
    for (size_t i = 0; i < fit->links->n_items; i++)
        for (size_t r = 1; r < fit->stride; r++) fit->sides[1][i * fit->stride + r] = sm_random_normal(&random);
}

/* ---- the steps ---- */

void sm_completer_free(sm_completer *fit) {
    if (fit == NULL) return;
    sm_free(fit->errors);
    sm_free(fit->scratch);
    sm_free(fit->sides[0]);
    sm_free(fit->sides[1]);
    sm_free(fit);
}

smerf_status sm_completer_new(const sm_links *links, const bool *left_out, size_t rank, uint64_t seed, size_t n_threads,
                              sm_completer **out, smerf_error *error) {
    size_t n = links->n_items, stride = rank + 1;
    if (stride > MOST_SIZE)
        return sm_fail(error, SMERF_BAD_INPUT, "{complete}: a rank of %zu is more than %d", rank, MOST_SIZE - 1);
    sm_completer *fit = sm_zeros(1, sizeof *fit);
    if (fit == NULL) return sm_no_memory(error, "completing pairs");
    fit->links = links;
    fit->left_out = left_out;
    fit->rank = rank;
    fit->stride = stride;
    fit->errors = sm_array((n + ITEMS_A_TASK - 1) / ITEMS_A_TASK, sizeof *fit->errors);
    fit->scratch = sm_array(n_threads, (stride * stride + stride) * sizeof *fit->scratch);
    for (int side = 0; side < 2; side++) fit->sides[side] = sm_zeros(sm_size(n, stride, 0), sizeof **fit->sides);
    if (fit->errors == NULL || fit->scratch == NULL || fit->sides[0] == NULL || fit->sides[1] == NULL) {
        sm_completer_free(fit);
        return sm_no_memory(error, "completing pairs");
    }
    find_scale(fit);
    draw_start(fit, seed);
    *out = fit;
    return SMERF_OK;
}

smerf_status sm_completer_fit(sm_completer *fit, double shrinkage, size_t most_sweeps, sm_pool *pool,
                              smerf_error *error) {
    size_t n_tasks = (fit->links->n_items + ITEMS_A_TASK - 1) / ITEMS_A_TASK;
    double before = INFINITY;
    smerf_status status = SMERF_OK;
    fit->ridge = shrinkage;
    for (size_t s = 0; s < 2 * most_sweeps && status == SMERF_OK; s++) {
        fit->now = s % 2 == 0 ? 0 : 1;
        status = sm_pool_run(pool, n_tasks, fit_items, fit, error);
        double now = 0;
        for (size_t t = 0; t < n_tasks; t++) now += fit->errors[t];
        if (s > 2 && fabs(before - now) < 1e-4 * before + 1e-12 * (double)fit->links->n) break;
        before = now;
    }
    return status;
}

/* ---- the symmetric form ---- */

/* Scratch of m-dimensional work on the form. */
typedef struct turn {
    double *gram, *axes, *form, *vectors, *to; /* [m][m] */
    double *length, *value, *row;              /* [m] */
    double *scratch;                           /* [3 * m] */
} turn;

/* With G = U'U = V S^2 V' and L the scales, U L U' has the eigenvalues of S V' L V S, and its eigenvectors are those
 * turned back: row k of `to` takes an item's old coordinates to its k-th new one. Returns how many there are. */
static size_t find_turn(const sm_completion *old, turn *work) {
    size_t m = old->rank, n_kept = 0;
    double longest = 0, strongest = 0;
    for (size_t i = 0; i < old->n_items; i++)
        for (size_t r = 0; r < m; r++)
            for (size_t s = 0; s < m; s++) work->gram[r * m + s] += old->u[i * m + r] * old->u[i * m + s];
    sm_eigen(work->gram, m, work->length, work->axes, work->scratch);
    for (size_t k = 0; k < m; k++) longest = fmax(longest, work->length[k]);
    for (size_t k = 0; k < m; k++) work->length[k] = work->length[k] > 1e-12 * longest ? sqrt(work->length[k]) : 0;
    for (size_t k = 0; k < m; k++)
        for (size_t l = 0; l < m; l++) {
            double sum = 0;
            for (size_t r = 0; r < m; r++) sum += old->scale[r] * work->axes[k * m + r] * work->axes[l * m + r];
            work->form[k * m + l] = work->length[k] * work->length[l] * sum;
        }
    sm_eigen(work->form, m, work->value, work->vectors, work->scratch);
    for (size_t k = 0; k < m; k++) strongest = fmax(strongest, fabs(work->value[k]));
    for (size_t k = 0; k < m; k++) {
        if (!(fabs(work->value[k]) > 1e-9 * strongest)) continue;
        for (size_t r = 0; r < m; r++) {
            double sum = 0;
            for (size_t l = 0; l < m; l++)
                if (work->length[l] > 0) sum += work->vectors[k * m + l] / work->length[l] * work->axes[l * m + r];
            work->to[n_kept * m + r] = sum * sqrt(fabs(work->value[k]));
        }
        work->value[n_kept++] = work->value[k];
    }
    return n_kept;
}

/* Turns [p q] into as few coordinates as will do, with scales 1 and -1 in units of the spread. */
static bool compress(sm_completion *out, double spread) {
    size_t m = out->rank;
    double *scratch = sm_zeros(5 * m * m + 6 * m, sizeof *scratch);
    if (scratch == NULL) return false;
    double *rest = scratch + 5 * m * m;
    turn work = {.gram = scratch,
                 .axes = scratch + m * m,
                 .form = scratch + 2 * m * m,
                 .vectors = scratch + 3 * m * m,
                 .to = scratch + 4 * m * m,
                 .length = rest,
                 .value = rest + m,
                 .row = rest + 2 * m,
                 .scratch = rest + 3 * m};
    size_t n_kept = find_turn(out, &work);
    for (size_t i = 0; i < out->n_items; i++) {
        memcpy(work.row, out->u + i * m, m * sizeof *work.row);
        for (size_t k = 0; k < n_kept; k++) {
            double sum = 0;
            for (size_t r = 0; r < m; r++) sum += work.to[k * m + r] * work.row[r];
            out->u[i * n_kept + k] = sum; /* never ahead of what is still to be read: rows only get shorter */
        }
    }
    for (size_t k = 0; k < n_kept; k++) out->scale[k] = work.value[k] > 0 ? spread : -spread;
    out->rank = n_kept;
    sm_free(scratch);
    return true;
}

smerf_status sm_completer_form(const sm_completer *fit, sm_completion *out, smerf_error *error) {
    size_t n = fit->links->n_items, rank = fit->rank, stride = fit->stride;
    *out = (sm_completion){.n_items = n, .rank = 2 * rank};
    out->a = sm_array(n, sizeof *out->a);
    out->u = sm_array(sm_size(n, 2 * rank, 0), sizeof *out->u);
    out->scale = sm_array(2 * rank, sizeof *out->scale);
    bool has_memory = out->a != NULL && out->u != NULL && out->scale != NULL;
    for (size_t i = 0; i < n && has_memory; i++) {
        const double *x = fit->sides[0] + i * stride, *y = fit->sides[1] + i * stride;
        out->a[i] = fit->mean / 2 + fit->spread * (x[0] + y[0]) / 2;
        for (size_t r = 0; r < rank; r++) {
            out->u[i * 2 * rank + r] = (x[r + 1] + y[r + 1]) / 2;
            out->u[i * 2 * rank + rank + r] = (x[r + 1] - y[r + 1]) / 2;
        }
    }
    for (size_t r = 0; r < rank && has_memory; r++) {
        out->scale[r] = -0.5;
        out->scale[rank + r] = 0.5;
    }
    if (has_memory && (rank == 0 || compress(out, fit->spread))) return SMERF_OK;
    sm_completion_free(out);
    return sm_no_memory(error, "completing pairs");
}
