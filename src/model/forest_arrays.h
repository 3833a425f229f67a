/* forest_arrays.h - all trees of a forest as a few long arrays, and back. */
#ifndef SM_MODEL_FOREST_ARRAYS_H
#define SM_MODEL_FOREST_ARRAYS_H

#include "base/tensors.h"
#include "model/model.h"

/* Adds the trees' arrays (docs/model-format.md lists them). */
smerf_status sm_forest_pack(const smerf_model *model, sm_tensors *tensors, smerf_error *error);

/* Fills model->trees; options.n_trees, n_items and features are there already. Trusts nothing: a tree that does not
 * hang together, or speaks of features, levels or items that are not there, is refused. */
smerf_status sm_forest_unpack(smerf_model *model, const sm_tensors *tensors, smerf_error *error);

#endif
