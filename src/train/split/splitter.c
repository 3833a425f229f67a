/* splitter.c - finds the best split of one node.
 *   1. draw a few directions                             direction.c
 *   2. have the engine find the best cut along these     target/engine.h; it has items lined up by line_up.c
 *   3. turn the cut into a split: which items, and which levels of a category, go left
 *   4. when the tree is done: thresholds midway between the values on both sides of each cut
 * It never touches the tree: that is tree_builder.c. Paper: section 2, Eq. (1). */
#include "train/split/splitter.h"

#include <math.h>

#include "base/memory.h"

/* Nodes of so many items are lined up along all candidates at once. */
enum { SMALL_NODE = 16384 };

/* ---- scratch ---- */

/* The bytes of an item in a line-up, with the costs of one or two sides. */
static size_t bytes_an_item(size_t n_sides) { return SM_ORDER_BYTES + n_sides * sizeof(double); }

static size_t line_ups_a_candidate(const sm_problem *problem) {
    return problem->most_line_ups / problem->options->candidates;
}

/* Whether the memory of lists can hold a candidate of a node that is too large for lists. Only engines that list slots take so
 * little that it matters, and others price several line-ups together. */
static bool can_use_lists(const sm_problem *problem) {
    size_t n_bytes = sm_size(problem->n_numbers + 1, problem->most_sorted, 0) * sizeof(uint32_t);
    return sm_lists_slots(problem->target->kind) &&
           n_bytes / bytes_an_item(2) >= sm_size(line_ups_a_candidate(problem), problem->most_in_bag, 0);
}

/* Items in all line-ups of the usual scratch, and in those that have costs. */
static sm_line_scratch usual_size(const sm_problem *problem) {
    const sm_pricing *pricing = problem->engine->pricing;
    size_t n = problem->most_in_bag, small = n < SMALL_NODE ? n : SMALL_NODE;
    if (pricing != NULL && pricing->costs != NULL) {
        sm_search_size size = sm_problem_search_size(problem);
        return (sm_line_scratch){.n = sm_size(pricing->n_at_once(problem->target, &size), n, 0),
                                 .n_costs = sm_size(line_ups_a_candidate(problem), n, 0)};
    }
    size_t all = sm_size(problem->most_line_ups, small, 0);
    size_t at_once = sm_lists_slots(problem->target->kind) && problem->options->candidates > 1 ? 2 : 1; /* candidates */
    size_t largest = can_use_lists(problem) ? problem->most_sorted : n;
    size_t least = sm_size(at_once * line_ups_a_candidate(problem), largest, 0);
    size_t most = all > least ? all : least;
    return (sm_line_scratch){.n = most, .n_costs = most};
}

double sm_splitter_bytes(const sm_problem *problem, size_t n_sides) {
    sm_line_scratch usual = usual_size(problem);
    return (double)usual.n * SM_ORDER_BYTES + (double)usual.n_costs * (double)(n_sides * sizeof *usual.costs);
}

/* One number a cut where the engine fills in gains, else the costs of both sides. Numbers are sorted from one side to the
 * other. */
static void start_scratch(sm_splitter *splitter) {
    const sm_problem *problem = splitter->problem;
    const sm_sorted *sorted = splitter->sorted;
    size_t n_sides = problem->engine->lists_slots && sm_sorted_is_used(sorted) ? 1 : 2;
    sm_line_scratch usual = usual_size(problem);
    size_t n_bytes = sm_size(usual.n, SM_ORDER_BYTES, sm_size(usual.n_costs, n_sides * sizeof *usual.costs, 0));
    void *memory = sm_arena_take(&splitter->arena, n_bytes, 1);
    if (memory == NULL) return;
    sm_line_scratch_lay_out(&usual, memory, n_sides);
    splitter->usual = usual;
    if (!can_use_lists(problem)) return;
    size_t n_listed = sm_size(problem->n_numbers + 1, sorted->capacity, 0) * sizeof *sorted->lists;
    splitter->large.n = splitter->large.n_costs = n_listed / bytes_an_item(n_sides);
    sm_line_scratch_lay_out(&splitter->large, sorted->lists, n_sides);
}

static void start_candidates(sm_splitter *splitter) {
    const sm_problem *problem = splitter->problem;
    sm_arena *arena = &splitter->arena;
    sm_candidates *candidates = &splitter->candidates;
    size_t u = problem->most_line_ups;
    *candidates = (sm_candidates){.engine = problem->engine,
                                  .search = splitter->search,
                                  .line_up = sm_splitter_line_up,
                                  .owner = splitter,
                                  .items = splitter->slots->items,
                                  .tie_bits = splitter->slots->tie_bits,
                                  .most_line_ups = u,
                                  .most_of_a_candidate = line_ups_a_candidate(problem)};
    candidates->candidate = sm_arena_take(arena, problem->options->candidates, sizeof *candidates->candidate);
    candidates->line_ups = sm_arena_take(arena, u, sizeof *candidates->line_ups);
    candidates->largest = sm_arena_take(arena, u, sizeof *candidates->largest);
}

