/* rough_cuts.c - finds the best cut of a node from costs that may be a little off.
 *   1. list the cuts that may be the best as far as these costs tell. Usually it is one, and it wins
 *   2. cuts of one line-up that are near each other: add up what the items between them change
 *   3. else price each of them exactly
 * What the winner gains is told only by 3. Else it is left open, until both sides are nodes themselves (tree_builder.c). */
#include <math.h>

#include "train/split/splitter.h"

/* What an item changes lies all over the node: up to one in so many, that is sooner added up than the node is read. */
enum { LEAST_A_MOVE = 128 };

/* ---- 1. those in question ---- */

/* What rough costs must say a cut gains if it may be the best, or as good: c being what it costs, its gain may be up to
 * doubt(c) more, and that of the best cut as much less. */
static double enough_roughly(const sm_splitter *splitter, sm_best_gain best) {
    const sm_error_bound *bound = &splitter->bound;
    double best_cost = splitter->node_cost - best.gain;
    double best_at_least = best.gain - bound->least - bound->share * fabs(best_cost);
    double tolerance = SM_SAME_GAIN * (best.largest_term + bound->least) * (1 + 2 * bound->share);
    return (best_at_least - tolerance - bound->least - bound->share * splitter->node_cost) / (1 - bound->share);
}

/* Adds the cuts of one candidate that gain enough, in the order of the rule; false: there are too many. */
static bool list_cuts(sm_splitter *splitter, const sm_node *node, size_t c, double enough, size_t *n_listed) {
    const sm_candidate *candidate = sm_splitter_bring(splitter, node, c);
    for (sm_cut cut = {.candidate = c}; cut.rank < candidate->n_present; cut.rank++) {
        if (!sm_splitter_may_cut(splitter, candidate, cut.rank)) continue;
        for (int side = sm_may_go_left(candidate, cut.rank) ? 0 : 1; side < 2; side++) {
            cut.missing_left = side == 0;
            if (!sm_splitter_gains_enough(splitter, node, candidate, enough, &cut)) continue;
            if (*n_listed == SM_MOST_CONTENDERS) return false;
            splitter->contenders[(*n_listed)++] = cut;
        }
    }
    return true;
}

/* Those of all candidates; one without any is out. SIZE_MAX: there are too many. */
static size_t list_all_cuts(sm_splitter *splitter, const sm_node *node, double enough) {
    size_t n_listed = 0;
    bool is_complete = true;
    for (size_t c = 0; c < splitter->directions.n; c++) {
        bool is_below = splitter->candidates[c].best_gain < enough;
        if (!is_below && is_complete) is_complete = list_cuts(splitter, node, c, enough, &n_listed);
        splitter->candidates[c].is_out = is_below;
    }
    splitter->some_are_out = true;
    return is_complete ? n_listed : SIZE_MAX;
}

static const sm_line_up *line_of_cut(sm_splitter *splitter, const sm_node *node, const sm_cut *cut, size_t *n_left) {
    const sm_candidate *candidate = sm_splitter_bring(splitter, node, cut->candidate);
    const sm_line_up *line = sm_splitter_line_of(splitter, node, candidate, cut->missing_left, n_left);
    *n_left += cut->rank + 1;
    return line;
}

/* ---- 2. by what lies between them ---- */

static bool are_near(const sm_splitter *splitter, const sm_node *node, size_t n_listed) {
    const sm_cut *first = splitter->contenders, *last = first + n_listed - 1;
    bool has_one_line = splitter->candidates[first->candidate].missing_left == SIZE_MAX;
    return first->candidate == last->candidate && has_one_line && last->rank - first->rank <= node->n / LEAST_A_MOVE;
}

/* What each of them costs more than the first, and how far off that may be at most. With w the weight that moves, Q_L its
 * left side's sum before and m_L what is added to it, W_L' the weight after, and likewise on the right, the cost grows by
 *     (m_L - w Q_L / W_L) / W_L' + (w Q_R / W_R - m_R) / W_R'.
 * Rough costs Q_L / W_L and Q_R / W_R, which may be off by no more than the doubt together, count for w / W' of it only. */
