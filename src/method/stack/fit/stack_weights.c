/* stack_weights.c - the weights of a stack: see stack_weights.h.
 *   1. bases in units of their own spread
 *   2. gradient and curvature over the pairs; the intercept is taken out of both
 *   3. the quadratic problem over weights that are not negative                   nonnegative.c
 *   4. a step there, half of it if that is too far: once if squared, until nothing moves if logistic */
#include "method/stack/fit/stack_weights.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_STEPS = 60, MOST_HALVINGS = 30 };

typedef struct weighing {
    const sm_stack_pairs *pairs;
    size_t m;             /* bases and the intercept, which comes last */
    double total;         /* weight */
    double *mean, *scale; /* [n_bases] 0: the base does not count */
    double *at, *next;    /* [m] */
    double *slope;        /* [m] */
    double *curve;        /* [m][m] */
    double *gram, *right; /* [n_bases][n_bases], [n_bases] without the intercept */
    double *scratch;
    double *row; /* [m] a pair in these units */
} weighing;

static void put_in_units(const weighing *of, size_t pair) {
    size_t n_bases = of->pairs->n_bases;
    const double *said = of->pairs->said + pair * n_bases;
    for (size_t k = 0; k < n_bases; k++) of->row[k] = of->scale[k] > 0 ? (said[k] - of->mean[k]) / of->scale[k] : 0;
    of->row[n_bases] = 1;
}

static void find_units(weighing *of, const bool *uses) {
    const sm_stack_pairs *pairs = of->pairs;
    for (size_t p = 0; p < pairs->n; p++) {
        of->total += pairs->weight[p];
        for (size_t k = 0; k < pairs->n_bases; k++)
            of->mean[k] += pairs->weight[p] * pairs->said[p * pairs->n_bases + k];
    }
    for (size_t k = 0; k < pairs->n_bases; k++) of->mean[k] /= of->total;
    for (size_t p = 0; p < pairs->n; p++)
        for (size_t k = 0; k < pairs->n_bases; k++) {
            double apart = pairs->said[p * pairs->n_bases + k] - of->mean[k];
            of->scale[k] += pairs->weight[p] * apart * apart;
        }
    for (size_t k = 0; k < pairs->n_bases; k++) {
        of->scale[k] = sqrt(of->scale[k] / of->total);
        if ((uses != NULL && !uses[k]) || !(of->scale[k] > 1e-12 * fabs(of->mean[k]))) of->scale[k] = 0;
    }
}

/* log(1 + exp(x)) */
static double softplus(double x) { return fmax(x, 0) + log1p(exp(-fabs(x))); }

static double said_by(const weighing *of, const double *at) {
    double sum = 0;
    for (size_t k = 0; k < of->m; k++) sum += at[k] * of->row[k];
    return sum;
}

static double loss_at(const weighing *of, const double *at) {
    const sm_stack_pairs *pairs = of->pairs;
    double sum = 0;
    for (size_t p = 0; p < pairs->n; p++) {
        put_in_units(of, p);
        double f = said_by(of, at), apart = pairs->z[p] - f;
        sum += pairs->weight[p] * (pairs->is_logistic ? softplus(f) - pairs->z[p] * f : apart * apart / 2);
    }
    return sum / of->total;
}

/* Slope and curvature of the mean loss. */
static void measure(const weighing *of) {
    const sm_stack_pairs *pairs = of->pairs;
    size_t m = of->m;
    memset(of->slope, 0, m * sizeof *of->slope);
    memset(of->curve, 0, m * m * sizeof *of->curve);
    for (size_t p = 0; p < pairs->n; p++) {
        put_in_units(of, p);
        double f = said_by(of, of->at), said = pairs->is_logistic ? 1 / (1 + exp(-f)) : f;
        double weight = pairs->weight[p] / of->total;
        double bend = weight * (pairs->is_logistic ? fmax(said * (1 - said), 1e-10) : 1);
        for (size_t k = 0; k < m; k++) {
            of->slope[k] += weight * (said - pairs->z[p]) * of->row[k];
            for (size_t l = 0; l <= k; l++) of->curve[k * m + l] += bend * of->row[k] * of->row[l];
        }
    }
    for (size_t k = 0; k < m; k++)
        for (size_t l = 0; l < k; l++) of->curve[l * m + k] = of->curve[k * m + l];
}