smerf_status sm_splitter_start(sm_splitter *splitter, const sm_splitter *given, smerf_error *error) {
    const sm_problem *problem = given->problem;
    size_t n = problem->most_in_bag;
    *splitter = *given;
    smerf_status status = sm_directions_start(&splitter->directions, problem, error);
    if (status == SMERF_OK) status = sm_categories_start(&splitter->categories, problem, error);
    sm_arena *arena = &splitter->arena;
    start_scratch(splitter);
    start_candidates(splitter);
    bool has_sums = problem->options->splits == SMERF_OBLIQUE;
    bool has_lists = !problem->engine->lists_slots && given->sorted->capacity > 0;
    splitter->spare_order = sm_arena_take(arena, has_sums ? n : 0, sizeof *splitter->spare_order);
    splitter->goes_left = sm_arena_take(arena, given->slots->n_all, sizeof *splitter->goes_left);
    splitter->index_of = sm_arena_take(arena, has_lists ? n : 0, sizeof *splitter->index_of);
    size_t n_levels = sm_problem_most_levels(problem);
    splitter->left_levels = sm_arena_take(arena, n_levels + 1, sizeof *splitter->left_levels);
    splitter->level_is_left = sm_arena_take(arena, n_levels < n ? n_levels : n, sizeof *splitter->level_is_left);
    if (status == SMERF_OK && arena->has_failed) status = sm_no_memory(error, "preparing to search for splits");
    if (status != SMERF_OK) sm_splitter_free(splitter);
    return status;
}

void sm_splitter_free(sm_splitter *splitter) {
    sm_directions_free(&splitter->directions);
    sm_categories_free(&splitter->categories);
    sm_arena_free(&splitter->arena);
}

/* ---- the split ---- */

static uint32_t slot_at(const sm_splitter *splitter, const sm_node *node, const uint32_t *order, size_t rank) {
    return splitter->problem->engine->lists_slots ? order[rank] : node->slots[order[rank]];
}

static double weight_at(const sm_splitter *splitter, const sm_node *node, const uint32_t *order, size_t rank) {
    return splitter->problem->engine->lists_slots ? splitter->slots->draws[order[rank]] : node->weight[order[rank]];
}

/* Returns whether the left side is at least as heavy, where no value is missing. */
static bool send_items(sm_splitter *splitter, const sm_node *node, const sm_cut *cut) {
    const sm_candidate *candidate = &splitter->candidates.candidate[cut->candidate];
    const uint32_t *order = splitter->candidates.line_ups[candidate->missing_right].order;
    size_t n_present = candidate->n_present, n_left = cut->rank + 1;
    bool *goes_left = splitter->goes_left;
    double left = 0;
    for (size_t r = 0; r < n_left; r++) {
        goes_left[slot_at(splitter, node, order, r)] = true;
        left += weight_at(splitter, node, order, r);
    }
    for (size_t r = n_left; r < n_present; r++) goes_left[slot_at(splitter, node, order, r)] = false;
    for (size_t r = n_present; r < node->n; r++) goes_left[slot_at(splitter, node, order, r)] = cut->missing_left;
    return left >= node->total - left;
}

/* The levels of the items that go left; those that the node does not hold go with the missing values. Where these are many and go
 * left, it is the others that are listed: a list is never longer than the node. */
static size_t collect_left_levels(sm_splitter *splitter, const sm_node *node, size_t feature, bool missing_left) {
    const sm_problem *problem = splitter->problem;
    const uint32_t *codes = problem->view->codes[feature];
    sm_held *held = &splitter->categories.held;
    size_t n_levels = problem->features->feature[feature].levels.n, n_listed = 0, next = 0;
    bool *is_left = splitter->level_is_left, lists_right = missing_left && n_levels > SM_FEW_LEVELS;
    sm_held_find(held, codes, node);
    for (size_t k = 0; k < node->n; k++)
        if (codes[node->items[k]] != SMERF_MISSING)
            is_left[held->index_of[codes[node->items[k]]]] = splitter->goes_left[node->slots[k]];
    if (lists_right) splitter->left_levels[n_listed++] = SMERF_MISSING;
    for (size_t i = 0; i < held->n; i++) {
        for (; next < held->level[i] && missing_left && !lists_right; next++)
            splitter->left_levels[n_listed++] = (uint32_t)next;
        if (is_left[i] != lists_right) splitter->left_levels[n_listed++] = held->level[i];
        next = (size_t)held->level[i] + 1;
    }
    for (; next < n_levels && missing_left && !lists_right; next++) splitter->left_levels[n_listed++] = (uint32_t)next;
    return n_listed;
}

