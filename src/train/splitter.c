/* splitter.c - finds the best split of one node.
 *   1. draw a few directions                        direction.c
 *   2. line the node's items up along each          here; levels of a category: categories.c
 *   3. ask what every cut would cost                the target
 *   4. keep the best cut, ties by rule
 * Steps 2 and 3 go a batch of candidates at a time; if the one that wins is not in the last batch it is priced again.
 * It never touches the tree: that is tree_builder.c. Paper: section 2, Eq. (1).
 *
 * Items with a missing value go to the side where they gain most. So a direction with missing values has two line-ups:
 * the present items followed by the missing ones (missing goes right), and the missing ones followed by the present
 * ones (missing goes left). "Missing against present" is the last cut of the first. */
#include "train/splitter.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

/* Gains closer than this share of the largest term of Eq. (1) are the same gain, and the rule decides. */
static const double same_gain = 1e-9;

/* Nodes of so many items are lined up along all candidates at once. */
enum { SMALL_NODE = 16384 };

size_t sm_splitter_room(const sm_problem *problem) {
    size_t n = problem->most_in_bag, small = n < SMALL_NODE ? n : SMALL_NODE;
    size_t all = sm_size(problem->most_line_ups, problem->target->kind->prices_at_once ? n : small, 0);
    size_t one = sm_size(problem->most_line_ups / problem->options->candidates, n, 0);
    return all > one ? all : one;
}

smerf_status sm_splitter_start(sm_splitter *splitter, const sm_problem *problem, sm_search *search,
                               smerf_error *error) {
    size_t n = problem->most_in_bag, d = problem->options->candidates, u = problem->most_line_ups;
    *splitter = (sm_splitter){.problem = problem, .search = search, .room = sm_splitter_room(problem)};
    smerf_status status = sm_directions_start(&splitter->directions, problem, error);
    if (status == SMERF_OK) status = sm_categories_start(&splitter->categories, problem, error);
    sm_arena *arena = &splitter->arena;
    splitter->candidates = sm_arena_take(arena, d, sizeof *splitter->candidates);
    splitter->line_ups = sm_arena_take(arena, u, sizeof *splitter->line_ups);
    splitter->orders = sm_arena_take(arena, splitter->room, sizeof *splitter->orders);
    splitter->costs = sm_arena_take(arena, sm_size(splitter->room, 2, 0), sizeof *splitter->costs);
    splitter->cuts = sm_arena_take(arena, splitter->room, sizeof *splitter->cuts);
    splitter->keys = (uint64_t *)(void *)splitter->costs;
    splitter->spare_keys = splitter->keys + splitter->room;
    bool has_sums = problem->options->splits == SMERF_OBLIQUE;
    splitter->spare_places = sm_arena_take(arena, has_sums ? n : 0, sizeof *splitter->spare_places);
    splitter->goes_left = splitter->cuts; /* which are done with when the items are sent */
    splitter->left_levels = sm_arena_take(arena, sm_problem_most_levels(problem), sizeof *splitter->left_levels);
    if (status == SMERF_OK && arena->has_failed) status = sm_no_memory(error, "preparing to search for splits");
    if (status != SMERF_OK) sm_splitter_free(splitter);
    return status;
}

void sm_splitter_free(sm_splitter *splitter) {
    sm_directions_free(&splitter->directions);
    sm_categories_free(&splitter->categories);
    sm_arena_free(&splitter->arena);
}

/* ---- 2. lining up ---- */

static const uint32_t *ranks_of(sm_splitter *splitter, const sm_node *node, const sm_direction *direction) {
    const sm_problem *problem = splitter->problem;
    size_t feature = splitter->directions.term_feature[direction->first_term];
    if (!direction->is_category) return problem->ranks[feature];
    sm_categories_line_up(&splitter->categories, problem, splitter->search, node, feature);
    return problem->view->codes[feature];
}

