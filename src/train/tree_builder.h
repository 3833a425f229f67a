/* tree_builder.h - grows one tree. */
#ifndef SM_TRAIN_TREE_BUILDER_H
#define SM_TRAIN_TREE_BUILDER_H

#include "base/parallel.h"
#include "model/tree.h"
#include "train/splitter.h"

/* A thread's room for growing trees, one after the other. */
typedef struct sm_tree_builder sm_tree_builder;

smerf_status sm_tree_builder_new(const sm_problem *problem, smerf_kernels kernels, sm_tree_builder **out,
                                 smerf_error *error);
void sm_tree_builder_free(sm_tree_builder *builder);

/* Grows tree `number` of the forest into *tree.
 *   crew, thread  to leave early when the work is cancelled */
smerf_status sm_tree_builder_grow(sm_tree_builder *builder, size_t number, sm_crew *crew, size_t thread, sm_tree *tree,
                                  smerf_error *error);

#endif
