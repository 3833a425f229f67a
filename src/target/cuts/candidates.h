/* candidates.h - the candidates of a node, as engines go through them.
 *
 * They are lined up and priced a batch at a time: as many as there is memory for, all of them in all but the largest nodes.
 * Who lines them up (train/split/line_up.c) knows the features; who prices them (engine.h) knows the target.
 *
 * Items with a missing value go to the side where they gain most. So a candidate with missing values has two line-ups:
 * the present items followed by the missing ones (missing goes right), and the missing ones followed by the present
 * ones (missing goes left). "Missing against present" is the last cut of the first. */
#ifndef SM_TARGET_CANDIDATES_H
#define SM_TARGET_CANDIDATES_H

#include <math.h>

#include "target/engine.h"

/* One candidate's items in order: those present, then those with a missing value. */
typedef struct sm_candidate {
    size_t n_present;
    size_t missing_right, missing_left; /* its line-ups; missing_left is SIZE_MAX where no value is missing */
    bool *is_cut;                       /* [n_present] whether the gap after each may be cut; NULL: all but the last, */
    const uint32_t *ranks;              /* and where there are ranks, those between different ones; else NULL */
    uint64_t bit;                       /* of the column that the ranks are of, among the tie bits */
    double best_gain;                   /* over all its cuts */
    bool is_ruled_out;                  /* none of its cuts can win */
} sm_candidate;

/* Memory for several line-ups, one after the other. What is sorted stands where costs will be: nothing is priced before
 * everything is sorted. */
typedef struct sm_line_scratch {
    size_t n;           /* items in all of them together */
    size_t n_costs;     /* likewise, in those that have costs: all, or those of one candidate, see sm_pricing.costs */
    uint32_t *orders;   /* [n] */
    bool *cuts;         /* [n] */
    double *costs;      /* [n_costs] of one side, or gains */
    double *other_side; /* [n_costs] costs of the other; NULL where nobody needs it */
} sm_line_scratch;

/* The bytes of an item in a line-up without costs: its index, and whether it may be cut. */
enum { SM_ORDER_BYTES = sizeof(uint32_t) + sizeof(bool) };

struct sm_candidates {
    /* Given once. */
    const sm_engine *engine;
    sm_search *search;
    void (*line_up)(sm_candidates *candidates, size_t c); /* fills in candidate c and adds its line-ups to the batch */
    void *owner;                                          /* for line_up */
    const uint32_t *items;                                /* by slot */
    const uint64_t *tie_bits; /* by slot: a bit per column, which is 0 where no other item has its number */
    size_t most_line_ups, most_of_a_candidate;
    sm_candidate *candidate; /* [most candidates] */
    sm_line_up *line_ups;    /* [most_line_ups] of the batch */
    double *largest;         /* [most_line_ups] gain, where the engine fills in gains */

    /* Of the node. */
    const sm_node *node;
    size_t n;
    const sm_line_scratch *scratch;
    bool keeps_costs;  /* there is memory for the costs of all line-ups of a batch */
    bool has_gains;    /* line-ups have gains, not costs */
    bool leaves_costs; /* see sm_pricing.costs */

    /* Of the batch. */
    size_t first, end; /* candidates */
    size_t n_line_ups;
    void (*price_batch)(sm_candidates *candidates);
    double node_cost;
    sm_error_bound bound; /* of its costs, where they are approximate */
    bool some_are_ruled_out;
};

void sm_line_scratch_lay_out(sm_line_scratch *scratch, void *memory, size_t n_sides);

/* Turns to a node that has n candidates. */
void sm_candidates_turn(sm_candidates *candidates, const sm_node *node, size_t n, const sm_line_scratch *scratch);

/* For line_up: one more line-up in the batch.   which  of those of its candidate: 0 or 1 */
static inline size_t sm_candidates_add_line_up(sm_candidates *candidates, size_t which) {
    size_t u = candidates->n_line_ups++, n = candidates->node->n, costs = (candidates->keeps_costs ? u : which) * n;
    const sm_line_scratch *scratch = candidates->scratch;
    sm_line_up *line = &candidates->line_ups[u];
    line->order = scratch->orders + u * n;
    line->gain = candidates->has_gains ? scratch->costs + costs : NULL;
    line->left = candidates->has_gains ? NULL : scratch->costs + costs;
    line->right = candidates->has_gains ? NULL : scratch->other_side + costs;
    return u;
}

/* Marks the gaps between present items that may be cut: between different ranks.   line  [n_present] slots */
void sm_mark_gaps(const sm_candidates *candidates, const uint32_t *ranks, const uint32_t *line, size_t n_present,
                  bool *is_cut);

/* ---- for engines ---- */

/* Lines up and prices candidates from `first` on: as many as fit. */
void sm_candidates_batch(sm_candidates *candidates, size_t first, size_t end);

/* Fills in the costs of a candidate of the batch, if that was left to do. */
void sm_candidates_fill_costs(sm_candidates *candidates, const sm_candidate *candidate);

/* Sees to it that a candidate's line-ups and their costs are those of the batch. */
const sm_candidate *sm_candidates_bring(sm_candidates *candidates, size_t c);

/* The line-up with missing values on one side, and the index in it of the gap after present item 0. */
static inline const sm_line_up *sm_line_up_of(const sm_candidates *candidates, const sm_candidate *candidate,
                                              bool missing_left, size_t *gap) {
    *gap = missing_left ? candidates->node->n - candidate->n_present : 0;
    return &candidates->line_ups[missing_left ? candidate->missing_left : candidate->missing_right];
}

/* Whether the gap after a present item may be cut. */
bool sm_may_cut(const sm_candidates *candidates, const sm_candidate *candidate, size_t rank);

/* Whether missing values may go left there: not where they are parted from those present. */
static inline bool sm_may_go_left(const sm_candidate *candidate, size_t rank) {
    return candidate->missing_left != SIZE_MAX && rank + 1 < candidate->n_present;
}

/* ---- best_cut.c: the tie rule ---- */

/* Gains closer than this fraction of the largest term of Eq. (1) are the same gain, and the rule decides. */
#define SM_SAME_GAIN 1e-9

typedef struct sm_best_gain {
    double gain, largest_term; /* of Eq. (1), in size */
} sm_best_gain;

static inline double sm_largest_term(double node_cost, double left, double right) {
    return fmax(fabs(node_cost), fmax(fabs(left), fabs(right)));
}

/* The best gain of all candidates but those ruled out, a batch at a time; that of each is noted. */
sm_best_gain sm_best_gain_of_all(sm_candidates *candidates);

/* Whether a cut may be made, and gains enough; its gain is filled in. */
bool sm_gains_enough(const sm_candidates *candidates, const sm_candidate *candidate, double enough, sm_cut *cut);

#endif
