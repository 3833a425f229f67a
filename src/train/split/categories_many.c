/* categories_many.c - the direction in which many levels spread most, from products with their mean distances.
 *
 * K = -1/2 J H J', J = I - 1 v', is never formed. Starting from a vector that has a part in every direction, each product with K
 * adds one to an orthonormal basis (Lanczos' way, every new vector made orthogonal to all before it); in that basis K is
 * a small tridiagonal matrix, whose leading vector is that of K once the basis spans it. Where the levels have few columns (a
 * response, a few classes) the basis is complete after as many steps, and the order is that of the exact way; else it is close
 * (docs/decisions/0026-many-levels.md). All sums have one order, so that the result is the same everywhere. */
#include <math.h>
#include <string.h>

#include "base/square.h"
#include "train/split/categories.h"

/* A product of one large entry and all others loses about this part of the size of the matrix, for each level. */
static const double lost_digits = 1e-14;

static double dot(const double *left, const double *right, size_t q) {
    double sum = 0;
    for (size_t a = 0; a < q; a++) sum += left[a] * right[a];
    return sum;
}

static void add_multiple(double *to, double factor, const double *vector, size_t q) {
    for (size_t a = 0; a < q; a++) to[a] += factor * vector[a];
}

static void divide(double *vector, double by, size_t q) {
    for (size_t a = 0; a < q; a++) vector[a] /= by;
}

/* Numbers from -1 to 1 that follow from the levels' own numbers, so that they stay the same wherever the node is grown. */
static void start_vector(const sm_held *held, double *vector) {
    for (size_t a = 0; a < held->n; a++) {
        uint64_t bits = ((uint64_t)held->level[a] + 1) * 0x9E3779B97F4A7C15u;
        bits = (bits ^ bits >> 32) * 0xD6E8FEB86659FD93u;
        vector[a] = (double)(bits >> 11) * 0x1p-52 - 1;
    }
    divide(vector, sqrt(dot(vector, vector, held->n)), held->n);
}

/* to = K from. */
static void multiply_centred(sm_categories *categories, const sm_engine *engine, sm_search *search, const sm_node *node,
                             const double *from, double *to) {
    size_t q = categories->held.n;
    const sm_node_levels levels = {.level = categories->level, .n_levels = q, .weight = categories->weight};
    const double *weight = categories->weight;
    double *turned = categories->turned, all = 0, sum = 0, mean = 0;
    for (size_t a = 0; a < q; a++) {
        all += weight[a];
        sum += from[a];
    }
    for (size_t a = 0; a < q; a++) turned[a] = from[a] - weight[a] / all * sum;
    engine->level_product(search, node, &levels, turned, to);
    for (size_t a = 0; a < q; a++) mean += weight[a] / all * to[a];
    for (size_t a = 0; a < q; a++) to[a] = -0.5 * (to[a] - mean);
}

/* Fills the small matrix K in the basis; returns how many vectors the basis has. */
static size_t span_basis(sm_categories *categories, const sm_engine *engine, sm_search *search, const sm_node *node,
                         double nothing) {
    size_t q = categories->held.n, n = 0;
    double *basis = categories->basis, *diagonal = categories->values, *beside = categories->scratch;
    start_vector(&categories->held, basis);
    while (n < SM_MOST_STEPS) {
        double *next = basis + (n + 1) * q;
        multiply_centred(categories, engine, search, node, basis + n * q, next);
        diagonal[n] = dot(basis + n * q, next, q);
        n++;
        for (int twice = 0; twice < 2; twice++) /* what the first time leaves is rounding */
            for (size_t k = 0; k < n; k++) add_multiple(next, -dot(basis + k * q, next, q), basis + k * q, q);
        beside[n - 1] = sqrt(dot(next, next, q));
        if (beside[n - 1] <= nothing) break;
        divide(next, beside[n - 1], q);
    }
    double *small = categories->centred;
    memset(small, 0, n * n * sizeof *small);
    for (size_t k = 0; k < n; k++) small[k * n + k] = diagonal[k];
    for (size_t k = 0; k + 1 < n; k++) small[k * n + k + 1] = small[(k + 1) * n + k] = beside[k];
    return n;
}

/* The leading one of n eigenvalues, of +x and -x the positive one. */
static size_t find_leading(const double *values, size_t n, double slack) {
    size_t largest = 0, smallest = 0;
    for (size_t k = 1; k < n; k++) {
        if (values[k] > values[largest]) largest = k;
        if (values[k] < values[smallest]) smallest = k;
    }
    return values[largest] >= -values[smallest] - slack ? largest : smallest;
}

/* So that the first level with a part in it is not above 0. */
static void choose_sign(double *along, size_t q) {
    double size = 0;
    for (size_t a = 0; a < q; a++) size = fmax(size, fabs(along[a]));
    for (size_t e = 0; e < q; e++) {
        if (fabs(along[e]) * size <= SM_SAME_ENTRY) continue;
        if (along[e] > 0)
            for (size_t a = 0; a < q; a++) along[a] = -along[a];
        return;
    }
}

void sm_categories_follow_products(sm_categories *categories, const sm_engine *engine, sm_search *search,
                                   const sm_node *node, size_t q) {
    const sm_node_levels levels = {.level = categories->level, .n_levels = q, .weight = categories->weight};
    double size = engine->level_start(search, node, &levels), *along = categories->along;
    size_t n = span_basis(categories, engine, search, node, lost_digits * (double)q * size);
    sm_eigen(categories->centred, n, categories->values, categories->vectors, categories->scratch);
    size_t leading = find_leading(categories->values, n, SM_SAME_VALUE * size);
    memset(along, 0, q * sizeof *along);
    if (fabs(categories->values[leading]) <= SM_SAME_VALUE * size) return; /* no direction: by number */
    const double *in_basis = categories->vectors + leading * n;
    double *vector = categories->basis + n * q; /* done with */
    memset(vector, 0, q * sizeof *vector);
    for (size_t k = 0; k < n; k++) add_multiple(vector, in_basis[k], categories->basis + k * q, q);
    multiply_centred(categories, engine, search, node, vector, along); /* one more step, which leaves no rounding */
    divide(along, sqrt(dot(along, along, q)), q);
    choose_sign(along, q);
}
