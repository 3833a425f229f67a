/* engine.h - how trees are grown on a target. Growing needs one thing of an engine: the best cut of these candidates in this node.
 *
 * A candidate is a direction along which the items of the node can be lined up (cuts/candidates.h); it is lined up when the
 * engine wants it. Costs are those of the paper's Eq. (1): the cost of a set S is W I(S) = Q(S) / W, with W the sum of the
 * weights w_i, and Q(S) the sum of w_i w_j z_ij over all ordered pairs in S, i = j included. What a cut gains is the cost of
 * the node less those of both sides.
 *
 * Most engines do not search for themselves, but have one of three ways in common:
 *   sm_best_by_costs        the engine fills in what both sides of every cut cost (sm_pricing)
 *   sm_best_approximately   the same, with costs that may be a little off first (sm_approximation)
 *   sm_best_by_gains        the engine fills in what every cut gains (sm_scanning), for weights that are numbers of draws */
#ifndef SM_TARGET_ENGINE_H
#define SM_TARGET_ENGINE_H

#include "kernels/kernels.h"
#include "smerf.h"

/* The distinct items of a node, each with the weight of its draws. */
typedef struct sm_node {
    const uint32_t *items; /* [n] ascending, or in the order that the engine wants: see near_order */
    size_t n;
    const double *weight;  /* [n] by node index; NULL where the engine lists slots */
    double total;          /* the node's weight W */
    double cost;           /* W I of the node, where the engine lists slots */
    const uint32_t *slots; /* [n] ascending: by node index. NULL in nodes that no tree has */
} sm_node;

/* The items of a node in one order, and what its cuts would cost or gain, when the first k + 1 go left. */
typedef struct sm_line_up {
    const uint32_t *order; /* [n] from left to right: node indices, or slots where the engine lists these */
    double *left, *right;  /* [n - 1] the costs of both sides; NULL: there are gains */
    double *gain;          /* [n - 1] NULL: there are costs */
} sm_line_up;

/* A cut of a candidate: what an engine finds. */
typedef struct sm_cut {
    size_t candidate, rank; /* the last present item that goes left */
    bool missing_left;
    bool is_open;     /* the costs of both sides have yet to be taken from the gain */
    double gain;      /* Eq. (1) */
    double node_cost; /* W I of the node */
} sm_cut;

/* A thread's state while it grows trees: defined by each engine. */
typedef struct sm_search sm_search;

typedef struct sm_search_size {
    size_t n_items;    /* the most distinct items a tree is grown on */
    size_t n_slots;    /* of a tree: as many, or more where the engine lists slots */
    size_t n_levels;   /* the most levels of a category */
    size_t n_line_ups; /* the most line-ups of a node */
    size_t n_threads;  /* how many searches there will be */
    size_t list_bytes; /* that a thread keeps for each item beside line-ups */
    bool are_draws;    /* all weights are numbers of draws: whole, and not of very different sizes */
    smerf_kernels kernels;
} sm_search_size;

enum { SM_MOST_DRAWS = 255 }; /* of one item, see slots.c */

/* Up to so many levels a category is lined up by all mean distances between them, and more by products with these
 * (docs/decisions/0026-many-levels.md). */
enum { SM_FEW_LEVELS = 64 };

/* Which level each item of a node has. */
typedef struct sm_node_levels {
    const uint32_t *level; /* [n] by node index, below n_levels or SMERF_MISSING; every level has an item */
    size_t n_levels;
    const double *weight; /* [n_levels] of their items */
} sm_node_levels;

/* What both sides of every cut cost. */
typedef struct sm_pricing {
    /* Fills the costs of all cuts, and returns the cost of the node itself. A line-up's costs do not depend on which others are
     * priced with it. */
    double (*price)(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups);

    /* For engines that price many line-ups in one call: `price` leaves the costs to `costs`, which fills in those of one
     * line-up of that call, so that not all of them need memory at once. NULL: `price` does all.
     *   n_at_once  how many line-ups of a node of size->n_items may be priced in one call, the two of a candidate at least;
     *              of smaller nodes more, up to as many items in all line-ups */
    void (*costs)(sm_search *search, const sm_node *node, size_t line_up, const sm_line_up *out);
    size_t (*n_at_once)(const smerf_target *target, const sm_search_size *size);
} sm_pricing;

/* How far the costs of a cut, of both sides together, may be from what they are: by so much, and by this fraction of them. */
typedef struct sm_error_bound {
    double least, fraction;
} sm_error_bound;

/* Costs that are found sooner because they may be a little off. */
typedef struct sm_approximation {
    /* Whether it is quicker for this node and number of candidates: must not depend on who else is at work. */
    bool (*is_quicker)(sm_search *search, const sm_node *node, size_t n_candidates);

    /* As sm_pricing.price, after which sm_pricing.costs is used; the cost of the node that it returns is exact.
     *   bound  out */
    double (*price)(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups,
                    sm_error_bound *bound);

    /* Exactly: the items of an order from `from` to `to` - 1 go from the right side of a cut to the left.
     *   left, right  out: by how much Q grows on the left side, and by how much it shrinks on the right */
    void (*move_cut)(sm_search *search, const sm_node *node, const uint32_t *order, size_t from, size_t to,
                     double *left, double *right);

    /* Exactly: the costs of one cut, where the first n_left of an order go left. */
    void (*price_cut)(sm_search *search, const sm_node *node, const uint32_t *order, size_t n_left, double *left,
                      double *right);
} sm_approximation;