/* Lists the present items in order and then the missing ones, and marks the gaps that may be cut; returns how many are
 * present. Along one feature: by whole numbers. */
static size_t order_by_rank(sm_splitter *splitter, const sm_node *node, const sm_direction *direction, uint32_t *order,
                            bool *is_cut) {
    uint64_t *keys = splitter->keys;
    size_t n = node->n, n_present = 0, next_missing = n;
    const uint32_t *ranks = ranks_of(splitter, node, direction), *place = splitter->categories.place;
    for (size_t k = 0; k < n; k++) {
        uint32_t rank = ranks[node->items[k]];
        if (rank == SMERF_MISSING)
            order[--next_missing] = (uint32_t)k; /* turned round below */
        else
            keys[n_present++] = sm_pack_rank(direction->is_category ? place[rank] : rank, (uint32_t)k);
    }
    sm_sort_packed(keys, n_present, splitter->spare_keys);
    for (size_t r = 0; r < n_present; r++) order[r] = sm_packed_place(keys[r]);
    for (size_t r = 0; r + 1 < n_present; r++) is_cut[r] = sm_packed_rank(keys[r]) != sm_packed_rank(keys[r + 1]);
    for (size_t i = n_present, j = n; i + 1 < j; i++) {
        uint32_t k = order[--j];
        order[j] = order[i];
        order[i] = k;
    }
    return n_present;
}

/* The same along a sum of features: by the sums. */
static size_t order_by_value(sm_splitter *splitter, const sm_node *node, const sm_direction *direction, uint32_t *order,
                             bool *is_cut) {
    uint64_t *keys = splitter->keys;
    size_t n = node->n, n_present = 0, n_missing = 0;
    uint32_t *missing = splitter->spare_places;
    for (size_t k = 0; k < n; k++) {
        double value = sm_direction_value(&splitter->directions, direction, node->items[k]);
        if (isnan(value)) {
            missing[n_missing++] = (uint32_t)k;
        } else {
            keys[n_present] = sm_sort_key(value);
            order[n_present++] = (uint32_t)k;
        }
    }
    if (n_missing > 0) memcpy(order + n_present, missing, n_missing * sizeof *order);
    sm_sort(keys, order, n_present, splitter->spare_keys, splitter->spare_places);
    for (size_t r = 0; r + 1 < n_present; r++) is_cut[r] = keys[r] != keys[r + 1];
    return n_present;
}

static size_t add_line_up(sm_splitter *splitter, size_t n) {
    size_t u = splitter->n_line_ups++;
    double *costs = splitter->costs + u * n;
    splitter->line_ups[u] =
        (sm_line_up){.order = splitter->orders + u * n, .left = costs, .right = costs + splitter->room};
    return u;
}

static void line_up(sm_splitter *splitter, const sm_node *node, const sm_direction *direction,
                    sm_candidate *candidate) {
    size_t n = node->n, main_line = add_line_up(splitter, n);
    uint32_t *order = splitter->orders + main_line * n;
    candidate->is_cut = splitter->cuts + main_line * n;
    bool is_sum = splitter->problem->options->splits == SMERF_OBLIQUE;
    size_t n_present = is_sum ? order_by_value(splitter, node, direction, order, candidate->is_cut)
                              : order_by_rank(splitter, node, direction, order, candidate->is_cut);
    size_t n_missing = n - n_present;
    candidate->direction = direction;
    candidate->n_present = n_present;
    candidate->missing_right = main_line;
    candidate->missing_left = SIZE_MAX;
    if (n_present > 0) candidate->is_cut[n_present - 1] = n_missing > 0;
    if (n_missing == 0 || n_present == 0) return;

    candidate->missing_left = add_line_up(splitter, n);
    uint32_t *other = splitter->orders + candidate->missing_left * n;
    memcpy(other, order + n_present, n_missing * sizeof *other);
    memcpy(other + n_missing, order, n_present * sizeof *other);
}

/* ---- 3. pricing ---- */

