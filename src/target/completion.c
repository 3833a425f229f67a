/* completion.c - see completion.h.
 *
 * Fits z_ij ~ mean + a_i + b_j + x_i . y_j to the entries of both directions by alternating least squares: with all b
 * and y fixed, each item's (a_i, x_i) is the solution of a small linear system of its own, and the other way round.
 * The two sides need not agree, which is how negative scales come about: their mean is symmetric,
 *     (x_i . y_j + y_i . x_j) / 2 = p_i . p_j - q_i . q_j   with p = (x + y) / 2 and q = (x - y) / 2.
 * Shrinkage adds a ridge to every system: items with few pairs stay near the mean, items with none are at it.
 *
 * Each system is solved by one task, and sums run in the order of the partners, so nothing depends on the threads. */
#include "target/completion.h"

#include <math.h>
#include <string.h>

#include "base/eigen.h"
#include "base/memory.h"
#include "base/random.h"

enum { ITEMS_A_TASK = 256, MOST_SIZE = 65 };

typedef struct fitting {
    const sm_links *links;
    const bool *left_out;
    size_t rank, stride; /* stride: 1 + rank, an item's intercept and vector */
    double mean, spread; /* of the observed values */
    double ridge;
    double *sides[2]; /* [n_items][stride] (a, x) and (b, y), in units of the spread */
    int now;          /* the side that is being fitted */
    double *errors;   /* [n_tasks] sums of squared errors before the step */
    double *rooms;    /* [n_threads][stride * stride + 2 * stride] */
} fitting;

void sm_completion_free(sm_completion *completion) {
    sm_free(completion->a);
    sm_free(completion->u);
    sm_free(completion->scale);
    *completion = (sm_completion){0};
}

double sm_completion_pair(const sm_completion *completion, size_t i, size_t j) {
    const double *left = completion->u + i * completion->rank, *right = completion->u + j * completion->rank;
    double sum = 0;
    for (size_t r = 0; r < completion->rank; r++) sum += completion->scale[r] * left[r] * right[r];
    return completion->a[i] + completion->a[j] - 2 * sum;
}

/* ---- one item ---- */

