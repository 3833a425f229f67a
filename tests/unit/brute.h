/* brute.h - what a target says of nodes and leaves, held against double sums over its matrix. */
#ifndef TESTS_UNIT_BRUTE_H
#define TESTS_UNIT_BRUTE_H

#include "tests/unit/engines.h"
#include "tests/unit/nodes.h"

enum { MOST_ITEMS = 120, MOST_LINE_UPS = 3, MOST_LEVELS = 7 };

/* A target, and the matrix that it stands for, the diagonal included. */
typedef struct brute {
    const smerf_target *target;
    double z[MOST_ITEMS * MOST_ITEMS];
    size_t n;
    sm_random random;
    double weight[MOST_ITEMS]; /* by item */
    sm_search *search;
    bool is_exact; /* every cost is good to its own last digits, not only to those of the node's */
} brute;

static inline double z_of(const brute *at, size_t i, size_t j) { return at->z[i * at->n + j]; }

/* The matrix is what the target tells. */
static inline void brute_start(brute *at, const smerf_target *target, uint64_t seed) {
    at->target = target;
    at->n = target->n_rows;
    assert_true(at->n <= MOST_ITEMS);
    sm_random_start(&at->random, seed, 3, at->n);
    for (size_t i = 0; i < at->n; i++) target->kind->data.true_row(target, i, at->z + i * at->n);
}

/* Ones; draws; draws times weights of all sizes. */
static inline void draw_weights(brute *at, int how) {
    for (size_t i = 0; i < at->n; i++) {
        at->weight[i] = how == 0 ? 1 : 1 + sm_random_below(&at->random, 4);
        if (how == 2) at->weight[i] *= 0.1 + sm_random_uniform(&at->random);
        if (how == 3) at->weight[i] *= pow(10, 200 * sm_random_uniform(&at->random) - 100);
    }
}

/* ---- nodes ---- */

/* Q(S) / W of the items order[first .. end-1] of a node. */
static inline double brute_cost(const brute *at, const sm_node *node, const uint32_t *order, size_t first, size_t end) {
    long double cost = 0, weight = 0;
    for (size_t r = first; r < end; r++) {
        size_t i = node->items[order[r]];
        for (size_t s = first; s < end; s++) {
            size_t j = node->items[order[s]];
            cost += (long double)at->weight[i] * (long double)at->weight[j] * (long double)z_of(at, i, j);
        }
        weight += (long double)at->weight[i];
    }
    return (double)(cost / weight);
}

static inline void check_price(brute *at, const sm_node *node) {
    static uint32_t orders[MOST_LINE_UPS][MOST_ITEMS];
    static double left[MOST_LINE_UPS][MOST_ITEMS], right[MOST_LINE_UPS][MOST_ITEMS], again[2][MOST_ITEMS];
    const sm_target_kind *kind = at->target->kind;
    sm_line_up lines[MOST_LINE_UPS];
    for (size_t u = 0; u < MOST_LINE_UPS; u++) {
        draw_order(orders[u], node->n, &at->random);
        lines[u] = (sm_line_up){.order = orders[u], .left = left[u], .right = right[u]};
    }
    double cost = sm_price(plain_engine(kind)->pricing, at->search, node, lines, MOST_LINE_UPS);
    double whole = brute_cost(at, node, orders[0], 0, node->n);
    assert_near(cost, whole, 1e-13 * whole);
    for (size_t u = 0; u < MOST_LINE_UPS; u++) {
        const sm_line_up alone = {.order = orders[u], .left = again[0], .right = again[1]};
        assert_true(sm_price(plain_engine(kind)->pricing, at->search, node, &alone, 1) ==
                    cost); /* the same by itself, to the last bit */
        assert_memory_equal(again[0], left[u], (node->n - 1) * sizeof **left);
        assert_memory_equal(again[1], right[u], (node->n - 1) * sizeof **right);
        for (size_t r = 0; r + 1 < node->n; r += 1 + node->n / 9) {
            double from_left = brute_cost(at, node, orders[u], 0, r + 1);
            double from_right = brute_cost(at, node, orders[u], r + 1, node->n);
            assert_near(left[u][r], from_left, 1e-13 * (at->is_exact ? from_left : whole));
            assert_near(right[u][r], from_right, 1e-13 * (at->is_exact ? from_right : whole));
        }
    }
}

static inline void check_pure(brute *at, const sm_node *node) {
    double first = z_of(at, node->items[0], node->items[0]);
    bool is_pure = true;
    for (size_t k = 0; k < node->n; k++)
        for (size_t l = 0; l < node->n; l++) is_pure = is_pure && z_of(at, node->items[k], node->items[l]) == first;
    assert_int_equal(plain_engine(at->target->kind)->is_pure(at->search, node), is_pure);
}

