/* direction.c - draws the candidates of a node ("Growing, exactly" in the interface; the paper's section 2 and its
 * appendix on SPORF).
 *
 * Axis: features without replacement; one that is constant in the node does not count. All of them: nothing is drawn.
 * Oblique: a number of +1 and -1 spread without replacement over a matrix of features x candidates. */
#include "train/split/direction.h"

#include <math.h>

#include "base/sort.h"

enum { MOST_REPEATS = 3 };

#define EMPTY UINT64_MAX

smerf_status sm_directions_start(sm_directions *directions, const sm_problem *problem, smerf_error *error) {
    const smerf_options *options = problem->options;
    bool is_oblique = options->splits == SMERF_OBLIQUE;
    size_t n_cells = is_oblique ? sm_options_non_zeros(options, problem->n_features) : 0;
    size_t n_terms = is_oblique ? n_cells : options->candidates;
    *directions = (sm_directions){.problem = problem, .table_size = 2, .table_shift = 63};
    for (; directions->table_size < 2 * n_cells; directions->table_size *= 2) directions->table_shift--;
    sm_arena *arena = &directions->arena;
    directions->direction = sm_arena_take(arena, options->candidates, sizeof *directions->direction);
    directions->term_feature = sm_arena_take(arena, n_terms, sizeof *directions->term_feature);
    directions->term_level = sm_arena_take(arena, n_terms, sizeof *directions->term_level);
    directions->term_weight = sm_arena_take(arena, n_terms, sizeof *directions->term_weight);
    directions->order = sm_arena_take(arena, problem->n_features, sizeof *directions->order);
    directions->swapped = sm_arena_take(arena, problem->n_features, sizeof *directions->swapped);
    directions->cells = sm_arena_take(arena, n_cells, sizeof *directions->cells);
    directions->spare_cells = sm_arena_take(arena, n_cells, sizeof *directions->spare_cells);
    directions->indices = sm_arena_take(arena, n_cells, sizeof *directions->indices);
    directions->spare_indices = sm_arena_take(arena, n_cells, sizeof *directions->spare_indices);
    directions->table = sm_arena_take(arena, directions->table_size, sizeof *directions->table);
    sm_held_start(&directions->held, arena, is_oblique ? sm_problem_most_levels(problem) : 0, problem->most_in_bag);
    if (arena->has_failed) {
        sm_directions_free(directions);
        return sm_no_memory(error, "preparing to draw directions");
    }
    for (size_t f = 0; f < problem->n_features; f++) directions->order[f] = (uint32_t)f;
    return SMERF_OK;
}

void sm_directions_free(sm_directions *directions) { sm_arena_free(&directions->arena); }

static sm_projection projection_of(const sm_directions *directions, const sm_direction *direction) {
    return (sm_projection){.n_terms = direction->n_terms,
                           .feature = directions->term_feature + direction->first_term,
                           .weight = directions->term_weight + direction->first_term,
                           .level = directions->term_level + direction->first_term};
}

double sm_direction_value(const sm_directions *directions, const sm_direction *direction, size_t item) {
    const sm_projection projection = projection_of(directions, direction);
    return sm_view_project(directions->problem->view, &projection, item);
}

void sm_direction_values(const sm_directions *directions, const sm_direction *direction, const sm_node *node,
                         double *values) {
    const sm_projection projection = projection_of(directions, direction);
    sm_view_project_all(directions->problem->view, &projection, node->items, node->n, values);
}

/* Ranks of numbers and codes of categories are both whole numbers, with one for missing. */
static bool feature_varies(const sm_problem *problem, const sm_node *node, uint64_t may_be_alike, size_t f) {
    bool is_number = sm_are_numbers(&problem->view->numbers[f]);
    if (is_number && (node->n > problem->facts[f].most_alike || (may_be_alike & sm_column_bit(f)) == 0)) return true;
    const uint32_t *values = is_number ? problem->ranks[f] : problem->view->codes[f];
    for (size_t k = 1; k < node->n; k++)
        if (values[node->items[k]] != values[node->items[0]]) return true;
    return false;
}

static void add_term_of_feature(sm_directions *directions, size_t f) {
    bool is_category = directions->problem->features->feature[f].kind == SMERF_CATEGORY;
    size_t term = directions->n;
    directions->term_feature[term] = (uint32_t)f;
    directions->term_weight[term] = 1;
    directions->term_level[term] = SMERF_MISSING;
    directions->direction[directions->n++] =
        (sm_direction){.first_term = term, .n_terms = 1, .is_category = is_category};
}

static void swap_features(uint32_t *values, size_t i, size_t j) {
    uint32_t value = values[i];
    values[i] = values[j];
    values[j] = value;
}

