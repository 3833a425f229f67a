/* sparse.h - for tests of targets that are lists of pairs: what such a target knows, as two plain matrices; nodes and
 * leaves on it, and what they should come to. */
#ifndef TESTS_UNIT_SPARSE_H
#define TESTS_UNIT_SPARSE_H

#include "tests/unit/engines.h"
#include "tests/unit/nodes.h"

enum { MOST_ITEMS = 80, MOST_ENTRIES = 3 * MOST_ITEMS * MOST_ITEMS, MOST_LINES = 4 };

/* ---- what is known ---- */

/* Distances, and the weights of the pairs: 0 where nothing is known, 1 on the diagonal. */
typedef struct known {
    size_t n;
    double z[MOST_ITEMS][MOST_ITEMS], omega[MOST_ITEMS][MOST_ITEMS];
} known;

/* A list under construction. */
typedef struct listed {
    smerf_pair_list list;
    uint32_t left[MOST_ENTRIES], right[MOST_ENTRIES];
    double value[MOST_ENTRIES], weight[MOST_ENTRIES];
} listed;

static inline void listed_start(listed *pairs, bool has_values, bool has_weights) {
    pairs->list = (smerf_pair_list){.left = pairs->left,
                                    .right = pairs->right,
                                    .value = has_values ? pairs->value : NULL,
                                    .weight = has_weights ? pairs->weight : NULL};
}

static inline void listed_add(listed *pairs, size_t i, size_t j, double value, double weight) {
    size_t at = pairs->list.n++;
    assert_true(at < MOST_ENTRIES);
    pairs->left[at] = (uint32_t)i;
    pairs->right[at] = (uint32_t)j;
    pairs->value[at] = value;
    pairs->weight[at] = weight;
}

/* Any order, either direction. */
static inline void listed_shuffle(listed *pairs, sm_random *random) {
    for (size_t k = pairs->list.n; k-- > 1;) {
        size_t other = sm_random_below(random, (uint32_t)k + 1);
        uint32_t left = pairs->left[k], right = pairs->right[k];
        double value = pairs->value[k], weight = pairs->weight[k];
        bool is_turned = sm_random_below(random, 2) == 0;
        pairs->left[k] = pairs->left[other];
        pairs->right[k] = pairs->right[other];
        pairs->value[k] = pairs->value[other];
        pairs->weight[k] = pairs->weight[other];
        pairs->left[other] = is_turned ? right : left;
        pairs->right[other] = is_turned ? left : right;
        pairs->value[other] = value;
        pairs->weight[other] = weight;
    }
}

/* ---- means over what is known, as plainly as possible ---- */

typedef struct slow_sums {
    long double value, size, pairs; /* of w_i w_j omega times z, times |z|, times 1 */
} slow_sums;

static inline void slow_add(slow_sums *sums, const known *all, size_t i, size_t j, double w_i, double w_j) {
    long double weight = (long double)w_i * (long double)w_j * (long double)all->omega[i][j];
    sums->value += weight * (long double)all->z[i][j];
    sums->size += weight * fabsl((long double)all->z[i][j]);
    sums->pairs += weight;
}

static inline double slow_ratio(const slow_sums *sums) { return (double)(sums->value / sums->pairs); }

/* ---- nodes ---- */

typedef struct walker {
    const known *all;
    const smerf_target *target;
    const sm_target_kind *kind;
    sm_search *search, *other; /* the other one turns to every node from above, and must give the same bits */
    double weight[MOST_ITEMS];
    sm_random random;
} walker;

static inline void assert_same_bits(double found, double expected) {
    if (memcmp(&found, &expected, sizeof found) != 0) fail_msg("%.17g is not bit for bit %.17g", found, expected);
}

