/* prune.c - the forest for a larger min-parent, made in place in a copy of each tree: nodes that stay move forward. See tuning.h. */
#include "study/tuning.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct member {
    uint32_t item, draws;
} member;

static int by_item(const void *a, const void *b) {
    uint32_t left = ((const member *)a)->item, right = ((const member *)b)->item;
    return (left > right) - (left < right);
}

/* Scratch for one tree at a time. */
typedef struct prune_scratch {
    uint64_t *n_draws;  /* [n_nodes] */
    uint32_t *new_node; /* [n_nodes] */
    member *members;    /* [n_members] */
} prune_scratch;

static void count_draws(const sm_tree *tree, uint64_t *n_draws) {
    for (size_t node = tree->n_nodes; node-- > 0;) {
        size_t index = tree->index[node];
        n_draws[node] = 0;
        if (!tree->is_leaf[node])
            n_draws[node] = n_draws[node + 1] + n_draws[tree->right[index]];
        else
            for (size_t m = tree->first_member[index]; m < tree->first_member[index + 1]; m++)
                n_draws[node] += tree->member_draws[m];
    }
}

/* The members of all leaves below a node become those of one leaf, in ascending order: members `first` to `end`. */
static void join_members(sm_tree *tree, size_t first, size_t end, member *members) {
    for (size_t m = first; m < end; m++)
        members[m - first] = (member){.item = tree->member_item[m], .draws = tree->member_draws[m]};
    qsort(members, end - first, sizeof *members, by_item);
    for (size_t m = first; m < end; m++) {
        tree->member_item[m] = members[m - first].item;
        tree->member_draws[m] = members[m - first].draws;
    }
}

/* Moves a list of one split (its terms, or the levels that go left) to where the list before it now ends. */
static void move_list(uint32_t *first, size_t from, size_t to, uint32_t **lists, size_t n_lists) {
    uint32_t start = first[from], n = first[from + 1] - start, target = first[to];
    for (size_t l = 0; l < n_lists; l++)
        if (lists[l] != NULL) memmove(lists[l] + target, lists[l] + start, n * sizeof **lists);
    first[to + 1] = target + n;
}

static void move_split(const sm_tree *old, sm_tree *tree, size_t from, size_t to) {
    uint32_t *term_lists[] = {tree->term_feature, tree->term_level};
    uint32_t first = tree->first_term[from], n = tree->first_term[from + 1] - first;
    memmove(tree->term_weight + tree->first_term[to], tree->term_weight + first, n * sizeof *tree->term_weight);
    move_list(tree->first_term, from, to, term_lists, 2);
    if (tree->first_left != NULL) move_list(tree->first_left, from, to, &tree->left_level, 1);
    tree->threshold[to] = old->threshold[from];
    tree->gain[to] = old->gain[from];
    tree->missing_left[to] = old->missing_left[from];
    tree->is_category[to] = old->is_category[from];
    tree->right[to] = old->right[from]; /* an old number still */
}

static bool prune_tree(const sm_tree *old, size_t min_parent, prune_scratch *scratch, sm_tree *tree) {
    if (!sm_tree_copy(tree, old)) return false;
    count_draws(old, scratch->n_draws);
    tree->n_nodes = tree->n_splits = tree->n_leaves = 0;
    for (size_t node = 0, end; node < old->n_nodes; node = end) {
        size_t to = tree->n_nodes++;
        bool stays = !old->is_leaf[node] && scratch->n_draws[node] >= min_parent;
        end = stays ? node + 1 : sm_tree_subtree_end(old, node);
        scratch->new_node[node] = (uint32_t)to;
        tree->is_leaf[to] = !stays;
        if (stays) {
            move_split(old, tree, old->index[node], tree->n_splits);
            tree->index[to] = (uint32_t)tree->n_splits++;
        } else {
            size_t first = tree->first_member[tree->n_leaves], last_leaf = old->index[end - 1];
            tree->index[to] = (uint32_t)tree->n_leaves++;
            tree->first_member[tree->n_leaves] = old->first_member[last_leaf + 1];
            if (!old->is_leaf[node]) join_members(tree, first, old->first_member[last_leaf + 1], scratch->members);
        }
    }
    for (size_t s = 0; s < tree->n_splits; s++) tree->right[s] = scratch->new_node[tree->right[s]];
    sm_tree_trim(tree);
    return true;
}

smerf_status sm_prune(const smerf_model *model, size_t min_parent, smerf_model **out, smerf_error *error) {
    smerf_model *pruned = NULL;
    size_t n_members = sm_model_most_members(model), n_nodes = 2 * sm_model_most_leaves(model);
    prune_scratch scratch = {.n_draws = sm_array(n_nodes, sizeof *scratch.n_draws),
                             .new_node = sm_array(n_nodes, sizeof *scratch.new_node),
                             .members = sm_array(n_members, sizeof *scratch.members)};
    bool has_memory = scratch.n_draws != NULL && scratch.new_node != NULL && scratch.members != NULL;
    has_memory = has_memory && (pruned = sm_model_copy_head(model)) != NULL;
    for (size_t b = 0; b < model->options.n_trees && has_memory; b++)
        has_memory = prune_tree(&model->trees[b], min_parent, &scratch, &pruned->trees[b]);
    sm_free(scratch.n_draws);
    sm_free(scratch.new_node);
    sm_free(scratch.members);
    if (!has_memory) {
        smerf_model_free(pruned);
        return sm_no_memory(error, "pruning a forest");
    }
    pruned->options.min_parent = min_parent;
    *out = pruned;
    return SMERF_OK;
}
