/* model.h - what training leaves behind, and all that prediction needs: the trees and the target of a forest, or what
 * another method has learned. */
#ifndef SM_MODEL_MODEL_H
#define SM_MODEL_MODEL_H

#include "model/method.h"
#include "model/shrinkage.h"
#include "model/tree.h"
#include <jansson.h>
#include <stdatomic.h>

/* What is remembered of a target that the model itself does not need. */
typedef struct sm_public_target {
    char *name;
    sm_strings columns;
    bool from_similarities;
    double largest_similarity;
} sm_public_target;

/* The head of what requests make of the trees once and leave to those that follow: predict/prepared.h. */
typedef struct sm_prepared {
    void (*free)(struct sm_prepared *prepared, const smerf_model *model);
} sm_prepared;

struct smerf_model {
    smerf_options options;            /* as resolved by training: first_tree and n_trees say which trees these are */
    smerf_baseline_options baselines; /* options.baselines points to these, */
    smerf_boost_options boost;        /* and options.boost to these */
    size_t n_items;
    sm_features features;
    sm_strings ids; /* empty: items are called by their row */
    char *id_column, *weight_column;
    char *note; /* that the file was saved with, or NULL */
    sm_strings ignored;
    double *weights;  /* [n_items] or NULL: all 1 */
    uint64_t *hashes; /* [n_items] of the items' features */

    /* A forest. */
    smerf_target *target;            /* shared */
    sm_tree *trees;                  /* [options.n_trees] */
    _Atomic(sm_prepared *) prepared; /* NULL: nobody has asked for it */
    sm_shrinkage shrinkage;

    /* Another method: there is no target, and there are no trees. */
    const sm_method *method; /* NULL: a forest */
    sm_learned *learned;
    sm_diagnostics diagnostics;
    sm_public_target trained_on;
};

/* The model's own copy of options, whose baselines and boost may be NULL: all 0. It has no shrinkage yet. */
void sm_model_set_options(smerf_model *model, const smerf_options *options);

/* A model with everything but trees: it knows the items and the target, and has memory for options->n_trees. */
smerf_status sm_model_new(const smerf_items *items, const sm_view *view, smerf_target *target,
                          const smerf_options *options, const smerf_run *run, smerf_model **out, smerf_error *error);

/* The same for another method, without what it has learned. */
smerf_status sm_model_new_for_method(const smerf_items *items, const sm_view *view, const smerf_target *target,
                                     const smerf_options *options, const smerf_run *run, smerf_model **out,
                                     smerf_error *error);

/* Refuses a model without trees.   what  that has no notion of other methods: "merging" */
smerf_status sm_model_check_forest(const smerf_model *model, const char *what, smerf_error *error);

/* Refuses a model that has nothing out of bag. */
smerf_status sm_model_check_out_of_bag(const smerf_model *model, smerf_error *error);

/* A copy of a model with memory for its trees, but without them; NULL: no memory. */
smerf_model *sm_model_copy_head(const smerf_model *model);

/* Looks each of the items up among the training items, by id (or by row, where there are none) and hash.
 *   rows  [n_items of items] out, those of the training items; SMERF_MISSING: it is none of them */
smerf_status sm_model_look_up(const smerf_model *model, const smerf_items *items, const sm_view *view, uint32_t *rows,
                              smerf_error *error);

/* The same where all of them must be training items: out of bag. */
smerf_status sm_model_find_items(const smerf_model *model, const smerf_items *items, const sm_view *view,
                                 uint32_t *rows, smerf_error *error);

/* Which training items a tree has not seen.   out_of_bag  [n_items] out */
void sm_model_out_of_bag(const smerf_model *model, size_t tree, bool *out_of_bag);

/* model_file.c: what tells a model from others, whatever file it came from: a checksum of its features and arrays. */
smerf_status sm_model_digest(const smerf_model *model, char digits[33], smerf_error *error);

/* For messages: the most members and leaves that any tree has. */
size_t sm_model_most_members(const smerf_model *model);
size_t sm_model_most_leaves(const smerf_model *model);

/* ---- the facts in a model's header. ---- */

/* Written in the header; a reader refuses what is newer than it knows. The second is that of models whose distances may be drawn
 * towards the mean, which readers of the first would not do. */
enum { SM_FORMAT_VERSION = 1, SM_SHRINKING_FORMAT_VERSION = 2 };

/* model_facts.c: everything that is not an array, as an object of strings. NULL: no memory.   note  or NULL */
json_t *sm_facts_write(const smerf_model *model, const char *note);

/* Fills options, n_items, features, columns; the target's kind goes to *kind, NULL if the method keeps no target. */
smerf_status sm_facts_read(smerf_model *model, const json_t *facts, const char *name, const sm_target_kind **kind,
                           smerf_error *error);

#endif