/* To 1e-12 of the sum of the terms' sizes: W times the mean of |z|. */
static inline void assert_cost(const walker *at, const sm_node *node, const uint32_t *order, size_t first, size_t end,
                               double found) {
    slow_sums sums = {0};
    long double weight = 0;
    for (size_t r = first; r < end; r++) {
        size_t i = node->items[order[r]];
        weight += (long double)at->weight[i];
        for (size_t s = first; s < end; s++) {
            size_t j = node->items[order[s]];
            slow_add(&sums, at->all, i, j, at->weight[i], at->weight[j]);
        }
    }
    long double expected = weight * sums.value / sums.pairs, slack = 1e-12L * weight * sums.size / sums.pairs;
    if (!(fabsl((long double)found - expected) <= slack))
        fail_msg("ranks %zu to %zu of %zu cost %.17g, not %.17Lg", first, end, node->n, found, expected);
}

static inline void check_price(walker *at, const sm_node *node) {
    static uint32_t orders[MOST_LINES][MOST_ITEMS];
    static double costs[4][MOST_LINES][MOST_ITEMS];
    sm_line_up lines[MOST_LINES], others[MOST_LINES];
    for (size_t u = 0; u < MOST_LINES; u++) {
        draw_order(orders[u], node->n, &at->random);
        lines[u] = (sm_line_up){.order = orders[u], .left = costs[0][u], .right = costs[1][u]};
        others[u] = (sm_line_up){.order = orders[u], .left = costs[2][u], .right = costs[3][u]};
    }
    double cost = sm_price(plain_engine(at->kind)->pricing, at->search, node, lines, MOST_LINES);
    assert_cost(at, node, orders[0], 0, node->n, cost);
    for (size_t u = MOST_LINES; u-- > 0;) /* one by one, the last one first */
        assert_same_bits(sm_price(plain_engine(at->kind)->pricing, at->other, node, &others[u], 1), cost);
    for (size_t u = 0; u < MOST_LINES; u++)
        for (size_t r = 0; r + 1 < node->n; r++) {
            assert_same_bits(lines[u].left[r], others[u].left[r]);
            assert_same_bits(lines[u].right[r], others[u].right[r]);
            if (r % (node->n / 8 + 1) != 0) continue;
            assert_cost(at, node, orders[u], 0, r + 1, lines[u].left[r]);
            assert_cost(at, node, orders[u], r + 1, node->n, lines[u].right[r]);
        }
}

static inline void check_pure(const walker *at, const sm_node *node) {
    double first = at->all->z[node->items[0]][node->items[0]];
    bool is_pure = true;
    for (size_t k = 0; k < node->n; k++)
        for (size_t l = 0; l < node->n; l++) {
            size_t i = node->items[k], j = node->items[l];
            if (at->all->omega[i][j] > 0 && at->all->z[i][j] != first) is_pure = false;
        }
    assert_int_equal(plain_engine(at->kind)->is_pure(at->search, node), is_pure);
    assert_int_equal(plain_engine(at->kind)->is_pure(at->other, node), is_pure);
}

/* Two levels without a known pair: the mean of the node. */
static inline slow_sums slow_level_sums(const walker *at, const sm_node *node, const uint32_t *level, size_t a,
                                        size_t b) {
    slow_sums some = {0}, all = {0};
    for (size_t k = 0; k < node->n; k++)
        for (size_t l = 0; l < node->n; l++) {
            size_t i = node->items[k], j = node->items[l];
            slow_add(&all, at->all, i, j, at->weight[i], at->weight[j]);
            if (level[k] == a && level[l] == b) slow_add(&some, at->all, i, j, at->weight[i], at->weight[j]);
        }
    return some.pairs > 0 ? some : all;
}

