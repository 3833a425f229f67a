/* vectors.c - prices every cut of a node from vectors, in O(rank) a cut. See vectors.h.
 *
 * In deviations from the node's mean, with s = sum of w_i d_i, B = sum of w_i b_i and o_i what z_ii has on top of the
 * form, the cost of a set is
 *     Q / W = 2 B - 2 <s, s> / W + (sum of w_i^2 o_i) / W.
 * Both sides of a cut are added up from their own end, so that neither is a difference of large numbers. Where weights are
 * numbers of draws there is no need for that: the deviations of a node add up to 0, so that the right side's sums are those
 * of the left, and one walk will do. */
#include "target/vectors.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"

struct sm_vector_search {
    sm_arena arena; /* holds the arrays below */
    const sm_vectors *vectors;
    bool are_draws;       /* see sm_search_size */
    const double *weight; /* the node's */
    double *deviation;    /* [n_items][rank] d */
    double *part;         /* [n_items] b; NULL: <d, d> */
    double *own;          /* [n_items] o; NULL: 0 throughout */
    double *sums;         /* [rank] s */
    double *mean;         /* [rank] m */
    double *level;        /* [n_levels][rank + 3] */
};

/* ---- single pairs ---- */

double sm_vectors_pair(const sm_vectors *vectors, size_t i, size_t j) {
    const double *left = vectors->u + i * vectors->rank, *right = vectors->u + j * vectors->rank;
    double sum = 0;
    if (vectors->a == NULL) {
        for (size_t r = 0; r < vectors->rank; r++)
            sum += vectors->scale[r] * (left[r] - right[r]) * (left[r] - right[r]);
        return sum;
    }
    for (size_t r = 0; r < vectors->rank; r++) sum += vectors->scale[r] * (left[r] * right[r]);
    return vectors->a[i] + vectors->a[j] - 2 * sum;
}

double sm_vectors_self(const sm_vectors *vectors, size_t i) {
    return vectors->self != NULL ? vectors->self[i] : sm_vectors_pair(vectors, i, i);
}

void sm_vectors_true_row(const sm_vectors *vectors, size_t row, double *out) {
    for (size_t j = 0; j < vectors->n_items; j++) out[j] = sm_vectors_pair(vectors, row, j);
    out[row] = sm_vectors_self(vectors, row);
}

/* ---- a node ---- */

sm_vector_search *sm_vector_search_new(const sm_vectors *vectors, const sm_search_size *size, smerf_error *error) {
    sm_vector_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    size_t n = size->n_items, rank = vectors->rank;
    size_t n_levels = size->n_levels < n ? size->n_levels : n;
    sm_arena *arena = &search->arena;
    search->vectors = vectors;
    search->are_draws = size->are_draws;
    search->deviation = sm_arena_take(arena, sm_size(n, rank, 0), sizeof *search->deviation);
    if (vectors->a != NULL) search->part = sm_arena_take(arena, n, sizeof *search->part);
    if (vectors->self != NULL) search->own = sm_arena_take(arena, n, sizeof *search->own);
    search->sums = sm_arena_take(arena, rank, sizeof *search->sums);
    search->mean = sm_arena_take(arena, rank, sizeof *search->mean);
    search->level = sm_arena_take(arena, sm_size(n_levels, rank + 3, 0), sizeof *search->level);
    if (!arena->has_failed) return search;
    sm_vector_search_free(search);
    sm_no_memory(error, "preparing to grow trees");
    return NULL;
}

void sm_vector_search_free(sm_vector_search *search) {
    if (search == NULL) return;
    sm_arena_free(&search->arena);
    sm_free(search);
}

/* Sums over the rank go in so many lanes, so that none has to wait for the one before. */
enum { LANES = 4 };

static inline double product(const double *scale, const double *x, const double *y, size_t rank) {
    double sum = 0, lanes[LANES] = {0};
    size_t r = 0;
    for (; r + LANES <= rank; r += LANES)
        for (size_t lane = 0; lane < LANES; lane++) lanes[lane] += scale[r + lane] * x[r + lane] * y[r + lane];
    for (; r < rank; r++) sum += scale[r] * x[r] * y[r];
    return rank >= LANES ? sum + ((lanes[0] + lanes[2]) + (lanes[1] + lanes[3])) : sum;
}

