/* approximate_cut.c - the best cut of a node's candidates, sooner: from costs that may be a little off.
 *   1. list the contenders, which may be the best as far as approximate costs tell. Usually it is one, and it wins
 *   2. contenders of one line-up that are near each other: add up what the items between them change
 *   3. else price each of them exactly
 * With many contenders it is quicker to price their candidates exactly. In any case the cut is the one that exact costs give.
 * What the winner gains is known after 3 only. Else it is left open, until both sides are nodes themselves (tree_builder.c). */
#include "target/cuts/candidates.h"

enum { MOST_CONTENDERS = 4 };

/* What an item changes lies all over the node: up to one in so many, that is sooner added up than the node is read. */
enum { LEAST_A_MOVE = 128 };

typedef struct contenders {
    sm_candidates *candidates;
    sm_cut cut[MOST_CONTENDERS];
    size_t n;
} contenders;

/* ---- 1. contenders ---- */

/* What approximate costs must say a cut gains if it may be the best, or as good: c being what it costs, its gain may be up to
 * bound(c) more, and that of the best cut as much less. */
static double enough_to_contend(const contenders *among, sm_best_gain best) {
    const sm_error_bound *bound = &among->candidates->bound;
    double node_cost = among->candidates->node_cost, best_cost = node_cost - best.gain;
    double best_at_least = best.gain - bound->least - bound->fraction * fabs(best_cost);
    double tolerance = SM_SAME_GAIN * (best.largest_term + bound->least) * (1 + 2 * bound->fraction);
    return (best_at_least - tolerance - bound->least - bound->fraction * node_cost) / (1 - bound->fraction);
}

/* Adds the cuts of one candidate that gain enough, in the order of the tie rule; false: there are too many. */
static bool list_contenders(contenders *among, size_t c, double enough) {
    const sm_candidate *candidate = sm_candidates_bring(among->candidates, c);
    for (sm_cut cut = {.candidate = c}; cut.rank < candidate->n_present; cut.rank++) {
        if (!sm_may_cut(among->candidates, candidate, cut.rank)) continue;
        for (int side = sm_may_go_left(candidate, cut.rank) ? 0 : 1; side < 2; side++) {
            cut.missing_left = side == 0;
            if (!sm_gains_enough(among->candidates, candidate, enough, &cut)) continue;
            if (among->n == MOST_CONTENDERS) return false;
            among->cut[among->n++] = cut;
        }
    }
    return true;
}

/* Those of all candidates; one without any is ruled out. False: there are too many. */
static bool list_all_contenders(contenders *among, double enough) {
    sm_candidates *candidates = among->candidates;
    bool is_complete = true;
    for (size_t c = 0; c < candidates->n; c++) {
        bool is_below = candidates->candidate[c].best_gain < enough;
        if (!is_below && is_complete) is_complete = list_contenders(among, c, enough);
        candidates->candidate[c].is_ruled_out = is_below;
    }
    candidates->some_are_ruled_out = true;
    return is_complete;
}

static const sm_line_up *line_up_of_cut(const contenders *among, const sm_cut *cut, size_t *n_left) {
    const sm_candidate *candidate = sm_candidates_bring(among->candidates, cut->candidate);
    const sm_line_up *line = sm_line_up_of(among->candidates, candidate, cut->missing_left, n_left);
    *n_left += cut->rank + 1;
    return line;
}

/* ---- 2. by what lies between them ---- */

static bool are_near(const contenders *among) {
    const sm_candidates *candidates = among->candidates;
    const sm_cut *first = among->cut, *last = first + among->n - 1;
    bool has_one_line = candidates->candidate[first->candidate].missing_left == SIZE_MAX;
    return first->candidate == last->candidate && has_one_line &&
           last->rank - first->rank <= candidates->node->n / LEAST_A_MOVE;
}

/* What each of them costs more than the first, and how far off that may be at most. With w the weight that moves, Q_L its
 * left side's sum before and m_L what is added to it, W_L' the weight after, and likewise on the right, the cost grows by
 *     (m_L - w Q_L / W_L) / W_L' + (w Q_R / W_R - m_R) / W_R'.
 * Approximate costs Q_L / W_L and Q_R / W_R, which may be off by no more than the bound together, count for w / W' of it only. */