static inline void check_levels(walker *at, const sm_node *node) {
    static double mean[MOST_ITEMS * MOST_ITEMS], other[MOST_ITEMS * MOST_ITEMS];
    uint32_t level[MOST_ITEMS], n_levels = 1 + sm_random_below(&at->random, 7);
    if (n_levels > node->n || sm_random_below(&at->random, 5) == 0) n_levels = (uint32_t)node->n;
    draw_levels(level, node->n, n_levels, &at->random);
    plain_engine(at->kind)->level_distances(at->search, node, level, n_levels, mean);
    plain_engine(at->kind)->level_distances(at->other, node, level, n_levels, other);
    for (size_t a = 0; a < n_levels; a++)
        for (size_t b = 0; b < n_levels; b++) {
            slow_sums sums = slow_level_sums(at, node, level, a, b);
            assert_near(mean[a * n_levels + b], slow_ratio(&sums), 1e-12 * (double)(sums.size / sums.pairs));
            assert_same_bits(mean[a * n_levels + b], other[a * n_levels + b]);
        }
}

static inline void walk(walker *at, uint32_t *items, size_t n, size_t view, size_t depth) {
    if (n < 2 || depth > 20) return;
    double weight[MOST_ITEMS]; /* by place */
    sm_node node = {.items = items, .n = n, .weight = weight};
    for (size_t k = 0; k < n; k++) node.total += weight[k] = at->weight[items[k]];
    view = plain_engine(at->kind)->enter(at->search, &node, view);
    plain_engine(at->kind)->enter(at->other, &node, 0);
    check_pure(at, &node);
    if (depth % 3 == 1) check_levels(at, &node); /* before the node's cost was asked for, */
    check_price(at, &node);
    if (depth % 3 == 0) check_levels(at, &node); /* and after */
    uint32_t right[MOST_ITEMS];
    size_t n_left = draw_children(items, n, right, sm_random_uniform(&at->random), &at->random);
    walk(at, items, n_left, view, depth + 1);
    walk(at, items + n_left, n - n_left, view, depth + 1);
}

/* 10^-100 ... 10^100: products of two are far beyond each other. */
static inline double extreme_weight(sm_random *random) {
    static const double sizes[] = {1e-100, 1e-60, 1e-3, 1, 1e7, 1e60, 1e100};
    return sizes[sm_random_below(random, 7)] * (1 + (double)sm_random_below(random, 8) / 8);
}

/* Trees one after the other with one search: bags with whole, odd and extreme weights. */
static inline void walk_trees(const known *all, const smerf_target *target, uint64_t seed) {
    walker at = {.all = all, .target = target, .kind = target->kind};
    const sm_search_size size = {.n_items = all->n, .n_levels = all->n, .n_line_ups = MOST_LINES, .n_threads = 1};
    smerf_error error;
    at.search = plain_engine(at.kind)->search_new(target, &size, &error);
    at.other = plain_engine(at.kind)->search_new(target, &size, &error);
    assert_true(at.search != NULL && at.other != NULL);
    sm_random_start(&at.random, seed, 3, all->n);
    for (size_t tree = 0; tree < 4; tree++) {
        uint32_t items[MOST_ITEMS];
        size_t n_in_bag = 0;
        for (uint32_t i = 0; i < all->n; i++) {
            uint32_t n_draws = tree == 0 ? 1 : sm_random_below(&at.random, 4);
            at.weight[i] = n_draws;
            if (tree == 2) at.weight[i] *= 0.25 + sm_random_uniform(&at.random);
            if (tree == 3) at.weight[i] *= extreme_weight(&at.random);
            if (n_draws > 0) items[n_in_bag++] = i;
        }
        walk(&at, items, n_in_bag, 0, 0);
    }
    plain_engine(at.kind)->search_free(at.search);
    plain_engine(at.kind)->search_free(at.other);
}

/* ---- leaves ---- */

typedef struct tree_of_leaves {
    sm_leaves leaves;
    uint32_t first[MOST_ITEMS + 1], item[MOST_ITEMS], node[MOST_ITEMS];
    double weight[MOST_ITEMS], total[MOST_ITEMS];
    uint32_t parent[2 * MOST_ITEMS], first_leaf[2 * MOST_ITEMS], end_leaf[2 * MOST_ITEMS];
    size_t n_members;
    sm_random random;
} tree_of_leaves;