/* Solves M x = v for a positive definite M in place, by Cholesky: v becomes x. */
static void solve(double *matrix, double *vector, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = matrix[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= matrix[i * n + k] * matrix[j * n + k];
            matrix[i * n + j] = i == j ? sqrt(sum) : sum / matrix[j * n + j];
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
static double gather(const fitting *fit, size_t item, double *matrix, double *vector) {
    const sm_links *links = fit->links;
    const double *other = fit->sides[1 - fit->now], *own = fit->sides[fit->now] + item * fit->stride;
    size_t n = fit->stride;
    double error = 0;
    memset(matrix, 0, n * n * sizeof *matrix);
    memset(vector, 0, n * sizeof *vector);
    for (size_t e = links->first[item]; e < links->first[item + 1]; e++) {
        if (fit->left_out != NULL && fit->left_out[e]) continue;
        const double *of = other + links->partner[e] * n;
        double w = sm_links_weight(links, e), target = (sm_links_value(links, e) - fit->mean) / fit->spread - of[0];
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
    fitting *fit = job;
    (void)error;
    size_t n = fit->stride, first = task * ITEMS_A_TASK, n_items = fit->links->n_items;
    size_t end = first + ITEMS_A_TASK < n_items ? first + ITEMS_A_TASK : n_items;
    double *matrix = fit->rooms + thread * (n * n + n), *vector = matrix + n * n;
    fit->errors[task] = 0;
    for (size_t i = first; i < end; i++) {
        fit->errors[task] += gather(fit, i, matrix, vector);
        solve(matrix, vector, n);
        memcpy(fit->sides[fit->now] + i * n, vector, n * sizeof *vector);
    }
    return SMERF_OK;
}

/* ---- all items ---- */

static void find_scale(fitting *fit) {
    const sm_links *links = fit->links;
    double sum = 0, weight = 0, squares = 0;
    for (size_t e = 0; e < links->n; e++) {
        if (fit->left_out != NULL && fit->left_out[e]) continue;
        sum += sm_links_weight(links, e) * sm_links_value(links, e);
        weight += sm_links_weight(links, e);
    }
    fit->mean = weight > 0 ? sum / weight : 0;
    for (size_t e = 0; e < links->n; e++) {
        if (fit->left_out != NULL && fit->left_out[e]) continue;
        double apart = sm_links_value(links, e) - fit->mean;
        squares += sm_links_weight(links, e) * apart * apart;
    }
    fit->spread = squares > 0 ? sqrt(squares / weight) : 1;
}

static void draw_start(fitting *fit, uint64_t seed) {
    sm_random random;
    sm_random_start(&random, seed, 0, SM_PLACE_COMPLETE);
    for (size_t i = 0; i < fit->links->n_items; i++)
        for (size_t r = 1; r < fit->stride; r++) fit->sides[1][i * fit->stride + r] = sm_random_normal(&random);
}

static smerf_status sweep(fitting *fit, size_t n_sweeps, sm_crew *crew, smerf_error *error) {
    size_t n_tasks = (fit->links->n_items + ITEMS_A_TASK - 1) / ITEMS_A_TASK;
    double before = INFINITY;
    smerf_status status = SMERF_OK;
    for (size_t s = 0; s < 2 * n_sweeps && status == SMERF_OK; s++) {
        fit->now = s % 2 == 0 ? 0 : 1;
        status = sm_crew_do(crew, n_tasks, fit_items, fit, error);
        double now = 0;
        for (size_t t = 0; t < n_tasks; t++) now += fit->errors[t];
        if (s > 4 && before - now < 1e-5 * before + 1e-12 * (double)fit->links->n) break;
        if (s > 0) before = now; /* the first error is that of the starting point */
    }
    return status;
}

/* ---- the symmetric form ---- */

/* Turns [p q] with scales -1/2 and 1/2 into as few vectors as will do: eigenvectors of the form. */
static bool compress(sm_completion *out, double spread) {
    size_t n = out->n_items, m = out->rank, n_kept = 0;
    double *room = sm_zeros(4 * m * m + 5 * m, sizeof *room);
    if (room == NULL) return false;
    double *gram = room, *vectors = gram + m * m, *form = vectors + m * m, *turn = form + m * m;
    double *values = turn + m * m, *scratch = values + m, *row = scratch + 3 * m;
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < m; r++)
            for (size_t s = 0; s < m; s++) gram[r * m + s] += out->u[i * m + r] * out->u[i * m + s];
    sm_eigen(gram, m, values, vectors, scratch); /* rows of `vectors` are eigenvectors */
    double largest = 0;
    for (size_t k = 0; k < m; k++) largest = fmax(largest, values[k]);
    for (size_t k = 0; k < m; k++) values[k] = values[k] > 1e-12 * largest ? sqrt(values[k]) : 0;
    for (size_t k = 0; k < m; k++)
        for (size_t l = 0; l < m; l++) {
            double sum = 0;
            for (size_t r = 0; r < m; r++) sum += out->scale[r] * vectors[k * m + r] * vectors[l * m + r];
            form[k * m + l] = values[k] * values[l] * sum;
        }
    double *theta = scratch + 0, *axes = gram; /* free again */
    double *more = sm_zeros(3 * m + m, sizeof *more);
    if (more == NULL) {
        sm_free(room);
        return false;
    }
    theta = more + 3 * m;
    sm_eigen(form, m, theta, axes, more);
    double strongest = 0;
    for (size_t k = 0; k < m; k++) strongest = fmax(strongest, fabs(theta[k]));
    /* new coordinate k of an item: sum over l, r of axes_kl / values_l * vectors_lr * u_ir, times the root of |theta| */
    for (size_t k = 0; k < m; k++) {
        if (fabs(theta[k]) <= 1e-9 * strongest || strongest == 0) continue;
        for (size_t r = 0; r < m; r++) {
            double sum = 0;
            for (size_t l = 0; l < m; l++)
                if (values[l] > 0) sum += axes[k * m + l] / values[l] * vectors[l * m + r];
            turn[n_kept * m + r] = sum * sqrt(fabs(theta[k]));
        }
        out->scale[n_kept++] = theta[k] > 0 ? 1 : -1;
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(row, out->u + i * m, m * sizeof *row);
        for (size_t k = 0; k < n_kept; k++) {
            double sum = 0;
            for (size_t r = 0; r < m; r++) sum += turn[k * m + r] * row[r];
            out->u[i * n_kept + k] = sum; /* never ahead of what is still to be read: rows only get shorter */
        }
    }
    for (size_t k = 0; k < n_kept; k++) out->scale[k] *= spread;
    out->rank = n_kept;
    sm_free(more);
    sm_free(room);
    return true;
}

static bool symmetrise(const fitting *fit, sm_completion *out) {
    size_t n = fit->links->n_items, rank = fit->rank, stride = fit->stride;
    *out = (sm_completion){.n_items = n, .rank = 2 * rank};
    out->a = sm_array(n, sizeof *out->a);
    out->u = sm_array(sm_size(n, 2 * rank, 0), sizeof *out->u);
    out->scale = sm_array(2 * rank, sizeof *out->scale);
    if (out->a == NULL || out->u == NULL || out->scale == NULL) return false;
    for (size_t i = 0; i < n; i++) {
        const double *x = fit->sides[0] + i * stride, *y = fit->sides[1] + i * stride;
        out->a[i] = fit->mean / 2 + fit->spread * (x[0] + y[0]) / 2;
        for (size_t r = 0; r < rank; r++) {
            out->u[i * 2 * rank + r] = (x[r + 1] + y[r + 1]) / 2;
            out->u[i * 2 * rank + rank + r] = (x[r + 1] - y[r + 1]) / 2;
        }
    }
    for (size_t r = 0; r < rank; r++) {
        out->scale[r] = -0.5;
        out->scale[rank + r] = 0.5;
    }
    return rank == 0 || compress(out, fit->spread);
}

smerf_status sm_complete(const sm_links *links, const bool *left_out, const sm_completion_plan *plan, sm_crew *crew,
                         sm_completion *out, smerf_error *error) {
    size_t n = links->n_items, stride = plan->rank + 1;
    *out = (sm_completion){0};
    if (stride > MOST_SIZE)
        return sm_fail(error, SMERF_BAD_INPUT, "complete: a rank of %zu is more than %d", plan->rank, MOST_SIZE - 1);
    fitting fit = {.links = links,
                   .left_out = left_out,
                   .rank = plan->rank,
                   .stride = stride,
                   .ridge = plan->shrinkage,
                   .errors = sm_array((n + ITEMS_A_TASK - 1) / ITEMS_A_TASK, sizeof *fit.errors),
                   .rooms = sm_array(crew->n_threads, (stride * stride + stride) * sizeof *fit.rooms)};
    for (int side = 0; side < 2; side++) fit.sides[side] = sm_zeros(sm_size(n, stride, 0), sizeof **fit.sides);
    bool has_room = fit.errors != NULL && fit.rooms != NULL && fit.sides[0] != NULL && fit.sides[1] != NULL;
    smerf_status status = SMERF_OK;
    if (has_room) {
        find_scale(&fit);
        draw_start(&fit, plan->seed);
        status = sweep(&fit, plan->n_sweeps, crew, error);
        if (status == SMERF_OK) has_room = symmetrise(&fit, out);
    }
    if (!has_room) status = sm_no_memory(error, "completing pairs");
    if (status != SMERF_OK) sm_completion_free(out);
    sm_free(fit.errors);
    sm_free(fit.rooms);
    sm_free(fit.sides[0]);
    sm_free(fit.sides[1]);
    return status;
}
