/* shuffles.h - how much worse a tree predicts its out-of-bag pairs when features are shuffled among its out-of-bag items.
 *
 * The error of a tree is the mean squared error over the unordered pairs of its out-of-bag items; shuffling a feature deals
 * its values out anew among these items. The shuffle of feature f in tree b comes from the random stream
 * (seed, b, SM_STREAM_PERMUTE + (f << 8)), whatever else is shuffled with it. */
#ifndef SM_QUERY_SHUFFLES_H
#define SM_QUERY_SHUFFLES_H

#include "predict/query.h"

enum { SM_MOST_SHUFFLED = 2 }; /* features at the same time */

/* A thread's room. */
typedef struct sm_shuffle_scratch {
    sm_arena arena; /* holds the arrays below */
    sm_leaf_scratch leaf;
    bool *is_out;                    /* [n_items of the model] */
    uint32_t *out;                   /* [n_items] rows of the tree's out-of-bag items */
    uint32_t *shuffled;              /* [n_items] whose value each of them gets */
    uint32_t *leaf_of;               /* [n_items] by index in out */
    double *mixed[SM_MOST_SHUFFLED]; /* [n_items] shuffled columns of numbers, by item */
    uint32_t *mixed_codes[SM_MOST_SHUFFLED];
    double *apart; /* [n_items] by index in out: from one of them */
    double *truth; /* [n_items] */
} sm_shuffle_scratch;

typedef struct sm_shuffles {
    const smerf_model *model;
    sm_view view;
    const smerf_target *truth;
    bool is_models_own;     /* the truth is about the training items, in their order */
    uint32_t *training_row; /* [n_items] rows of the training items */
    size_t n_threads;
    sm_shuffle_scratch *scratches; /* [n_threads] */
} sm_shuffles;

/* Refuses models and items that have nothing out of bag.   truth  NULL: what the model was trained on */
smerf_status sm_shuffles_start(sm_shuffles *shuffles, const smerf_model *model, const smerf_items *items,
                               const smerf_target *truth, size_t n_threads, smerf_error *error);
void sm_shuffles_free(sm_shuffles *shuffles); /* fine on one filled with zeros */

/* One tree, and a thread's memory for it. */
typedef struct sm_shuffled_tree {
    const sm_shuffles *shuffles;
    sm_shuffle_scratch *scratch;
    size_t b, n_out;
    sm_ready ready;
    sm_view mixed;
    double before; /* the error as it is; NaN: the tree has no pair */
} sm_shuffled_tree;

/* False: no memory, and there is nothing to free. */
bool sm_shuffled_start(sm_shuffled_tree *at, const sm_shuffles *shuffles, size_t b, size_t thread);
void sm_shuffled_free(sm_shuffled_tree *at);

bool sm_shuffled_uses(const sm_shuffled_tree *at, size_t feature); /* whether a split of the tree looks at it */

/* By how much the error grows when features are shuffled; exactly 0 if the tree uses none of them, NaN if it has no pair.
 *   features  [n] different ones, SM_MOST_SHUFFLED at most */
double sm_shuffled_increase(sm_shuffled_tree *at, const uint32_t *features, size_t n);

/* Mean over the trees of what is not NaN, and the standard error of that mean.   value  [n_trees], `step` numbers apart */
void sm_mean_over_trees(const double *value, size_t n_trees, size_t step, double *mean, double *standard_error);

#endif