static inline int compare_items(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Grows a subtree over items[0 .. n-1], in preorder. */
static inline void grow_subtree(tree_of_leaves *tree, uint32_t parent, uint32_t *items, size_t n) {
    sm_leaves *leaves = &tree->leaves;
    uint32_t here = (uint32_t)leaves->n_nodes++;
    tree->parent[here] = parent;
    tree->first_leaf[here] = (uint32_t)leaves->n;
    if (n == 1 || sm_random_below(&tree->random, 6) == 0) {
        qsort(items, n, sizeof *items, compare_items);
        memcpy(tree->item + tree->n_members, items, n * sizeof *items);
        tree->node[leaves->n] = here;
        tree->n_members += n;
        tree->first[++leaves->n] = (uint32_t)tree->n_members;
    } else { /* evenly, or one by one */
        size_t n_left =
            sm_random_below(&tree->random, 3) == 0 ? 1 : 1 + sm_random_below(&tree->random, (uint32_t)n - 1);
        grow_subtree(tree, here, items, n_left);
        grow_subtree(tree, here, items + n_left, n - n_left);
    }
    tree->end_leaf[here] = (uint32_t)leaves->n;
}

/* Some of the items; weights are whole, odd or extreme. There is no summary yet. */
static inline void plant(tree_of_leaves *tree, size_t n_items, uint64_t number) {
    uint32_t items[MOST_ITEMS];
    sm_leaves *leaves = &tree->leaves;
    *tree = (tree_of_leaves){0};
    sm_random_start(&tree->random, 8, (uint32_t)n_items, number);
    size_t n_members = 1 + sm_random_below(&tree->random, (uint32_t)n_items);
    for (uint32_t i = 0; i < n_items; i++) items[i] = i;
    sm_random_shuffle(&tree->random, items, n_items);
    grow_subtree(tree, 0, items, n_members);
    for (size_t l = 0; l < leaves->n; l++)
        for (size_t m = tree->first[l]; m < tree->first[l + 1]; m++) {
            tree->weight[m] = 1 + sm_random_below(&tree->random, 3);
            if (number % 3 == 1) tree->weight[m] *= 0.1 + sm_random_uniform(&tree->random);
            if (number % 3 == 2) tree->weight[m] *= extreme_weight(&tree->random);
            tree->total[l] += tree->weight[m];
        }
    leaves->first = tree->first;
    leaves->item = tree->item;
    leaves->weight = tree->weight;
    leaves->total = tree->total;
    leaves->parent = tree->parent;
    leaves->first_leaf = tree->first_leaf;
    leaves->end_leaf = tree->end_leaf;
    leaves->node = tree->node;
}

static inline void grow_leaves(tree_of_leaves *tree, const smerf_target *target, size_t n_items, uint64_t number) {
    plant(tree, n_items, number);
    tree->leaves.summary = target->kind->predicting.summarise(target, &tree->leaves);
    assert_non_null(tree->leaves.summary);
}

static inline void fell(tree_of_leaves *tree, const smerf_target *target) {
    target->kind->predicting.summary_free((void *)tree->leaves.summary);
}

/* Sums between the members of two nodes, over different items or over all. */
static inline slow_sums slow_between(const known *all, const sm_leaves *leaves, size_t a, size_t b, bool is_apart) {
    slow_sums sums = {0};
    for (size_t k = leaves->first[leaves->first_leaf[a]]; k < leaves->first[leaves->end_leaf[a]]; k++)
        for (size_t l = leaves->first[leaves->first_leaf[b]]; l < leaves->first[leaves->end_leaf[b]]; l++)
            if (!is_apart || k != l)
                slow_add(&sums, all, leaves->item[k], leaves->item[l], leaves->weight[k], leaves->weight[l]);
    return sums;
}

/* Both go up until there is a known pair of different items; no pairs: there is none. */
static inline slow_sums slow_climb(const known *all, const sm_leaves *leaves, size_t a, size_t b) {
    size_t left = leaves->node[a], right = leaves->node[b];
    if (a == b) return slow_between(all, leaves, left, right, false);
    for (;;) {
        slow_sums sums = slow_between(all, leaves, left, right, true);
        if (sums.pairs > 0 || (left == 0 && right == 0)) return sums;
        left = leaves->parent[left];
        right = leaves->parent[right];
    }
}

static inline void assert_mean(double found, const slow_sums *sums) {
    if (sums->pairs == 0) {
        if (!isnan(found)) fail_msg("%.17g, though nothing is known", found);
        return;
    }
    assert_near(found, slow_ratio(sums), 1e-13 * (1 + (double)(sums->size / sums->pairs)));
}

static inline void check_rows(const known *all, const smerf_target *target, const sm_leaves *leaves) {
    static double rows[MOST_ITEMS * MOST_ITEMS];
    double scratch[MOST_ITEMS];
    size_t n = leaves->n;
    for (size_t a = 0; a < n; a++) target->kind->predicting.leaf_row(target, leaves, a, rows + a * n, scratch);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            slow_sums sums = slow_climb(all, leaves, a, b);
            assert_mean(rows[a * n + b], &sums);
            assert_same_bits(rows[a * n + b], rows[b * n + a]);
            assert_same_bits(rows[a * n + b], target->kind->predicting.leaf_pair(target, leaves, a, b));
        }
}

