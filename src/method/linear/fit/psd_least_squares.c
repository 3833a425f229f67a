/* psd_least_squares.c - least squares over positive semidefinite W, certified: see psd_least_squares.h. */
#include "method/linear/fit/psd_least_squares.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/square.h"
#include "kernels/kernels.h"

/* ---- symmetric matrices ---- */

static const sm_product_kernels *product_kernels(void) { return sm_kernels_select(SMERF_KERNELS_AUTO)->products; }

double sm_symmetric_dot(const double *a, const double *b, size_t n) { return product_kernels()->dot(a, b, n); }

double sm_symmetric_norm(const double *a, size_t n) { return sqrt(sm_symmetric_dot(a, a, n)); }

void sm_symmetric_mirror(double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) a[j * n + i] = a[i * n + j];
}

void sm_symmetric_symmetrise(double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) a[i * n + j] = a[j * n + i] = (a[i * n + j] + a[j * n + i]) / 2;
}

/* out = A B, or A' B. */
static void multiply_square(const double *a, const double *b, size_t n, bool is_transposed, double *out) {
    const sm_left_factor left = {a, is_transposed ? 1 : n, is_transposed ? n : 1};
    memset(out, 0, n * n * sizeof *out);
    product_kernels()->add_product(left, b, n, n, n, out);
}

/* A is symmetric, so V A V' = V (V A)'. */
void sm_symmetric_turn(double *a, const double *vectors, size_t n, double *scratch) {
    multiply_square(vectors, a, n, false, scratch);
    for (size_t i = 0; i < n; i++) /* in place, (V A)' */
        for (size_t j = i + 1; j < n; j++) {
            double swap = scratch[i * n + j];
            scratch[i * n + j] = scratch[j * n + i];
            scratch[j * n + i] = swap;
        }
    multiply_square(vectors, scratch, n, false, a);
    sm_symmetric_symmetrise(a, n);
}

void sm_symmetric_turn_back(double *a, const double *vectors, size_t n, double *scratch) {
    multiply_square(a, vectors, n, false, scratch);
    multiply_square(vectors, scratch, n, true, a);
    sm_symmetric_symmetrise(a, n);
}

/* ---- the solver ---- */

enum {
    FIRST_STEPS = 10,  /* projected gradient steps before Newton is tried, twice as many each time it fails */
    MOST_STEPS = 1000, /* of these in a row */
    MOST_ROUNDS = 16,
    PATIENCE = 4, /* rounds in which we hope for `fine`, before we are content with `fair` */
    MOST_NEWTON = 15,
    MOST_CG = 40,
    POWER_STEPS = 10
};

static const double fine = 1e-10, fair = 1e-8;

/* Z stands for both W, its positive part, and S, its negative part times sigma. */
typedef struct point {
    double *z, *values, *vectors;
    double *w, *hw;  /* W and H W */
    double *f;       /* H W - b - S */
    double residual; /* |f| */
} point;

typedef struct solver {
    const sm_psd_problem *problem;
    sm_pool *pool;
    sm_psd_facts *facts;
    size_t n, nn;      /* n * n */
    double *b, size_b; /* scaled so that its largest entry is near 1 */
    double steepest;   /* an estimate of the largest eigenvalue of H, raised where it proves too small */
    double sigma;      /* a typical eigenvalue of H: what balances W and S in Z */
    double *w, *hw;    /* where the gradient steps are */
    point at, next;    /* where Newton is, and where it would go */
    double *v, *hv;    /* [n][n] of the accelerated step */
    double *slope;     /* [n][n] see linearise_w */
    double *y, *r, *d, *hd, *scratch, *turned;
    double *eigen_scratch;             /* [n * n + 3 * n] */
    double fraction_from, fraction_to; /* of the whole job */
    sm_arena arena;
} solver;

static double *take_matrix(solver *s) { return sm_arena_take(&s->arena, s->nn, sizeof(double)); }

