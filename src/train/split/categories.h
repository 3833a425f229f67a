/* categories.h - the order in which a category's levels stand in a node. */
#ifndef SM_TRAIN_CATEGORIES_H
#define SM_TRAIN_CATEGORIES_H

#include "base/memory.h"
#include "train/grow/problem.h"

typedef struct sm_categories {
    sm_arena arena;     /* holds the arrays below */
    uint32_t *held;     /* [most levels] the levels that the node holds, in the order of the line-up */
    uint32_t *index_of; /* [most levels] by level: its index in held; SMERF_MISSING: the node does not hold it */
    uint32_t *level;    /* [n_items] by node index, for the target */
    double *weight;     /* [most held] of each level */
    double *mean, *centred, *vectors; /* [most held][most held] */
    double *values, *along, *scratch;
    uint32_t *sorted;
} sm_categories;

smerf_status sm_categories_start(sm_categories *categories, const sm_problem *problem, smerf_error *error);
void sm_categories_free(sm_categories *categories);

/* Fills held and index_of for one category in one node; returns how many levels it holds. */
size_t sm_categories_line_up(sm_categories *categories, const sm_problem *problem, sm_search *search,
                             const sm_node *node, size_t feature);

#endif