static double find_extra_costs(const contenders *among, double *extra) {
    const sm_candidates *candidates = among->candidates;
    const sm_node *node = candidates->node;
    const sm_cut *cut = among->cut;
    size_t n_left;
    const sm_line_up *line = line_up_of_cut(among, cut, &n_left);
    double left = 0, off = 0;
    for (size_t r = 0; r < n_left; r++) left += node->weight[line->order[r]];
    extra[0] = 0;
    for (size_t i = 1; i < among->n; i++) {
        size_t from = n_left, to = n_left + (cut[i].rank - cut[i - 1].rank);
        double added, taken, moved = 0, left_cost = line->left[from - 1], right_cost = line->right[from - 1];
        candidates->engine->approximation->move_cut(candidates->search, node, line->order, from, to, &added, &taken);
        for (size_t r = from; r < to; r++) moved += node->weight[line->order[r]];
        left += moved;
        double right = node->total - left;
        extra[i] = extra[i - 1] + (added - moved * left_cost) / left + (moved * right_cost - taken) / right;
        double bound = candidates->bound.least + candidates->bound.fraction * (fabs(left_cost) + fabs(right_cost));
        off += 1.01 * bound * moved / fmin(left, right);
        n_left = to;
    }
    return off;
}

/* The first that is as good as the best, if that is certain; else NULL. */
static sm_cut *choose_near(contenders *among) {
    double extra[MOST_CONTENDERS];
    size_t best = 0, n_left, first = among->n;
    if (!are_near(among)) return NULL;
    double off = find_extra_costs(among, extra);
    for (size_t i = 1; i < among->n; i++)
        if (extra[i] < extra[best]) best = i;
    const sm_line_up *line = line_up_of_cut(among, &among->cut[best], &n_left);
    double largest = sm_largest_term(among->candidates->node_cost, line->left[n_left - 1], line->right[n_left - 1]);
    double same = SM_SAME_GAIN * largest, unsure = 2 * off + same / 16; /* the largest term may be off, too */
    for (size_t i = 0; i < among->n; i++) {
        double behind = extra[i] - extra[best];
        if (i != best && fabs(behind - same) <= unsure) return NULL;
        if (behind <= same && first == among->n) first = i;
    }
    return &among->cut[first];
}

/* ---- 3. by what they cost ---- */

static sm_best_gain price_contender(const contenders *among, sm_cut *cut) {
    const sm_candidates *candidates = among->candidates;
    double left, right, node_cost = candidates->node_cost;
    size_t n_left;
    const sm_line_up *line = line_up_of_cut(among, cut, &n_left);
    candidates->engine->approximation->price_cut(candidates->search, candidates->node, line->order, n_left, &left,
                                                 &right);
    cut->gain = node_cost - left - right;
    return (sm_best_gain){.gain = cut->gain, .largest_term = sm_largest_term(node_cost, left, right)};
}

static sm_cut *choose_exactly(contenders *among) {
    sm_best_gain best = {.gain = -INFINITY};
    sm_cut *cut = among->cut;
    for (size_t i = 0; i < among->n; i++) {
        sm_best_gain gain = price_contender(among, &cut[i]);
        if (gain.gain > best.gain) best = gain;
    }
    while (cut->gain < best.gain - SM_SAME_GAIN * best.largest_term) cut++;
    return cut;
}

/* ---- all of it ---- */

static void price_approximately(sm_candidates *candidates) {
    candidates->node_cost = candidates->engine->approximation->price(
        candidates->search, candidates->node, candidates->line_ups, candidates->n_line_ups, &candidates->bound);
}

sm_cut sm_best_approximately(sm_candidates *candidates) {
    const sm_approximation *approximation = candidates->engine->approximation;
    if (!approximation->is_quicker(candidates->search, candidates->node, candidates->n))
        return sm_best_by_costs(candidates);
    candidates->price_batch = price_approximately;
    contenders among = {.candidates = candidates};
    sm_best_gain best = sm_best_gain_of_all(candidates);
    if (!list_all_contenders(&among, enough_to_contend(&among, best))) return sm_best_by_costs(candidates);
    sm_cut *cut = among.n == 1 ? among.cut : choose_near(&among);
    bool is_open = cut != NULL;
    if (!is_open) cut = choose_exactly(&among);
    sm_candidates_bring(candidates, cut->candidate);
    cut->is_open = is_open;
    cut->node_cost = candidates->node_cost;
    if (is_open) cut->gain = cut->node_cost;
    return *cut;
}
