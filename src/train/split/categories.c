/* categories.c - lines up the levels of a category ("Growing, exactly" in the interface).
 *
 * The mean distances H between the levels of a node, double-centred with the levels' weights, are the inner products
 * of the levels' centroids; the levels are lined up along the direction in which these spread most. With one response
 * this is the order of the means. Signs and repeated eigenvalues are decided by projecting the first level onto the
 * eigenspace: -E E' e does not depend on how the eigenspace is spanned. That is for few levels; categories_many.c finds the
 * direction for many. */
#include "train/split/categories.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/square.h"

/* ---- the levels of a node ---- */

void sm_held_start(sm_held *held, sm_arena *arena, size_t most_levels, size_t n_items) {
    size_t most = most_levels < n_items ? most_levels : n_items;
    *held = (sm_held){.level = sm_arena_take(arena, most, sizeof *held->level),
                      .index_of = sm_arena_take(arena, most_levels, sizeof *held->index_of),
                      .keys = sm_arena_take(arena, most, sizeof *held->keys),
                      .spare = sm_arena_take(arena, most, sizeof *held->spare)};
    for (size_t level = 0; level < most_levels && held->index_of != NULL; level++)
        held->index_of[level] = SMERF_MISSING;
}

/* What one node has marked is unmarked by the next. */
void sm_held_find(sm_held *held, const uint32_t *codes, const sm_node *node) {
    for (size_t i = 0; i < held->n; i++) held->index_of[held->level[i]] = SMERF_MISSING;
    held->n = 0;
    for (size_t k = 0; k < node->n; k++) {
        uint32_t code = codes[node->items[k]];
        if (code == SMERF_MISSING || held->index_of[code] != SMERF_MISSING) continue;
        held->index_of[code] = 0;
        held->keys[held->n] = sm_pack_rank(code, (uint32_t)held->n);
        held->n++;
    }
    sm_sort_packed(held->keys, held->n, held->spare);
    for (size_t i = 0; i < held->n; i++) {
        held->level[i] = sm_packed_rank(held->keys[i]);
        held->index_of[held->level[i]] = (uint32_t)i;
    }
}

/* ---- their order ---- */

/* The most levels of a node, and of one for which all mean distances are found. */
static size_t most_held_of(const sm_problem *problem) {
    size_t most = sm_problem_most_levels(problem), n = problem->most_in_bag;
    return most < n ? most : n;
}

static size_t most_few_of(const sm_problem *problem) {
    size_t q = most_held_of(problem);
    return q < SM_FEW_LEVELS ? q : SM_FEW_LEVELS;
}

double sm_categories_bytes(const sm_problem *problem) {
    double q = (double)most_held_of(problem), few = (double)most_few_of(problem), bytes = 80 * q + 24 * few * few;
    return q > SM_FEW_LEVELS ? bytes + 8 * q * (SM_MOST_STEPS + 2) : bytes;
}

smerf_status sm_categories_start(sm_categories *categories, const sm_problem *problem, smerf_error *error) {
    size_t most = sm_problem_most_levels(problem), n = problem->most_in_bag, q = most_held_of(problem);
    size_t few = most_few_of(problem), square = few * few, many = q > SM_FEW_LEVELS ? q : 0;
    *categories = (sm_categories){0};
    sm_arena *arena = &categories->arena;
    sm_held_start(&categories->held, arena, most, n);
    categories->level = sm_arena_take(arena, most > 0 ? n : 0, sizeof *categories->level);
    categories->weight = sm_arena_take(arena, q, sizeof *categories->weight);
    categories->along = sm_arena_take(arena, q, sizeof *categories->along);
    categories->numbers = sm_arena_take(arena, q, sizeof *categories->numbers);
    categories->spare = sm_arena_take(arena, q, sizeof *categories->spare);
    categories->sorted = sm_arena_take(arena, q, sizeof *categories->sorted);
    categories->spare_sorted = sm_arena_take(arena, q, sizeof *categories->spare_sorted);
    categories->mean = sm_arena_take(arena, square, sizeof *categories->mean);
    categories->centred = sm_arena_take(arena, square, sizeof *categories->centred);
    categories->vectors = sm_arena_take(arena, square, sizeof *categories->vectors);
    categories->values = sm_arena_take(arena, few, sizeof *categories->values);
    categories->scratch = sm_arena_take(arena, sm_size(few, 3, 0), sizeof *categories->scratch);
    categories->basis = sm_arena_take(arena, sm_size(many, SM_MOST_STEPS + 1, 0), sizeof *categories->basis);
    categories->turned = sm_arena_take(arena, many, sizeof *categories->turned);
    if (!arena->has_failed) return SMERF_OK;
    sm_categories_free(categories);
    return sm_no_memory(error, "preparing to line up categories");
}

