/* problem.h - everything that growing a tree reads, gathered once before the first tree. */
#ifndef SM_TRAIN_PROBLEM_H
#define SM_TRAIN_PROBLEM_H

#include <string.h>

#include "base/parallel.h"
#include "data/items.h"
#include "target/target.h"

/* What is known of a column of numbers beyond its ranks. */
typedef struct sm_column_facts {
    size_t most_alike; /* the most items that have the same number, or none */
    bool has_repeats;  /* some items have the same number */
    size_t n_missing;
} sm_column_facts;

typedef struct sm_problem {
    size_t n_items, n_features;
    const sm_view *view;
    const sm_features *features;
    const smerf_target *target;
    const sm_engine *engine;      /* that grows on it */
    const double *item_weights;   /* [n_items] or NULL: all 1 */
    const smerf_options *options; /* resolved */
    uint32_t **ranks;             /* [n_features][n_items] the index of a number among the different values of its
                                     column, SMERF_MISSING where there is none; NULL for a category, and where there are
                                     orders and no two items are alike. Owned. */
    sm_column_facts *facts;       /* [n_features] of the columns of numbers */
    uint8_t **orders;             /* [n_features][n_items] items by number, then by row, missing ones last, see
                                     sm_ordered_item; NULL for a category, or altogether: no tree is kept in order. Owned. */
    size_t order_width;           /* the bytes of one of them */
    uint64_t *tie_bits;   /* [n_items] bits of columns of numbers, see sm_column_bit: in all others the item has a
                                     number that no other has. Owned. */
    uint32_t *near_order; /* [n_items] the items as the slots of a tree follow them, see sm_engine; NULL: ascending.
                                     Owned. */
    size_t n_numbers;     /* features that are numbers */
    size_t most_alike;    /* items that have the same number in a column, or none */
    size_t n_draws;       /* by one tree */
    size_t most_in_bag;   /* the most different items in one tree */
    size_t most_sorted;   /* items of a subtree that is kept in order, see sorted.h; 0: none is */
    size_t most_line_ups; /* at one node: two a candidate where values may be missing */
    size_t n_threads;     /* that grow trees */
} sm_problem;

/* Starts from one of which view, features, target, item_weights and options are given. */
smerf_status sm_problem_start(sm_problem *problem, const sm_problem *given, sm_pool *pool, smerf_error *error);
void sm_problem_free(sm_problem *problem);

/* Up to how many items a subtree is kept in order along all columns, because parting these is quicker than sorting along the
 * candidates; 0: it is not. */
size_t sm_problem_most_sorted(const smerf_options *options, const smerf_target *target, size_t n_numbers,
                              size_t most_in_bag);

/* A column's bit among 64, which others may have too. */
static inline uint64_t sm_column_bit(size_t feature) { return (uint64_t)1 << feature % 64; }

/* One of the items in order: as few bytes as it takes, for there are as many as numbers. */
static inline uint32_t sm_ordered_item(const uint8_t *order, size_t width, size_t r) {
    uint32_t item;
    memcpy(&item, order + r * width, sizeof item);
    return width == sizeof item ? item : item & 0xFFFFFF;
}

/* The first engine of the target's kind that fits the problem. */
const sm_engine *sm_problem_choose_engine(const sm_problem *problem);

/* How many of the threads of a run grow trees. */
size_t sm_problem_threads(const sm_problem *problem, size_t n_query);

/* What the target's search has to be ready for. */
sm_search_size sm_problem_search_size(const sm_problem *problem);

/* The most levels that a category has; 0 if there is none. */
size_t sm_problem_most_levels(const sm_problem *problem);

/* How often tree `number` draws each item.
 *   draws  [n_items] out */
void sm_sample_draw(const sm_problem *problem, size_t number, uint32_t *draws);

/* ranks.c: fills in ranks, orders and facts, for which there are arrays of columns. */
smerf_status sm_problem_rank(sm_problem *problem, sm_pool *pool, smerf_error *error);

/* options.c: checks the options against the data and spells out every automatic choice, by the kind of target and the
 * number of features (docs/defaults.md). */
smerf_status sm_options_resolve(const smerf_options *options, const smerf_items *items, const smerf_target *target,
                                smerf_options *resolved, smerf_error *error);

/* The number of non-zeros in the projections of one node. */
size_t sm_options_non_zeros(const smerf_options *resolved, size_t n_features);

/* The number of draws of one tree. */
size_t sm_options_draws(const smerf_options *resolved, size_t n_items);

#endif
