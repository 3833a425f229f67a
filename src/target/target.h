/* target.h - what is known of the pairs, and the few questions the rest of the library asks about it.
 *
 * Growing a tree asks: is this node pure, and what would every cut of these line-ups cost? (A category asks for the
 * mean distances between its levels, too.) Predicting asks: how far apart are two leaves? Everything else (sampling,
 * directions, thresholds, growing, out of bag, importance, files) is the same for every kind of target.
 *
 * A kind is one sm_target_kind in a file of its own, and its line in target.c. Costs are those of the paper's
 * Eq. (1): the cost of a set S is W I(S) = Q(S) / W, with W the sum of the weights w_i, and Q(S) the sum of
 * w_i w_j z_ij over all ordered pairs in S, i = j included. */
#ifndef SM_TARGET_TARGET_H
#define SM_TARGET_TARGET_H

#include <stdatomic.h>

#include "base/strings.h"
#include "base/tensors.h"
#include "kernels/blocks.h"
#include "kernels/kernels.h"
#include "smerf.h"

/* The distinct items of a node, each with the weight of its draws. */
typedef struct sm_node {
    const uint32_t *items; /* [n] ascending, or in the order that the target's kind wants: see near_order */
    size_t n;
    const double *weight;  /* [n] by place in the node; NULL where a scanner knows it */
    double total;          /* the node's weight W */
    const uint32_t *slots; /* [n] ascending: places among all items of the tree. NULL in nodes that no tree has */
} sm_node;

/* The items of a node in one order, and what its cuts would cost. */
typedef struct sm_line_up {
    const uint32_t *order; /* [n] places in the node, from left to right */
    double *left, *right;  /* [n - 1] out: costs of both sides when the first k + 1 go left */
} sm_line_up;

/* The leaves of one tree, as far as distances between them go. Members stand in the order of the leaves, ascending
 * within each. */
typedef struct sm_leaves {
    size_t n;
    const uint32_t *first; /* [n + 1] places in the two arrays of members */
    const uint32_t *item;
    const double *weight;
    const double *total; /* [n] the weight of each leaf */

    /* The nodes above them, in preorder: the root is 0, and the leaves of a node stand next to each other. */
    size_t n_nodes;
    const uint32_t *parent;                /* [n_nodes]; of the root: 0 */
    const uint32_t *first_leaf, *end_leaf; /* [n_nodes] */
    const uint32_t *node;                  /* [n] the node that each leaf is */

    const void *summary; /* what the target's kind made of them, see sm_target_kind.summarise */
} sm_leaves;

/* The nodes of one tree, for those who ask how far apart two of them are. */
typedef struct sm_nodes {
    const sm_leaves *leaves;
    const double *total; /* [leaves->n_nodes] the weight of each, */
    const double *share; /* and what share of its parent's that is */
    const void *summary; /* what the target's kind made of them, see sm_target_kind.summarise_nodes */
} sm_nodes;

static inline bool sm_node_holds(const sm_leaves *leaves, size_t node, size_t leaf) {
    return leaf >= leaves->first_leaf[node] && leaf < leaves->end_leaf[node];
}

/* A thread's state while it grows trees: defined by each kind. */
typedef struct sm_search sm_search;

typedef struct sm_search_size {
    size_t n_items;    /* the most distinct items a tree is grown on */
    size_t n_levels;   /* the most levels of a category */
    size_t n_line_ups; /* the most line-ups priced at once */
    size_t n_threads;  /* how many searches there will be */
    size_t list_bytes; /* that a thread keeps for each item beside line-ups */
    bool are_draws;    /* all weights are numbers of draws: whole, and not of very different sizes */
    smerf_kernels kernels;
} sm_search_size;

/* How far the costs of a cut, of both sides together, may be from what they are: by so much, and by this share of them. */
typedef struct sm_error_bound {
    double least, share;
} sm_error_bound;

/* A quicker way to grow, for kinds whose cuts cost a few sums, where the weight of an item is the number of its draws:
 * nothing is prepared for a node but these sums, and items are known by their slots. */
enum { SM_MOST_DRAWS = 255 };   /* of one item, see slots.c */
typedef struct sm_scan sm_scan; /* a thread's state: defined by each kind */