/* Lines up and prices candidates from `first` on: as many as fit. Returns the cost of the node. */
static double price_batch(sm_splitter *splitter, const sm_node *node, size_t first, size_t end) {
    size_t most = splitter->problem->most_line_ups / splitter->problem->options->candidates; /* a candidate */
    splitter->n_line_ups = 0;
    splitter->first = splitter->end = first;
    while (splitter->end < end && (splitter->n_line_ups + most) * node->n <= splitter->room) {
        size_t c = splitter->end++;
        line_up(splitter, node, &splitter->directions.direction[c], &splitter->candidates[c]);
    }
    const sm_target_kind *kind = splitter->problem->target->kind;
    return kind->price(splitter->search, node, splitter->line_ups, splitter->n_line_ups);
}

/* ---- 4. choosing ---- */

typedef struct cut {
    const sm_candidate *candidate;
    size_t rank; /* the last present item that goes left */
    bool missing_left;
    double gain, largest_term;
} cut;

/* The line-up with missing values on one side, and the place in it of the gap after present item 0. */
static const sm_line_up *line_of(const sm_splitter *splitter, const sm_node *node, const sm_candidate *candidate,
                                 bool missing_left, size_t *gap) {
    *gap = missing_left ? node->n - candidate->n_present : 0;
    return &splitter->line_ups[missing_left ? candidate->missing_left : candidate->missing_right];
}

/* The best cut of one line-up. The last gap (missing against present) exists with missing on the right only. */
static void best_of_line(const sm_splitter *splitter, const sm_node *node, double node_cost, sm_candidate *candidate,
                         bool missing_left, cut *best) {
    size_t gap, n_gaps = missing_left ? candidate->n_present - 1 : candidate->n_present;
    const sm_line_up *line = line_of(splitter, node, candidate, missing_left, &gap);
    const double *left = line->left + gap, *right = line->right + gap;
    for (size_t r = 0; r < n_gaps; r++) {
        if (!candidate->is_cut[r]) continue;
        double gain = node_cost - left[r] - right[r];
        if (gain > candidate->best_gain) candidate->best_gain = gain;
        if (gain <= best->gain) continue;
        *best = (cut){.candidate = candidate, .rank = r, .missing_left = missing_left, .gain = gain};
        best->largest_term = fmax(fabs(node_cost), fmax(fabs(left[r]), fabs(right[r])));
    }
}

/* The best cut of all candidates, a batch at a time. */
static cut best_cut(sm_splitter *splitter, const sm_node *node, double *node_cost) {
    cut best = {.gain = -INFINITY};
    splitter->end = 0;
    while (splitter->end < splitter->directions.n) {
        *node_cost = price_batch(splitter, node, splitter->end, splitter->directions.n);
        for (size_t c = splitter->first; c < splitter->end; c++) {
            sm_candidate *candidate = &splitter->candidates[c];
            candidate->best_gain = -INFINITY;
            if (candidate->missing_left != SIZE_MAX) best_of_line(splitter, node, *node_cost, candidate, true, &best);
            best_of_line(splitter, node, *node_cost, candidate, false, &best);
        }
    }
    return best;
}

/* Among the cuts that gain enough: the first candidate, then the smallest threshold, then missing to the left. */
static cut first_cut(sm_splitter *splitter, const sm_node *node, double node_cost, double enough) {
    size_t c = 0;
    while (splitter->candidates[c].best_gain < enough) c++;
    if (c < splitter->first) price_batch(splitter, node, c, c + 1);
    const sm_candidate *candidate = &splitter->candidates[c];
    cut chosen = {.candidate = candidate};
    for (;; chosen.rank++) {
        if (!candidate->is_cut[chosen.rank]) continue;
        bool may_go_left = candidate->missing_left != SIZE_MAX && chosen.rank + 1 < candidate->n_present;
        for (int side = may_go_left ? 0 : 1; side < 2; side++) {
            size_t gap;
            chosen.missing_left = side == 0;
            const sm_line_up *line = line_of(splitter, node, candidate, chosen.missing_left, &gap);
            chosen.gain = node_cost - line->left[gap + chosen.rank] - line->right[gap + chosen.rank];
            if (chosen.gain >= enough) return chosen;
        }
    }
}