static sm_gap gap_of(const sm_splitter *splitter, const sm_node *node, const sm_cut *cut) {
    const sm_candidate *candidate = &splitter->candidates.candidate[cut->candidate];
    const uint32_t *order = splitter->candidates.line_ups[candidate->missing_right].order;
    bool is_last = cut->rank + 1 == candidate->n_present;
    uint32_t low = slot_at(splitter, node, order, cut->rank);
    uint32_t high = is_last ? low : slot_at(splitter, node, order, cut->rank + 1);
    return (sm_gap){.low = splitter->slots->items[low], .high = splitter->slots->items[high]};
}

bool sm_splitter_best(sm_splitter *splitter, const sm_node *node, sm_random *random, sm_split *split) {
    const sm_engine *engine = splitter->problem->engine;
    sm_directions *directions = &splitter->directions;
    sm_directions_draw(directions, node, splitter->may_be_alike, random);
    if (directions->n == 0) return false;
    bool is_large = node->n > splitter->sorted->capacity && splitter->large.n > 0;
    sm_candidates_turn(&splitter->candidates, node, directions->n, is_large ? &splitter->large : &splitter->usual);
    if (!engine->lists_slots && sm_sorted_is_used(splitter->sorted))
        for (size_t k = 0; k < node->n; k++) splitter->index_of[node->slots[k]] = (uint32_t)k;
    sm_cut cut = engine->best_cut(&splitter->candidates);

    *split = (sm_split){.direction = &directions->direction[cut.candidate],
                        .gap = gap_of(splitter, node, &cut),
                        .gain = cut.gain,
                        .is_open = cut.is_open,
                        .node_cost = cut.node_cost,
                        .left_levels = splitter->left_levels,
                        .goes_left = splitter->goes_left};
    bool left_is_heavier = send_items(splitter, node, &cut);
    bool has_missing = splitter->candidates.candidate[cut.candidate].n_present < node->n;
    split->missing_left = has_missing ? cut.missing_left : left_is_heavier;
    if (split->direction->is_category) {
        size_t feature = directions->term_feature[split->direction->first_term];
        split->n_left_levels = collect_left_levels(splitter, node, feature, split->missing_left);
    }
    return true;
}

/* ---- thresholds, when a tree is done ---- */

static sm_gap kept_gap(const sm_tree *tree, size_t split) {
    sm_gap gap;
    memcpy(&gap, &tree->threshold[split], sizeof gap);
    return gap;
}

/* Midway between two values, but never the larger one: x <= t must separate them. */
static double midpoint(double low, double high) {
    double middle = (low + high) / 2;
    if (isinf(middle)) middle = low / 2 + high / 2;
    return middle < high ? middle : low;
}

/* The numbers on both sides of every gap; the lower ones where the gaps are. They lie all over memory: nothing but reading
 * is done here, so that many are on their way at once. */
static void read_gaps(sm_tree *tree, const sm_problem *problem, double *high) {
    const sm_numbers *numbers = problem->view->numbers;
    const uint32_t *feature = tree->term_feature;
    const bool *is_category = tree->is_category;
    size_t n_splits = tree->n_splits;
    for (size_t s = 0; s < n_splits; s++) {
        sm_gap gap = kept_gap(tree, s);
        if (is_category[s]) continue;
        tree->threshold[s] = sm_number_at(&numbers[feature[s]], gap.low);
        high[s] = sm_number_at(&numbers[feature[s]], gap.high);
    }
}

/* The same where splits are of sums. */
static void project_gaps(sm_tree *tree, const sm_problem *problem, double *high) {
    for (size_t s = 0; s < tree->n_splits; s++) {
        size_t first = tree->first_term[s];
        const sm_projection projection = {.n_terms = tree->first_term[s + 1] - first,
                                          .feature = tree->term_feature + first,
                                          .weight = tree->term_weight + first,
                                          .level = tree->term_level != NULL ? tree->term_level + first : NULL};
        sm_gap gap = kept_gap(tree, s);
        tree->threshold[s] = sm_view_project(problem->view, &projection, gap.low);
        high[s] = sm_view_project(problem->view, &projection, gap.high);
    }
}

void sm_make_thresholds(sm_tree *tree, const sm_problem *problem, double *high) {
    if (problem->options->splits == SMERF_AXIS)
        read_gaps(tree, problem, high);
    else
        project_gaps(tree, problem, high);
    for (size_t s = 0; s < tree->n_splits; s++)
        tree->threshold[s] = tree->is_category[s] ? 0 : midpoint(tree->threshold[s], high[s]);
}