static void take_point(solver *s, point *p) {
    double **matrices[] = {&p->z, &p->vectors, &p->w, &p->hw, &p->f};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) *matrices[k] = take_matrix(s);
    p->values = sm_arena_take(&s->arena, s->n, sizeof *p->values);
}

static bool take_solver_scratch(solver *s) {
    double **matrices[] = {&s->b, &s->w, &s->hw, &s->v,  &s->hv,      &s->slope,
                           &s->y, &s->r, &s->d,  &s->hd, &s->scratch, &s->turned};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) *matrices[k] = take_matrix(s);
    take_point(s, &s->at);
    take_point(s, &s->next);
    s->eigen_scratch = sm_arena_take(&s->arena, s->nn + 3 * s->n, sizeof *s->eigen_scratch);
    return !s->arena.has_failed;
}

static smerf_status apply_h(solver *s, const double *w, double *out, smerf_error *error) {
    s->facts->n_iterations++;
    return s->problem->apply(s->problem->context, s->pool, w, out, error);
}

void sm_psd_part(double *a, size_t n, double *values, double *vectors, double *scratch) {
    memcpy(scratch, a, n * n * sizeof *a);
    sm_eigen(scratch, n, values, vectors, scratch + n * n);
    memset(a, 0, n * n * sizeof *a);
    for (size_t k = 0; k < n; k++) {
        const double *v = vectors + k * n;
        for (size_t i = 0; i < n && values[k] > 0; i++)
            for (size_t j = i; j < n; j++) a[i * n + j] += values[k] * v[i] * v[j];
    }
    sm_symmetric_mirror(a, n);
}

/* ---- how steep it is ---- */

/* Power iteration, from near the identity: the direction that is steepest for most data. An estimate that no longer changes
 * will do: it is raised where a step proves too long. */
static smerf_status find_steepest(solver *s, smerf_error *error) {
    for (size_t k = 0; k < s->nn; k++) s->v[k] = k % (s->n + 1) == 0 ? 1 + 0.1 * sin((double)k) : 0;
    smerf_status status = SMERF_OK;
    double size = sm_symmetric_norm(s->v, s->nn);
    bool is_steady = false;
    for (size_t step = 0; step < POWER_STEPS && status == SMERF_OK && size > 0 && !is_steady; step++) {
        for (size_t k = 0; k < s->nn; k++) s->v[k] /= size;
        status = apply_h(s, s->v, s->hv, error);
        size = sm_symmetric_norm(s->hv, s->nn);
        is_steady = fabs(size - s->steepest) <= 0.01 * size;
        s->steepest = size;
        memcpy(s->v, s->hv, s->nn * sizeof *s->v);
    }
    s->steepest *= 1.05;
    return status;
}

/* How steep it is in a random direction of trace 0. */
static smerf_status find_sigma(solver *s, smerf_error *error) {
    sm_random random;
    double trace = 0;
    sm_random_start(&random, 1, 0, SM_STREAM_ROOT);
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = i; j < s->n; j++) s->v[i * s->n + j] = sm_random_normal(&random);
    sm_symmetric_mirror(s->v, s->n);
    for (size_t i = 0; i < s->n; i++) trace += s->v[i * (s->n + 1)];
    for (size_t i = 0; i < s->n && s->n > 1; i++) s->v[i * (s->n + 1)] -= trace / (double)s->n;
    smerf_status status = apply_h(s, s->v, s->hv, error);
    s->sigma = sm_symmetric_dot(s->v, s->hv, s->nn) / sm_symmetric_dot(s->v, s->v, s->nn);
    s->sigma = fmax(s->sigma, 1e-3 * s->steepest);
    return status;
}

/* ---- accelerated projected gradient: from (w, hw), to (w, hw) ---- */

/* v and hv become new + momentum * (new - old), and w, hw the new ones, which stand in d, hd. H is linear, so what it
 * makes of v costs nothing. */
