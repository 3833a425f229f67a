/* leaves.h - what a kind of target says of the leaves and nodes of a tree: three tables of sm_target_kind (target.h).
 *   sm_predicting   how far apart two leaves are, Eq. (2)
 *   sm_explaining   how far apart two nodes are
 *   sm_values       the label or response of a leaf, and the leaf as a point
 * Any number of threads may call these at once. */
#ifndef SM_TARGET_LEAVES_H
#define SM_TARGET_LEAVES_H

#include "kernels/blocks.h"
#include "smerf.h"

/* The leaves of one tree, as far as distances between them go. Members stand in the order of the leaves, ascending
 * within each. */
typedef struct sm_leaves {
    size_t n;
    const uint32_t *first; /* [n + 1] indices into the two arrays of members */
    const uint32_t *item;
    const double *weight;
    const double *total; /* [n] the weight of each leaf */

    /* The nodes above them, in preorder: the root is 0, and the leaves of a node stand next to each other. */
    size_t n_nodes;
    const uint32_t *parent;                /* [n_nodes]; of the root: 0 */
    const uint32_t *first_leaf, *end_leaf; /* [n_nodes] */
    const uint32_t *node;                  /* [n] the node that each leaf is */

    const void *summary; /* what the target's kind made of them, see sm_predicting.summarise */
} sm_leaves;

/* The nodes of one tree, for those who need the distances between them. */
typedef struct sm_nodes {
    const sm_leaves *leaves;
    const double *total;    /* [leaves->n_nodes] the weight of each, */
    const double *fraction; /* and what fraction of its parent's that is */
    const void *summary;    /* what the target's kind made of them, see sm_explaining.summarise_nodes */
} sm_nodes;

static inline bool sm_node_holds(const sm_leaves *leaves, size_t node, size_t leaf) {
    return leaf >= leaves->first_leaf[node] && leaf < leaves->end_leaf[node];
}

/* The leaves of SM_BLOCK_ROWS rows, whose distances are found together. */
typedef struct sm_leaf_block {
    const uint32_t *leaf; /* [SM_BLOCK_ROWS], of which some may be the same */
    const sm_block_kernels *kernels;
    double *scratch; /* [n_block_numbers] zeros at first, and then what the call before left there */
} sm_leaf_block;

typedef struct sm_predicting {
    /* The leaves of a tree in few numbers, made once before the tree is used: becomes leaves->summary. NULL where there is no
     * need for one. Returns NULL: no memory.   summary_bytes: what it will take */
    size_t (*summary_bytes)(const smerf_target *target, size_t n_leaves);
    void *(*summarise)(const smerf_target *target, const sm_leaves *leaves);
    void (*summary_free)(void *summary);

    /* Distances of one leaf to all, Eq. (2), and of two leaves. h(l, l') and h(l', l) are the same to the last bit.
     *   row      [leaves->n] out; NaN: undefined in this tree
     *   scratch  [leaves->first[leaves->n]] */
    void (*leaf_row)(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row, double *scratch);
    double (*leaf_pair)(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b);

    /* Mean distance over the pairs of different items among members first .. end-1; NaN if there is none. */
    double (*mean_apart)(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end);

    /* Whether some distances between leaves may be undefined (NaN). */
    bool may_be_undefined;

    /* The distance of two items that no tree defines: the mean of all that is known. NULL: there is none. */
    double (*fallback)(const smerf_target *target);

    /* --- the rest only makes it quicker; each may be NULL --- */

    /* The rows of several leaves side by side, to the last bit. NULL: made from leaf_row.
     *   table  [leaves->n][SM_BLOCK_ROWS] out */
    size_t (*n_block_numbers)(const smerf_target *target);
    void (*leaf_block)(const smerf_target *target, const sm_leaves *leaves, const sm_leaf_block *block, double *table);

    /* The same without a table, for kinds that have a distance sooner than they could look it up: adds the distances of
     * some columns, and is used where they are fewer than the leaves. False: not of these leaves; nothing was done.
     *   column_leaf  [n]
     *   sums         [n][SM_BLOCK_ROWS] */
    bool (*add_block)(const smerf_target *target, const sm_leaves *leaves, const sm_leaf_block *block,
                      const uint32_t *column_leaf, size_t n, double *sums);

    /* A table where every leaf is a single item, so that h is z, if that is a float: the entry of leaf l stands at its
     * item. False: there are other leaves, and nothing was done. NULL: there is no such table.
     *   table  [n_columns][SM_BLOCK_ROWS] out */
    bool (*item_block)(const smerf_target *target, const sm_leaves *leaves, const sm_leaf_block *block, float *table);

    /* A byte for each leaf, such that leaves of different codes are 1 apart and leaves of the same code are 0 apart, each
     * from itself too. For leaves without weights and summary. False: there are others. NULL: there always are.
     *   code  [leaves->n] out */
    bool (*leaf_codes)(const smerf_target *target, const sm_leaves *leaves, uint8_t *code);
} sm_predicting;

/* The mean distance of two nodes is that over all pairs of their members, an item and itself included where both nodes
 * have it, so that it is h for two leaves. Where only some pairs are known, it is that over those; two nodes without
 * any climb as two leaves do. */
typedef struct sm_explaining {
    /* The nodes of a tree in few numbers: becomes nodes->summary. NULL where there is no need for one. Returns NULL: no
     * memory.   node_bytes: what it will take */
    size_t (*node_bytes)(const smerf_target *target, const sm_leaves *leaves);
    void *(*summarise_nodes)(const smerf_target *target, const sm_nodes *nodes);
    void (*nodes_free)(void *summary);

    /* Of every node to the root. NULL: found from path_means or, without these, from leaf_row, if all pairs are known. False: no memory.
     *   mean  [n_nodes] out */
    bool (*root_means)(const smerf_target *target, const sm_nodes *nodes, double *mean);

    /* Of a leaf to the nodes on a path down from the root. The last is that of leaf_pair, to the last bit, if it is a leaf.
     * NULL: found from leaf_row, if all pairs are known.
     *   path     [n] nodes, each the parent of the next
     *   mean     [n] out; NaN: undefined in this tree
     *   scratch  [2 n] */
    void (*path_means)(const smerf_target *target, const sm_nodes *nodes, size_t leaf, const uint32_t *path, size_t n,
                       double *mean, double *scratch);
} sm_explaining;

/* What the values of two leaves say of their distance h, where items' own distances are as they are given. */
typedef enum sm_values_bound {
    SM_NO_BOUND,
    SM_FRACTIONS_BOUND, /* values are fractions of 1, and h is 1 - the sum of their products, or more */
    SM_SQUARES_BOUND    /* h is half the sum of the squared differences, or more */
} sm_values_bound;

typedef struct sm_values {
    /* The label or response itself: how many numbers it is, what they are called, and their means in one leaf. NULL:
     * there is no such thing. */
    size_t (*n_values)(const smerf_target *target);
    const char *(*value_name)(const smerf_target *target, size_t value);
    void (*leaf_values)(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *values);
    sm_values_bound bound;

    /* The Euclidean view: each leaf as a point and a term, such that h(l, l') of two different leaves is the squared distance
     * of their points plus both terms. n_coordinates of a point; 0: these distances have no such view. NULL: none has. */
    size_t (*n_coordinates)(const smerf_target *target);
    void (*leaf_point)(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *point, double *term);
} sm_values;

/* For root_means: means of leaves become those of all nodes, by weight.   leaf_mean  [n]    mean  [n_nodes] out */
void sm_nodes_average(const sm_nodes *nodes, const double *leaf_mean, double *mean);

#endif
