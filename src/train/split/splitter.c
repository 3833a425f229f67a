/* splitter.c - finds the best split of one node.
 *   1. draw a few directions                        direction.c
 *   2. line the node's items up along each          line_up.c; levels of a category: categories.c
 *   3. ask what every cut would cost, or gain       the target
 *   4. keep the best cut, ties by rule
 * Where the target can say sooner about what cuts cost, it is asked that first (rough_cuts.c), and candidates are priced
 * exactly only if many cuts may be the best. Either way the cut is the one that exact costs give.
 * Steps 2 and 3 go a batch of candidates at a time; if the one that wins is not in the last batch it is priced again.
 * It never touches the tree: that is tree_builder.c. Paper: section 2, Eq. (1).
 *
 * Items with a missing value go to the side where they gain most. So a direction with missing values has two line-ups:
 * the present items followed by the missing ones (missing goes right), and the missing ones followed by the present
 * ones (missing goes left). "Missing against present" is the last cut of the first. */
#include "train/split/splitter.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/two.h"

/* Nodes of so many items are lined up along all candidates at once. */
enum { SMALL_NODE = 16384 };

/* The bytes of an item in a line-up: its place, and whether it may be cut; the costs of one or two sides. */
enum { PLACE_BYTES = sizeof(uint32_t) + sizeof(bool) };
static size_t bytes_an_item(size_t n_sides) { return PLACE_BYTES + n_sides * sizeof(double); }

static size_t line_ups_a_candidate(const sm_problem *problem) {
    return problem->most_line_ups / problem->options->candidates;
}

/* Whether the memory of lists has room for a candidate of a node that is too large for lists. Only a scanner takes so little
 * that it matters, and others price several line-ups together. */
static bool can_use_lists(const sm_problem *problem) {
    size_t n_bytes = sm_size(problem->n_numbers + 1, problem->most_sorted, 0) * sizeof(uint32_t);
    return problem->target->kind->scanner != NULL &&
           n_bytes / bytes_an_item(2) >= sm_size(line_ups_a_candidate(problem), problem->most_in_bag, 0);
}

/* Items in all line-ups of the usual room, and in those that have costs. */
static sm_line_scratch usual_size(const sm_problem *problem) {
    const sm_target_kind *kind = problem->target->kind;
    size_t n = problem->most_in_bag, small = n < SMALL_NODE ? n : SMALL_NODE;
    if (kind->costs != NULL) {
        sm_search_size size = sm_problem_search_size(problem);
        return (sm_line_scratch){.n = sm_size(kind->n_at_once(problem->target, &size), n, 0),
                                 .n_costs = sm_size(line_ups_a_candidate(problem), n, 0)};
    }
    size_t all = sm_size(problem->most_line_ups, small, 0);
    size_t at_once = kind->scanner != NULL && problem->options->candidates > 1 ? 2 : 1; /* candidates */
    size_t largest = can_use_lists(problem) ? problem->most_sorted : n;
    size_t least = sm_size(at_once * line_ups_a_candidate(problem), largest, 0);
    size_t most = all > least ? all : least;
    return (sm_line_scratch){.n = most, .n_costs = most};
}

double sm_splitter_bytes(const sm_problem *problem, size_t n_sides) {
    sm_line_scratch room = usual_size(problem);
    return (double)room.n * PLACE_BYTES + (double)room.n_costs * (double)(n_sides * sizeof *room.costs);
}

static void lay_out(sm_line_scratch *room, void *memory, size_t n_sides) {
    room->costs = memory;
    room->other_side = n_sides == 2 ? room->costs + room->n_costs : NULL;
    room->orders = (uint32_t *)(void *)(room->costs + n_sides * room->n_costs);
    room->cuts = (bool *)(room->orders + room->n);
}

