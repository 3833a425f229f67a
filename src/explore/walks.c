/* walks.c - the ways of pairs down one tree, and the mean distances met on them: see walks.h. */
#include "explore/walks.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* ---- how much there is ---- */

/* Nodes from the root to a leaf. */
static size_t way_length(const sm_leaves *leaves, size_t leaf) {
    size_t n = 1;
    for (uint32_t node = leaves->node[leaf]; node != 0; node = leaves->parent[node]) n++;
    return n;
}

static size_t sum_lengths(const sm_query *query, const sm_side *side, const uint32_t *n_of, size_t b) {
    const uint32_t *leaf = sm_query_leaves(query, side, b);
    size_t n = 0;
    for (size_t i = 0; i < side->n; i++) n += n_of[i] * way_length(&sm_query_ready(query, b)->leaves, leaf[i]);
    return n;
}

double sm_walks_bytes(const sm_query *query, size_t b, const sm_walk_pairs *pairs) {
    const sm_leaves *leaves = &sm_query_ready(query, b)->leaves;
    const sm_target_kind *kind = query->model->target->kind;
    size_t n_means = sum_lengths(query, &query->rows, pairs->n_of_row, b);
    if (!query->is_square) n_means += sum_lengths(query, &query->others, pairs->n_of_column, b);
    double bytes = (double)n_means * sizeof(double) + (double)pairs->n * (sizeof(size_t) + 4 * sizeof(uint32_t)) +
                   (double)leaves->n_nodes * (3 * sizeof(double) + 2 * sizeof(uint32_t));
    return bytes + (kind->explaining.node_bytes != NULL
                        ? (double)kind->explaining.node_bytes(query->model->target, leaves)
                        : 0);
}

/* ---- before the walks ---- */

static bool start_nodes(sm_walks *walks) {
    const sm_leaves *leaves = &walks->ready->leaves;
    double *total = sm_arena_take_zeros(&walks->arena, leaves->n_nodes, sizeof *total);
    double *fraction = sm_arena_take(&walks->arena, leaves->n_nodes, sizeof *fraction);
    walks->depth = sm_arena_take(&walks->arena, leaves->n_nodes, sizeof *walks->depth);
    if (walks->arena.has_failed) return false;
    for (size_t l = 0; l < leaves->n; l++) total[leaves->node[l]] = leaves->total[l];
    for (size_t node = leaves->n_nodes; node-- > 1;) total[leaves->parent[node]] += total[node];
    for (size_t node = 0; node < leaves->n_nodes; node++) {
        fraction[node] = total[node] / total[leaves->parent[node]];
        walks->depth[node] = node == 0 ? 0 : walks->depth[leaves->parent[node]] + 1;
    }
    walks->nodes = (sm_nodes){.leaves = leaves, .total = total, .fraction = fraction};
    const smerf_target *target = walks->model->target;
    if (target->kind->explaining.summarise_nodes == NULL) return true;
    walks->summary = target->kind->explaining.summarise_nodes(target, &walks->nodes);
    walks->nodes.summary = walks->summary;
    return walks->summary != NULL;
}

/* The mean distance of each leaf to all items of the tree, from its distances to all leaves, all of which are known. False: no memory.
 *   mean  [leaves->n] out */
static bool average_leaf_rows(const smerf_target *target, const sm_leaves *leaves, double *mean) {
    double *row = sm_array(leaves->n, sizeof *row), *scratch = sm_array(leaves->first[leaves->n], sizeof *scratch);
    bool has_memory = row != NULL && scratch != NULL;
    for (size_t l = 0; l < leaves->n && has_memory; l++) {
        double sum = 0, weight = 0;
        target->kind->predicting.leaf_row(target, leaves, l, row, scratch);
        for (size_t other = 0; other < leaves->n; other++) {
            sum += leaves->total[other] * row[other];
            weight += leaves->total[other];
        }
        mean[l] = sum / weight;
    }
    sm_free(row);
    sm_free(scratch);
    return has_memory;
}

