/* best_cut.c - the best cut of a node's candidates, from costs or from gains: batches of candidates, and the tie rule.
 *
 * Among the cuts that gain as much as the best, up to rounding, the first candidate wins, then the smallest threshold, then
 * missing values to the left. So the best gain is found first, a batch of candidates at a time, and then the first cut that is as
 * good; if its candidate is not in the last batch it is lined up and priced again. */
#include <string.h>

#include "base/two.h"
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
    candidates->has_gains = candidates->engine->scanning != NULL;
    candidates->leaves_costs = !candidates->has_gains && candidates->engine->pricing->costs != NULL;
    candidates->some_are_ruled_out = false;
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
    if (!candidates->leaves_costs) return;
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

/* ---- one cut ---- */

/* What the cut of one gap gains: as filled in, else Eq. (1). */
static inline double gain_at(const sm_candidates *candidates, const sm_line_up *line, size_t gap) {
    return line->gain != NULL ? line->gain[gap] : candidates->node_cost - line->left[gap] - line->right[gap];
}

bool sm_may_cut(const sm_candidates *candidates, const sm_candidate *candidate, size_t rank) {
    if (candidate->is_cut != NULL) return candidate->is_cut[rank];
    if (rank + 1 == candidate->n_present || candidate->ranks == NULL) return rank + 1 < candidate->n_present;
    const uint32_t *slots = candidates->line_ups[candidate->missing_right].order + rank;
    if ((candidates->tie_bits[slots[0]] & candidate->bit) == 0) return true;
    uint32_t low = candidates->items[slots[0]], high = candidates->items[slots[1]];
    return candidate->ranks[low] != candidate->ranks[high];
}

bool sm_gains_enough(const sm_candidates *candidates, const sm_candidate *candidate, double enough, sm_cut *cut) {
    size_t gap;
    const sm_line_up *line = sm_line_up_of(candidates, candidate, cut->missing_left, &gap);
    cut->gain = gain_at(candidates, line, gap + cut->rank);
    return cut->gain >= enough && sm_may_cut(candidates, candidate, cut->rank);
}

/* ---- the best of one line-up ---- */

/* Where all gaps may be cut, from costs: two numbers at a time, and without a branch on which is larger. */
static double largest_of_all(const sm_candidates *candidates, const sm_line_up *line, size_t n_gaps) {
    enum { AT_ONCE = 4 };
    sm_two largest[2] = {sm_both(-INFINITY), sm_both(-INFINITY)}, node = sm_both(candidates->node_cost);
    size_t r = 0;
    for (; r + AT_ONCE <= n_gaps; r += AT_ONCE)
        for (size_t i = 0; i < 2; i++) {
            sm_two left, right;
            memcpy(&left, line->left + r + 2 * i, sizeof left);
            memcpy(&right, line->right + r + 2 * i, sizeof right);
            largest[i] = sm_two_most(node - left - right, largest[i]);
        }
    largest[0] = sm_two_most(largest[0], largest[1]);
    double most = fmax(largest[0][0], largest[0][1]);
    for (; r < n_gaps; r++) most = fmax(most, gain_at(candidates, line, r));
    return most;
}

static double largest_of_some(const sm_candidates *candidates, const sm_candidate *candidate, const sm_line_up *line,
                              size_t first_gap, size_t n_gaps) {
    double largest = -INFINITY;
    for (size_t r = 0; r < n_gaps; r++) {
        if (!sm_may_cut(candidates, candidate, r)) continue;
        double gain = gain_at(candidates, line, first_gap + r);
        if (gain > largest) largest = gain;
    }
    return largest;
}

/* The largest term of the first cut that gains as much. Where gains are filled in, all have it in common. */
static double largest_term(const sm_candidates *candidates, const sm_candidate *candidate, const sm_line_up *line,
                           size_t first_gap, double gain) {
    if (line->gain != NULL) return fabs(candidates->node_cost);
    size_t r = 0;
    while (!(gain_at(candidates, line, first_gap + r) == gain && sm_may_cut(candidates, candidate, r))) r++;
    return sm_largest_term(candidates->node_cost, line->left[first_gap + r], line->right[first_gap + r]);
}

/* Whether the first of the largest gains is that of a gap that may be cut. */
static bool may_cut_largest(const sm_candidates *candidates, const sm_candidate *candidate, const double *gain,
                            double largest) {
    size_t rank = 0;
    while (gain[rank] != largest) rank++;
    return sm_may_cut(candidates, candidate, rank);
}

/* Where the engine said which gain is the largest, and gaps are not marked: whether that is all there is to know. Repeated
 * numbers are often few, and matter only where the largest gain is that of a gap between two of them: then gaps are marked. */
