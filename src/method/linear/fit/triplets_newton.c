/* triplets_newton.c - minimises the loss of triplets over positive semidefinite matrices: see triplets_loss.h. */
#include <string.h>

#include "base/memory.h"
#include "method/linear/fit/triplets_loss.h"

enum { MOST_STEPS = 60, MOST_HALVINGS = 30 };

/* A step must bring this part of what the slope promises. */
static const double enough = 1e-4;

typedef struct newton {
    sm_triplets_loss *loss;
    sm_pool *pool;
    sm_triplets_solution *solution;
    size_t rank, n_entries;
    double fraction_from, fraction_to;
    double objective;
    double *a, *gradient, *b, *next, *scratch; /* [rank][rank] */
    double *values, *eigen_scratch;            /* as sm_psd_part wants them */
    sm_arena arena;
} newton;

static bool take_newton_scratch(newton *at) {
    double **matrices[] = {&at->gradient, &at->b, &at->next, &at->scratch};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
        *matrices[k] = sm_arena_take(&at->arena, at->n_entries, sizeof(double));
    at->values = sm_arena_take(&at->arena, at->rank, sizeof *at->values);
    at->eigen_scratch = sm_arena_take(&at->arena, at->n_entries + 3 * at->rank, sizeof *at->eigen_scratch);
    return !at->arena.has_failed;
}

static smerf_status find_margins(newton *at, const double *a, double *margin, smerf_error *error) {
    at->solution->n_iterations++;
    return sm_triplets_margins(at->loss, at->pool, a, margin, error);
}

/* out = what the curvature at A makes of w, the ridge included: of the margins of w. Overwrites loss->step. */
static smerf_status bend(newton *at, const double *w, double *out, smerf_error *error) {
    sm_triplets_loss *loss = at->loss;
    smerf_status status = find_margins(at, w, loss->step, error);
    if (status != SMERF_OK) return status;
    for (size_t t = 0; t < loss->n; t++) loss->factor[t] = loss->curvature[t] * loss->step[t];
    status = sm_triplets_pull(loss, at->pool, loss->factor, out, error);
    for (size_t k = 0; k < at->n_entries && status == SMERF_OK; k++) out[k] += loss->ridge * w[k];
    return status;
}

static smerf_status apply_curvature(void *context, sm_pool *pool, const double *w, double *out, smerf_error *error) {
    (void)pool; /* the same */
    return bend(context, w, out, error);
}

/* next = the positive part of A - G. */
static void find_residual(newton *at) {
    double squares = 0;
    for (size_t k = 0; k < at->n_entries; k++) at->next[k] = at->a[k] - at->gradient[k];
    sm_psd_part(at->next, at->rank, at->values, at->scratch, at->eigen_scratch);
    for (size_t k = 0; k < at->n_entries; k++) squares += (at->next[k] - at->a[k]) * (at->next[k] - at->a[k]);
    at->solution->kkt = at->loss->size > 0 ? sqrt(squares) / at->loss->size : 0;
}

/* Everything that follows from A and its margins. */
static smerf_status look(newton *at, smerf_error *error) {
    sm_triplets_loss *loss = at->loss;
    at->objective = sm_triplets_objective(loss, at->a, loss->margin);
    for (size_t t = 0; t < loss->n; t++) loss->curvature[t] = loss->weight[t] * sm_triplet_curvature(loss->margin[t]);
    smerf_status status = sm_triplets_gradient(loss, at->pool, at->a, loss->margin, at->gradient, error);
    if (status == SMERF_OK) find_residual(at);
    return status;
}

/* next = the minimum of the quadratic. */
static smerf_status solve_quadratic(newton *at, smerf_error *error) {
    const sm_psd_problem problem = {.n = at->rank, .b = at->b, .apply = apply_curvature, .context = at};
    sm_psd_facts facts;
    at->pool->fraction_from = at->pool->fraction_to = at->fraction_from;
    smerf_status status = bend(at, at->a, at->b, error);
    for (size_t k = 0; k < at->n_entries && status == SMERF_OK; k++) at->b[k] -= at->gradient[k];
    return status == SMERF_OK ? sm_psd_least_squares(&problem, at->pool, at->next, &facts, error) : status;
}

