/* prune.c - see prune.h. A pruned tree is made in place, in a copy of the tree: nodes that stay move forward. */
#include "study/prune.h"

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
typedef struct scratch {
    uint64_t *n_draws;  /* [n_nodes] */
    uint32_t *new_node; /* [n_nodes] */
    member *members;    /* [n_members] */
} scratch;

static void count_draws(const sm_tree *tree, uint64_t *n_draws) {
    for (size_t node = tree->n_nodes; node-- > 0;) {
        size_t place = tree->place[node];
        n_draws[node] = 0;
        if (!tree->is_leaf[node])
            n_draws[node] = n_draws[node + 1] + n_draws[tree->right[place]];
        else
            for (size_t m = tree->first_member[place]; m < tree->first_member[place + 1]; m++)
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

static bool prune_tree(const sm_tree *old, size_t min_parent, scratch *room, sm_tree *tree) {
    if (!sm_tree_copy(tree, old)) return false;
    count_draws(old, room->n_draws);
    tree->n_nodes = tree->n_splits = tree->n_leaves = 0;
    for (size_t node = 0, end; node < old->n_nodes; node = end) {
        size_t to = tree->n_nodes++;
        bool stays = !old->is_leaf[node] && room->n_draws[node] >= min_parent;
        end = stays ? node + 1 : sm_tree_subtree_end(old, node);
        room->new_node[node] = (uint32_t)to;
        tree->is_leaf[to] = !stays;
        if (stays) {
            move_split(old, tree, old->place[node], tree->n_splits);
            tree->place[to] = (uint32_t)tree->n_splits++;
        } else {
            size_t first = tree->first_member[tree->n_leaves], last_leaf = old->place[end - 1];
            tree->place[to] = (uint32_t)tree->n_leaves++;
            tree->first_member[tree->n_leaves] = old->first_member[last_leaf + 1];
            if (!old->is_leaf[node]) join_members(tree, first, old->first_member[last_leaf + 1], room->members);
        }
    }
    for (size_t s = 0; s < tree->n_splits; s++) tree->right[s] = room->new_node[tree->right[s]];
    sm_tree_trim(tree);
    return true;
}

smerf_status sm_prune(const smerf_model *model, size_t min_parent, smerf_model **out, smerf_error *error) {
    smerf_model *pruned = NULL;
    size_t n_members = sm_model_most_members(model), n_nodes = 2 * sm_model_most_leaves(model);
    scratch room = {.n_draws = sm_array(n_nodes, sizeof *room.n_draws),
                    .new_node = sm_array(n_nodes, sizeof *room.new_node),
                    .members = sm_array(n_members, sizeof *room.members)};
    bool has_room = room.n_draws != NULL && room.new_node != NULL && room.members != NULL;
    has_room = has_room && (pruned = sm_model_copy_head(model)) != NULL;
    for (size_t b = 0; b < model->options.n_trees && has_room; b++)
        has_room = prune_tree(&model->trees[b], min_parent, &room, &pruned->trees[b]);
    sm_free(room.n_draws);
    sm_free(room.new_node);
    sm_free(room.members);
    if (!has_room) {
        smerf_model_free(pruned);
        return sm_no_memory(error, "pruning a forest");
    }
    pruned->options.min_parent = min_parent;
    *out = pruned;
    return SMERF_OK;
}
