/* pairs_search.c - prices every cut of a node from the observed pairs inside it.
 *
 * I(S) is the mean over the observed pairs in S, each weighted by w_i w_j and its own weight; an item and itself are an
 * observed pair of weight 1. The cost of S is W I(S) = W Q / N, with Q the sum of the weighted distances and N the sum of
 * the weights: with nothing missing N is W^2, and the cost is that of the full matrix. When item k joins the items before
 * it, Q grows by w_k (2 V_k + w_k z_kk) and N by w_k (2 P_k + w_k), where V and P are sums over its observed partners
 * before it. Both sides of a cut are summed up from the ends, so that neither is a difference. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/links/pairs.h"

/* Q, N and W of a growing set. */
typedef struct running {
    double sum, pairs, weight;
} running;

struct sm_search {
    sm_links_scratch scratch;
    sm_arena arena; /* holds the arrays below */
    const sm_known_pairs *pairs;
    bool is_summed;
    running all;          /* of the node entered last, once it was needed */
    uint32_t *by_level;   /* [n_items] see sm_level_order */
    size_t *level_first;  /* [n_levels + 1] */
    double *level_weight; /* [n_levels] N of one level and each; 0 between two products */
    double *level_sum;    /* [n_levels] Q likewise */
    uint32_t *touched;    /* [n_levels] the levels of which neither is 0 */
};

static void free_pairs_search(sm_search *search) {
    if (search == NULL) return;
    sm_links_scratch_free(&search->scratch);
    sm_arena_free(&search->arena);
    sm_free(search);
}

static smerf_status pairs_near_order(const smerf_target *target, uint32_t **order, smerf_error *error) {
    return sm_links_near_order(sm_known_pairs_of(target)->links, order, error);
}

static sm_search *new_pairs_search(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    sm_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    search->pairs = sm_known_pairs_of(target);
    search->by_level = sm_arena_take(&search->arena, size->n_items, sizeof *search->by_level);
    search->level_first = sm_arena_take(&search->arena, size->n_levels + 1, sizeof *search->level_first);
    search->level_weight = sm_arena_take(&search->arena, size->n_levels, sizeof *search->level_weight);
    search->level_sum = sm_arena_take_zeros(&search->arena, size->n_levels, sizeof *search->level_sum);
    search->touched = sm_arena_take(&search->arena, size->n_levels, sizeof *search->touched);
    smerf_status status = SMERF_OK;
    if (search->arena.has_failed) status = sm_no_memory(error, "preparing to grow trees");
    if (status == SMERF_OK) status = sm_links_scratch_start(&search->scratch, search->pairs->links, size, error);
    if (status == SMERF_OK) return search;
    free_pairs_search(search);
    return NULL;
}

static size_t enter_pairs_node(sm_search *search, sm_node *node, size_t view) {
    search->is_summed = false;
    return sm_links_enter(&search->scratch, node, view);
}

static bool pairs_is_pure(sm_search *search, const sm_node *node) {
    const sm_links *links = search->scratch.links;
    double first = sm_known_self(search->pairs, node->items[0]);
    for (size_t k = 1; k < node->n; k++)
        if (sm_known_self(search->pairs, node->items[k]) != first) return false;
    for (size_t e = 0; e < links->n; e++)
        if (sm_links_value(links, e) != first) return false;
    return true;
}

/* ---- costs ---- */

static void add_side_of_pairs(running *set, double w, double self, double value, double weight) {
    set->sum += w * (2 * value + w * self);
    set->pairs += w * (2 * weight + w);
    set->weight += w;
}

/* W Q / N, in the order in which no weights make it leave the range of a double. */
static double cost(const running *set) { return set->sum * (set->weight / set->pairs); }

/* The sides of the item at one rank, which are often not counted: observed pairs have values. */
static sm_sides sides_at(const sm_links_scratch *scratch, size_t line_up, size_t rank) {
    if (!scratch->is_counted) return sm_links_sides(scratch, line_up)[rank];
    const sm_counts counts = sm_links_counts(scratch, line_up)[rank];
    double common = scratch->links->common;
    return (sm_sides){counts.before, counts.after, common * counts.before, common * counts.after};
}

static void fill_pairs_costs(sm_search *search, const sm_node *node, size_t line_up, const sm_line_up *out) {
    running left = {0}, right = {0};
    for (size_t r = 0; r + 1 < node->n; r++) {
        size_t k = out->order[r];
        const sm_sides sides = sides_at(&search->scratch, line_up, r);
        add_side_of_pairs(&left, search->scratch.weight[k], sm_known_self(search->pairs, node->items[k]),
                          sides.value_before, sides.weight_before);
        out->left[r] = cost(&left);
    }
    for (size_t r = node->n; r-- > 1;) {
        size_t k = out->order[r];
        const sm_sides sides = sides_at(&search->scratch, line_up, r);
        add_side_of_pairs(&right, search->scratch.weight[k], sm_known_self(search->pairs, node->items[k]),
                          sides.value_after, sides.weight_after);
        out->right[r - 1] = cost(&right);
    }
}