/* What every cut gains: for cuts that cost a few sums. */
typedef struct sm_scanning {
    /* Returns the most.
     *   order  [n] the node's slots, from left to right
     *   gain   [n - 1] out: when the first k + 1 go left */
    double (*gains)(sm_search *search, const uint32_t *order, size_t n, double *gain);

    /* The same along two line-ups at once, which is quicker. */
    void (*gains_of_two)(sm_search *search, const uint32_t *const order[2], size_t n, double *const gain[2],
                         double largest[2]);
} sm_scanning;

typedef struct sm_candidates sm_candidates;

typedef struct sm_engine {
    /* Whether it can grow on this target of its kind, with these weights and levels. NULL: on any. */
    bool (*fits)(const smerf_target *target, const sm_search_size *size);

    /* It knows items by their slots, and their weights as numbers of draws. Nothing is prepared for a node but a few sums. */
    bool lists_slots;

    sm_search *(*search_new)(const smerf_target *target, const sm_search_size *size, smerf_error *error);
    void (*search_free)(sm_search *search);

    /* For engines that list slots; else NULL. Turns to a tree, whose items have the first n slots; items move to other slots,
     * from `first` on.
     *   items, draws  [n] by slot; at most SM_MOST_DRAWS of one
     *   slots         [n] where they are */
    void (*start)(sm_search *search, const uint32_t *items, const uint8_t *draws, size_t n);
    void (*move)(sm_search *search, const uint32_t *slots, size_t n, size_t first);

    /* Turns to a node, of which it fills in the total and the cost if it lists slots. A view is what the search has prepared for a
     * node and all below it: 0 for the root, else what entering the parent returned. Nodes are entered depth first, left before
     * right. The functions below are about the node entered last. NULL: nothing is prepared. */
    size_t (*enter)(sm_search *search, sm_node *node, size_t view);

    /* Whether all z_ij are equal, the diagonal included. */
    bool (*is_pure)(sm_search *search, const sm_node *node);

    /* The best cut, by the tie rule (cuts/best_cut.c); the line-up of its candidate is that of the last batch. */
    sm_cut (*best_cut)(sm_candidates *candidates);
    const sm_pricing *pricing;             /* for sm_best_by_costs, sm_best_approximately */
    const sm_approximation *approximation; /* for sm_best_approximately */
    const sm_scanning *scanning;           /* for sm_best_by_gains */

    /* W I of the node, exactly. NULL: cuts are never open. */
    double (*cost)(sm_search *search, const sm_node *node);

    /* Mean distance between the items of two levels, each level's distance to itself included. Items whose level is
     * SMERF_MISSING are left out. NULL: it does not fit where there are categories.
     *   level  [n] by node index, below n_levels; every level has an item
     *   mean   [n_levels][n_levels] out */
    void (*level_distances)(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                            double *mean);

    /* For many levels, of which the mean distances H are never formed. Turns to them; returns about how large these are. NULL: as
     * level_distances, with which they come. */
    double (*level_start)(sm_search *search, const sm_node *node, const sm_node_levels *levels);

    /* Their products: y = H x for an x that adds up to 0, but for a number that all of y may have in common. H may be another
     * symmetric matrix with nearly the same leading direction.
     *   x, y  [n_levels] */
    void (*level_product)(sm_search *search, const sm_node *node, const sm_node_levels *levels, const double *x,
                          double *y);

    /* An order of all items in which those that are read together stand near each other: that of the items of every node,
     * so that growing finds them near each other in memory. Trees do not depend on it, but for the last digits of gains. NULL:
     * they ascend.
     *   order  out: [n_rows or more] the caller's, who frees it; NULL: they ascend, since another order would not pay */
    smerf_status (*near_order)(const smerf_target *target, uint32_t **order, smerf_error *error);

    /* How many of size->n_threads may grow trees at the same time, where the memory of all of them together has a limit; at least
     * one. NULL: all of them. */
    size_t (*most_threads)(const smerf_target *target, const sm_search_size *size);
} sm_engine;

sm_cut sm_best_by_costs(sm_candidates *candidates);
sm_cut sm_best_approximately(sm_candidates *candidates);
sm_cut sm_best_by_gains(sm_candidates *candidates);

/* Prices line-ups that all have memory for their costs. */
static inline double sm_price(const sm_pricing *pricing, sm_search *search, const sm_node *node,
                              const sm_line_up *line_ups, size_t n_line_ups) {
    double cost = pricing->price(search, node, line_ups, n_line_ups);
    for (size_t u = 0; u < n_line_ups && pricing->costs != NULL; u++) pricing->costs(search, node, u, &line_ups[u]);
    return cost;
}

#endif
