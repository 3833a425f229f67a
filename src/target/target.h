/* target.h - what is known of the pairs, and what the rest of the library needs of it.
 *
 * Growing a tree needs an engine: the best cut of a node's candidates (engine.h). Predicting needs the distances of leaves
 * (leaves.h). Everything else (sampling, directions, thresholds, growing, out of bag, importance, files) is the same for every
 * kind of target.
 *
 * A kind is one sm_target_kind in a file of its own, and its line in target.c. What a kind has no notion of is left out of its
 * tables. docs/adding-a-target.md goes through one step by step. */
#ifndef SM_TARGET_TARGET_H
#define SM_TARGET_TARGET_H

#include <stdatomic.h>

#include "base/strings.h"
#include "base/tensors.h"
#include "target/engine.h"
#include "target/leaves.h"

/* The target itself: what is known of the pairs, variants of it, and files. */
typedef struct sm_target_data {
    void (*free)(smerf_target *target);

    /* What is known of one row of pairs; NaN: nothing.   row  [n_columns] out */
    void (*true_row)(const smerf_target *target, size_t row, double *out);

    /* No distance is known, only which of two is larger: nothing can be grown on it, nor scored by a metric. */
    bool has_no_distances;

    /* Whether that is no longer the true distances, but something near them: no truth to score against. */
    bool is_approximate;

    /* Whether a true distance is that of a linked pair (or of one with the same label). NULL: there are no links. */
    bool (*is_link)(double distance);

    /* A target that sets every z_ii to value, and has the rest in common with this one. */
    smerf_status (*with_diagonal)(const smerf_target *target, double value, smerf_target **out, smerf_error *error);

    /* A target of its own about some of the items, in the order of the rows, which have been checked. NULL: it was made
     * from another target, which can be cut instead.   rows  [n] */
    smerf_status (*take)(const smerf_target *target, const uint32_t *rows, size_t n, smerf_target **out,
                         smerf_error *error);
    bool (*equal)(const smerf_target *a, const smerf_target *b); /* of the same kind */
    smerf_status (*save)(const smerf_target *target, sm_tensors *tensors, smerf_error *error);
    smerf_status (*load)(const sm_tensors *tensors, size_t n_items, smerf_target **out, smerf_error *error);
} sm_target_data;

enum { SM_MOST_ENGINES = 2 };

typedef struct sm_target_kind {
    const char *name;                          /* as written in model files */
    unsigned metrics;                          /* that make sense for it */
    const sm_engine *engines[SM_MOST_ENGINES]; /* the quickest first; the last of them fits any target of the kind */
    sm_predicting predicting;
    sm_explaining explaining;
    sm_values values;
    sm_target_data data;
} sm_target_kind;

/* The first engine that fits. */
const sm_engine *sm_target_engine(const smerf_target *target, const sm_search_size *size);

/* Whether trees are grown by an engine that lists slots, where it fits: lists and line-ups take most of the memory then. */
static inline bool sm_lists_slots(const sm_target_kind *kind) { return kind->engines[0]->lists_slots; }

/* The head of every target; each kind's own struct starts with it. */
struct smerf_target {
    const sm_target_kind *kind;
    atomic_size_t n_owners;
    size_t n_rows, n_columns; /* equal, but for a block to evaluate against */
    bool is_block;
    bool has_no_diagonal;   /* z_ii was not given: what it says of an item and itself is only a convention */
    bool from_similarities; /* z = largest_similarity - q; of a graph: 1 - weight / largest_similarity */
    double largest_similarity;
    sm_strings columns; /* that it was taken from; empty for files of their own */
    double
        rank_fraction; /* of a form of low rank: the fraction of |eigenvalues| that was kept, NaN if not known; else 1 */
    double rank_fraction_of_squares;
};

extern const sm_target_kind sm_target_distances, sm_target_labels, sm_target_response, sm_target_product,
    sm_target_absolute, sm_target_graph, sm_target_pairs, sm_target_rank, sm_target_triplets;

/* By the name in a model file; NULL: unknown. */
const sm_target_kind *sm_target_kind_find(const char *name);

void sm_target_start(smerf_target *target, const sm_target_kind *kind, size_t n_rows, size_t n_columns);

/* One more owner, who will call smerf_target_free. */
smerf_target *sm_target_retain(smerf_target *target);

/* For `load`: a copy of an array of n numbers from a model, each up to `largest` in size.   out  the caller's */
smerf_status sm_target_load_numbers(const sm_tensors *tensors, const char *name, size_t n, double largest, double **out,
                                    smerf_error *error);

/* Likewise the names of the columns that it was taken from, each ended by a NUL; none if the model has no such array. */
smerf_status sm_target_load_columns(const sm_tensors *tensors, sm_strings *columns, smerf_error *error);

/* Refuses what smerf_target_take cannot cut. */
smerf_status sm_target_check_cut(const smerf_target *target, smerf_error *error);

/* Refuses one without distances.
 *   who  needs them: "a forest" */
smerf_status sm_target_check_distances(const smerf_target *target, const char *who, smerf_error *error);

/* What users call its kind: a form that was made from another is called by that one's name. */
const char *sm_target_public_name(const smerf_target *target);

/* The target that says what the distances mean: the one that a block was cut from, else the target itself. */
const smerf_target *sm_target_inner(const smerf_target *target);

#endif
