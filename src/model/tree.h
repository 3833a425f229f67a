/* tree.h - one tree: a structure of arrays in preorder, and the way down it. */
#ifndef SM_MODEL_TREE_H
#define SM_MODEL_TREE_H

#include "data/items.h"
#include "target/target.h"

/* The fields are those of smerf_tree_view in smerf.h, where they are explained; here they are owned. Where only the splits
 * matter (value_forest.h) gains and members are NULL. */
typedef struct sm_tree {
    size_t n_nodes, n_splits, n_leaves;
    bool *is_leaf;
    uint32_t *index;
    uint32_t *right;
    double *threshold, *gain;
    bool *missing_left, *is_category;
    uint32_t *first_term, *term_feature, *term_level;
    int8_t *term_weight;
    uint32_t *first_left, *left_level;
    uint32_t *first_member, *member_item, *member_draws;
} sm_tree;

void sm_tree_free(sm_tree *tree); /* the arrays; fine on a tree filled with zeros */

/* A copy without spare capacity. False: no memory; what was copied so far is to be freed. */
bool sm_tree_copy(sm_tree *copy, const sm_tree *tree);

/* The same, but the arrays themselves go over, and the tree is empty: of a large one there are never two. */
void sm_tree_move(sm_tree *moved, sm_tree *tree);

/* Drops the arrays that say nothing: levels where all terms are numbers, sets of levels where no split has one. */
void sm_tree_trim(sm_tree *tree);

size_t sm_tree_n_members(const sm_tree *tree);

/* Whether a split is by one number as it is. */
static inline bool sm_tree_split_is_plain(const sm_tree *tree, size_t split) {
    size_t term = tree->first_term[split];
    return !tree->is_category[split] && tree->first_term[split + 1] == term + 1 && tree->term_weight[term] == 1 &&
           (tree->term_level == NULL || tree->term_level[term] == SMERF_MISSING);
}

/* The sum of features of a split that has one; borrowed. */
sm_projection sm_tree_projection(const sm_tree *tree, size_t split);

/* Its value for an item; NaN if a feature is missing. */
double sm_tree_project(const sm_tree *tree, size_t split, const sm_view *view, size_t item);

/* Whether an item goes left at a split. */
bool sm_tree_goes_left(const sm_tree *tree, size_t split, const sm_view *view, size_t item);

/* The leaf of one item. */
uint32_t sm_tree_leaf(const sm_tree *tree, const sm_view *view, size_t item);

/* The leaves as targets want them.
 *   item_weights  [n_items] or NULL: all 1
 *   weight        [n_members], total  [n_leaves]: filled, and borrowed by *leaves */
void sm_tree_leaves(const sm_tree *tree, const double *item_weights, double *weight, double *total, sm_leaves *leaves);

/* The node after the subtree of a node, in preorder. */
size_t sm_tree_subtree_end(const sm_tree *tree, size_t node);

#endif