static void move_momentum(solver *s, double momentum) {
    for (size_t k = 0; k < s->nn; k++) {
        s->v[k] = s->d[k] + momentum * (s->d[k] - s->w[k]);
        s->hv[k] = s->hd[k] + momentum * (s->hd[k] - s->hw[k]);
    }
    memcpy(s->w, s->d, s->nn * sizeof *s->w);
    memcpy(s->hw, s->hd, s->nn * sizeof *s->hw);
}

/* d = the positive part of v - (H v - b) / steepest, hd = H d. */
static smerf_status project_step(solver *s, smerf_error *error) {
    for (size_t k = 0; k < s->nn; k++) s->d[k] = s->v[k] - (s->hv[k] - s->b[k]) / s->steepest;
    sm_psd_part(s->d, s->n, s->next.values, s->next.vectors, s->eigen_scratch);
    return apply_h(s, s->d, s->hd, error);
}

/* Whether the step was too long for how steep it is; then `steepest` is raised. */
static bool was_too_long(solver *s) {
    double bend = 0, length = 0;
    for (size_t k = 0; k < s->nn; k++) {
        double step = s->d[k] - s->v[k];
        bend += step * (s->hd[k] - s->hv[k]);
        length += step * step;
    }
    if (!(bend > s->steepest * length * (1 + 1e-6))) return false;
    s->steepest = 1.1 * bend / length;
    return true;
}

static bool has_turned_back(const solver *s) {
    double sum = 0;
    for (size_t k = 0; k < s->nn; k++) sum += (s->v[k] - s->d[k]) * (s->d[k] - s->w[k]);
    return sum > 0;
}

static smerf_status descend_gradient(solver *s, size_t n_steps, smerf_error *error) {
    double age = 1;
    smerf_status status = SMERF_OK;
    memcpy(s->v, s->w, s->nn * sizeof *s->v);
    memcpy(s->hv, s->hw, s->nn * sizeof *s->hv);
    for (size_t step = 0; step < n_steps && status == SMERF_OK; step++) {
        status = project_step(s, error);
        if (status != SMERF_OK) break;
        if (was_too_long(s)) { /* forget it, and the momentum that led there */
            memcpy(s->v, s->w, s->nn * sizeof *s->v);
            memcpy(s->hv, s->hw, s->nn * sizeof *s->hv);
            age = 1;
            continue;
        }
        double older = (1 + sqrt(1 + 4 * age * age)) / 2;
        bool is_back = has_turned_back(s);
        move_momentum(s, is_back ? 0 : (age - 1) / older);
        age = is_back ? 1 : older;
    }
    return status;
}

/* ---- Newton: F(Z) = H W - b - S = 0 ---- */

/* Fills what follows from p->z. */
static smerf_status evaluate_point(solver *s, point *p, smerf_error *error) {
    memcpy(p->w, p->z, s->nn * sizeof *p->w);
    sm_psd_part(p->w, s->n, p->values, p->vectors, s->eigen_scratch);
    smerf_status status = apply_h(s, p->w, p->hw, error);
    for (size_t k = 0; k < s->nn; k++) p->f[k] = p->hw[k] - s->b[k] + s->sigma * (p->z[k] - p->w[k]);
    p->residual = sm_symmetric_norm(p->f, s->nn);
    return status;
}

/* In the basis of Z's eigenvectors the derivative of W multiplies each entry by a slope: 1 between positive eigenvalues,
 * 0 between negative ones, and in between the part that the positive one has of both. */
static void linearise_w(solver *s) {
    const double *values = s->at.values;
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < s->n; j++) {
            double positive = fmax(values[i], 0) + fmax(values[j], 0), all = fabs(values[i]) + fabs(values[j]);
            s->slope[i * s->n + j] = all > 0 ? fmin(positive / all, 1) : 0;
        }
}

