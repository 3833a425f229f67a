/* categories.c - lines up the levels of a category ("Growing, exactly" in the interface).
 *
 * The mean distances H between the levels of a node, double-centred with the levels' weights, are the inner products
 * of the levels' centroids; the levels are lined up along the direction in which these spread most. With one response
 * this is the order of the means. Signs and repeated eigenvalues are settled by projecting the first level onto the
 * eigenspace: -E E' e does not depend on how the eigenspace is spanned. */
#include "train/split/categories.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/square.h"

static const double same_value = 1e-9, same_entry = 1e-7;

smerf_status sm_categories_start(sm_categories *categories, const sm_problem *problem, smerf_error *error) {
    size_t most = sm_problem_most_levels(problem), n = problem->most_in_bag;
    size_t q = most < n ? most : n, square = sm_size(q, q, 0);
    *categories = (sm_categories){0};
    sm_arena *arena = &categories->arena;
    categories->held = sm_arena_take(arena, most, sizeof *categories->held);
    categories->place = sm_arena_take(arena, most, sizeof *categories->place);
    categories->level = sm_arena_take(arena, most > 0 ? n : 0, sizeof *categories->level);
    categories->weight = sm_arena_take(arena, q, sizeof *categories->weight);
    categories->mean = sm_arena_take(arena, square, sizeof *categories->mean);
    categories->centred = sm_arena_take(arena, square, sizeof *categories->centred);
    categories->vectors = sm_arena_take(arena, square, sizeof *categories->vectors);
    categories->values = sm_arena_take(arena, q, sizeof *categories->values);
    categories->along = sm_arena_take(arena, q, sizeof *categories->along);
    categories->scratch = sm_arena_take(arena, sm_size(q, 3, 0), sizeof *categories->scratch);
    categories->sorted = sm_arena_take(arena, q, sizeof *categories->sorted);
    if (!arena->has_failed) return SMERF_OK;
    sm_categories_free(categories);
    return sm_no_memory(error, "preparing to line up categories");
}

void sm_categories_free(sm_categories *categories) { sm_arena_free(&categories->arena); }

/* The levels that the node holds, by number, and for each item which of these it has. */
static size_t find_held(sm_categories *categories, const sm_problem *problem, const sm_node *node, size_t feature) {
    size_t n_levels = problem->features->feature[feature].levels.n, n_held = 0;
    const uint32_t *codes = problem->view->codes[feature];
    for (size_t level = 0; level < n_levels; level++) categories->place[level] = SMERF_MISSING;
    for (size_t k = 0; k < node->n; k++)
        if (codes[node->items[k]] != SMERF_MISSING) categories->place[codes[node->items[k]]] = 0;
    for (size_t level = 0; level < n_levels; level++)
        if (categories->place[level] == 0) {
            categories->weight[n_held] = 0;
            categories->held[n_held] = (uint32_t)level;
            categories->place[level] = (uint32_t)n_held++;
        }
    for (size_t k = 0; k < node->n; k++) {
        uint32_t code = codes[node->items[k]];
        categories->level[k] = code == SMERF_MISSING ? SMERF_MISSING : categories->place[code];
        if (code != SMERF_MISSING) categories->weight[categories->place[code]] += node->weight[k];
    }
    return n_held;
}

/* K = -1/2 J H J', J = I - 1 v', v the shares of the levels' weights. */
static void centre(sm_categories *categories, size_t q) {
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
        if (size > same_entry) return;
    }
}

/* Sorts levels by their entries; entries that are the same up to rounding keep the order of the levels' numbers. */
static void order_levels(sm_categories *categories, size_t q) {
    const double *along = categories->along;
    uint32_t *sorted = categories->sorted;
    double size = 0;
    for (size_t a = 0; a < q; a++) size = fmax(size, fabs(along[a]));
    for (size_t i = 0; i < q; i++) { /* insertion: stable, and levels are few */
        size_t j = i;
        for (; j > 0 && along[sorted[j - 1]] > along[i]; j--) sorted[j] = sorted[j - 1];
        sorted[j] = (uint32_t)i;
    }
    for (size_t first = 0, end; first < q; first = end) {
        for (end = first + 1; end < q && along[sorted[end]] - along[sorted[end - 1]] < same_entry * size;) end++;
        for (size_t i = first + 1; i < end; i++) { /* within a run of same entries: by number */
            uint32_t level = sorted[i];
            size_t j = i;
            for (; j > first && sorted[j - 1] > level; j--) sorted[j] = sorted[j - 1];
            sorted[j] = level;
        }
    }
}

size_t sm_categories_line_up(sm_categories *categories, const sm_problem *problem, sm_search *search,
                             const sm_node *node, size_t feature) {
    size_t q = find_held(categories, problem, node, feature);
    if (q < 2) return q;
    problem->engine->level_distances(search, node, categories->level, q, categories->mean);
    double size = 0;
    for (size_t i = 0; i < q * q; i++) size = fmax(size, fabs(categories->mean[i]));
    centre(categories, q);
    sm_eigen(categories->centred, q, categories->values, categories->vectors, categories->scratch);
    project_first(categories, q, leading_value(categories->values, q, same_value * size), same_value * size);
    order_levels(categories, q);

    uint32_t *by_number = categories->level; /* free again */
    memcpy(by_number, categories->held, q * sizeof *by_number);
    for (size_t i = 0; i < q; i++) {
        categories->held[i] = by_number[categories->sorted[i]];
        categories->place[categories->held[i]] = (uint32_t)i;
    }
    return q;
}
