/* categories.h - the levels of a category that a node holds, and the order in which they stand there. */
#ifndef SM_TRAIN_CATEGORIES_H
#define SM_TRAIN_CATEGORIES_H

#include "base/memory.h"
#include "train/grow/problem.h"

/* ---- which levels a node holds, in a time that goes by its items and not by all levels ---- */

typedef struct sm_held {
    uint32_t *level;    /* [most held] those that the node holds, ascending */
    uint32_t *index_of; /* [most levels] by level: its index in `level`; SMERF_MISSING: the node does not hold it */
    size_t n;
    uint64_t *keys, *spare; /* [most held] to sort levels */
} sm_held;

/*   most_levels  of a category; n_items  of a node. The arena says whether there was memory. */
void sm_held_start(sm_held *held, sm_arena *arena, size_t most_levels, size_t n_items);

/*   codes  [all items] of a category */
void sm_held_find(sm_held *held, const uint32_t *codes, const sm_node *node);

/* ---- the order of these ---- */

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
