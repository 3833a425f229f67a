/* forest_arrays.h - all trees of a forest as a few long arrays, and back.
 *
 * Two layouts share this code (docs/model-format.md lists both): a forest on distances keeps the members of each leaf
 * ("tree.*", "node.*", "split.*", ...), a forest on values keeps the values of each leaf ("learned.*"). What follows from
 * the rest is not stored: the left child is the next node, the right child comes after the left subtree, splits and leaves
 * are numbered in order, sums of weights come from the members. Arrays that would hold one value throughout (one term a
 * split, weight +1, one draw an item) are left out. */
#ifndef SM_MODEL_FOREST_ARRAYS_H
#define SM_MODEL_FOREST_ARRAYS_H

#include "base/tensors.h"
#include "model/model.h"

/* The bits of node.kind and learned.mark. The second one says of a forest on distances that a set of levels decides, and
 * of a forest on values that the split is long: a sum of features or a set of levels. */
enum { SM_NODE_IS_LEAF = 1, SM_NODE_IS_CATEGORY = 2, SM_NODE_IS_LONG = 2, SM_NODE_MISSING_LEFT = 4 };

/* ---- packing ---- */

/* One array of a layout. `put` hands its bytes on, all trees one after the other. */
typedef struct sm_forest_array {
    const char *name;
    sm_tensor_type type;
    sm_tensor_put put;
    bool is_needed; /* else it is left out */
} sm_forest_array;

/* Adds the arrays that are needed. They are read from the forest when they are written, without a copy of the whole: a
 * forest may fill most of the memory. Their lengths are found by counting what `put` hands on.   forest  what `put` takes */
smerf_status sm_forest_add_arrays(const void *forest, const sm_forest_array *arrays, size_t n, sm_tensors *tensors,
                                  smerf_error *error);

/* The trees of a forest on distances. */
smerf_status sm_forest_pack(const smerf_model *model, sm_tensors *tensors, smerf_error *error);

/* ---- unpacking ---- */

/* Fills model->trees; options.n_trees, n_items and features are there already. Trusts nothing: a tree that does not
 * hang together, or has features, levels or items that are not there, is refused. */
smerf_status sm_forest_unpack(smerf_model *model, const sm_tensors *tensors, smerf_error *error);

typedef struct sm_tree_counts {
    size_t n_nodes, n_splits, n_leaves, n_terms, n_left, n_members, n_long;
} sm_tree_counts;

/* What is still unread of each array; NULL where the file has none. */
typedef struct sm_unpacker {
    const double *threshold, *gain, *value;
    const uint32_t *n_leaves, *n_members, *item, *draws, *split_feature, *n_terms, *term_feature, *level, *n_left,
        *left;
    const int8_t *weight;
    const uint8_t *kind;
    size_t n_trees, n_values; /* n_values: 0 where leaves have members */
    sm_tree_counts rest;
} sm_unpacker;

/* The arrays of a forest on values, of which each leaf has n_values. */
smerf_status sm_unpack_values_start(sm_unpacker *from, const sm_tensors *tensors, size_t n_values, smerf_error *error);

/* The next tree, as checked as above. Without gains and members, but `values` is [n_leaves][n_values] of the file. The
 * tree is to be freed also on failure.   b  its number, for messages; features: only kind and number of levels matter */
smerf_status sm_unpack_values_tree(sm_unpacker *from, size_t b, const sm_features *features, sm_tree *tree,
                                   const double **values, smerf_error *error);

/* Refuses arrays that are longer than the trees that were taken. */
smerf_status sm_unpack_finish(const sm_unpacker *from, smerf_error *error);

#endif