static bool find_root_means(sm_walks *walks) {
    const smerf_target *target = walks->model->target;
    const sm_leaves *leaves = walks->nodes.leaves;
    const uint32_t root = 0;
    walks->root_mean = sm_arena_take(&walks->arena, leaves->n_nodes, sizeof *walks->root_mean);
    if (walks->arena.has_failed) return false;
    if (target->kind->explaining.root_means != NULL)
        return target->kind->explaining.root_means(target, &walks->nodes, walks->root_mean);
    bool has_paths = target->kind->explaining.path_means != NULL;
    double *leaf_mean = sm_array(leaves->n, sizeof *leaf_mean), scratch[2];
    if (leaf_mean == NULL) return false;
    for (size_t l = 0; l < leaves->n && has_paths; l++)
        target->kind->explaining.path_means(target, &walks->nodes, l, &root, 1, &leaf_mean[l], scratch);
    bool is_done = has_paths || average_leaf_rows(target, leaves, leaf_mean);
    if (is_done) sm_nodes_average(&walks->nodes, leaf_mean, walks->root_mean);
    sm_free(leaf_mean);
    return is_done;
}

/* Which leaves the pairs have, and where their means will be; returns how many means there are. */
static size_t count_means(sm_walks *walks, const sm_query *query, size_t b, const sm_walk_pairs *pairs) {
    const sm_leaves *leaves = walks->nodes.leaves;
    const uint32_t *row_leaf = sm_query_leaves(query, &query->rows, b);
    const uint32_t *column_leaf = sm_query_leaves(query, sm_query_columns(query), b);
    const bool *is_out = sm_query_is_out(query, b);
    size_t n_means = 0;
    for (size_t p = 0; p < pairs->n; p++) {
        uint32_t i = pairs->left[p], j = pairs->right[p], one = row_leaf[i], other = column_leaf[j];
        bool may_speak = is_out == NULL || sm_query_may_use_tree(query, is_out[i], is_out[j]);
        walks->first_mean[p] = n_means;
        walks->from[p] = !may_speak ? SMERF_MISSING : one < other ? one : other;
        walks->to[p] = one < other ? other : one;
        if (may_speak) n_means += walks->depth[leaves->node[one]] + walks->depth[leaves->node[other]] + 2;
    }
    return n_means;
}

/* Sorts the ends of the pairs by their leaves. */
static void sort_ends(sm_walks *walks, size_t n_pairs) {
    size_t n_leaves = walks->nodes.leaves->n;
    uint32_t sum = 0;
    memset(walks->first_end, 0, (n_leaves + 1) * sizeof *walks->first_end);
    for (size_t p = 0; p < n_pairs; p++) {
        if (walks->from[p] == SMERF_MISSING) continue;
        walks->first_end[walks->from[p]]++;
        walks->first_end[walks->to[p]]++;
    }
    for (size_t l = 0; l <= n_leaves; l++) { /* where each leaf's ends end; filling them in leads to where they start */
        sum += walks->first_end[l];
        walks->first_end[l] = sum;
    }
    for (size_t p = n_pairs; p-- > 0;) {
        if (walks->from[p] == SMERF_MISSING) continue;
        walks->ends[--walks->first_end[walks->to[p]]] = (uint32_t)(2 * p + 1);
        walks->ends[--walks->first_end[walks->from[p]]] = (uint32_t)(2 * p);
    }
}