void sm_categories_free(sm_categories *categories) { sm_arena_free(&categories->arena); }

/* The levels that the node holds, which of these each item has, and what they weigh. */
static size_t find_levels(sm_categories *categories, const sm_problem *problem, const sm_node *node, size_t feature) {
    const uint32_t *codes = problem->view->codes[feature], *index_of = categories->held.index_of;
    sm_held_find(&categories->held, codes, node);
    for (size_t a = 0; a < categories->held.n; a++) categories->weight[a] = 0;
    for (size_t k = 0; k < node->n; k++) {
        uint32_t code = codes[node->items[k]];
        categories->level[k] = code == SMERF_MISSING ? SMERF_MISSING : index_of[code];
        if (code != SMERF_MISSING) categories->weight[index_of[code]] += node->weight[k];
    }
    return categories->held.n;
}

/* K = -1/2 J H J', J = I - 1 v', v the fractions of the levels' weights. */
static void centre_levels(sm_categories *categories, size_t q) {
    const double *mean = categories->mean;
    double *row_mean = categories->scratch, total = 0, grand = 0;
    for (size_t a = 0; a < q; a++) total += categories->weight[a];
    for (size_t a = 0; a < q; a++) {
        row_mean[a] = 0;
        for (size_t b = 0; b < q; b++) row_mean[a] += categories->weight[b] / total * mean[a * q + b];
        grand += categories->weight[a] / total * row_mean[a];
    }
    for (size_t a = 0; a < q; a++)
        for (size_t b = 0; b < q; b++)
            categories->centred[a * q + b] = -0.5 * (mean[a * q + b] - row_mean[a] - row_mean[b] + grand);
}

/* The eigenvalue largest in size; of +x and -x the positive one. */
static double leading_value(const double *values, size_t q, double slack) {
    double largest = values[0], smallest = values[0];
    for (size_t k = 1; k < q; k++) {
        largest = fmax(largest, values[k]);
        smallest = fmin(smallest, values[k]);
    }
    return largest >= -smallest - slack ? largest : smallest;
}

/* along = -E E' e for the first level e that has a part in the eigenspace. */
static void project_first(sm_categories *categories, size_t q, double lambda, double slack) {
    double *along = categories->along;
    for (size_t e = 0; e < q; e++) {
        double size = 0;
        memset(along, 0, q * sizeof *along);
        for (size_t k = 0; k < q; k++) {
            if (fabs(categories->values[k] - lambda) > slack) continue;
            const double *vector = categories->vectors + k * q;
            for (size_t a = 0; a < q; a++) along[a] -= vector[e] * vector[a];
        }
        for (size_t a = 0; a < q; a++) size = fmax(size, fabs(along[a]));
        if (size > SM_SAME_ENTRY) return;
    }
}

/* Sorts levels by their entries; entries that are the same up to rounding keep the order of the levels' numbers. */
static void order_levels(sm_categories *categories, size_t q) {
    double *numbers = categories->numbers, size = 0;
    uint32_t *sorted = categories->sorted;
    for (size_t a = 0; a < q; a++) {
        size = fmax(size, fabs(categories->along[a]));
        numbers[a] = categories->along[a];
        sorted[a] = (uint32_t)a;
    }
    sm_sort_numbers(numbers, sorted, q, categories->spare, categories->spare_sorted);
    for (size_t first = 0, end; first < q; first = end) {
        for (end = first + 1; end < q && numbers[end] - numbers[end - 1] < SM_SAME_ENTRY * size;) end++;
        qsort(sorted + first, end - first, sizeof *sorted, sm_by_index); /* a run of same entries: by number */
    }
}

static void find_all_distances(sm_categories *categories, const sm_engine *engine, sm_search *search,
                               const sm_node *node, size_t q) {
    engine->level_distances(search, node, categories->level, q, categories->mean);
    double size = 0;
    for (size_t i = 0; i < q * q; i++) size = fmax(size, fabs(categories->mean[i]));
    centre_levels(categories, q);
    sm_eigen(categories->centred, q, categories->values, categories->vectors, categories->scratch);
    double slack = SM_SAME_VALUE * size;
    project_first(categories, q, leading_value(categories->values, q, slack), slack);
}

size_t sm_categories_line_up(sm_categories *categories, const sm_problem *problem, sm_search *search,
                             const sm_node *node, size_t feature) {
    size_t q = find_levels(categories, problem, node, feature);
    if (q < 2) return q;
    if (q <= SM_FEW_LEVELS)
        find_all_distances(categories, problem->engine, search, node, q);
    else
        sm_categories_follow_products(categories, problem->engine, search, node, q);
    order_levels(categories, q);
    for (size_t i = 0; i < q; i++)
        categories->held.index_of[categories->held.level[categories->sorted[i]]] = (uint32_t)i;
    return q;
}