/* out = (root H root + sigma (1 - slope) + damping) x with root = sqrt(slope), in the basis of the eigenvectors. */
static smerf_status apply_turned(solver *s, double damping, const double *x, double *out, smerf_error *error) {
    for (size_t k = 0; k < s->nn; k++) s->turned[k] = sqrt(s->slope[k]) * x[k];
    sm_symmetric_turn_back(s->turned, s->at.vectors, s->n, s->eigen_scratch);
    smerf_status status = apply_h(s, s->turned, out, error);
    sm_symmetric_turn(out, s->at.vectors, s->n, s->eigen_scratch);
    for (size_t k = 0; k < s->nn; k++)
        out[k] = sqrt(s->slope[k]) * out[k] + (s->sigma * (1 - s->slope[k]) + damping) * x[k];
    return status;
}

/* y = the solution of (the above) y = -root F, by conjugate gradients, to a precision that grows as F shrinks. */
static smerf_status solve_turned(solver *s, smerf_error *error) {
    double relative = s->at.residual / s->size_b, precision = fmin(0.1, sqrt(relative));
    double damping = s->sigma * fmin(1e-3, 0.1 * relative);
    smerf_status status = SMERF_OK;
    memcpy(s->r, s->at.f, s->nn * sizeof *s->r);
    sm_symmetric_turn(s->r, s->at.vectors, s->n, s->eigen_scratch);
    for (size_t k = 0; k < s->nn; k++) s->r[k] *= -sqrt(s->slope[k]);
    memset(s->y, 0, s->nn * sizeof *s->y);
    memcpy(s->d, s->r, s->nn * sizeof *s->d);
    double rest = sm_symmetric_dot(s->r, s->r, s->nn), enough = rest * precision * precision;
    for (size_t step = 0; step < MOST_CG && rest > enough && status == SMERF_OK; step++) {
        status = apply_turned(s, damping, s->d, s->hd, error);
        double bend = sm_symmetric_dot(s->d, s->hd, s->nn);
        if (status != SMERF_OK || !(bend > 0)) break;
        double length = rest / bend, before = rest;
        for (size_t k = 0; k < s->nn; k++) s->y[k] += length * s->d[k];
        for (size_t k = 0; k < s->nn; k++) s->r[k] -= length * s->hd[k];
        rest = sm_symmetric_dot(s->r, s->r, s->nn);
        for (size_t k = 0; k < s->nn; k++) s->d[k] = s->r[k] + rest / before * s->d[k];
    }
    return status;
}

/* next.z = z + step, where the step in W is root y, turned back, and that in S follows from the linear equation. */
static smerf_status step_newton(solver *s, smerf_error *error) {
    linearise_w(s);
    smerf_status status = solve_turned(s, error);
    if (status != SMERF_OK) return status;
    for (size_t k = 0; k < s->nn; k++) s->y[k] *= sqrt(s->slope[k]);
    sm_symmetric_turn_back(s->y, s->at.vectors, s->n, s->eigen_scratch);
    status = apply_h(s, s->y, s->hd, error);
    for (size_t k = 0; k < s->nn; k++) s->next.z[k] = s->at.z[k] + s->y[k] - (s->at.f[k] + s->hd[k]) / s->sigma;
    return status == SMERF_OK ? evaluate_point(s, &s->next, error) : status;
}

/* Tells how far it is: digits of the residual that are there, of those that are wanted. */
static smerf_status report_newton(solver *s, smerf_error *error) {
    double fraction = fmin(1, log(fmin(1, s->at.residual / s->size_b) + 1e-300) / log(fine));
    fraction = fmax(s->pool->fraction_from, s->fraction_from + fraction * (s->fraction_to - s->fraction_from));
    s->pool->fraction_from = s->pool->fraction_to = fraction; /* the loops of H are no progress by themselves */
    return sm_pool_report(s->pool, fraction, error);
}

