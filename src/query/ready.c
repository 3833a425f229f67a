/* ready.c - see ready.h. */
#include "query/ready.h"

#include <math.h>

#include "base/memory.h"

/* Who is whose parent, and which leaves are below each node. Children come after their parents. */
static void find_branches(const sm_tree *tree, uint32_t *parent, uint32_t *first_leaf, uint32_t *end_leaf,
                          uint32_t *node_of) {
    parent[0] = 0;
    for (size_t node = 0; node < tree->n_nodes; node++) {
        if (tree->is_leaf[node]) {
            node_of[tree->place[node]] = (uint32_t)node;
            continue;
        }
        parent[node + 1] = parent[tree->right[tree->place[node]]] = (uint32_t)node;
    }
    for (size_t node = tree->n_nodes; node-- > 0;) {
        uint32_t place = tree->place[node];
        first_leaf[node] = tree->is_leaf[node] ? place : first_leaf[node + 1];
        end_leaf[node] = tree->is_leaf[node] ? place + 1 : end_leaf[tree->right[place]];
    }
}

/* h(l, l) over pairs of different items: those of the leaf, or of its nearest ancestor that has one. */
static void find_selves(const smerf_target *target, const sm_leaves *leaves, double *self) {
    for (size_t l = 0; l < leaves->n; l++) {
        uint32_t node = leaves->node[l];
        self[l] = target->kind->mean_apart(target, leaves, leaves->first[l], leaves->first[l + 1]);
        while (isnan(self[l]) && node > 0) {
            node = leaves->parent[node];
            self[l] = target->kind->mean_apart(target, leaves, leaves->first[leaves->first_leaf[node]],
                                               leaves->first[leaves->end_leaf[node]]);
        }
    }
}

size_t sm_ready_bytes(const smerf_model *model, size_t b) {
    const sm_tree *tree = &model->trees[b];
    const sm_target_kind *kind = model->target->kind;
    size_t bytes = sm_tree_n_members(tree) * sizeof(double) + tree->n_nodes * 3 * sizeof(uint32_t) +
                   tree->n_leaves * (sizeof(double) + sizeof(uint32_t));
    if (model->options.self_distance == SMERF_SELF_EXCLUDE) bytes += tree->n_leaves * sizeof(double);
    return bytes + (kind->summarise != NULL ? kind->summary_bytes(model->target, tree->n_leaves) : 0);
}

bool sm_ready_start(sm_ready *ready, const smerf_model *model, size_t b) {
    const sm_tree *tree = &model->trees[b];
    const smerf_target *target = model->target;
    *ready = (sm_ready){0};
    sm_arena *arena = &ready->arena;
    bool leaves_out_selves = model->options.self_distance == SMERF_SELF_EXCLUDE;
    double *weight = sm_arena_take(arena, sm_tree_n_members(tree), sizeof *weight);
    double *total = sm_arena_take(arena, tree->n_leaves, sizeof *total);
    uint32_t *parent = sm_arena_take(arena, tree->n_nodes, sizeof *parent);
    uint32_t *first_leaf = sm_arena_take(arena, tree->n_nodes, sizeof *first_leaf);
    uint32_t *end_leaf = sm_arena_take(arena, tree->n_nodes, sizeof *end_leaf);
    uint32_t *node_of = sm_arena_take(arena, tree->n_leaves, sizeof *node_of);
    if (leaves_out_selves) ready->self = sm_arena_take(arena, tree->n_leaves, sizeof *ready->self);
    if (!arena->has_failed) {
        sm_tree_leaves(tree, model->weights, weight, total, &ready->leaves);
        find_branches(tree, parent, first_leaf, end_leaf, node_of);
        ready->leaves.n_nodes = tree->n_nodes;
        ready->leaves.parent = parent;
        ready->leaves.first_leaf = first_leaf;
        ready->leaves.end_leaf = end_leaf;
        ready->leaves.node = node_of;
        if (target->kind->summarise != NULL) ready->summary = target->kind->summarise(target, &ready->leaves);
    }
    if (arena->has_failed || (target->kind->summarise != NULL && ready->summary == NULL)) {
        sm_ready_free(ready, model);
        return false;
    }
    ready->leaves.summary = ready->summary;
    if (leaves_out_selves) find_selves(target, &ready->leaves, ready->self);
    return true;
}

void sm_ready_free(sm_ready *ready, const smerf_model *model) {
    if (ready->summary != NULL) model->target->kind->summary_free(ready->summary);
    sm_arena_free(&ready->arena);
    *ready = (sm_ready){0};
}