static double find_extra_costs(sm_splitter *splitter, const sm_node *node, size_t n_listed, double *extra) {
    const sm_cut *cut = splitter->contenders;
    size_t n_left;
    const sm_line_up *line = line_of_cut(splitter, node, cut, &n_left);
    double left = 0, off = 0;
    for (size_t r = 0; r < n_left; r++) left += node->weight[line->order[r]];
    extra[0] = 0;
    for (size_t i = 1; i < n_listed; i++) {
        size_t from = n_left, to = n_left + (cut[i].rank - cut[i - 1].rank);
        double added, taken, moved = 0, left_cost = line->left[from - 1], right_cost = line->right[from - 1];
        splitter->problem->target->kind->move_cut(splitter->search, node, line->order, from, to, &added, &taken);
        for (size_t r = from; r < to; r++) moved += node->weight[line->order[r]];
        left += moved;
        double right = node->total - left;
        extra[i] = extra[i - 1] + (added - moved * left_cost) / left + (moved * right_cost - taken) / right;
        double bound = splitter->bound.least + splitter->bound.share * (fabs(left_cost) + fabs(right_cost));
        off += 1.01 * bound * moved / fmin(left, right);
        n_left = to;
    }
    return off;
}

/* The first that is as good as the best, if that is beyond doubt; else NULL. */
static sm_cut *choose_near(sm_splitter *splitter, const sm_node *node, size_t n_listed) {
    double extra[SM_MOST_CONTENDERS];
    size_t best = 0, n_left, first = n_listed;
    if (!are_near(splitter, node, n_listed)) return NULL;
    double off = find_extra_costs(splitter, node, n_listed, extra);
    for (size_t i = 1; i < n_listed; i++)
        if (extra[i] < extra[best]) best = i;
    const sm_line_up *line = line_of_cut(splitter, node, &splitter->contenders[best], &n_left);
    double largest = sm_largest_term(splitter->node_cost, line->left[n_left - 1], line->right[n_left - 1]);
    double same = SM_SAME_GAIN * largest, unsure = 2 * off + same / 16; /* the largest term may be off, too */
    for (size_t i = 0; i < n_listed; i++) {
        double behind = extra[i] - extra[best];
        if (i != best && fabs(behind - same) <= unsure) return NULL;
        if (behind <= same && first == n_listed) first = i;
    }
    return &splitter->contenders[first];
}

/* ---- 3. by what they cost ---- */

static sm_best_gain settle(sm_splitter *splitter, const sm_node *node, sm_cut *cut) {
    double left, right;
    size_t n_left;
    const sm_line_up *line = line_of_cut(splitter, node, cut, &n_left);
    splitter->problem->target->kind->settle(splitter->search, node, line->order, n_left, &left, &right);
    cut->gain = splitter->node_cost - left - right;
    return (sm_best_gain){.gain = cut->gain, .largest_term = sm_largest_term(splitter->node_cost, left, right)};
}

static sm_cut *choose_exactly(sm_splitter *splitter, const sm_node *node, size_t n_listed) {
    sm_best_gain best = {.gain = -INFINITY};
    sm_cut *cut = splitter->contenders;
    for (size_t i = 0; i < n_listed; i++) {
        sm_best_gain gain = settle(splitter, node, &cut[i]);
        if (gain.gain > best.gain) best = gain;
    }
    while (cut->gain < best.gain - SM_SAME_GAIN * best.largest_term) cut++;
    return cut;
}

bool sm_splitter_choose_roughly(sm_splitter *splitter, const sm_node *node, sm_best_gain best, sm_cut *chosen) {
    size_t n_listed = list_all_cuts(splitter, node, enough_roughly(splitter, best));
    if (n_listed == SIZE_MAX) return false;
    sm_cut *cut = n_listed == 1 ? splitter->contenders : choose_near(splitter, node, n_listed);
    bool is_open = cut != NULL;
    if (!is_open) cut = choose_exactly(splitter, node, n_listed);
    cut->is_open = is_open;
    sm_splitter_bring(splitter, node, cut->candidate);
    *chosen = *cut;
    return true;
}