/* Midway between two different values, but never the larger one: x <= t must separate them. */
static double midpoint(double low, double high) {
    double middle = (low + high) / 2;
    if (isinf(middle)) middle = low / 2 + high / 2;
    return middle < high ? middle : low;
}

static double threshold(const sm_splitter *splitter, const sm_node *node, const cut *chosen) {
    const sm_candidate *candidate = chosen->candidate;
    const uint32_t *order = splitter->line_ups[candidate->missing_right].order;
    double low = sm_direction_value(&splitter->directions, candidate->direction, node->items[order[chosen->rank]]);
    if (chosen->rank + 1 == candidate->n_present) return low;
    double high = sm_direction_value(&splitter->directions, candidate->direction, node->items[order[chosen->rank + 1]]);
    return midpoint(low, high);
}

/* Returns whether the left side is at least as heavy. */
static bool send_items(sm_splitter *splitter, const sm_node *node, const cut *chosen) {
    const uint32_t *order = splitter->line_ups[chosen->candidate->missing_right].order;
    double left = 0, right = 0;
    for (size_t r = 0; r < node->n; r++) {
        bool is_missing = r >= chosen->candidate->n_present;
        bool goes_left = is_missing ? chosen->missing_left : r <= chosen->rank;
        splitter->goes_left[order[r]] = goes_left;
        *(goes_left ? &left : &right) += node->weight[order[r]];
    }
    return left >= right;
}

/* The levels of the items that go left; those that the node does not hold go with the missing values. */
static size_t collect_left_levels(sm_splitter *splitter, const sm_node *node, size_t feature, bool missing_left) {
    const sm_problem *problem = splitter->problem;
    const uint32_t *codes = problem->view->codes[feature];
    uint32_t *side = splitter->categories.place; /* by level: 0 left, 1 right, SMERF_MISSING not held */
    size_t n_levels = problem->features->feature[feature].levels.n, n_left = 0;
    for (size_t level = 0; level < n_levels; level++) side[level] = SMERF_MISSING;
    for (size_t k = 0; k < node->n; k++)
        if (codes[node->items[k]] != SMERF_MISSING) side[codes[node->items[k]]] = splitter->goes_left[k] ? 0 : 1;
    for (size_t level = 0; level < n_levels; level++)
        if (side[level] == SMERF_MISSING ? missing_left : side[level] == 0)
            splitter->left_levels[n_left++] = (uint32_t)level;
    return n_left;
}

bool sm_splitter_best(sm_splitter *splitter, const sm_node *node, sm_random *random, sm_split *split) {
    sm_directions *directions = &splitter->directions;
    sm_directions_draw(directions, node, random);
    if (directions->n == 0) return false;
    double node_cost = 0;
    cut best = best_cut(splitter, node, &node_cost);
    cut chosen = first_cut(splitter, node, node_cost, best.gain - same_gain * best.largest_term);

    bool left_is_heavier = send_items(splitter, node, &chosen);
    bool has_missing = chosen.candidate->n_present < node->n;
    *split = (sm_split){.direction = chosen.candidate->direction,
                        .gain = chosen.gain,
                        .missing_left = has_missing ? chosen.missing_left : left_is_heavier,
                        .left_levels = splitter->left_levels,
                        .goes_left = splitter->goes_left};
    if (split->direction->is_category) {
        size_t feature = directions->term_feature[split->direction->first_term];
        split->n_left_levels = collect_left_levels(splitter, node, feature, split->missing_left);
    } else {
        split->threshold = threshold(splitter, node, &chosen);
    }
    return true;
}