/* Starts at w, and goes on while the residual falls. */
static smerf_status try_newton(solver *s, double goal, smerf_error *error) {
    for (size_t k = 0; k < s->nn; k++) s->at.z[k] = s->w[k] - (s->hw[k] - s->b[k]) / s->sigma;
    smerf_status status = evaluate_point(s, &s->at, error);
    for (size_t step = 0; step < MOST_NEWTON && status == SMERF_OK && s->at.residual > goal; step++) {
        status = report_newton(s, error);
        if (status == SMERF_OK) status = step_newton(s, error);
        if (status != SMERF_OK || !(s->next.residual < 0.9 * s->at.residual)) break;
        point swap = s->at;
        s->at = s->next;
        s->next = swap;
    }
    return status;
}

/* ---- both ---- */

static double psd_objective(const solver *s, const double *w, const double *hw) {
    return sm_symmetric_dot(w, hw, s->nn) / 2 - sm_symmetric_dot(w, s->b, s->nn);
}

static smerf_status solve_psd(solver *s, smerf_error *error) {
    smerf_status status = find_steepest(s, error);
    if (status == SMERF_OK) status = find_sigma(s, error);
    if (status != SMERF_OK) return status;
    memset(s->w, 0, s->nn * sizeof *s->w);
    memset(s->hw, 0, s->nn * sizeof *s->hw);
    size_t n_steps = FIRST_STEPS;
    for (size_t round = 0; round < MOST_ROUNDS && status == SMERF_OK; round++) {
        double goal = (round < PATIENCE ? fine : fair) * s->size_b;
        if (s->steepest > 0) status = descend_gradient(s, n_steps, error);
        if (status == SMERF_OK) status = try_newton(s, goal, error);
        if (status != SMERF_OK || s->at.residual <= goal) break;
        if (psd_objective(s, s->at.w, s->at.hw) < psd_objective(s, s->w, s->hw)) {
            memcpy(s->w, s->at.w, s->nn * sizeof *s->w);
            memcpy(s->hw, s->at.hw, s->nn * sizeof *s->hw);
        }
        n_steps = 2 * n_steps < MOST_STEPS ? 2 * n_steps : MOST_STEPS;
    }
    return status;
}

/* b times a power of two, so that its largest entry is near 1; returns the power. */
static int scale_b(solver *s) {
    int exponent;
    double largest = 0;
    for (size_t k = 0; k < s->nn; k++) largest = fmax(largest, fabs(s->problem->b[k]));
    frexp(largest, &exponent);
    for (size_t k = 0; k < s->nn; k++) s->b[k] = ldexp(s->problem->b[k], -exponent);
    s->size_b = sm_symmetric_norm(s->b, s->nn);
    return exponent;
}

smerf_status sm_psd_least_squares(const sm_psd_problem *problem, sm_pool *pool, double *w, sm_psd_facts *facts,
                                  smerf_error *error) {
    solver s = {.problem = problem,
                .pool = pool,
                .facts = facts,
                .n = problem->n,
                .nn = problem->n * problem->n,
                .fraction_from = pool->fraction_from,
                .fraction_to = pool->fraction_to};
    *facts = (sm_psd_facts){0};
    memset(w, 0, s.nn * sizeof *w);
    smerf_status status = take_solver_scratch(&s) ? SMERF_OK : sm_no_memory(error, "solving for W");
    int exponent = status == SMERF_OK ? scale_b(&s) : 0;
    if (status == SMERF_OK && s.size_b > 0) {
        pool->fraction_to = pool->fraction_from;
        status = solve_psd(&s, error);
        for (size_t k = 0; k < s.nn && status == SMERF_OK; k++) w[k] = ldexp(s.at.w[k], exponent);
        facts->kkt = s.at.residual / s.size_b;
    }
    sm_arena_free(&s.arena);
    pool->fraction_from = pool->fraction_to = s.fraction_to;
    return status;
}
