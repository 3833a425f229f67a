/* tree_builder.h - grows one tree, or a branch of one. */
#ifndef SM_TRAIN_TREE_BUILDER_H
#define SM_TRAIN_TREE_BUILDER_H

#include "train/grow/branches.h"
#include "train/split/splitter.h"

/* A thread's scratch for growing trees, one after the other. */
typedef struct sm_tree_builder sm_tree_builder;

smerf_status sm_tree_builder_new(const sm_problem *problem, smerf_kernels kernels, sm_tree_builder **out,
                                 smerf_error *error);
void sm_tree_builder_free(sm_tree_builder *builder);

/* Grows a branch. Parts of it are left to other threads where these have nothing to do.
 *   thread  which one this is, to leave early when the work is cancelled */
smerf_status sm_tree_builder_grow(sm_tree_builder *builder, sm_branch *branch, sm_branches *branches, size_t thread,
                                  smerf_error *error);

#endif