static inline bool is_largest_known(sm_candidates *candidates, sm_candidate *candidate, const sm_line_up *line,
                                    const sm_best_gain *best) {
    if (line->gain == NULL || candidate->is_cut != NULL) return false;
    double largest = candidates->largest[candidate->missing_right];
    bool may_win = largest >= best->gain - SM_SAME_GAIN * best->largest_term; /* else any number as small will do */
    if (candidate->ranks == NULL || !may_win || may_cut_largest(candidates, candidate, line->gain, largest))
        return true;
    size_t n = candidates->node->n;
    candidate->is_cut = candidates->scratch->cuts + candidate->missing_right * n;
    candidate->is_cut[n - 1] = false;
    sm_mark_gaps(candidates, candidate->ranks, line->order, n, candidate->is_cut);
    return false;
}

/* The last gap (missing against present) exists with missing on the right only. */
static void best_of_line(sm_candidates *candidates, sm_candidate *candidate, bool missing_left, sm_best_gain *best) {
    size_t first_gap, n_gaps = missing_left ? candidate->n_present - 1 : candidate->n_present;
    const sm_line_up *line = sm_line_up_of(candidates, candidate, missing_left, &first_gap);
    double largest;
    if (is_largest_known(candidates, candidate, line, best))
        largest = candidates->largest[candidate->missing_right];
    else if (candidate->is_cut == NULL && candidate->ranks == NULL)
        largest = largest_of_all(candidates, line, n_gaps - 1); /* all but the last gap may be cut */
    else
        largest = largest_of_some(candidates, candidate, line, first_gap, n_gaps);
    if (largest > candidate->best_gain) candidate->best_gain = largest;
    if (largest <= best->gain) return;
    *best =
        (sm_best_gain){.gain = largest, .largest_term = largest_term(candidates, candidate, line, first_gap, largest)};
}

/* ---- the best of all ---- */

sm_best_gain sm_best_gain_of_all(sm_candidates *candidates) {
    sm_best_gain best = {.gain = -INFINITY};
    candidates->end = 0;
    while (candidates->end < candidates->n) {
        sm_candidates_batch(candidates, candidates->end, candidates->n);
        for (size_t c = candidates->first; c < candidates->end; c++) {
            sm_candidate *candidate = &candidates->candidate[c];
            candidate->best_gain = -INFINITY;
            if (candidates->some_are_ruled_out && candidate->is_ruled_out) continue;
            sm_candidates_fill_costs(candidates, candidate);
            if (candidate->missing_left != SIZE_MAX) best_of_line(candidates, candidate, true, &best);
            best_of_line(candidates, candidate, false, &best);
        }
    }
    return best;
}

/* Among the cuts that gain enough: the first candidate, then the smallest threshold, then missing to the left. */
static sm_cut first_cut(sm_candidates *candidates, double enough) {
    sm_cut cut = {0};
    while (candidates->candidate[cut.candidate].best_gain < enough) cut.candidate++;
    const sm_candidate *candidate = sm_candidates_bring(candidates, cut.candidate);
    cut.node_cost = candidates->node_cost;
    for (;; cut.rank++) {
        if (candidate->is_cut != NULL && !candidate->is_cut[cut.rank]) continue;
        for (int side = sm_may_go_left(candidate, cut.rank) ? 0 : 1; side < 2; side++) {
            cut.missing_left = side == 0;
            if (sm_gains_enough(candidates, candidate, enough, &cut)) return cut;
        }
    }
}

static sm_cut best_cut(sm_candidates *candidates, void (*price_batch)(sm_candidates *candidates)) {
    candidates->price_batch = price_batch;
    sm_best_gain best = sm_best_gain_of_all(candidates);
    return first_cut(candidates, best.gain - SM_SAME_GAIN * best.largest_term);
}

static void price_exactly(sm_candidates *candidates) {
    candidates->node_cost = candidates->engine->pricing->price(candidates->search, candidates->node,
                                                               candidates->line_ups, candidates->n_line_ups);
}

sm_cut sm_best_by_costs(sm_candidates *candidates) { return best_cut(candidates, price_exactly); }

/* Two line-ups at a time, as long as there are two. */
static void scan_batch(sm_candidates *candidates) {
    const sm_scanning *scanning = candidates->engine->scanning;
    const sm_line_up *line = candidates->line_ups;
    size_t u = 0, n = candidates->node->n;
    for (; u + 2 <= candidates->n_line_ups; u += 2) {
        const uint32_t *const orders[] = {line[u].order, line[u + 1].order};
        double *const gains[] = {line[u].gain, line[u + 1].gain};
        scanning->gains_of_two(candidates->search, orders, n, gains, candidates->largest + u);
    }
    if (u < candidates->n_line_ups)
        candidates->largest[u] = scanning->gains(candidates->search, line[u].order, n, line[u].gain);
}

sm_cut sm_best_by_gains(sm_candidates *candidates) { return best_cut(candidates, scan_batch); }