typedef struct sm_scanner {
    bool (*fits)(const smerf_target *target); /* whether it can grow on this target of its kind */
    sm_scan *(*scan_new)(const smerf_target *target, size_t n_slots, smerf_error *error);
    void (*scan_free)(sm_scan *scan);

    /* Turns to a tree.
     *   items, draws  [n] by slot; at most SM_MOST_DRAWS of one */
    void (*start)(sm_scan *scan, const uint32_t *items, const uint8_t *draws, size_t n);

    /* Items move to other slots: from `first` on.   slots  [n] where they are */
    void (*move)(sm_scan *scan, const uint32_t *slots, size_t n, size_t first);

    /* Turns to a node; false: it is pure.
     *   cost, total  out: of the node itself, which is never below that of a part of it, and its weight W */
    bool (*enter)(sm_scan *scan, const uint32_t *slots, size_t n, double *cost, double *total);

    /* What every cut of the node would gain; returns the most.
     *   order  [n] the node's slots, from left to right
     *   gain   [n - 1] out: when the first k + 1 go left */
    double (*gains)(sm_scan *scan, const uint32_t *order, size_t n, double *gain);

    /* The same along two line-ups at once, which is quicker. */
    void (*gains_of_two)(sm_scan *scan, const uint32_t *const order[2], size_t n, double *const gain[2],
                         double largest[2]);
} sm_scanner;

