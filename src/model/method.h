/* method.h - a way of learning distances other than growing a forest on them, behind one table of functions.
 *
 * Each method is a file or a few in src/method that fill an sm_method, and a line in src/method/methods.c. A model of
 * such a method has no trees and no target, but what was learned. Requests go the same way as those to a forest: the
 * query matches the items, has the method make a predictor, and takes rows of distances from it. */
#ifndef SM_MODEL_METHOD_H
#define SM_MODEL_METHOD_H

#include "base/parallel.h"
#include "base/tensors.h"
#include "data/items.h"
#include "target/target.h"

/* What a method has learned, and what it has made ready for one query: each method defines its own. */
typedef struct sm_learned sm_learned;
typedef struct sm_predictor sm_predictor;

/* Numbers that a method reports about what it has learned: `info` shows them, the model file keeps them. */
enum { SM_MOST_DIAGNOSTICS = 12 };

typedef struct sm_diagnostics {
    size_t n;
    struct sm_diagnostic {
        char name[32]; /* lower case with blanks: "kkt residual" */
        double value;
    } diagnostic[SM_MOST_DIAGNOSTICS];
} sm_diagnostics;

void sm_diagnostics_add(sm_diagnostics *diagnostics, const char *name, double value);

/* The items of a query, matched to the model's features. */
typedef struct sm_query_items {
    const sm_view *view;
    const uint32_t
        *training_row; /* [n_items] SMERF_MISSING for new ones; NULL unless the method knows_items, or out of bag */
    const smerf_items *items;
} sm_query_items;

typedef struct sm_query_sides {
    const sm_features *features;
    size_t n_trained;             /* items that the model was trained on */
    sm_query_items rows, columns; /* the same if is_square */
    bool is_square;
    bool is_out_of_bag; /* the rows are training items, and predict_row gives NaN where nothing is out of bag */
    size_t n_threads;   /* that will predict */
} sm_query_sides;

typedef struct sm_method {
    const char *name;        /* as in --method and in model files */
    bool knows_items;        /* it tells training items from new ones */
    bool learns_log_odds;    /* from triplets: differences of its distances are log-odds */
    const char *refuses_new; /* the sentence with which it refuses items it was not trained on; NULL: it takes them */

    bool mirrors_rows; /* it takes its time: predict_row is not asked for (i, j) and (j, i), if both are wanted */

    void (*free)(sm_learned *learned); /* takes NULL */

    /* Makes ready for a query, which outlives the predictor. */
    smerf_status (*predictor_new)(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
                                  sm_predictor **out, smerf_error *error);
    void (*predictor_free)(sm_predictor *predictor); /* takes NULL */

    /* The distances of one row to some columns; threads call it at the same time, each for rows of its own. d(i, j) and
     * d(j, i) are the same to the last bit, and do not depend on which other columns there are.
     *   columns    [n] or NULL: columns 0 .. n - 1
     *   distances  [n] out */
    void (*predict_row)(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n, size_t thread,
                        double *distances);

    /* Instead of that, for a method that is much quicker with many pairs at a time: the distances of any pairs. NULL: row
     * by row it is.
     *   left, right  [n] rows and columns of the query */
    void (*predict_pairs)(sm_predictor *predictor, const uint32_t *left, const uint32_t *right, size_t n,
                          double *distances);

    /* A model that predictions start from: predict_row finds its distances in place of its own, and explain its account; NaN
     * where it has none. NULL, or it returns NULL: there is none. */
    const smerf_model *(*base_of)(const sm_learned *learned);

    /* One pair taken apart: baseline and contributions add up to what predict_row gives; all NaN where that is. NULL: the method
     * has no notion of it.
     *   base           what the model predicts that it starts from, whose account is in the others
     *   contributions  [n_features] out */
    void (*explain)(sm_predictor *predictor, const uint32_t pair[2], double base, double *baseline,
                    double *contributions);

    /* The sum of the gains of each feature, none below 0. NULL: likewise.   importance  [n_features] out */
    void (*importance)(const sm_learned *learned, double *importance);

    /* Refuses a model that has nothing out of bag. NULL: the method has no notion of it. */
    smerf_status (*check_out_of_bag)(const sm_learned *learned, smerf_error *error);

    /* To named arrays "learned.*", and back: the arrays are hostile until checked. */
    smerf_status (*save)(const sm_learned *learned, sm_tensors *tensors, smerf_error *error);
    smerf_status (*load)(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                         smerf_error *error);
} sm_method;

/* src/method/methods.c has the table; NULL for the forest itself. The model is the one room that knows a later one, by
 * these two names only: what a file holds must be looked up somewhere. */
const sm_method *sm_method_of(smerf_method method);
bool sm_method_find(const char *name, smerf_method *out); /* "smerf" too; false: unknown */

#endif