bool sm_walks_start(sm_walks *walks, const sm_query *query, size_t b, const sm_walk_pairs *pairs) {
    *walks = (sm_walks){.model = query->model, .tree = &query->model->trees[b], .ready = sm_query_ready(query, b)};
    sm_arena *arena = &walks->arena;
    if (!start_nodes(walks) || !find_root_means(walks)) return false;
    walks->from = sm_arena_take(arena, pairs->n, sizeof *walks->from);
    walks->to = sm_arena_take(arena, pairs->n, sizeof *walks->to);
    walks->first_mean = sm_arena_take(arena, pairs->n, sizeof *walks->first_mean);
    walks->first_end = sm_arena_take(arena, walks->nodes.leaves->n + 1, sizeof *walks->first_end);
    walks->ends = sm_arena_take(arena, sm_size(pairs->n, 2, 0), sizeof *walks->ends);
    if (arena->has_failed) return false;
    size_t n_means = count_means(walks, query, b, pairs);
    sort_ends(walks, pairs->n);
    walks->mean = sm_arena_take(arena, n_means, sizeof *walks->mean);
    return walks->mean != NULL;
}

void sm_walks_free(sm_walks *walks) {
    if (walks->summary != NULL) walks->model->target->kind->explaining.nodes_free(walks->summary);
    sm_arena_free(&walks->arena);
    *walks = (sm_walks){0};
}

/* ---- means on the ways ---- */

bool sm_walk_scratch_start(sm_walk_scratch *scratch, const sm_query *query) {
    size_t n = sm_model_most_leaves(query->model);
    *scratch = (sm_walk_scratch){0};
    scratch->path = sm_arena_take(&scratch->arena, n, sizeof *scratch->path);
    scratch->scratch = sm_arena_take(&scratch->arena, sm_size(n, 2, 0), sizeof *scratch->scratch);
    bool wants_blocks = query->model->target->kind->explaining.path_means == NULL;
    return !scratch->arena.has_failed && (!wants_blocks || sm_block_scratch_start(&scratch->block, query, n));
}

void sm_walk_scratch_free(sm_walk_scratch *scratch) {
    sm_block_scratch_free(&scratch->block);
    sm_arena_free(&scratch->arena);
}

static double *means_of(const sm_walks *walks, size_t pair, bool of_to) {
    size_t more = of_to ? walks->depth[walks->nodes.leaves->node[walks->to[pair]]] + 1 : 0;
    return walks->mean + walks->first_mean[pair] + more;
}

/* Means of a leaf to the nodes on the way to another. */
static void find_means(const sm_walks *walks, size_t leaf, size_t to, sm_walk_scratch *scratch, double *mean) {
    const smerf_target *target = walks->model->target;
    const sm_leaves *leaves = walks->nodes.leaves;
    uint32_t node = leaves->node[to];
    size_t n = walks->depth[node] + 1;
    for (size_t k = n; k-- > 0; node = leaves->parent[node]) scratch->path[k] = node;
    target->kind->explaining.path_means(target, &walks->nodes, leaf, scratch->path, n, mean, scratch->scratch);
}

/* The means of SM_BLOCK_ROWS leaves to a node: their distances to it if it is a leaf. */
static double *line_of(const sm_walks *walks, size_t node, const sm_block_scratch *block) {
    return (walks->tree->is_leaf[node] ? block->table : block->sums) + walks->tree->index[node] * SM_BLOCK_ROWS;
}

/* Distances of some leaves to all become means to all nodes. Children come after their parents. */
static void average_block(const sm_walks *walks, const sm_block_scratch *block) {
    const double *fraction = walks->nodes.fraction;
    for (size_t node = walks->tree->n_nodes; node-- > 0;) {
        if (walks->tree->is_leaf[node]) continue;
        size_t left = node + 1, right = walks->tree->right[walks->tree->index[node]];
        const double *one = line_of(walks, left, block), *other = line_of(walks, right, block);
        double *mean = line_of(walks, node, block);
        for (size_t r = 0; r < SM_BLOCK_ROWS; r++) mean[r] = fraction[left] * one[r] + fraction[right] * other[r];
    }
}

