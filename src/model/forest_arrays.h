/* forest_arrays.h - all trees of a forest as a few long arrays, and back.
 *
 * What follows from the rest is not stored: the left child is the next node, the right child comes after the left
 * subtree, splits and leaves are numbered in order, sums of weights come from the members. Arrays that would hold one
 * value throughout (one term a split, weight +1, one draw an item) are left out. */
#ifndef SM_MODEL_FOREST_ARRAYS_H
#define SM_MODEL_FOREST_ARRAYS_H

#include "base/tensors.h"
#include "model/model.h"

/* The bits of node.kind. */
enum { SM_NODE_IS_LEAF = 1, SM_NODE_IS_CATEGORY = 2, SM_NODE_MISSING_LEFT = 4 };

/* Adds the trees' arrays (docs/model-format.md lists them), which are read from the model when they are written. */
smerf_status sm_forest_pack(const smerf_model *model, sm_tensors *tensors, smerf_error *error);

/* Fills model->trees; options.n_trees, n_items and features are there already. Trusts nothing: a tree that does not
 * hang together, or speaks of features, levels or items that are not there, is refused. */
smerf_status sm_forest_unpack(smerf_model *model, const sm_tensors *tensors, smerf_error *error);

#endif