static void draw_axis(sm_directions *directions, const sm_node *node, uint64_t may_be_alike, sm_random *random) {
    const sm_problem *problem = directions->problem;
    size_t p = problem->n_features, n_drawn = problem->options->candidates, n_tried = 0;
    size_t wanted = node->n == 2 ? 1 : n_drawn; /* two items part in the same way along all of them: the first wins */
    uint32_t *order = directions->order, *swapped = directions->swapped;
    for (; n_tried < p && directions->n < wanted; n_tried++) {
        swapped[n_tried] = (uint32_t)n_tried; /* all of them: in file order, nothing is drawn */
        if (n_drawn < p) swapped[n_tried] += sm_random_below(random, (uint32_t)(p - n_tried));
        swap_features(order, n_tried, swapped[n_tried]);
        if (feature_varies(problem, node, may_be_alike, order[n_tried]))
            add_term_of_feature(directions, order[n_tried]);
    }
    while (n_tried-- > 0)
        swap_features(order, n_tried, swapped[n_tried]); /* the next node starts from 0, 1, 2, ... too */
}

/* A level that the node holds, each equally likely. */
static uint32_t draw_level(sm_directions *directions, const sm_node *node, size_t f, sm_random *random) {
    sm_held *held = &directions->held;
    sm_held_find(held, directions->problem->view->codes[f], node);
    if (held->n == 0) return 0; /* all missing: so is the projection */
    return held->level[sm_random_below(random, (uint32_t)held->n)];
}

static bool projection_varies(const sm_directions *directions, const sm_direction *direction, const sm_node *node) {
    double first = sm_direction_value(directions, direction, node->items[0]);
    for (size_t k = 1; k < node->n; k++) {
        double value = sm_direction_value(directions, direction, node->items[k]);
        if (isnan(value) != isnan(first) || (!isnan(value) && value != first)) return true;
    }
    return false;
}

/* Adds a cell to the set; false if it was there already. Open addressing in a table at most half full. */
static bool add_cell(sm_directions *directions, uint64_t cell) {
    size_t slot = (size_t)(cell * 0x9E3779B97F4A7C15u >> directions->table_shift);
    for (;; slot = (slot + 1) & (directions->table_size - 1)) {
        if (directions->table[slot] == cell) return false;
        if (directions->table[slot] == EMPTY) break;
    }
    directions->table[slot] = cell;
    return true;
}

/* Takes n different ones of `total` cells, each set equally likely (Floyd's way), in ascending order. */
static void draw_cells(sm_directions *directions, size_t n, uint64_t total, sm_random *random) {
    for (size_t i = 0; i < directions->table_size; i++) directions->table[i] = EMPTY;
    for (size_t k = 0; k < n; k++) {
        uint64_t last = total - n + k, cell = sm_random_below_64(random, last + 1);
        if (!add_cell(directions, cell)) {
            cell = last;
            add_cell(directions, cell);
        }
        directions->cells[k] = cell;
        directions->indices[k] = 0; /* not needed: the cells say it all */
    }
    sm_sort(directions->cells, directions->indices, n, directions->spare_cells, directions->spare_indices);
}

/* Cell = candidate * p + feature, so that sorted cells list each candidate's features in ascending order. */
static void draw_oblique_once(sm_directions *directions, const sm_node *node, sm_random *random) {
    const sm_problem *problem = directions->problem;
    size_t p = problem->n_features, n_cells = sm_options_non_zeros(problem->options, p);
    draw_cells(directions, n_cells, (uint64_t)p * problem->options->candidates, random);
    directions->n = 0;
    for (size_t t = 0; t < n_cells;) {
        sm_direction direction = {.first_term = t};
        uint64_t candidate = directions->cells[t] / p;
        for (; t < n_cells && directions->cells[t] / p == candidate; t++, direction.n_terms++) {
            size_t f = (size_t)(directions->cells[t] % p);
            bool is_category = problem->features->feature[f].kind == SMERF_CATEGORY;
            directions->term_feature[t] = (uint32_t)f;
            directions->term_weight[t] = sm_random_word(random) >> 31 ? 1 : -1;
            directions->term_level[t] = is_category ? draw_level(directions, node, f, random) : SMERF_MISSING;
        }
        if (projection_varies(directions, &direction, node)) directions->direction[directions->n++] = direction;
    }
}

void sm_directions_draw(sm_directions *directions, const sm_node *node, uint64_t may_be_alike, sm_random *random) {
    directions->n = 0;
    if (directions->problem->options->splits == SMERF_AXIS) {
        draw_axis(directions, node, may_be_alike, random);
        return;
    }
    for (int repeat = 0; repeat <= MOST_REPEATS && directions->n == 0; repeat++)
        draw_oblique_once(directions, node, random);
}
