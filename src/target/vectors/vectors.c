/* vectors.c - prices every cut of a node from vectors, in O(rank) a cut. See vectors.h; the loops are in kernels/deviations.h.
 *
 * In deviations from the node's mean, with s = sum of w_i d_i, B = sum of w_i b_i and o_i what z_ii has on top of the
 * form, the cost of a set is
 *     Q / W = 2 B - 2 <s, s> / W + (sum of w_i^2 o_i) / W.
 * Both sides of a cut are added up from their own end, so that neither is a difference of large numbers. Where weights are
 * numbers of draws there is no need for that: the deviations of a node add up to 0, so that the right side's sums are those
 * of the left, and one walk will do. */
#include "target/vectors/vectors.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/kernels.h"

struct sm_vector_search {
    sm_arena arena; /* holds the arrays below */
    const sm_vectors *vectors;
    const sm_deviation_kernels *kernels;
    bool are_draws;     /* see sm_search_size */
    sm_deviations node; /* as entered last */
    double *level;      /* [n_levels][rank + SM_N_FACTS] */
    double *level_sum;  /* [rank] */
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

/* o_i: what z_ii has on top of the form. */
static void find_own(const sm_vectors *vectors, double *own) {
    for (size_t i = 0; i < vectors->n_items; i++) own[i] = vectors->self[i] - sm_vectors_pair(vectors, i, i);
}

/* What the node's arrays hold of all items. */
static void start_form(sm_vector_search *search) {
    const sm_vectors *vectors = search->vectors;
    sm_arena *arena = &search->arena;
    double *scale = sm_arena_take_zeros(arena, sm_n_groups(vectors->rank) * SM_GROUP, sizeof *scale);
    double *own = vectors->self != NULL ? sm_arena_take(arena, vectors->n_items, sizeof *own) : NULL;
    if (scale != NULL && vectors->rank > 0) memcpy(scale, vectors->scale, vectors->rank * sizeof *scale);
    if (own != NULL) find_own(vectors, own);
    search->node.form =
        (sm_deviation_form){.rank = vectors->rank, .u = vectors->u, .a = vectors->a, .own = own, .scale = scale};
}

sm_vector_search *sm_vector_search_new(const sm_vectors *vectors, const sm_search_size *size, smerf_error *error) {
    sm_vector_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    size_t n = size->n_items, rank = vectors->rank, n_padded = sm_n_groups(rank) * SM_GROUP;
    size_t n_levels = size->n_levels < n ? size->n_levels : n;
    sm_arena *arena = &search->arena;
    sm_deviations *node = &search->node;
    search->vectors = vectors;
    search->kernels = sm_kernels_select(size->kernels)->deviations;
    search->are_draws = size->are_draws;
    start_form(search);
    node->stride = sm_deviation_stride(rank);
    node->rows = sm_arena_take(arena, sm_size(n, node->stride, 1), sizeof *node->rows);
    node->origin = sm_arena_take(arena, n_padded, sizeof *node->origin);
    node->above = sm_arena_take(arena, n_padded, sizeof *node->above);
    node->scaled = sm_arena_take(arena, n_padded, sizeof *node->scaled);
    node->sums = sm_arena_take(arena, n_padded, sizeof *node->sums);
    search->level = sm_arena_take(arena, sm_size(n_levels, rank + SM_N_FACTS, 0), sizeof *search->level);
    search->level_sum = sm_arena_take(arena, rank, sizeof *search->level_sum);
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

void sm_vector_enter(sm_vector_search *search, const sm_node *node) {
    search->kernels->enter(&search->node, node->items, node->weight, node->n, node->total);
}

double sm_vector_price(sm_vector_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    const sm_deviation_kernels *kernels = search->kernels;
    const double *all = search->node.all;
    (void)node;
    for (size_t u = 0; u < n_line_ups; u++) {
        const sm_line_up *line = &line_ups[u];
        if (search->are_draws) {
            kernels->price_once(&search->node, line->order, line->left, line->right);
        } else {
            kernels->price_left(&search->node, line->order, line->left);
            kernels->price_right(&search->node, line->order, line->right);
        }
    }
    return 2 * all[SM_PART] + all[SM_OWN] / all[SM_WEIGHT]; /* its deviations add up to 0 */
}

/* Mean deviation, part and own distance of every level.   of  [n_levels][rank + SM_N_FACTS] out */
static void average_levels(const sm_deviations *node, const uint32_t *level, size_t n_levels, double *of) {
    size_t rank = node->form.rank, stride = rank + SM_N_FACTS;
    memset(of, 0, n_levels * stride * sizeof *of);
    for (size_t k = 0; k < node->n; k++)
        for (size_t r = 0; r < stride && level[k] != SMERF_MISSING; r++)
            of[level[k] * stride + r] += node->rows[k * node->stride + r];
    for (size_t a = 0; a < n_levels; a++, of += stride) {
        double weight = of[rank + SM_WEIGHT];
        for (size_t r = 0; r < rank; r++) of[r] /= weight;
        of[rank + SM_PART] /= weight;
        of[rank + SM_OWN] /= weight * weight;
    }
}

void sm_vector_levels(sm_vector_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                      double *mean) {
    size_t rank = search->node.form.rank, stride = rank + SM_N_FACTS;
    (void)node;
    average_levels(&search->node, level, n_levels, search->level);
    for (size_t a = 0; a < n_levels; a++)
        for (size_t b = 0; b < n_levels; b++) {
            const double *left = search->level + a * stride, *right = search->level + b * stride;
            double product = 0;
            for (size_t r = 0; r < rank; r++) product += search->vectors->scale[r] * left[r] * right[r];
            mean[a * n_levels + b] =
                left[rank + SM_PART] + right[rank + SM_PART] - 2 * product + (a == b ? left[rank + SM_OWN] : 0);
        }
}

double sm_vector_level_start(sm_vector_search *search, const sm_node_levels *levels) {
    size_t rank = search->node.form.rank, stride = rank + SM_N_FACTS;
    average_levels(&search->node, levels->level, levels->n_levels, search->level);
    double largest = 0;
    for (size_t a = 0; a < levels->n_levels; a++) {
        const double *of = search->level + a * stride;
        double product = 0;
        for (size_t r = 0; r < rank; r++) product += fabs(search->vectors->scale[r]) * of[r] * of[r];
        largest = fmax(largest, fabs(of[rank + SM_PART]) + product + fabs(of[rank + SM_OWN]));
    }
    return largest;
}

void sm_vector_level_product(sm_vector_search *search, const sm_node_levels *levels, const double *x, double *y) {
    size_t rank = search->node.form.rank, stride = rank + SM_N_FACTS;
    double *sum = search->level_sum;
    for (size_t r = 0; r < rank; r++) sum[r] = 0;
    for (size_t a = 0; a < levels->n_levels; a++)
        for (size_t r = 0; r < rank; r++) sum[r] += x[a] * search->level[a * stride + r];
    for (size_t r = 0; r < rank; r++) sum[r] *= search->vectors->scale[r];
    for (size_t a = 0; a < levels->n_levels; a++) {
        const double *of = search->level + a * stride;
        double product = 0;
        for (size_t r = 0; r < rank; r++) product += of[r] * sum[r];
        y[a] = of[rank + SM_OWN] * x[a] - 2 * product;
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
