/* categories.h - the order in which a category's levels stand in a node. */
#ifndef SM_TRAIN_CATEGORIES_H
#define SM_TRAIN_CATEGORIES_H

#include "base/memory.h"
#include "train/grow/problem.h"
#include "train/split/held.h"

/* Steps of the search for a leading vector, at most: as many products with mean distances. */
enum { SM_MOST_STEPS = 12 };

typedef struct sm_categories {
    sm_arena arena;                  /* holds the arrays below */
    sm_held held;                    /* after a line-up, index_of is the index in its order */
    uint32_t *level;                 /* [n_items] by node index, for the target */
    double *weight;                  /* [most held] of each level */
    double *along;                   /* [most held] they are lined up by it */
    double *numbers;                 /* [most held] the same, sorted */
    double *spare;                   /* [most held] */
    uint32_t *sorted, *spare_sorted; /* [most held] */

    /* Of a small matrix: of mean distances, or what a search for the leading vector has of them. */
    double *mean, *centred, *vectors; /* [few][few] */
    double *values, *scratch;         /* [few], [3 few] */

    double *basis, *turned; /* [SM_MOST_STEPS + 1][most held], [most held] where levels may be many */
} sm_categories;

smerf_status sm_categories_start(sm_categories *categories, const sm_problem *problem, smerf_error *error);
void sm_categories_free(sm_categories *categories);

/* What they take. */
double sm_categories_bytes(const sm_problem *problem);

/* Lines up one category in one node, see held.index_of; returns how many levels it holds. */
size_t sm_categories_line_up(sm_categories *categories, const sm_problem *problem, sm_search *search,
                             const sm_node *node, size_t feature);

/* categories_many.c: fills in `along` without the mean distances.   q  levels that the node holds: more than few */
void sm_categories_follow_products(sm_categories *categories, const sm_engine *engine, sm_search *search,
                                   const sm_node *node, size_t q);

/* A vector's entries are equal, or nothing, if they differ by less than this fraction of the largest. */
#define SM_SAME_ENTRY 1e-7
/* Eigenvalues likewise, of the largest mean distance. */
#define SM_SAME_VALUE 1e-9

#endif
