/* nonnegative.c - a small quadratic problem over numbers that are not negative: see stack_weights.h. */
#include <math.h>
#include <string.h>

#include "method/stack/fit/stack_weights.h"

/* A pivot below this fraction of its diagonal: the column depends on those before. */
static const double nothing = 1e-12;

/* Numbers that are free to be positive: all others are 0. */
typedef struct free_set {
    const double *gram, *right;
    size_t n, n_free;
    size_t index[64]; /* [n_free] */
    double *factor;   /* [n][n] scratch of a Cholesky factor */
    double *solved;   /* [n] what solves the free part alone */
} free_set;

/* Forward and backward through L L' of the free part; false: it is singular. */
static bool solve_free(free_set *set) {
    size_t n = set->n_free;
    double *l = set->factor, *s = set->solved;
    for (size_t i = 0; i < n; i++) {
        const double *row = set->gram + set->index[i] * set->n;
        for (size_t j = 0; j <= i; j++) {
            double sum = row[set->index[j]];
            for (size_t k = 0; k < j; k++) sum -= l[i * n + k] * l[j * n + k];
            if (i > j)
                l[i * n + j] = sum / l[j * n + j];
            else if (sum > nothing * row[set->index[i]])
                l[i * n + i] = sqrt(sum);
            else
                return false;
        }
    }
    for (size_t i = 0; i < n; i++) {
        s[i] = set->right[set->index[i]];
        for (size_t k = 0; k < i; k++) s[i] -= l[i * n + k] * s[k];
        s[i] /= l[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) s[i] -= l[k * n + i] * s[k];
        s[i] /= l[i * n + i];
    }
    return true;
}

static void drop_free(free_set *set, size_t k) {
    memmove(set->index + k, set->index + k + 1, (set->n_free - k - 1) * sizeof *set->index);
    set->n_free--;
}

/* As far towards the solution of the free part as no number becomes negative; whether that is all the way. */
static bool step_towards(free_set *set, double *x) {
    double part = 1;
    size_t first = 0;
    for (size_t k = 0; k < set->n_free; k++) {
        double at = x[set->index[k]];
        if (set->solved[k] > 0 || !(at / (at - set->solved[k]) < part)) continue;
        part = at / (at - set->solved[k]);
        first = k;
    }
    for (size_t k = 0; k < set->n_free; k++) {
        double *at = &x[set->index[k]];
        *at = part == 1 ? set->solved[k] : fmax(0, *at + part * (set->solved[k] - *at));
    }
    if (part == 1) return true;
    x[set->index[first]] = 0;
    drop_free(set, first);
    return false;
}

/* The number that lowers the objective most per unit of its own; n: none does. */
static size_t next_free(const free_set *set, const double *x, const bool *is_out, const bool *is_free) {
    size_t best = set->n;
    double most = 0;
    for (size_t j = 0; j < set->n; j++) {
        double slope = set->right[j], size = fabs(set->right[j]);
        for (size_t k = 0; k < set->n; k++) {
            slope -= set->gram[j * set->n + k] * x[k];
            size += fabs(set->gram[j * set->n + k] * x[k]);
        }
        if (is_free[j] || is_out[j] || !(slope > 1e-13 * size)) continue;
        double gain = slope / sqrt(fmax(set->gram[j * (set->n + 1)], 1e-300));
        if (gain <= most) continue;
        most = gain;
        best = j;
    }
    return best;
}

void sm_nonnegative_solve(const double *gram, const double *right, size_t n, double *x, double *scratch) {
    free_set set = {.gram = gram, .right = right, .n = n, .factor = scratch, .solved = scratch + n * n};
    bool is_out[64] = {false};
    memset(x, 0, n * sizeof *x);
    for (size_t round = 0; round < 10 * n + 10; round++) {
        bool is_free[64] = {false};
        for (size_t k = 0; k < set.n_free; k++) is_free[set.index[k]] = true;
        size_t added = next_free(&set, x, is_out, is_free);
        if (added == n) return;
        set.index[set.n_free++] = added;
        bool is_there = false;
        while (!is_there && set.n_free > 0) {
            if (!solve_free(&set)) { /* it says what others say already */
                is_out[set.index[set.n_free - 1]] = true;
                x[set.index[set.n_free - 1]] = 0;
                set.n_free--;
                continue;
            }
            is_there = step_towards(&set, x);
        }
    }
}