/* b_i: in deviations from m, what an item adds to its distance from any other.   square  <m, m> */
static double part_of(const sm_vectors *vectors, size_t item, const double *deviation, const double *mean,
                      double square) {
    return vectors->a[item] - 2 * product(vectors->scale, mean, deviation, vectors->rank) - square;
}

/* o_i: what z_ii has on top of the form. */
static double own_of(const sm_vectors *vectors, size_t item) {
    return vectors->self != NULL ? vectors->self[item] - sm_vectors_pair(vectors, item, item) : 0;
}

void sm_vector_enter(sm_vector_search *search, const sm_node *node) {
    const sm_vectors *vectors = search->vectors;
    size_t rank = vectors->rank;
    double *mean = search->mean;
    search->weight = node->weight;
    const double *first = vectors->u + node->items[0] * rank; /* the mean is taken as what it is above this */
    double *above = search->sums;
    memset(above, 0, rank * sizeof *above);
    for (size_t k = 0; k < node->n; k++) {
        const double *u = vectors->u + node->items[k] * rank;
        for (size_t r = 0; r < rank; r++) above[r] += node->weight[k] * (u[r] - first[r]);
    }
    for (size_t r = 0; r < rank; r++) {
        above[r] /= node->total;
        mean[r] = first[r] + above[r];
    }
    double square = product(vectors->scale, mean, mean, rank);
    for (size_t k = 0; k < node->n; k++) {
        size_t item = node->items[k];
        double *deviation = search->deviation + k * rank;
        for (size_t r = 0; r < rank; r++) deviation[r] = vectors->u[item * rank + r] - first[r] - above[r];
        if (search->part != NULL) search->part[k] = part_of(vectors, item, deviation, mean, square);
        if (search->own != NULL) search->own[k] = own_of(vectors, item);
    }
}

static inline __attribute__((always_inline)) double part_at(const sm_vector_search *search, size_t k, size_t rank) {
    if (search->part != NULL) return search->part[k];
    const double *deviation = search->deviation + k * rank;
    return product(search->vectors->scale, deviation, deviation, rank);
}

/* What has been added up of one side. */
typedef struct side {
    double weight, part, own;
    double *sums; /* [rank] */
} side;

/* Returns <s, s> of the side with one more item. */
static inline __attribute__((always_inline)) double add_item(const sm_vector_search *search, side *to, size_t k,
                                                             size_t rank) {
    const double *deviation = search->deviation + k * rank, *scale = search->vectors->scale;
    double w = search->weight[k], square = 0, lanes[LANES] = {0}, *sums = to->sums;
    size_t r = 0;
    to->weight += w;
    to->part += w * part_at(search, k, rank);
    if (search->own != NULL) to->own += w * w * search->own[k];
    for (; r + LANES <= rank; r += LANES)
        for (size_t lane = 0; lane < LANES; lane++) {
            double sum = sums[r + lane] += w * deviation[r + lane];
            lanes[lane] += scale[r + lane] * sum * sum;
        }
    for (; r < rank; r++) {
        sums[r] += w * deviation[r];
        square += scale[r] * sums[r] * sums[r];
    }
    return rank >= LANES ? square + ((lanes[0] + lanes[2]) + (lanes[1] + lanes[3])) : square;
}

static inline double cost_of(const side *of, double square) {
    return 2 * of->part + (of->own - 2 * square) / of->weight;
}

static inline __attribute__((always_inline)) void
walk_both_ways(const sm_vector_search *search, const sm_line_up *line_up, size_t n, size_t rank, double *sums) {
    side left = {.sums = sums};
    memset(sums, 0, rank * sizeof *sums);
    for (size_t r = 0; r + 1 < n; r++) {
        double square = add_item(search, &left, line_up->order[r], rank);
        line_up->left[r] = cost_of(&left, square);
    }
    side right = {.sums = sums};
    memset(sums, 0, rank * sizeof *sums);
    for (size_t r = n; r-- > 1;) {
        double square = add_item(search, &right, line_up->order[r], rank);
        line_up->right[r - 1] = cost_of(&right, square);
    }
}