static inline double brute_level_mean(const brute *at, const sm_node *node, const uint32_t *level, size_t a, size_t b) {
    long double sum = 0, weight = 0;
    for (size_t k = 0; k < node->n; k++)
        for (size_t l = 0; l < node->n; l++) {
            if (level[k] != a || level[l] != b) continue;
            size_t i = node->items[k], j = node->items[l];
            long double pair = (long double)at->weight[i] * (long double)at->weight[j];
            sum += pair * (long double)z_of(at, i, j);
            weight += pair;
        }
    return (double)(sum / weight);
}

static inline void check_levels(brute *at, const sm_node *node) {
    uint32_t level[MOST_ITEMS], n_levels = 1 + sm_random_below(&at->random, MOST_LEVELS);
    double mean[MOST_LEVELS * MOST_LEVELS];
    if (n_levels > node->n) n_levels = (uint32_t)node->n;
    draw_levels(level, node->n, n_levels, &at->random);
    plain_engine(at->target->kind)->level_distances(at->search, node, level, n_levels, mean);
    for (size_t a = 0; a < n_levels; a++)
        for (size_t b = 0; b < n_levels; b++) {
            double slow = brute_level_mean(at, node, level, a, b);
            assert_near(mean[a * n_levels + b], slow, 1e-13 * slow);
            assert_true(mean[a * n_levels + b] == mean[b * n_levels + a]);
        }
}

static inline void walk_nodes(brute *at, uint32_t *items, size_t n, size_t view, size_t depth) {
    if (n < 2 || depth > 10) return;
    double weight[MOST_ITEMS]; /* by place */
    sm_node node = {.items = items, .n = n, .weight = weight};
    for (size_t k = 0; k < n; k++) node.total += weight[k] = at->weight[items[k]];
    view = plain_engine(at->target->kind)->enter(at->search, &node, view);
    check_pure(at, &node);
    check_price(at, &node);
    check_levels(at, &node);
    check_price(at, &node); /* one question does not spoil the next */
    uint32_t right[MOST_ITEMS];
    size_t n_left = draw_children(items, n, right, 1.0 / 3, &at->random);
    walk_nodes(at, items, n_left, view, depth + 1);
    walk_nodes(at, items + n_left, n - n_left, view, depth + 1);
}

/* Nested nodes, as growing a tree meets them, under weights of all sorts; one search for several trees. */
static inline void check_nodes(brute *at) {
    smerf_error error;
    const sm_search_size size = {
        .n_items = at->n, .n_levels = MOST_LEVELS, .n_line_ups = MOST_LINE_UPS, .n_threads = 1};
    at->search = plain_engine(at->target->kind)->search_new(at->target, &size, &error);
    assert_non_null(at->search);
    for (int how = 0; how < 4; how++) {
        uint32_t items[MOST_ITEMS];
        for (uint32_t i = 0; i < at->n; i++) items[i] = i;
        draw_weights(at, how);
        walk_nodes(at, items, at->n, 0, 0);
    }
    plain_engine(at->target->kind)->search_free(at->search);
}

/* ---- leaves ---- */

typedef struct partition {
    sm_leaves leaves;
    uint32_t first[MOST_ITEMS + 1], item[MOST_ITEMS];
    double weight[MOST_ITEMS], total[MOST_ITEMS];
} partition;