/* Goes from A towards next, half as far each time it does not pay. *has_moved: it did. Margins are linear in A. */
static smerf_status search_line(newton *at, bool *has_moved, smerf_error *error) {
    sm_triplets_loss *loss = at->loss;
    double promised = 0, length = 1;
    *has_moved = false;
    for (size_t k = 0; k < at->n_entries; k++) promised += at->gradient[k] * (at->next[k] - at->a[k]);
    smerf_status status = promised < 0 ? find_margins(at, at->next, loss->step, error) : SMERF_OK;
    if (status != SMERF_OK || !(promised < 0)) return status;
    for (size_t halving = 0; halving < MOST_HALVINGS; halving++, length /= 2) {
        for (size_t k = 0; k < at->n_entries; k++) at->scratch[k] = at->a[k] + length * (at->next[k] - at->a[k]);
        for (size_t t = 0; t < loss->n; t++)
            loss->factor[t] = loss->margin[t] + length * (loss->step[t] - loss->margin[t]);
        double there = sm_triplets_objective(loss, at->scratch, loss->factor);
        if (!(there <= at->objective + enough * length * promised)) continue;
        memcpy(at->a, at->scratch, at->n_entries * sizeof *at->a);
        memcpy(loss->margin, loss->factor, loss->n * sizeof *loss->margin);
        *has_moved = true;
        break;
    }
    return status;
}

/* Near the optimum the objective changes by less than rounding, and a whole step is what Newton's method takes: as long as residuals
 * fall, and A is put back where they do not. */
static smerf_status polish(newton *at, bool *has_moved, smerf_error *error) {
    double before = at->solution->kkt;
    memcpy(at->b, at->a, at->n_entries * sizeof *at->b);
    memcpy(at->a, at->next, at->n_entries * sizeof *at->a);
    smerf_status status = find_margins(at, at->a, at->loss->margin, error);
    if (status == SMERF_OK) status = look(at, error);
    *has_moved = status == SMERF_OK && at->solution->kkt < before / 2;
    if (status != SMERF_OK || at->solution->kkt < before) return status;
    memcpy(at->a, at->b, at->n_entries * sizeof *at->a);
    at->solution->kkt = before;
    return status;
}

static smerf_status report_newton(newton *at, double goal, smerf_error *error) {
    double digits = log(fmin(1, at->solution->kkt) + 1e-300) / log(goal);
    double fraction = at->fraction_from + fmin(1, digits) * (at->fraction_to - at->fraction_from);
    return sm_pool_report(at->pool, fmax(fraction, at->fraction_from), error);
}

static smerf_status go_down(newton *at, double goal, smerf_error *error) {
    smerf_status status = find_margins(at, at->a, at->loss->margin, error);
    bool has_moved = true;
    if (status == SMERF_OK) status = look(at, error);
    for (size_t step = 0; step < MOST_STEPS && has_moved && status == SMERF_OK && at->solution->kkt > goal; step++) {
        status = solve_quadratic(at, error);
        if (status == SMERF_OK) status = search_line(at, &has_moved, error);
        if (status != SMERF_OK) break;
        status = has_moved ? look(at, error) : polish(at, &has_moved, error);
        if (status == SMERF_OK) status = report_newton(at, goal, error);
    }
    return status;
}

smerf_status sm_triplets_minimise(sm_triplets_loss *loss, sm_pool *pool, double goal, double *a,
                                  sm_triplets_solution *solution, smerf_error *error) {
    size_t rank = loss->frame->rank;
    newton at = {.loss = loss,
                 .pool = pool,
                 .solution = solution,
                 .rank = rank,
                 .n_entries = rank * rank,
                 .fraction_from = pool->fraction_from,
                 .fraction_to = pool->fraction_to,
                 .a = a};
    *solution = (sm_triplets_solution){0};
    pool->fraction_to = pool->fraction_from;
    smerf_status status =
        take_newton_scratch(&at) ? go_down(&at, goal, error) : sm_no_memory(error, "learning from triplets");
    sm_arena_free(&at.arena);
    pool->fraction_from = pool->fraction_to = at.fraction_to;
    return status;
}