typedef struct sm_target_kind {
    const char *name; /* as written in model files */
    unsigned metrics; /* that make sense for it */

    void (*free)(smerf_target *target);

    /* --- growing --- */

    /* An order of all items in which those that are looked at together stand near each other: that of the items of every node,
     * so that growing finds them near each other in memory. Trees do not depend on it, but for the last digits of gains. NULL:
     * they ascend.
     *   order  out: [n_rows or more] the caller's, who frees it; NULL: they ascend, since another order would not pay */
    smerf_status (*near_order)(const smerf_target *target, uint32_t **order, smerf_error *error);

    sm_search *(*search_new)(const smerf_target *target, const sm_search_size *size, smerf_error *error);
    void (*search_free)(sm_search *search);

    /* Turns to a node. A view is what the search has prepared for a node and all below it: 0 for the root, else what
     * entering the parent returned. Nodes are entered depth first, left before right. */
    size_t (*enter)(sm_search *search, const sm_node *node, size_t view);

    /* The rest asks about the node entered last. Pure: all z_ij are equal, the diagonal included. */
    bool (*is_pure)(sm_search *search, const sm_node *node);

    /* Fills the costs of all cuts, and returns the cost of the node itself. A call's costs do not depend on which other
     * line-ups are priced with it. */
    double (*price)(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups);

    /* How many of size->n_threads may grow trees at the same time, where the memory of all of them together has a limit; at least
     * one. NULL: all of them. */
    size_t (*most_threads)(const smerf_target *target, const sm_search_size *size);

    /* For kinds that price many line-ups in one call: `price` leaves the costs to `costs`, which fills in those of one
     * line-up of that call, so that not all of them need room at once. NULL: `price` does all.
     *   n_at_once  how many line-ups of a node of size->n_items may be priced in one call, the two of a candidate at least;
     *              of smaller nodes more, up to as many items in all line-ups */
    void (*costs)(sm_search *search, const sm_node *node, size_t line_up, const sm_line_up *out);
    size_t (*n_at_once)(const smerf_target *target, const sm_search_size *size);

    /* For kinds that price large nodes sooner if the costs of cuts may be a little off. NULL: there is no such way. Whether it is
     * quicker, for a node and a number of line-ups, must not depend on who else is at work. `price_roughly` does what `price` does;
     * the cost of the node that it returns is exact.
     *   doubt  out */
    bool (*is_rough_quicker)(sm_search *search, const sm_node *node, size_t n_line_ups);
    double (*price_roughly)(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups,
                            sm_error_bound *bound);

    /* What moving a cut does, exactly: the items `from` to `to` - 1 of an order go over to the left.
     *   left, right  out: by how much Q grows on the left side, and by how much it shrinks on the right */
    void (*move_cut)(sm_search *search, const sm_node *node, const uint32_t *order, size_t from, size_t to,
                     double *left, double *right);

    /* What they say exactly: the costs of one cut, where the first n_left of an order go left; and that of the node. */
    void (*settle)(sm_search *search, const sm_node *node, const uint32_t *order, size_t n_left, double *left,
                   double *right);
    double (*cost)(sm_search *search, const sm_node *node);

    /* Mean distance between the items of two levels, each level's distance to itself included. Items whose level is
     * SMERF_MISSING are left out.
     *   level  [n] by place in the node, below n_levels; every level has an item
     *   mean   [n_levels][n_levels] out */
    void (*level_distances)(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                            double *mean);

    const sm_scanner *scanner; /* NULL: there is no quicker way */

    /* --- predicting; any number of threads at once --- */

    /* What speaks for the leaves of a tree in few numbers, made once before the tree is asked: becomes leaves->summary.
     * NULL where there is no need for one. *out NULL: no memory.   summary_bytes: what it will take */
    size_t (*summary_bytes)(const smerf_target *target, size_t n_leaves);
    void *(*summarise)(const smerf_target *target, const sm_leaves *leaves);
    void (*summary_free)(void *summary);

    /* Whether a tree may have nothing to say of two leaves: some distances between leaves are NaN. */
    bool may_be_undefined;

    /* The distance of two items for which every tree is silent: the mean of all that is known. NULL: there is none. */
    double (*fallback)(const smerf_target *target);

    /* Whether it no longer knows the true distances, but something near them: no truth to score against. */
    bool is_approximate;

    /* Distances of one leaf to all, Eq. (2), and of two leaves. h(l, l') and h(l', l) are the same to the last bit.
     *   row      [leaves->n] out; NaN: the tree has nothing to say
     *   scratch  [leaves->first[leaves->n]] */
    void (*leaf_row)(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row, double *scratch);
    double (*leaf_pair)(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b);

    /* The rows of several leaves side by side, to the last bit; NULL: made from leaf_row.
     *   leaf     [SM_BLOCK_ROWS], of which some may be the same
     *   scratch  [n_strip_numbers] zeros at first, and then what the call before left there
     *   table    [leaves->n][SM_BLOCK_ROWS] out */
    size_t (*n_strip_numbers)(const smerf_target *target);
    void (*leaf_strip)(const smerf_target *target, const sm_leaves *leaves, const uint32_t *leaf,
                       const sm_block_kernels *kernels, double *scratch, double *table);

    /* The same without a table, for kinds that have a distance sooner than they could look it up: adds the distances of
     * some columns, and is used where they are fewer than the leaves. False: not of these leaves; nothing was done.
     *   column_leaf  [n]
     *   sums         [n][SM_BLOCK_ROWS] */
    bool (*add_strip)(const smerf_target *target, const sm_leaves *leaves, const uint32_t *leaf,
                      const sm_block_kernels *kernels, double *scratch, const uint32_t *column_leaf, size_t n,
                      double *sums);

    /* A table where every leaf is a single item, so that h is z, if that is a float: the entry of leaf l stands at its
     * item. False: there are other leaves, and nothing was done. NULL: there is no such table.
     *   table  [n_columns][SM_BLOCK_ROWS] out */
    bool (*item_strip)(const smerf_target *target, const sm_leaves *leaves, const uint32_t *leaf,
                       const sm_block_kernels *kernels, float *table);

    /* A byte for each leaf, such that leaves of different codes are 1 apart and leaves of the same code are 0 apart, each
     * from itself too. Asked of leaves without weights and summary. False: there are others. NULL: there always are.
     *   code  [leaves->n] out */
    bool (*leaf_codes)(const smerf_target *target, const sm_leaves *leaves, uint8_t *code);

    /* Mean distance over the pairs of different items among members first .. end-1; NaN if there is none. */
    double (*mean_apart)(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end);

    /* --- explaining; any number of threads at once ---
     * The mean distance of two nodes is that over all pairs of their members, an item and itself included where both nodes
     * have it, so that it is h for two leaves. Where only some pairs are known, it is that over those; two nodes without
     * any climb as two leaves do. */

    /* What speaks for the nodes of a tree in few numbers: becomes nodes->summary. NULL where there is no need for one.
     * *out NULL: no memory.   node_bytes: what it will take */
    size_t (*node_bytes)(const smerf_target *target, const sm_leaves *leaves);
    void *(*summarise_nodes)(const smerf_target *target, const sm_nodes *nodes);
    void (*nodes_free)(void *summary);

    /* Of every node to the root. NULL: found from path_means, if all pairs are known. False: no memory.
     *   mean  [n_nodes] out */
    bool (*root_means)(const smerf_target *target, const sm_nodes *nodes, double *mean);

    /* Of a leaf to the nodes on a way down from the root. The last is what leaf_pair says, to the last bit, if it is a leaf.
     * NULL: found from leaf_row, if all pairs are known.
     *   path     [n] nodes, each the parent of the next
     *   mean     [n] out; NaN: the tree has nothing to say
     *   scratch  [2 n] */
    void (*path_means)(const smerf_target *target, const sm_nodes *nodes, size_t leaf, const uint32_t *path, size_t n,
                       double *mean, double *scratch);

    /* --- values and truth --- */

    /* The label or response itself: how many numbers it is, what they are called, and their means in one leaf. NULL:
     * there is no such thing. */
    size_t (*n_values)(const smerf_target *target);
    const char *(*value_name)(const smerf_target *target, size_t value);
    void (*leaf_values)(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *values);

    /* The Euclidean view: each leaf as a point and a term, such that h(l, l') of two different leaves is the squared distance
     * of their points plus both terms. n_coordinates of a point; 0: these distances have no such view. NULL: none has. */
    size_t (*n_coordinates)(const smerf_target *target);
    void (*leaf_point)(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *point, double *term);

    /* What is known of one row of pairs; NaN: nothing.   row  [n_columns] out */
    void (*true_row)(const smerf_target *target, size_t row, double *out);

    /* Whether a true distance is that of a linked pair (or of one with the same label). NULL: there are no links. */
    bool (*is_link)(double distance);

    /* --- variants and files --- */

    /* A target that sets every z_ii to value, sharing the rest with this one. */
    smerf_status (*with_diagonal)(const smerf_target *target, double value, smerf_target **out, smerf_error *error);

    /* A target of its own about some of the items, in the order of the rows, which have been checked. NULL: it was made
     * from another target, which can be cut instead.   rows  [n] */
    smerf_status (*take)(const smerf_target *target, const uint32_t *rows, size_t n, smerf_target **out,
                         smerf_error *error);
    bool (*equal)(const smerf_target *a, const smerf_target *b); /* of the same kind */
    smerf_status (*save)(const smerf_target *target, sm_tensors *tensors, smerf_error *error);
    smerf_status (*load)(const sm_tensors *tensors, size_t n_items, smerf_target **out, smerf_error *error);
} sm_target_kind;

