/* tree.c - one tree as arrays in preorder: memory, and the way down: see tree.h. */
#include "model/tree.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

void sm_tree_free(sm_tree *tree) {
    sm_free(tree->is_leaf);
    sm_free(tree->index);
    sm_free(tree->right);
    sm_free(tree->threshold);
    sm_free(tree->gain);
    sm_free(tree->missing_left);
    sm_free(tree->is_category);
    sm_free(tree->first_term);
    sm_free(tree->term_feature);
    sm_free(tree->term_level);
    sm_free(tree->term_weight);
    sm_free(tree->first_left);
    sm_free(tree->left_level);
    sm_free(tree->first_member);
    sm_free(tree->member_item);
    sm_free(tree->member_draws);
    *tree = (sm_tree){0};
}

/* With is_moved the arrays themselves go over, cut to size. */
static bool copy_arrays(sm_tree *copy, const sm_tree *tree, bool is_moved) {
    size_t n_nodes = tree->n_nodes, n_splits = tree->n_splits, n_terms = tree->first_term[n_splits];
    size_t n_members = sm_tree_n_members(tree), n_left = tree->first_left != NULL ? tree->first_left[n_splits] : 0;
    *copy = (sm_tree){.n_nodes = n_nodes, .n_splits = n_splits, .n_leaves = tree->n_leaves};
    const struct {
        void *to; /* the address of a pointer */
        void *from;
        size_t n, size;
    } arrays[] = {
        {&copy->is_leaf, tree->is_leaf, n_nodes, sizeof *tree->is_leaf},
        {&copy->index, tree->index, n_nodes, sizeof *tree->index},
        {&copy->right, tree->right, n_splits, sizeof *tree->right},
        {&copy->threshold, tree->threshold, n_splits, sizeof *tree->threshold},
        {&copy->gain, tree->gain, n_splits, sizeof *tree->gain},
        {&copy->missing_left, tree->missing_left, n_splits, sizeof *tree->missing_left},
        {&copy->is_category, tree->is_category, n_splits, sizeof *tree->is_category},
        {&copy->first_term, tree->first_term, n_splits + 1, sizeof *tree->first_term},
        {&copy->term_feature, tree->term_feature, n_terms, sizeof *tree->term_feature},
        {&copy->term_weight, tree->term_weight, n_terms, sizeof *tree->term_weight},
        {&copy->term_level, tree->term_level, n_terms, sizeof *tree->term_level},
        {&copy->first_left, tree->first_left, n_splits + 1, sizeof *tree->first_left},
        {&copy->left_level, tree->left_level, n_left, sizeof *tree->left_level},
        {&copy->first_member, tree->first_member, tree->n_leaves + 1, sizeof *tree->first_member},
        {&copy->member_item, tree->member_item, n_members, sizeof *tree->member_item},
        {&copy->member_draws, tree->member_draws, n_members, sizeof *tree->member_draws},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].from == NULL) continue;
        void *array = is_moved ? sm_shrink(arrays[i].from, arrays[i].n, arrays[i].size)
                               : sm_copy(arrays[i].from, arrays[i].n, arrays[i].size);
        if (array == NULL) return false;
        memcpy(arrays[i].to, &array, sizeof array);
    }
    return true;
}

bool sm_tree_copy(sm_tree *copy, const sm_tree *tree) { return copy_arrays(copy, tree, false); }

void sm_tree_move(sm_tree *moved, sm_tree *tree) {
    copy_arrays(moved, tree, true); /* cutting never fails */
    *tree = (sm_tree){0};
}

void sm_tree_trim(sm_tree *tree) {
    bool has_levels = false, has_categories = false;
    for (size_t t = 0; t < tree->first_term[tree->n_splits] && tree->term_level != NULL; t++)
        has_levels = has_levels || tree->term_level[t] != SMERF_MISSING;
    for (size_t s = 0; s < tree->n_splits; s++) has_categories = has_categories || tree->is_category[s];
    if (!has_levels) {
        sm_free(tree->term_level);
        tree->term_level = NULL;
    }
    if (!has_categories) {
        sm_free(tree->first_left);
        sm_free(tree->left_level);
        tree->first_left = tree->left_level = NULL;
    }
}

size_t sm_tree_n_members(const sm_tree *tree) { return tree->first_member[tree->n_leaves]; }

sm_projection sm_tree_projection(const sm_tree *tree, size_t split) {
    size_t first = tree->first_term[split];
    return (sm_projection){.n_terms = tree->first_term[split + 1] - first,
                           .feature = tree->term_feature + first,
                           .weight = tree->term_weight + first,
                           .level = tree->term_level != NULL ? tree->term_level + first : NULL};
}

double sm_tree_project(const sm_tree *tree, size_t split, const sm_view *view, size_t item) {
    const sm_projection projection = sm_tree_projection(tree, split);
    return sm_view_project(view, &projection, item);
}

static bool has_level(const sm_tree *tree, size_t split, uint32_t level) {
    size_t low = tree->first_left[split], high = tree->first_left[split + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tree->left_level[middle] < level)
            low = middle + 1;
        else
            high = middle;
    }
    return low < tree->first_left[split + 1] && tree->left_level[low] == level;
}

bool sm_tree_goes_left(const sm_tree *tree, size_t split, const sm_view *view, size_t item) {
    if (tree->is_category[split]) {
        uint32_t level = view->codes[tree->term_feature[tree->first_term[split]]][item];
        return level == SMERF_MISSING ? tree->missing_left[split] : has_level(tree, split, level);
    }
    double value = sm_tree_project(tree, split, view, item);
    return isnan(value) ? tree->missing_left[split] : value <= tree->threshold[split];
}

uint32_t sm_tree_leaf(const sm_tree *tree, const sm_view *view, size_t item) {
    size_t node = 0;
    while (!tree->is_leaf[node]) {
        size_t split = tree->index[node];
        node = sm_tree_goes_left(tree, split, view, item) ? node + 1 : tree->right[split];
    }
    return tree->index[node];
}

void sm_tree_leaves(const sm_tree *tree, const double *item_weights, double *weight, double *total, sm_leaves *leaves) {
    for (size_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        total[leaf] = 0;
        for (size_t member = tree->first_member[leaf]; member < tree->first_member[leaf + 1]; member++) {
            weight[member] = tree->member_draws[member];
            if (item_weights != NULL) weight[member] *= item_weights[tree->member_item[member]];
            total[leaf] += weight[member];
        }
    }
    *leaves = (sm_leaves){
        .n = tree->n_leaves, .first = tree->first_member, .item = tree->member_item, .weight = weight, .total = total};
}

size_t sm_tree_subtree_end(const sm_tree *tree, size_t node) {
    while (!tree->is_leaf[node]) node = tree->right[tree->index[node]];
    return node + 1;
}
