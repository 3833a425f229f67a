/* value_forest.h - a forest of which only predictions are wanted: the way down each tree, and what its leaves hold. A
 * leaf takes 16 bytes and a split as many, while a tree that has just grown knows its members, gains and much else.
 *
 * Nodes stand in preorder: the left child is the next one. A split by one number is all in its step, with nothing else to
 * look up on the way down. Sums of features and sets of levels stand apart ("long" splits). */
#ifndef SM_METHOD_VALUE_FOREST_H
#define SM_METHOD_VALUE_FOREST_H

#include "model/model.h"

typedef struct sm_value_step {
    double threshold; /* x <= threshold goes left; of a leaf: its first value */
    uint32_t mark;    /* the feature, or which long split it is; and the bits below */
    uint32_t right;   /* the right child; of a leaf: its number, from 0 */
} sm_value_step;

#define SM_STEP_IS_LEAF 0x80000000u
#define SM_STEP_IS_LONG 0x40000000u
#define SM_STEP_MISSING_LEFT 0x20000000u
#define SM_STEP_PLACE 0x1FFFFFFFu /* what is left for the feature or the number of the long split */

typedef struct sm_value_tree {
    size_t n_nodes, n_leaves;
    sm_value_step *steps; /* [n_nodes] */
    double *others;       /* [n_leaves][n_values - 1] values after the first; NULL: there is one */

    /* Long splits; the arrays are NULL without any. */
    size_t n_long;
    uint32_t *first_term; /* [n_long + 1] */
    uint32_t *term_feature;
    int8_t *term_weight;
    uint32_t *term_level; /* whose indicator enters; SMERF_MISSING for a number, and where a set decides */
    uint32_t *first_left; /* [n_long + 1] the set of levels that go left, ascending; empty: the sum decides */
    uint32_t *left_level;
} sm_value_tree;

typedef struct sm_value_forest {
    size_t n_trees, n_values;
    sm_value_tree *trees; /* [n_trees] */
} sm_value_forest;

/* Room for so many trees. */
smerf_status sm_value_forest_start(sm_value_forest *forest, size_t n_trees, size_t n_values, smerf_error *error);
void sm_value_forest_free(sm_value_forest *forest); /* fine on one filled with zeros */

/* The trees of a model that was fitted on a response, as trees first, first + 1, ...; its values times `scale`. */
smerf_status sm_value_forest_take(sm_value_forest *forest, size_t first, const smerf_model *model, double scale,
                                  smerf_error *error);

/* Mean values over the trees of items first .. end-1.   values  [end - first][n_values] out */
void sm_value_forest_predict(const sm_value_forest *forest, const sm_view *view, size_t first, size_t end,
                             double *values);

/* The projection of a long split. */
sm_projection sm_value_tree_projection(const sm_value_tree *tree, size_t split);

/* To arrays "learned.*", which are read from the forest when they are written: value_forest_save.c lists them. */
smerf_status sm_value_forest_save(const sm_value_forest *forest, sm_tensors *tensors, smerf_error *error);

/* And back. Trusts nothing: a tree that does not hang together, or speaks of features or levels that are not there, is
 * refused.
 *   features  of these only kind and number of levels matter */
smerf_status sm_value_forest_load(sm_value_forest *forest, const sm_tensors *tensors, const sm_features *features,
                                  size_t n_values, smerf_error *error);

/* The bits of learned.mark. */
enum { SM_MARK_LEAF = 1, SM_MARK_LONG = 2, SM_MARK_MISSING_LEFT = 4 };

#endif
