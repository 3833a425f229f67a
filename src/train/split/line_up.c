/* line_up.c - lines the items of a node up along its candidates, when the engine wants them.
 *
 * Along one column of numbers a subtree that is not too large is in order already (sorted.h); else ranks are sorted, or the
 * indices of a category's levels, or sums of features. A line-up lists slots where the engine does, else node indices. */
#include <string.h>

#include "base/sort.h"
#include "train/split/splitter.h"

/* An item of the node as the line-ups list it. */
static uint32_t listed_item(const sm_splitter *splitter, const sm_node *node, size_t k) {
    return splitter->problem->engine->lists_slots ? node->slots[k] : (uint32_t)k;
}

/* ---- in order already ---- */

static size_t count_present(const sm_splitter *splitter, const uint32_t *ranks, const uint32_t *line, size_t n) {
    while (n > 0 && ranks[splitter->slots->items[line[n - 1]]] == SMERF_MISSING) n--;
    return n;
}

static void take_in_order(sm_splitter *splitter, const sm_node *node, size_t feature, size_t u,
                          sm_candidate *candidate) {
    const sm_candidates *candidates = &splitter->candidates;
    bool lists_slots = candidates->engine->lists_slots;
    const sm_column_facts *facts = &splitter->problem->facts[feature];
    const uint32_t *ranks = splitter->problem->ranks[feature];
    uint32_t *order = candidates->scratch->orders + u * node->n;
    const uint32_t *line = sm_sorted_line(splitter->sorted, feature, order);
    bool *is_cut = candidates->scratch->cuts + u * node->n;
    candidate->n_present = facts->n_missing > 0 ? count_present(splitter, ranks, line, node->n) : node->n;
    candidate->ranks = facts->has_repeats || facts->n_missing > 0 ? ranks : NULL;
    candidate->bit = sm_column_bit(feature);
    candidate->is_cut = NULL;
    bool is_put_off = lists_slots && facts->n_missing == 0; /* until it matters, see best_cut.c */
    if (candidate->ranks != NULL && !is_put_off) {
        candidate->is_cut = is_cut;
        sm_mark_gaps(candidates, ranks, line, candidate->n_present, is_cut);
    }
    candidates->line_ups[u].order = lists_slots ? line : order;
    for (size_t r = 0; r < node->n && !lists_slots; r++) order[r] = splitter->index_of[line[r]];
}

/* ---- sorted here ---- */

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
    uint64_t *keys = (uint64_t *)(void *)splitter->candidates.scratch->costs;
    size_t n = node->n, n_present = 0, next_missing = n;
    const uint32_t *ranks = ranks_of(splitter, node, direction), *index = splitter->categories.held.index_of;
    for (size_t k = 0; k < n; k++) {
        uint32_t rank = ranks[node->items[k]], name = listed_item(splitter, node, k);
        if (rank == SMERF_MISSING)
            order[--next_missing] = name; /* turned round below */
        else
            keys[n_present++] = sm_pack_rank(direction->is_category ? index[rank] : rank, name);
    }
    sm_sort_packed(keys, n_present, (uint64_t *)(void *)splitter->candidates.scratch->other_side);
    for (size_t r = 0; r < n_present; r++) order[r] = sm_packed_index(keys[r]);
    for (size_t r = 0; r + 1 < n_present; r++) is_cut[r] = sm_packed_rank(keys[r]) != sm_packed_rank(keys[r + 1]);
    for (size_t i = n_present, j = n; i + 1 < j; i++) {
        uint32_t name = order[--j];
        order[j] = order[i];
        order[i] = name;
    }
    return n_present;
}

/* The same along a sum of features: by the sums. */
static size_t order_by_value(sm_splitter *splitter, const sm_node *node, const sm_direction *direction, uint32_t *order,
                             bool *is_cut) {
    double *values = splitter->candidates.scratch->costs;
    sm_direction_values(&splitter->directions, direction, node, values);
    for (size_t k = 0; k < node->n; k++) order[k] = listed_item(splitter, node, k);
    size_t n_present =
        sm_sort_numbers(values, order, node->n, splitter->candidates.scratch->other_side, splitter->spare_order);
    for (size_t r = 0; r + 1 < n_present; r++) is_cut[r] = values[r] != values[r + 1];
    return n_present;
}

/* ---- either way ---- */

void sm_splitter_line_up(sm_candidates *candidates, size_t c) {
    sm_splitter *splitter = candidates->owner;
    const sm_node *node = candidates->node;
    const sm_direction *direction = &splitter->directions.direction[c];
    sm_candidate *candidate = &candidates->candidate[c];
    size_t n = node->n, main_line = sm_candidates_add_line_up(candidates, 0);
    bool is_sum = splitter->problem->options->splits == SMERF_OBLIQUE;
    *candidate = (sm_candidate){
        .is_cut = candidates->scratch->cuts + main_line * n, .missing_right = main_line, .missing_left = SIZE_MAX};
    uint32_t *order = candidates->scratch->orders + main_line * n;
    if (is_sum)
        candidate->n_present = order_by_value(splitter, node, direction, order, candidate->is_cut);
    else if (!direction->is_category && sm_sorted_is_used(splitter->sorted))
        take_in_order(splitter, node, splitter->directions.term_feature[direction->first_term], main_line, candidate);
    else
        candidate->n_present = order_by_rank(splitter, node, direction, order, candidate->is_cut);
    size_t n_present = candidate->n_present, n_missing = n - n_present;
    if (n_present > 0 && candidate->is_cut != NULL) candidate->is_cut[n_present - 1] = n_missing > 0;
    if (n_missing == 0 || n_present == 0) return;

    candidate->missing_left = sm_candidates_add_line_up(candidates, 1);
    uint32_t *other = candidates->scratch->orders + candidate->missing_left * n;
    memcpy(other, candidates->line_ups[main_line].order + n_present, n_missing * sizeof *other);
    memcpy(other + n_missing, candidates->line_ups[main_line].order, n_present * sizeof *other);
}
