/* ready.c - makes one tree ready: its leaves, and what the target summarises of them: see ready.h. */
#include "predict/ready.h"

#include <math.h>

#include "base/memory.h"

/* Who is whose parent, and which leaves are below each node. Children come after their parents. */
static void find_branches(const sm_tree *tree, uint32_t *parent, uint32_t *first_leaf, uint32_t *end_leaf,
                          uint32_t *node_of) {
    parent[0] = 0;
    for (size_t node = 0; node < tree->n_nodes; node++) {
        if (tree->is_leaf[node]) {
            node_of[tree->index[node]] = (uint32_t)node;
            continue;
        }
        parent[node + 1] = parent[tree->right[tree->index[node]]] = (uint32_t)node;
    }
    for (size_t node = tree->n_nodes; node-- > 0;) {
        uint32_t index = tree->index[node];
        first_leaf[node] = tree->is_leaf[node] ? index : first_leaf[node + 1];
        end_leaf[node] = tree->is_leaf[node] ? index + 1 : end_leaf[tree->right[index]];
    }
}

/* h(l, l) over pairs of different items: those of the leaf, or of its nearest ancestor that has one. Many leaves may
 * come to the same ancestor, so each is asked once. False: no memory. */
static bool find_selves(const smerf_target *target, const sm_leaves *leaves, double *self) {
    sm_arena arena = {0};
    bool *is_known = sm_arena_take_zeros(&arena, leaves->n_nodes, sizeof *is_known);
    double *mean = sm_arena_take(&arena, leaves->n_nodes, sizeof *mean);
    bool has_memory = !arena.has_failed;
    for (size_t l = 0; l < leaves->n && has_memory; l++)
        for (uint32_t node = leaves->node[l];; node = leaves->parent[node]) {
            if (!is_known[node])
                mean[node] = target->kind->predicting.mean_apart(
                    target, leaves, leaves->first[leaves->first_leaf[node]], leaves->first[leaves->end_leaf[node]]);
            is_known[node] = true;
            self[l] = mean[node];
            if (!isnan(self[l]) || node == 0) break;
        }
    sm_arena_free(&arena);
    return has_memory;
}

size_t sm_ready_bytes(const smerf_model *model, size_t b, size_t n_items) {
    const sm_tree *tree = &model->trees[b];
    const sm_target_kind *kind = model->target->kind;
    size_t bytes = sm_tree_n_members(tree) * sizeof(double) + tree->n_nodes * 3 * sizeof(uint32_t) +
                   tree->n_leaves * (sizeof(double) + sizeof(uint32_t)) + sm_descent_bytes(tree, n_items);
    if (model->options.self_distance == SMERF_SELF_EXCLUDE) bytes += tree->n_leaves * sizeof(double);
    return bytes +
           (kind->predicting.summarise != NULL ? kind->predicting.summary_bytes(model->target, tree->n_leaves) : 0);
}

/* The leaves and the nodes above them. False: no memory. */
static bool start_leaves(sm_ready *ready, const smerf_model *model, const sm_tree *tree) {
    sm_arena *arena = &ready->arena;
    double *weight = sm_arena_take(arena, sm_tree_n_members(tree), sizeof *weight);
    double *total = sm_arena_take(arena, tree->n_leaves, sizeof *total);
    uint32_t *parent = sm_arena_take(arena, tree->n_nodes, sizeof *parent);
    uint32_t *first_leaf = sm_arena_take(arena, tree->n_nodes, sizeof *first_leaf);
    uint32_t *end_leaf = sm_arena_take(arena, tree->n_nodes, sizeof *end_leaf);
    uint32_t *node_of = sm_arena_take(arena, tree->n_leaves, sizeof *node_of);
    if (arena->has_failed) return false;
    sm_tree_leaves(tree, model->weights, weight, total, &ready->leaves);
    find_branches(tree, parent, first_leaf, end_leaf, node_of);
    ready->leaves.n_nodes = tree->n_nodes;
    ready->leaves.parent = parent;
    ready->leaves.first_leaf = first_leaf;
    ready->leaves.end_leaf = end_leaf;
    ready->leaves.node = node_of;
    return true;
}

bool sm_ready_start(sm_ready *ready, const smerf_model *model, size_t b, size_t n_items) {
    const sm_tree *tree = &model->trees[b];
    const smerf_target *target = model->target;
    *ready = (sm_ready){0};
    sm_descent_start(&ready->descent, tree, n_items, &ready->arena);
    bool is_ready = start_leaves(ready, model, tree);
    if (is_ready && target->kind->predicting.summarise != NULL) {
        ready->summary = target->kind->predicting.summarise(target, &ready->leaves);
        ready->leaves.summary = ready->summary;
        is_ready = ready->summary != NULL;
    }
    if (is_ready && model->options.self_distance == SMERF_SELF_EXCLUDE) {
        ready->self = sm_arena_take(&ready->arena, tree->n_leaves, sizeof *ready->self);
        is_ready = ready->self != NULL && find_selves(target, &ready->leaves, ready->self);
    }
    if (!is_ready) sm_ready_free(ready, model);
    return is_ready;
}

void sm_ready_free(sm_ready *ready, const smerf_model *model) {
    if (ready->summary != NULL) model->target->kind->predicting.summary_free(ready->summary);
    sm_arena_free(&ready->arena);
    *ready = (sm_ready){0};
}
