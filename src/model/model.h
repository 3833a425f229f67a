/* model.h - what training leaves behind, and all that prediction needs. */
#ifndef SM_MODEL_MODEL_H
#define SM_MODEL_MODEL_H

#include "model/method.h"
#include "model/tree.h"

struct smerf_model {
    smerf_options options; /* as resolved by training: first_tree and n_trees say which trees these are */
    size_t n_items;
    sm_features features;
    sm_strings ids; /* empty: items are called by their row */
    char *id_column, *weight_column;
    sm_strings ignored;
    double *weights;      /* [n_items] or NULL: all 1 */
    uint64_t *hashes;     /* [n_items] of the items' features */
    smerf_target *target; /* shared */
    sm_tree *trees;       /* [options.n_trees] */
};

/* A model with everything but trees: it knows the items and the target, and has room for options->n_trees. */
smerf_status sm_model_new(const smerf_items *items, const sm_view *view, smerf_target *target,
                          const smerf_options *options, smerf_model **out, smerf_error *error);

/* A copy of a model with room for its trees, but without them; NULL: no memory. */
smerf_model *sm_model_copy_head(const smerf_model *model);

/* Finds each of the items among the training items, by id (or by row, where there are none) and hash.
 *   place  [n_items of items] out, rows of the training items */
smerf_status sm_model_find_items(const smerf_model *model, const smerf_items *items, const sm_view *view,
                                 uint32_t *place, smerf_error *error);

/* Which training items a tree has not seen.   out_of_bag  [n_items] out */
void sm_model_out_of_bag(const smerf_model *model, size_t tree, bool *out_of_bag);

/* For messages: the most members and leaves that any tree has. */
size_t sm_model_most_members(const smerf_model *model);
size_t sm_model_most_leaves(const smerf_model *model);

#endif