static inline __attribute__((always_inline)) void walk_once(const sm_vector_search *search, const sm_line_up *line_up,
                                                            size_t n, size_t rank, const side *all, double *sums) {
    side left = {.sums = sums};
    memset(sums, 0, rank * sizeof *sums);
    for (size_t r = 0; r + 1 < n; r++) {
        double square = add_item(search, &left, line_up->order[r], rank);
        side right = {.weight = all->weight - left.weight, .part = all->part - left.part, .own = all->own - left.own};
        line_up->left[r] = cost_of(&left, square);
        line_up->right[r] = cost_of(&right, square);
    }
}

static inline __attribute__((always_inline)) void walk(const sm_vector_search *search, const sm_line_up *line_up,
                                                       size_t n, size_t rank, const side *all, double *sums) {
    if (search->are_draws)
        walk_once(search, line_up, n, rank, all, sums);
    else
        walk_both_ways(search, line_up, n, rank, sums);
}

double sm_vector_price(sm_vector_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    size_t n = node->n, rank = search->vectors->rank;
    side all = {.sums = search->sums};
    double square = 0;
    memset(search->sums, 0, rank * sizeof *search->sums);
    for (size_t k = 0; k < n; k++) square = add_item(search, &all, k, rank);
    for (size_t u = 0; u < n_line_ups; u++) {
        double one[1];
        if (rank == 1) /* the compiler can keep it in registers */
            walk(search, &line_ups[u], n, 1, &all, one);
        else
            walk(search, &line_ups[u], n, rank, &all, search->sums);
    }
    return cost_of(&all, square);
}

void sm_vector_levels(sm_vector_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                      double *mean) {
    size_t rank = search->vectors->rank, stride = rank + 3;
    memset(search->level, 0, n_levels * stride * sizeof *search->level);
    for (size_t k = 0; k < node->n; k++) {
        if (level[k] == SMERF_MISSING) continue;
        double *of = search->level + level[k] * stride, w = search->weight[k];
        for (size_t r = 0; r < rank; r++) of[r] += w * search->deviation[k * rank + r];
        of[rank] += w * part_at(search, k, rank);
        of[rank + 1] += w;
        if (search->own != NULL) of[rank + 2] += w * w * search->own[k];
    }
    for (size_t a = 0; a < n_levels; a++) {
        double *of = search->level + a * stride, w = of[rank + 1];
        for (size_t r = 0; r <= rank; r++) of[r] /= w;
        of[rank + 2] /= w * w;
    }
    for (size_t a = 0; a < n_levels; a++)
        for (size_t b = 0; b < n_levels; b++) {
            const double *left = search->level + a * stride, *right = search->level + b * stride;
            double *out = &mean[a * n_levels + b];
            *out = left[rank] + right[rank] - 2 * product(search->vectors->scale, left, right, rank);
            if (a == b) *out += left[rank + 2];
        }
}

/* ---- purity ---- */

bool sm_vector_all_same(const sm_vector_search *search, const sm_node *node) {
    const sm_vectors *vectors = search->vectors;
    const double *first = vectors->u + node->items[0] * vectors->rank;
    for (size_t k = 1; k < node->n; k++)
        for (size_t r = 0; r < vectors->rank; r++)
            if (vectors->u[node->items[k] * vectors->rank + r] != first[r]) return false;
    return true;
}

static bool differs(double z, double first, double slack) { return !(fabs(z - first) <= slack); }

bool sm_vector_all_equal(const sm_vector_search *search, const sm_node *node, double slack) {
    const sm_vectors *vectors = search->vectors;
    double first = sm_vectors_self(vectors, node->items[0]);
    for (size_t k = 1; k < node->n; k++) { /* a look at a few first: pure nodes are rare */
        if (differs(sm_vectors_self(vectors, node->items[k]), first, slack)) return false;
        if (differs(sm_vectors_pair(vectors, node->items[k - 1], node->items[k]), first, slack)) return false;
    }
    for (size_t k = 2; k < node->n; k++)
        for (size_t j = 0; j + 1 < k; j++)
            if (differs(sm_vectors_pair(vectors, node->items[j], node->items[k]), first, slack)) return false;
    return true;
}