/* Prices line-ups that all have room for their costs, as tests and benchmarks do. */
static inline double sm_price(const sm_target_kind *kind, sm_search *search, const sm_node *node,
                              const sm_line_up *line_ups, size_t n_line_ups) {
    double cost = kind->price(search, node, line_ups, n_line_ups);
    for (size_t u = 0; u < n_line_ups && kind->costs != NULL; u++) kind->costs(search, node, u, &line_ups[u]);
    return cost;
}

/* The head of every target; each kind's own struct starts with it. */
struct smerf_target {
    const sm_target_kind *kind;
    atomic_size_t n_owners;
    size_t n_rows, n_columns; /* equal, but for a block to evaluate against */
    bool is_block;
    bool has_no_diagonal;   /* z_ii was not given: what it says of an item and itself is only a convention */
    bool from_similarities; /* z = largest_similarity - q */
    double largest_similarity;
    sm_strings columns; /* that it was taken from; empty for files of their own */
    double
        rank_fraction; /* of a form of low rank: the share of |eigenvalues| that was kept, NaN if not known; else 1 */
    double rank_fraction_of_squares;
};

extern const sm_target_kind sm_target_distances, sm_target_labels, sm_target_response, sm_target_product,
    sm_target_absolute, sm_target_graph, sm_target_pairs, sm_target_rank;

/* By the name in a model file; NULL: unknown. */
const sm_target_kind *sm_target_kind_find(const char *name);

void sm_target_start(smerf_target *target, const sm_target_kind *kind, size_t n_rows, size_t n_columns);

/* One more owner, who will call smerf_target_free. */
smerf_target *sm_target_retain(smerf_target *target);

/* For `load`: a copy of an array of n numbers from a model, each up to `largest` in size.   out  the caller's */
smerf_status sm_target_load_numbers(const sm_tensors *tensors, const char *name, size_t n, double largest, double **out,
                                    smerf_error *error);

/* Likewise the names of the columns that it was taken from, each ended by a NUL; none if the model has no such array. */
smerf_status sm_target_load_columns(const sm_tensors *tensors, sm_strings *columns, smerf_error *error);

/* For `root_means`: means of leaves become those of all nodes, by weight.   leaf_mean  [n]    mean  [n_nodes] out */
void sm_nodes_average(const sm_nodes *nodes, const double *leaf_mean, double *mean);

/* Refuses what smerf_target_take cannot cut. */
smerf_status sm_target_check_cut(const smerf_target *target, smerf_error *error);

/* What users call its kind: a form that was made from another is called by that one's name. */
const char *sm_target_public_name(const smerf_target *target);

/* The target that says what the distances mean: the one that a block was cut from, else the target itself. */
const smerf_target *sm_target_inner(const smerf_target *target);

#endif