/* A scanner says what cuts gain, others what both sides cost. Numbers are sorted from one side to the other. */
static void make_rooms(sm_splitter *splitter) {
    const sm_problem *problem = splitter->problem;
    const sm_sorted *sorted = splitter->sorted;
    size_t n_sides = splitter->scan == NULL || !sm_sorted_is_used(sorted) ? 2 : 1;
    sm_line_scratch usual = usual_size(problem);
    size_t n_bytes = sm_size(usual.n, PLACE_BYTES, sm_size(usual.n_costs, n_sides * sizeof *usual.costs, 0));
    void *memory = sm_arena_take(&splitter->arena, n_bytes, 1);
    if (memory == NULL) return;
    lay_out(&usual, memory, n_sides);
    splitter->usual = usual;
    if (!can_use_lists(problem)) return;
    size_t n_listed = sm_size(problem->n_numbers + 1, sorted->room, 0) * sizeof *sorted->lists;
    splitter->large.n = splitter->large.n_costs = n_listed / bytes_an_item(n_sides);
    lay_out(&splitter->large, sorted->lists, n_sides);
}

smerf_status sm_splitter_start(sm_splitter *splitter, const sm_splitter *given, smerf_error *error) {
    const sm_problem *problem = given->problem;
    size_t n = problem->most_in_bag, d = problem->options->candidates, u = problem->most_line_ups;
    *splitter = *given;
    smerf_status status = sm_directions_start(&splitter->directions, problem, error);
    if (status == SMERF_OK) status = sm_categories_start(&splitter->categories, problem, error);
    sm_arena *arena = &splitter->arena;
    make_rooms(splitter);
    splitter->candidates = sm_arena_take(arena, d, sizeof *splitter->candidates);
    splitter->line_ups = sm_arena_take(arena, u, sizeof *splitter->line_ups);
    splitter->largest = sm_arena_take(arena, u, sizeof *splitter->largest);
    bool has_sums = problem->options->splits == SMERF_OBLIQUE;
    splitter->spare_places = sm_arena_take(arena, has_sums ? n : 0, sizeof *splitter->spare_places);
    splitter->goes_left = sm_arena_take(arena, given->slots->n_all, sizeof *splitter->goes_left);
    splitter->place_of =
        sm_arena_take(arena, given->scan == NULL && given->sorted->room > 0 ? n : 0, sizeof *splitter->place_of);
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

/* ---- 3. pricing ---- */

/* Two line-ups at a time, as long as there are two. */
static void scan(sm_splitter *splitter, const sm_node *node) {
    const sm_scanner *scanner = splitter->problem->target->kind->scanner;
    const sm_line_up *line = splitter->line_ups;
    size_t u = 0;
    for (; u + 2 <= splitter->n_line_ups; u += 2) {
        const uint32_t *const orders[] = {line[u].order, line[u + 1].order};
        double *const gains[] = {line[u].left, line[u + 1].left};
        scanner->gains_of_two(splitter->scan, orders, node->n, gains, splitter->largest + u);
    }
    if (u < splitter->n_line_ups)
        splitter->largest[u] = scanner->gains(splitter->scan, line[u].order, node->n, line[u].left);
}

/* Fills in the costs of a candidate of the batch, if that was left to do. */
static void ask_costs(sm_splitter *splitter, const sm_node *node, const sm_candidate *candidate) {
    const sm_target_kind *kind = splitter->problem->target->kind;
    size_t lines[] = {candidate->missing_right, candidate->missing_left};
    for (size_t i = 0; i < 2 && splitter->scan == NULL && kind->costs != NULL; i++)
        if (lines[i] != SIZE_MAX) kind->costs(splitter->search, node, lines[i], &splitter->line_ups[lines[i]]);
}

static bool is_out(const sm_splitter *splitter, size_t c) {
    return splitter->some_are_out && splitter->candidates[c].is_out;
}

/* Lines up and prices candidates from `first` on: as many as fit. */
static void price_batch(sm_splitter *splitter, const sm_node *node, size_t first, size_t end) {
    size_t most = line_ups_a_candidate(splitter->problem);
    splitter->n_line_ups = 0;
    splitter->first = splitter->end = first;
    while (splitter->end < end && (splitter->n_line_ups + most) * node->n <= splitter->room->n) {
        size_t c = splitter->end++;
        if (!is_out(splitter, c))
            sm_splitter_line_up(splitter, node, &splitter->directions.direction[c], &splitter->candidates[c]);
    }
    const sm_target_kind *kind = splitter->problem->target->kind;
    if (splitter->scan != NULL)
        scan(splitter, node);
    else if (splitter->is_rough)
        splitter->node_cost =
            kind->price_roughly(splitter->search, node, splitter->line_ups, splitter->n_line_ups, &splitter->bound);
    else
        splitter->node_cost = kind->price(splitter->search, node, splitter->line_ups, splitter->n_line_ups);
}

/* ---- 4. choosing ---- */

/* What the cut of one gap gains: the scanner has said so, else Eq. (1). */
static double gain_at(const sm_splitter *splitter, const sm_line_up *line, size_t gap) {
    return splitter->scan != NULL ? line->left[gap] : splitter->node_cost - line->left[gap] - line->right[gap];
}

static double largest_term_at(const sm_splitter *splitter, const sm_line_up *line, size_t gap) {
    if (splitter->scan != NULL) return fabs(splitter->node_cost);
    return sm_largest_term(splitter->node_cost, line->left[gap], line->right[gap]);
}

bool sm_splitter_may_cut(const sm_splitter *splitter, const sm_candidate *candidate, size_t rank) {
    if (candidate->is_cut != NULL) return candidate->is_cut[rank];
    if (rank + 1 == candidate->n_present || candidate->ranks == NULL) return rank + 1 < candidate->n_present;
    const uint32_t *slots = splitter->line_ups[candidate->missing_right].order + rank;
    if ((splitter->slots->shares[slots[0]] & candidate->bit) == 0) return true;
    uint32_t low = splitter->slots->items[slots[0]], high = splitter->slots->items[slots[1]];
    return candidate->ranks[low] != candidate->ranks[high];
}

/* Whether the first of the largest gains is that of a gap that may be cut. */
static bool may_take(const sm_splitter *splitter, const sm_candidate *candidate, const double *gain, double largest) {
    size_t rank = 0;
    while (gain[rank] != largest) rank++;
    return sm_splitter_may_cut(splitter, candidate, rank);
}

/* The largest gain where all gaps may be cut: two numbers at a time, and without a guess which is larger. */
static double largest_of_all(const sm_splitter *splitter, const sm_line_up *line, size_t n_gaps) {
    enum { AT_ONCE = 4 };
    sm_two largest[2] = {sm_both(-INFINITY), sm_both(-INFINITY)}, node = sm_both(splitter->node_cost);
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
    for (; r < n_gaps; r++) most = fmax(most, gain_at(splitter, line, r));
    return most;
}

static double largest_of_some(const sm_splitter *splitter, const sm_candidate *candidate, const sm_line_up *line,
                              size_t first_gap, size_t n_gaps) {
    double largest = -INFINITY;
    for (size_t r = 0; r < n_gaps; r++) {
        if (!sm_splitter_may_cut(splitter, candidate, r)) continue;
        double gain = gain_at(splitter, line, first_gap + r);
        if (gain > largest) largest = gain;
    }
    return largest;
}

/* The largest term of the first cut that gains as much. Where a scanner says what cuts gain, they have it in common. */
static double largest_term(const sm_splitter *splitter, const sm_candidate *candidate, const sm_line_up *line,
                           size_t first_gap, double gain) {
    size_t r = 0;
    while (splitter->scan == NULL &&
           !(gain_at(splitter, line, first_gap + r) == gain && sm_splitter_may_cut(splitter, candidate, r)))
        r++;
    return largest_term_at(splitter, line, first_gap + r);
}

/* The best cut of one line-up. The last gap (missing against present) exists with missing on the right only. */
static void best_of_line(sm_splitter *splitter, const sm_node *node, sm_candidate *candidate, bool missing_left,
                         sm_best_gain *best) {
    size_t first_gap, n_gaps = missing_left ? candidate->n_present - 1 : candidate->n_present;
    const sm_line_up *line = sm_splitter_line_of(splitter, node, candidate, missing_left, &first_gap);
    double largest = -INFINITY;
    bool is_easy = splitter->scan != NULL && candidate->is_cut == NULL;
    if (is_easy) largest = splitter->largest[candidate->missing_right];
    bool may_win =
        largest >= best->gain - SM_SAME_GAIN * best->largest_term; /* else it is near enough to know no more */
    if (is_easy && candidate->ranks != NULL && may_win && !may_take(splitter, candidate, line->left, largest)) {
        sm_splitter_mark_gaps(splitter, node, candidate);
        is_easy = false;
    }
    bool may_cut_all = candidate->is_cut == NULL && candidate->ranks == NULL; /* all but the last */
    if (!is_easy)
        largest = may_cut_all ? largest_of_all(splitter, line, n_gaps - 1)
                              : largest_of_some(splitter, candidate, line, first_gap, n_gaps);
    if (largest > candidate->best_gain) candidate->best_gain = largest;
    if (largest <= best->gain) return;
    *best =
        (sm_best_gain){.gain = largest, .largest_term = largest_term(splitter, candidate, line, first_gap, largest)};
}

/* The best of all candidates, a batch at a time. */
static sm_best_gain best_of_all(sm_splitter *splitter, const sm_node *node) {
    sm_best_gain best = {.gain = -INFINITY};
    splitter->end = 0;
    while (splitter->end < splitter->directions.n) {
        price_batch(splitter, node, splitter->end, splitter->directions.n);
        for (size_t c = splitter->first; c < splitter->end; c++) {
            sm_candidate *candidate = &splitter->candidates[c];
            candidate->best_gain = -INFINITY;
            if (is_out(splitter, c)) continue;
            ask_costs(splitter, node, candidate);
            if (candidate->missing_left != SIZE_MAX) best_of_line(splitter, node, candidate, true, &best);
            best_of_line(splitter, node, candidate, false, &best);
        }
    }
    return best;
}

const sm_candidate *sm_splitter_bring(sm_splitter *splitter, const sm_node *node, size_t c) {
    const sm_candidate *candidate = &splitter->candidates[c];
    bool is_priced = c >= splitter->first && c < splitter->end;
    if (!is_priced) price_batch(splitter, node, c, c + 1);
    if (!is_priced || !splitter->keeps_costs) ask_costs(splitter, node, candidate);
    return candidate;
}

bool sm_splitter_gains_enough(const sm_splitter *splitter, const sm_node *node, const sm_candidate *candidate,
                              double enough, sm_cut *cut) {
    size_t gap;
    const sm_line_up *line = sm_splitter_line_of(splitter, node, candidate, cut->missing_left, &gap);
    cut->gain = gain_at(splitter, line, gap + cut->rank);
    return cut->gain >= enough && sm_splitter_may_cut(splitter, candidate, cut->rank);
}

/* Among the cuts that gain enough: the first candidate, then the smallest threshold, then missing to the left. */
static sm_cut first_cut(sm_splitter *splitter, const sm_node *node, double enough) {
    sm_cut cut = {0};
    while (splitter->candidates[cut.candidate].best_gain < enough) cut.candidate++;
    const sm_candidate *candidate = sm_splitter_bring(splitter, node, cut.candidate);
    for (;; cut.rank++) {
        if (candidate->is_cut != NULL && !candidate->is_cut[cut.rank]) continue;
        for (int side = sm_may_go_left(candidate, cut.rank) ? 0 : 1; side < 2; side++) {
            cut.missing_left = side == 0;
            if (sm_splitter_gains_enough(splitter, node, candidate, enough, &cut)) return cut;
        }
    }
}

/* The best of all candidates, and the rule. */
static sm_cut choose_cut(sm_splitter *splitter, const sm_node *node) {
    const sm_target_kind *kind = splitter->problem->target->kind;
    splitter->is_rough = splitter->scan == NULL && kind->is_rough_quicker != NULL &&
                         kind->is_rough_quicker(splitter->search, node, splitter->directions.n);
    splitter->some_are_out = false;
    sm_best_gain best = best_of_all(splitter, node);
    if (splitter->is_rough) {
        sm_cut cut;
        if (sm_splitter_choose_roughly(splitter, node, best, &cut)) return cut;
        splitter->is_rough = false;
        best = best_of_all(splitter, node);
    }
    return first_cut(splitter, node, best.gain - SM_SAME_GAIN * best.largest_term);
}

/* ---- the split ---- */

static uint32_t slot_at(const sm_splitter *splitter, const sm_node *node, const uint32_t *order, size_t rank) {
    return splitter->scan != NULL ? order[rank] : node->slots[order[rank]];
}

static double weight_at(const sm_splitter *splitter, const sm_node *node, const uint32_t *order, size_t rank) {
    return splitter->scan != NULL ? splitter->slots->draws[order[rank]] : node->weight[order[rank]];
}

/* Returns whether the left side is at least as heavy, where no value is missing. */
static bool send_items(sm_splitter *splitter, const sm_node *node, const sm_cut *chosen) {
    const sm_candidate *candidate = &splitter->candidates[chosen->candidate];
    const uint32_t *order = splitter->line_ups[candidate->missing_right].order;
    size_t n_present = candidate->n_present, n_left = chosen->rank + 1;
    bool *goes_left = splitter->goes_left;
    double left = 0;
    for (size_t r = 0; r < n_left; r++) {
        goes_left[slot_at(splitter, node, order, r)] = true;
        left += weight_at(splitter, node, order, r);
    }
    for (size_t r = n_left; r < n_present; r++) goes_left[slot_at(splitter, node, order, r)] = false;
    for (size_t r = n_present; r < node->n; r++) goes_left[slot_at(splitter, node, order, r)] = chosen->missing_left;
    return left >= node->total - left;
}

/* The levels of the items that go left; those that the node does not hold go with the missing values. */
static size_t collect_left_levels(sm_splitter *splitter, const sm_node *node, size_t feature, bool missing_left) {
    const sm_problem *problem = splitter->problem;
    const uint32_t *codes = problem->view->codes[feature];
    uint32_t *side = splitter->categories.place; /* by level: 0 left, 1 right, SMERF_MISSING not held */
    size_t n_levels = problem->features->feature[feature].levels.n, n_left = 0;
    for (size_t level = 0; level < n_levels; level++) side[level] = SMERF_MISSING;
    for (size_t k = 0; k < node->n; k++)
        if (codes[node->items[k]] != SMERF_MISSING)
            side[codes[node->items[k]]] = splitter->goes_left[node->slots[k]] ? 0 : 1;
    for (size_t level = 0; level < n_levels; level++)
        if (side[level] == SMERF_MISSING ? missing_left : side[level] == 0)
            splitter->left_levels[n_left++] = (uint32_t)level;
    return n_left;
}

static sm_gap gap_of(const sm_splitter *splitter, const sm_node *node, const sm_cut *chosen) {
    const sm_candidate *candidate = &splitter->candidates[chosen->candidate];
    const uint32_t *order = splitter->line_ups[candidate->missing_right].order;
    bool is_last = chosen->rank + 1 == candidate->n_present;
    uint32_t low = slot_at(splitter, node, order, chosen->rank);
    uint32_t high = is_last ? low : slot_at(splitter, node, order, chosen->rank + 1);
    return (sm_gap){.low = splitter->slots->items[low], .high = splitter->slots->items[high]};
}

bool sm_splitter_best(sm_splitter *splitter, const sm_node *node, double node_cost, sm_random *random,
                      sm_split *split) {
    sm_directions *directions = &splitter->directions;
    sm_directions_draw(directions, node, splitter->may_be_alike, random);
    if (directions->n == 0) return false;
    splitter->node_cost = node_cost;
    splitter->room = node->n > splitter->sorted->room && splitter->large.n > 0 ? &splitter->large : &splitter->usual;
    splitter->keeps_costs = splitter->room->n_costs >= splitter->room->n ||
                            splitter->room->n_costs / node->n >= splitter->problem->most_line_ups;
    if (splitter->scan == NULL && sm_sorted_is_used(splitter->sorted))
        for (size_t k = 0; k < node->n; k++) splitter->place_of[node->slots[k]] = (uint32_t)k;
    sm_cut chosen = choose_cut(splitter, node);
    const sm_candidate *candidate = &splitter->candidates[chosen.candidate];

    *split = (sm_split){.direction = candidate->direction,
                        .gap = gap_of(splitter, node, &chosen),
                        .gain = chosen.is_open ? splitter->node_cost : chosen.gain,
                        .is_open = chosen.is_open,
                        .left_levels = splitter->left_levels,
                        .goes_left = splitter->goes_left};
    bool left_is_heavier = send_items(splitter, node, &chosen);
    bool has_missing = candidate->n_present < node->n;
    split->missing_left = has_missing ? chosen.missing_left : left_is_heavier;
    if (split->direction->is_category) {
        size_t feature = directions->term_feature[split->direction->first_term];
        split->n_left_levels = collect_left_levels(splitter, node, feature, split->missing_left);
    }
    return true;
}
