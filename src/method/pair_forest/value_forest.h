/* value_forest.h - a forest of which only predictions are wanted: the way down each tree, and what its leaves hold.
 *
 * Trees come as sm_tree, from training or from a file (model/forest_arrays.h), and are kept in a form that suits many
 * descents of pairs: nodes in preorder, 16 bytes each. A split by one number is all in its step, with nothing else to look
 * up on the way down; the left child is the next step, so half of the way is in the same or the next cache line. Sums of
 * features and sets of levels stand apart, as the splits of an sm_tree ("long" splits). Decision 22 has figures. */
#ifndef SM_METHOD_VALUE_FOREST_H
#define SM_METHOD_VALUE_FOREST_H

#include "model/model.h"

typedef struct sm_value_step {
    double threshold; /* x <= threshold goes left; of a leaf: its first value */
    uint32_t mark;    /* the feature, or the index of the long split; and the bits below */
    uint32_t right;   /* the right child; of a leaf: its leaf index */
} sm_value_step;

#define SM_STEP_IS_LEAF 0x80000000u
#define SM_STEP_IS_LONG 0x40000000u
#define SM_STEP_MISSING_LEFT 0x20000000u
#define SM_STEP_INDEX 0x1FFFFFFFu /* what is left for the feature or the index of the long split */

typedef struct sm_value_tree {
    size_t n_nodes, n_leaves;
    sm_value_step *steps; /* [n_nodes] */
    double *others;       /* [n_leaves][n_values - 1] values after the first; NULL: there is one */
    sm_tree long_splits;  /* [n_splits] these only, without nodes and leaves; filled with zeros: there are none */
} sm_value_tree;

typedef struct sm_value_forest {
    size_t n_trees, n_values;
    sm_value_tree *trees; /* [n_trees] */
} sm_value_forest;

/* Reserves so many trees. */
smerf_status sm_value_forest_start(sm_value_forest *forest, size_t n_trees, size_t n_values, smerf_error *error);
void sm_value_forest_free(sm_value_forest *forest); /* fine on one filled with zeros */

/* The trees of a model that was fitted on a response, as trees first, first + 1, ...; its values times `scale`. */
smerf_status sm_value_forest_take(sm_value_forest *forest, size_t first, const smerf_model *model, double scale,
                                  smerf_error *error);

/* Mean values over the trees of items first .. end-1.   values  [end - first][n_values] out */
void sm_value_forest_predict(const sm_value_forest *forest, const sm_view *view, size_t first, size_t end,
                             double *values);

/* To arrays "learned.*" (docs/model-format.md), which are read from the forest when they are written. */
smerf_status sm_value_forest_save(const sm_value_forest *forest, sm_tensors *tensors, smerf_error *error);

/* And back. Trusts nothing: a tree that does not hang together, or has features or levels that are not there, is refused.
 *   features  of these only kind and number of levels matter */
smerf_status sm_value_forest_load(sm_value_forest *forest, const sm_tensors *tensors, const sm_features *features,
                                  size_t n_values, smerf_error *error);

#endif