/* The node itself, its items taken in order. */
static void sum_node(sm_search *search, const sm_node *node) {
    if (search->is_summed) return;
    search->all = (running){0};
    sm_links_look(&search->scratch, node, NULL, 1);
    for (size_t k = 0; k < node->n; k++) {
        const sm_sides sides = sides_at(&search->scratch, 0, k);
        add_side_of_pairs(&search->all, search->scratch.weight[k], sm_known_self(search->pairs, node->items[k]),
                          sides.value_before, sides.weight_before);
    }
    search->is_summed = true;
}

static double price_pairs_cuts(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    sum_node(search, node);
    sm_links_look(&search->scratch, node, line_ups, n_line_ups);
    return cost(&search->all);
}

static size_t pairs_line_ups_at_once(const smerf_target *target, const sm_search_size *size) {
    return sm_links_at_once(sm_known_pairs_of(target)->links, size);
}

/* ---- levels ---- */

/* Sums of one item's observed pairs, by the level of the partner. */
static void add_pairs_of_item(sm_search *search, const sm_node *node, const uint32_t *level, size_t k, double *sums) {
    const sm_links *links = search->scratch.links;
    double w = search->scratch.weight[k];
    sums[level[k]] += w * w * sm_known_self(search->pairs, node->items[k]);
    search->level_weight[level[k]] += w * w;
    for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
        size_t j = links->partner[e];
        if (level[j] == SMERF_MISSING) continue;
        double weight = w * search->scratch.weight[j] * sm_links_weight(links, e);
        sums[level[j]] += weight * sm_links_value(links, e);
        search->level_weight[level[j]] += weight;
    }
}

static void pairs_level_distances(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                                  double *mean) {
    sum_node(search, node);
    double otherwise = search->all.sum / search->all.pairs;
    sm_level_order(node, level, n_levels, search->by_level, search->level_first);
    memset(mean, 0, n_levels * n_levels * sizeof *mean);
    for (size_t a = 0; a < n_levels; a++) {
        double *row = mean + a * n_levels;
        memset(search->level_weight, 0, n_levels * sizeof *search->level_weight);
        for (size_t r = search->level_first[a]; r < search->level_first[a + 1]; r++)
            add_pairs_of_item(search, node, level, search->by_level[r], row);
        for (size_t b = 0; b < n_levels; b++)
            row[b] = search->level_weight[b] > 0 ? row[b] / search->level_weight[b] : otherwise;
    }
}

/* ---- many levels ---- */

static double start_pairs_levels(sm_search *search, const sm_node *node, const sm_node_levels *levels) {
    const sm_links *links = search->scratch.links;
    sum_node(search, node);
    sm_level_order(node, levels->level, levels->n_levels, search->by_level, search->level_first);
    memset(search->level_weight, 0, levels->n_levels * sizeof *search->level_weight);
    double largest = fabs(search->all.sum / search->all.pairs);
    for (size_t e = 0; e < links->n; e++) largest = fmax(largest, fabs(sm_links_value(links, e)));
    return largest;
}

static size_t touch_level(sm_search *search, uint32_t b, double weight, double value, size_t n_touched) {
    if (search->level_weight[b] == 0) search->touched[n_touched++] = b; /* weights are > 0 */
    search->level_weight[b] += weight;
    search->level_sum[b] += weight * value;
    return n_touched;
}

/* Sums of one item's observed pairs, by the level of the partner; returns how many levels have one. */
static size_t touch_pairs_of_item(sm_search *search, const sm_node *node, const uint32_t *level, size_t k,
                                  size_t n_touched) {
    const sm_links *links = search->scratch.links;
    double w = search->scratch.weight[k];
    n_touched = touch_level(search, level[k], w * w, sm_known_self(search->pairs, node->items[k]), n_touched);
    for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
        size_t j = links->partner[e];
        if (level[j] == SMERF_MISSING) continue;
        double weight = w * search->scratch.weight[j] * sm_links_weight(links, e);
        n_touched = touch_level(search, level[j], weight, sm_links_value(links, e), n_touched);
    }
    return n_touched;
}

/* Two levels without an observed pair are at the node's mean, from which the others differ. */
static void multiply_pairs_levels(sm_search *search, const sm_node *node, const sm_node_levels *levels, const double *x,
                                  double *y) {
    double otherwise = search->all.sum / search->all.pairs;
    for (size_t a = 0; a < levels->n_levels; a++) {
        size_t n_touched = 0;
        for (size_t r = search->level_first[a]; r < search->level_first[a + 1]; r++)
            n_touched = touch_pairs_of_item(search, node, levels->level, search->by_level[r], n_touched);
        y[a] = 0;
        for (size_t t = 0; t < n_touched; t++) {
            uint32_t b = search->touched[t];
            y[a] += (search->level_sum[b] / search->level_weight[b] - otherwise) * x[b];
            search->level_sum[b] = search->level_weight[b] = 0;
        }
    }
}

static const sm_pricing pricing = {
    .price = price_pairs_cuts, .costs = fill_pairs_costs, .n_at_once = pairs_line_ups_at_once};

const sm_engine sm_pairs_engine = {
    .search_new = new_pairs_search,
    .search_free = free_pairs_search,
    .enter = enter_pairs_node,
    .is_pure = pairs_is_pure,
    .best_cut = sm_best_by_costs,
    .pricing = &pricing,
    .level_distances = pairs_level_distances,
    .level_start = start_pairs_levels,
    .level_product = multiply_pairs_levels,
    .near_order = pairs_near_order,
};