/* Of every node, and of members that no node has. */
static inline void check_means_apart(const known *all, const smerf_target *target, tree_of_leaves *tree) {
    const sm_leaves *leaves = &tree->leaves;
    for (size_t node = 0; node < leaves->n_nodes; node++) {
        slow_sums sums = slow_between(all, leaves, node, node, true);
        size_t first = leaves->first[leaves->first_leaf[node]], end = leaves->first[leaves->end_leaf[node]];
        assert_mean(target->kind->predicting.mean_apart(target, leaves, first, end), &sums);
    }
    for (size_t round = 0; round < 10; round++) {
        slow_sums sums = {0};
        size_t first = sm_random_below(&tree->random, (uint32_t)tree->n_members + 1);
        size_t end = first + sm_random_below(&tree->random, (uint32_t)(tree->n_members - first) + 1);
        for (size_t k = first; k < end; k++)
            for (size_t l = first; l < end; l++)
                if (k != l) slow_add(&sums, all, tree->item[k], tree->item[l], tree->weight[k], tree->weight[l]);
        assert_mean(target->kind->predicting.mean_apart(target, leaves, first, end), &sums);
    }
}

static inline void check_leaves(const known *all, const smerf_target *target) {
    for (uint64_t number = 0; number < 9; number++) {
        tree_of_leaves tree;
        grow_leaves(&tree, target, all->n, number);
        check_rows(all, target, &tree.leaves);
        check_means_apart(all, target, &tree);
        fell(&tree, target);
    }
}

/* NaN where nothing is known. */
static inline void check_truth(const known *all, const smerf_target *target) {
    double row[MOST_ITEMS];
    for (size_t i = 0; i < all->n; i++) {
        target->kind->data.true_row(target, i, row);
        for (size_t j = 0; j < all->n; j++)
            if (all->omega[i][j] > 0)
                assert_true(row[j] == all->z[i][j]);
            else
                assert_true(isnan(row[j]));
    }
}

/* ---- every question ---- */

static inline void check_questions(const known *all, const smerf_target *target, uint64_t seed) {
    check_truth(all, target);
    walk_trees(all, target, seed);
    check_leaves(all, target);
}

/* The target with another diagonal, which holds on to the first one and takes it from the caller. */
static inline smerf_target *exchange_diagonal(known *all, smerf_target *target, double value) {
    smerf_target *variant;
    smerf_error error;
    demand_ok(target->kind->data.with_diagonal(target, value, &variant, &error), &error);
    assert_ptr_equal(variant->kind, target->kind);
    smerf_target_free(target);
    for (size_t i = 0; i < all->n; i++) all->z[i][i] = value;
    return variant;
}

#endif