static inline int by_number(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Some of the items in leaves of one item and of more. */
static inline void draw_partition(brute *at, partition *drawn, size_t n_leaves) {
    size_t n_members = n_leaves + sm_random_below(&at->random, (uint32_t)(at->n - n_leaves + 1));
    for (uint32_t i = 0; i < at->n; i++) drawn->item[i] = i;
    sm_random_shuffle(&at->random, drawn->item, at->n);
    for (size_t l = 0; l <= n_leaves; l++) drawn->first[l] = (uint32_t)(l * n_members / n_leaves);
    for (size_t l = 1; l + 1 < n_leaves; l += 2) drawn->first[l] = drawn->first[l + 1] - 1;
    for (size_t l = 0; l < n_leaves; l++) {
        size_t first = drawn->first[l], n = drawn->first[l + 1] - first;
        qsort(drawn->item + first, n, sizeof *drawn->item, by_number);
        drawn->total[l] = 0;
        for (size_t m = first; m < first + n; m++) drawn->total[l] += drawn->weight[m] = at->weight[drawn->item[m]];
    }
    drawn->leaves = (sm_leaves){
        .n = n_leaves, .first = drawn->first, .item = drawn->item, .weight = drawn->weight, .total = drawn->total};
}

/* Mean z over two ranges of members; apart: without those of an item to itself. */
static inline double brute_mean(const brute *at, const sm_leaves *leaves, const size_t a[2], const size_t b[2],
                                bool is_apart) {
    long double sum = 0, weight = 0;
    for (size_t k = a[0]; k < a[1]; k++)
        for (size_t l = b[0]; l < b[1]; l++) {
            if (is_apart && k == l) continue;
            long double pair = (long double)leaves->weight[k] * (long double)leaves->weight[l];
            sum += pair * (long double)z_of(at, leaves->item[k], leaves->item[l]);
            weight += pair;
        }
    return weight > 0 ? (double)(sum / weight) : (double)NAN;
}

static inline void check_leaf_distances(const brute *at, const sm_leaves *leaves) {
    static double rows[MOST_ITEMS * MOST_ITEMS];
    double scratch[MOST_ITEMS], largest = 0;
    size_t n = leaves->n;
    for (size_t k = 0; k < at->n * at->n; k++) largest = fmax(largest, at->z[k]);
    for (size_t a = 0; a < n; a++) at->target->kind->predicting.leaf_row(at->target, leaves, a, rows + a * n, scratch);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            const size_t left[2] = {leaves->first[a], leaves->first[a + 1]};
            const size_t right[2] = {leaves->first[b], leaves->first[b + 1]};
            double pair = at->target->kind->predicting.leaf_pair(at->target, leaves, a, b);
            assert_memory_equal(&rows[a * n + b], &pair, sizeof pair);
            assert_memory_equal(&rows[a * n + b], &rows[b * n + a], sizeof pair);
            assert_near(pair, brute_mean(at, leaves, left, right, false), 1e-14 * largest);
        }
}

static inline void check_apart(const brute *at, const sm_leaves *leaves) {
    size_t n_members = leaves->first[leaves->n];
    for (size_t first = 0; first < n_members; first += 1 + n_members / 20)
        for (size_t end = first + 1; end <= n_members; end += 1 + n_members / 20) {
            const size_t range[2] = {first, end};
            double slow = brute_mean(at, leaves, range, range, true);
            assert_near(at->target->kind->predicting.mean_apart(at->target, leaves, first, end), slow, 1e-13 * slow);
        }
}

typedef void (*leaves_check)(const brute *at, const sm_leaves *leaves);

/*   also  what else is to be looked at, or NULL */
static inline void check_leaves(brute *at, leaves_check also) {
    const sm_target_kind *kind = at->target->kind;
    for (int how = 0; how < 4; how++)
        for (size_t divisor = 1; divisor < 6; divisor++) {
            partition drawn;
            draw_weights(at, how);
            draw_partition(at, &drawn, 1 + (at->n - 1) / divisor);
            void *summary = kind->predicting.summarise(at->target, &drawn.leaves);
            assert_non_null(summary);
            assert_true(kind->predicting.summary_bytes(at->target, drawn.leaves.n) > 0);
            drawn.leaves.summary = summary;
            check_leaf_distances(at, &drawn.leaves);
            check_apart(at, &drawn.leaves);
            if (also != NULL) also(at, &drawn.leaves);
            kind->predicting.summary_free(summary);
        }
}

/* ---- targets of all sorts ---- */

/* Targets whose diagonal can be any number.   draw  so many items, for one of the trials */
typedef struct brute_plan {
    smerf_target *(*draw)(size_t n, sm_random *random, size_t trial);
    const double *diagonals; /* [n_diagonals] in turn */
    size_t n_diagonals, n_trials;
    uint64_t seed;
    bool is_exact; /* as in brute */
} brute_plan;

static inline void for_all_targets(const brute_plan *plan, void (*check)(brute *at)) {
    static brute at;
    const size_t sizes[] = {2, 3, 5, 17, 40, MOST_ITEMS}, n_trials = repetitions(plan->n_trials, plan->n_diagonals);
    sm_random random;
    smerf_error error;
    sm_random_start(&random, plan->seed, 0, 0);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t trial = 0; trial < n_trials; trial++) {
            smerf_target *given = plan->draw(sizes[s], &random, trial), *target = NULL;
            double diagonal = plan->diagonals[trial % plan->n_diagonals];
            demand_ok(given->kind->data.with_diagonal(given, diagonal, &target, &error), &error);
            smerf_target_free(given); /* the variant keeps it */
            brute_start(&at, target, trial);
            at.is_exact = plan->is_exact;
            check(&at);
            smerf_target_free(target);
        }
}

#endif
