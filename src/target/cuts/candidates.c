/* candidates.c - batches of candidates: lining up and pricing as many as there is memory for. See candidates.h. */
#include "target/cuts/candidates.h"

/* ---- memory ---- */

void sm_line_scratch_lay_out(sm_line_scratch *scratch, void *memory, size_t n_sides) {
    scratch->costs = memory;
    scratch->other_side = n_sides == 2 ? scratch->costs + scratch->n_costs : NULL;
    scratch->orders = (uint32_t *)(void *)(scratch->costs + n_sides * scratch->n_costs);
    scratch->cuts = (bool *)(scratch->orders + scratch->n);
}

void sm_candidates_turn(sm_candidates *candidates, const sm_node *node, size_t n, const sm_line_scratch *scratch) {
    candidates->node = node;
    candidates->n = n;
    candidates->scratch = scratch;
    candidates->keeps_costs = scratch->n_costs >= scratch->n || scratch->n_costs / node->n >= candidates->most_line_ups;
    candidates->node_cost = node->cost;
    candidates->some_are_ruled_out = false;
}

size_t sm_candidates_add_line_up(sm_candidates *candidates, size_t which) {
    size_t u = candidates->n_line_ups++, n = candidates->node->n;
    const sm_line_scratch *scratch = candidates->scratch;
    size_t first = (candidates->keeps_costs ? u : which) * n;
    candidates->line_ups[u] = (sm_line_up){.order = scratch->orders + u * n};
    if (candidates->engine->scanning != NULL) {
        candidates->line_ups[u].gain = scratch->costs + first;
    } else {
        candidates->line_ups[u].left = scratch->costs + first;
        candidates->line_ups[u].right = scratch->other_side + first;
    }
    return u;
}

/* ---- batches ---- */

void sm_candidates_batch(sm_candidates *candidates, size_t first, size_t end) {
    size_t n = candidates->node->n, most = candidates->most_of_a_candidate;
    candidates->n_line_ups = 0;
    candidates->first = candidates->end = first;
    while (candidates->end < end && (candidates->n_line_ups + most) * n <= candidates->scratch->n) {
        size_t c = candidates->end++;
        if (!(candidates->some_are_ruled_out && candidates->candidate[c].is_ruled_out))
            candidates->line_up(candidates, c);
    }
    candidates->price_batch(candidates);
}

void sm_candidates_fill_costs(sm_candidates *candidates, const sm_candidate *candidate) {
    const sm_pricing *pricing = candidates->engine->pricing;
    if (pricing == NULL || pricing->costs == NULL) return;
    size_t lines[] = {candidate->missing_right, candidate->missing_left};
    for (size_t i = 0; i < 2; i++)
        if (lines[i] != SIZE_MAX)
            pricing->costs(candidates->search, candidates->node, lines[i], &candidates->line_ups[lines[i]]);
}

const sm_candidate *sm_candidates_bring(sm_candidates *candidates, size_t c) {
    const sm_candidate *candidate = &candidates->candidate[c];
    bool is_priced = c >= candidates->first && c < candidates->end;
    if (!is_priced) sm_candidates_batch(candidates, c, c + 1);
    if (!is_priced || !candidates->keeps_costs) sm_candidates_fill_costs(candidates, candidate);
    return candidate;
}

/* ---- gaps ---- */

void sm_mark_gaps(const sm_candidates *candidates, const uint32_t *ranks, const uint32_t *line, size_t n_present,
                  bool *is_cut) {
    const uint32_t *items = candidates->items;
    uint32_t rank = n_present > 0 ? ranks[items[line[0]]] : 0;
    for (size_t r = 0; r + 1 < n_present; r++) {
        uint32_t next = ranks[items[line[r + 1]]];
        is_cut[r] = rank != next;
        rank = next;
    }
}