/* Fills in what the pairs of a leaf want.   r  its index in the block; SM_BLOCK_ROWS: each way is found by itself */
static void fill_leaf(const sm_walks *walks, size_t leaf, size_t r, sm_walk_scratch *scratch) {
    const sm_leaves *leaves = walks->nodes.leaves;
    for (size_t e = walks->first_end[leaf]; e < walks->first_end[leaf + 1]; e++) {
        size_t pair = walks->ends[e] / 2;
        bool is_to = walks->ends[e] % 2 == 1;
        size_t other = is_to ? walks->from[pair] : walks->to[pair];
        double *mean = means_of(walks, pair, is_to);
        if (r == SM_BLOCK_ROWS) {
            find_means(walks, leaf, other, scratch, mean);
            continue;
        }
        uint32_t node = leaves->node[other];
        for (size_t k = walks->depth[node] + 1; k-- > 0; node = leaves->parent[node])
            mean[k] = line_of(walks, node, &scratch->block)[r];
    }
}

static void fill_block(const sm_walks *walks, uint32_t *leaf, size_t n, sm_walk_scratch *scratch) {
    for (size_t r = n; r < SM_BLOCK_ROWS; r++) leaf[r] = leaf[0];
    sm_block_table(walks->model->target, walks->ready, leaf, &scratch->block);
    average_block(walks, &scratch->block);
    for (size_t r = 0; r < n; r++) fill_leaf(walks, leaf[r], r, scratch);
}

void sm_walks_fill(const sm_walks *walks, size_t first, size_t end, sm_walk_scratch *scratch) {
    bool by_blocks = walks->model->target->kind->explaining.path_means == NULL;
    uint32_t block[SM_BLOCK_ROWS];
    size_t n = 0;
    for (size_t leaf = first; leaf < end; leaf++) {
        if (walks->first_end[leaf] == walks->first_end[leaf + 1]) continue;
        if (!by_blocks) {
            fill_leaf(walks, leaf, SM_BLOCK_ROWS, scratch);
            continue;
        }
        block[n++] = (uint32_t)leaf;
        if (n == SM_BLOCK_ROWS) {
            fill_block(walks, block, n, scratch);
            n = 0;
        }
    }
    if (n > 0) fill_block(walks, block, n, scratch);
}

/* ---- adding up ---- */

/* What one item's way changes, half while the other item is still at the root, and half when it has come to its leaf.
 *   mean   [depth + 1] of the other's leaf to the nodes on the way
 *   start  of the other's leaf to the root
 *   end    what the tree predicts: h(l, l) may have rules of its own, which the last split has to account for */
static void add_way(const sm_walks *walks, size_t leaf, const double *mean, double start, double end,
                    double *contributions) {
    const sm_tree *tree = walks->tree;
    const sm_leaves *leaves = walks->nodes.leaves;
    uint32_t node = leaves->node[leaf];
    double after = end;
    for (size_t k = walks->depth[node]; k > 0; k--) {
        uint32_t parent = leaves->parent[node];
        double before = k > 1 ? mean[k - 1] : start;
        double change = ((after - before) + (walks->root_mean[node] - walks->root_mean[parent])) / 2;
        size_t split = tree->index[parent], first = tree->first_term[split], n = tree->first_term[split + 1] - first;
        if (n > 1) change /= (double)n;
        for (size_t t = first; t < first + n; t++) contributions[tree->term_feature[t]] += change;
        after = before;
        node = parent;
    }
}

double sm_walks_add(const sm_walks *walks, size_t pair, double *baseline, double *contributions) {
    const sm_leaves *leaves = walks->nodes.leaves;
    size_t from = walks->from[pair], to = walks->to[pair];
    const double *of_from = means_of(walks, pair, false), *of_to = means_of(walks, pair, true);
    bool has_own_rule = from == to && walks->ready->self != NULL;
    double distance = has_own_rule ? walks->ready->self[from] : of_from[walks->depth[leaves->node[to]]];
    if (isnan(distance)) return NAN;
    *baseline += leaves->n > 1 ? walks->root_mean[0] : distance; /* one leaf: there is no split to account for more */
    add_way(walks, to, of_from, walks->root_mean[leaves->node[from]], distance, contributions);
    add_way(walks, from, of_to, walks->root_mean[leaves->node[to]], distance, contributions);
    return distance;
}