/* The best point of the quadratic that has this slope and curvature: for given weights, the best intercept is linear in
 * them, so that it drops out of the problem. */
static void solve_quadratic(const weighing *of) {
    size_t m = of->m, n = m - 1;
    const double *corner = of->curve + n * m;
    for (size_t k = 0; k < n; k++) {
        double pull = of->slope[n] * corner[k] / corner[n] - of->slope[k];
        for (size_t l = 0; l < n; l++) {
            of->gram[k * n + l] = of->curve[k * m + l] - corner[k] * corner[l] / corner[n];
            pull += of->gram[k * n + l] * of->at[l];
        }
        of->right[k] = pull;
    }
    sm_nonnegative_solve(of->gram, of->right, n, of->next, of->scratch);
    double shift = of->slope[n];
    for (size_t k = 0; k < n; k++) shift += corner[k] * (of->next[k] - of->at[k]);
    of->next[n] = of->at[n] - shift / corner[n];
}

/* One step; whether it got any further. */
static bool step_down(const weighing *of, double *loss) {
    measure(of);
    solve_quadratic(of);
    for (int halving = 0; halving < MOST_HALVINGS; halving++) {
        double found = loss_at(of, of->next);
        if (found <= *loss) {
            bool is_further = found < *loss - 1e-13 * (fabs(*loss) + 1e-300);
            memcpy(of->at, of->next, of->m * sizeof *of->at);
            *loss = found;
            return is_further;
        }
        for (size_t k = 0; k < of->m; k++) of->next[k] = (of->next[k] + of->at[k]) / 2;
    }
    return false;
}

smerf_status sm_stack_weigh(const sm_stack_pairs *pairs, const bool *uses, sm_stack_fit *fit, double *weight,
                            smerf_error *error) {
    size_t n = pairs->n_bases, m = n + 1;
    sm_arena arena = {0};
    weighing of = {.pairs = pairs, .m = m};
    of.mean = sm_arena_take_zeros(&arena, n, sizeof *of.mean);
    of.scale = sm_arena_take_zeros(&arena, n, sizeof *of.scale);
    of.at = sm_arena_take_zeros(&arena, m, sizeof *of.at);
    of.next = sm_arena_take_zeros(&arena, m, sizeof *of.next);
    of.slope = sm_arena_take(&arena, m, sizeof *of.slope);
    of.curve = sm_arena_take(&arena, m * m, sizeof *of.curve);
    of.gram = sm_arena_take(&arena, m * m, sizeof *of.gram);
    of.right = sm_arena_take(&arena, m, sizeof *of.right);
    of.scratch = sm_arena_take(&arena, m * m + 3 * m, sizeof *of.scratch);
    of.row = sm_arena_take(&arena, m, sizeof *of.row);
    smerf_status status = arena.has_failed ? sm_no_memory(error, "weighing the bases of a stack") : SMERF_OK;
    if (status == SMERF_OK) {
        find_units(&of, uses);
        double loss = loss_at(&of, of.at);
        for (int step = 0; step < MOST_STEPS && step_down(&of, &loss); step++) {
        }
        *fit = (sm_stack_fit){.intercept = of.at[n], .loss = loss};
        for (size_t k = 0; k < n; k++) {
            weight[k] = of.scale[k] > 0 ? of.at[k] / of.scale[k] : 0;
            fit->intercept -= weight[k] * of.mean[k];
        }
    }
    sm_arena_free(&arena);
    return status;
}
