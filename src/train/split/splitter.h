/* splitter.h - finds the best split of one node. */
#ifndef SM_TRAIN_SPLITTER_H
#define SM_TRAIN_SPLITTER_H

#include <math.h>

#include "train/grow/thresholds.h"
#include "train/order/slots.h"
#include "train/split/categories.h"
#include "train/split/direction.h"

/* The split a node settled on. Valid until the next search. */
typedef struct sm_split {
    const sm_direction *direction;
    sm_gap gap; /* not for a category */
    double gain;
    bool is_open; /* the costs of both sides have yet to be taken from the gain */
    bool missing_left;
    const uint32_t *left_levels; /* for a category, ascending */
    size_t n_left_levels;
    const bool *goes_left; /* by slot */
} sm_split;

/* One candidate's items in order: those present, then those with a missing value. */
typedef struct sm_candidate {
    const sm_direction *direction;
    size_t n_present;
    size_t missing_right, missing_left; /* its line-ups; missing_left is SIZE_MAX where no value is missing */
    bool *is_cut;                       /* [n_present] whether the gap after each may be cut; NULL: all but the last, */
    const uint32_t *ranks;              /* and where there are ranks, those between different ones; else NULL */
    uint64_t bit;                       /* of the column that the ranks are of: sm_column_bit */
    double best_gain;                   /* over all its cuts */
    bool is_out;                        /* none of its cuts can win, see sm_splitter.some_are_out */
} sm_candidate;

/* A cut of a candidate. */
typedef struct sm_cut {
    size_t candidate, rank;     /* the last present item that goes left */
    bool missing_left, is_open; /* open: the gain is not known */
    double gain;
} sm_cut;

/* Gains closer than this share of the largest term of Eq. (1) are the same gain, and the rule decides. */
#define SM_SAME_GAIN 1e-9

typedef struct sm_best_gain {
    double gain, largest_term; /* of Eq. (1), in size */
} sm_best_gain;

static inline double sm_largest_term(double node_cost, double left, double right) {
    return fmax(fabs(node_cost), fmax(fabs(left), fabs(right)));
}

/* Cuts that rough costs leave in question, see sm_target_kind.price_roughly: with more of them it is quicker to price their
 * candidates exactly. */
enum { SM_MOST_CONTENDERS = 4 };

/* Room for several line-ups, one after the other. What is sorted stands where costs will be: nothing is priced before
 * everything is sorted. */
typedef struct sm_line_scratch {
    size_t n;         /* items in all of them together */
    size_t n_costs;   /* likewise, in those that have costs: all, or those of one candidate, see sm_target_kind.costs */
    uint32_t *orders; /* [n] */
    bool *cuts;       /* [n] */
    double *costs;    /* [n_costs] of one side */
    double *other_side; /* [n_costs] likewise; NULL where nobody asks */
} sm_line_scratch;

/* Candidates are lined up and priced a batch at a time: as many as there is room for, all of them in all but the largest
 * nodes. */
typedef struct sm_splitter {
    const sm_problem *problem;
    sm_search *search; /* NULL: there is a scanner's */
    sm_scan *scan;     /* NULL: there is no scanner */
    sm_sorted *sorted;
    const sm_slots *slots;

    sm_arena arena; /* holds the arrays below */
    sm_directions directions;
    sm_categories categories;
    sm_candidate *candidates;     /* [directions.n] */
    size_t first, end;            /* those of the batch that is priced now */
    sm_line_scratch usual, large; /* large: where lists will be, for nodes too large for these; none: n = 0 */
    const sm_line_scratch *room;  /* the one for the node that was searched last */
    bool keeps_costs;             /* there all line-ups of a batch have costs of their own */
    sm_line_up *line_ups;         /* of slots, with gains in the place of left costs, where there is a scanner */
    size_t n_line_ups;
    double *largest;        /* by line-up: gain, where there is a scanner */
    uint32_t *spare_places; /* [most_in_bag], oblique */
    uint32_t *place_of;     /* by slot: places in the node, for line-ups that are in order already */
    bool *goes_left;        /* by slot */
    uint32_t *left_levels;
    double node_cost;
    bool is_rough;        /* line-ups are priced roughly: costs may be off, */
    sm_error_bound bound; /* by so much */
    bool some_are_out;    /* candidates have been looked at, and some need not be any more */
    sm_cut contenders[SM_MOST_CONTENDERS];
    uint64_t may_be_alike; /* given: bits of columns along which all items of the node may have the same number */
} sm_splitter;

/* Starts from one of which the first five parts are given. */
smerf_status sm_splitter_start(sm_splitter *splitter, const sm_splitter *given, smerf_error *error);

/* What the line-ups take that are priced together in all nodes that have lists, or in all.
 *   n_sides  whose costs are kept: 1 where a scanner is used, else 2 */
double sm_splitter_bytes(const sm_problem *problem, size_t n_sides);

/* Room for a number for each item of the tree, when it is done with. */
static inline double *sm_splitter_idle(const sm_splitter *splitter) {
    return splitter->usual.n_costs >= splitter->problem->most_in_bag ? splitter->usual.costs : splitter->large.costs;
}

void sm_splitter_free(sm_splitter *splitter); /* not the search */

/* False: no two items of the node differ along any candidate, so that it cannot be split.
 *   node_cost  as a scanner has it; else it does not matter */
bool sm_splitter_best(sm_splitter *splitter, const sm_node *node, double node_cost, sm_random *random, sm_split *split);

/* The line-up with missing values on one side, and the place in it of the gap after present item 0. */
static inline const sm_line_up *sm_splitter_line_of(const sm_splitter *splitter, const sm_node *node,
                                                    const sm_candidate *candidate, bool missing_left, size_t *gap) {
    *gap = missing_left ? node->n - candidate->n_present : 0;
    return &splitter->line_ups[missing_left ? candidate->missing_left : candidate->missing_right];
}

/* Whether the gap after a present item may be cut; whether missing values may go left there: not where they are parted from
 * those present. */
bool sm_splitter_may_cut(const sm_splitter *splitter, const sm_candidate *candidate, size_t rank);
static inline bool sm_may_go_left(const sm_candidate *candidate, size_t rank) {
    return candidate->missing_left != SIZE_MAX && rank + 1 < candidate->n_present;
}

/* Whether a cut may be made, and gains enough; its gain is filled in. */
bool sm_splitter_gains_enough(const sm_splitter *splitter, const sm_node *node, const sm_candidate *candidate,
                              double enough, sm_cut *cut);

/* Sees to it that a candidate's line-ups and their costs are at hand. */
const sm_candidate *sm_splitter_bring(sm_splitter *splitter, const sm_node *node, size_t c);

/* rough_cuts.c: the cut that exact costs would give, where all candidates have been priced roughly; its line-up is at hand.
 * False: too many may be it.   best  of the rough gains */
bool sm_splitter_choose_roughly(sm_splitter *splitter, const sm_node *node, sm_best_gain best, sm_cut *chosen);

/* line_up.c: marks which gaps may be cut, if that was put off. */
void sm_splitter_mark_gaps(sm_splitter *splitter, const sm_node *node, sm_candidate *candidate);

/* line_up.c: lines the items of the node up along one more candidate. */
void sm_splitter_line_up(sm_splitter *splitter, const sm_node *node, const sm_direction *direction,
                         sm_candidate *candidate);

#endif
