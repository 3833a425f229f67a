/* pairs_search.c - prices every cut of a node from the observed pairs inside it.
 *
 * I(S) is the mean over the observed pairs in S, each weighted by w_i w_j and its own weight; an item and itself are an
 * observed pair of weight 1. The cost of S is W I(S) = W Q / N, with Q the sum of the weighted distances and N the sum of
 * the weights: with nothing missing N is W^2, and the cost is that of the full matrix. When item k joins the items before
 * it, Q grows by w_k (2 V_k + w_k z_kk) and N by w_k (2 P_k + w_k), where V and P are sums over its observed partners
 * before it. Both sides of a cut are summed up from the ends, so that neither is a difference. */
#include <string.h>

#include "base/memory.h"
#include "target/links/pairs.h"

/* Q, N and W of a growing set. */
typedef struct running {
    double sum, pairs, weight;
} running;

struct sm_search {
    sm_links_scratch room;
    sm_arena arena; /* holds the arrays below */
    const sm_known_pairs *pairs;
    bool is_summed;
    running all;          /* of the node entered last, once it was asked for */
    uint32_t *by_level;   /* [n_items] see sm_level_order */
    size_t *level_first;  /* [n_levels + 1] */
    double *level_weight; /* [n_levels] N of one level and each */
};

static void free_search(sm_search *search) {
    if (search == NULL) return;
    sm_links_scratch_free(&search->room);
    sm_arena_free(&search->arena);
    sm_free(search);
}

static smerf_status near_order(const smerf_target *target, uint32_t **order, smerf_error *error) {
    return sm_links_near_order(sm_known_pairs_of(target)->links, order, error);
}

static sm_search *new_search(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    sm_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    search->pairs = sm_known_pairs_of(target);
    search->by_level = sm_arena_take(&search->arena, size->n_items, sizeof *search->by_level);
    search->level_first = sm_arena_take(&search->arena, size->n_levels + 1, sizeof *search->level_first);
    search->level_weight = sm_arena_take(&search->arena, size->n_levels, sizeof *search->level_weight);
    smerf_status status = SMERF_OK;
    if (search->arena.has_failed) status = sm_no_memory(error, "preparing to grow trees");
    if (status == SMERF_OK) status = sm_links_scratch_start(&search->room, search->pairs->links, size, error);
    if (status == SMERF_OK) return search;
    free_search(search);
    return NULL;
}

static size_t enter_node(sm_search *search, sm_node *node, size_t view) {
    search->is_summed = false;
    return sm_links_enter(&search->room, node, view);
}

static bool is_pure(sm_search *search, const sm_node *node) {
    const sm_links *links = search->room.links;
    double first = sm_known_self(search->pairs, node->items[0]);
    for (size_t k = 1; k < node->n; k++)
        if (sm_known_self(search->pairs, node->items[k]) != first) return false;
    for (size_t e = 0; e < links->n; e++)
        if (sm_links_value(links, e) != first) return false;
    return true;
}

/* ---- costs ---- */

static void add(running *set, double w, double self, double value, double weight) {
    set->sum += w * (2 * value + w * self);
    set->pairs += w * (2 * weight + w);
    set->weight += w;
}

/* W Q / N, in the order in which no weights make it leave the range of a double. */
static double cost(const running *set) { return set->sum * (set->weight / set->pairs); }

/* The sides of the item at one rank, which are often not counted: observed pairs have values. */
static sm_sides sides_at(const sm_links_scratch *room, size_t line_up, size_t rank) {
    if (!room->is_counted) return sm_links_sides(room, line_up)[rank];
    const sm_counts counts = sm_links_counts(room, line_up)[rank];
    double common = room->links->common;
    return (sm_sides){counts.before, counts.after, common * counts.before, common * counts.after};
}

static void fill_costs(sm_search *search, const sm_node *node, size_t line_up, const sm_line_up *out) {
    running left = {0}, right = {0};
    for (size_t r = 0; r + 1 < node->n; r++) {
        size_t k = out->order[r];
        const sm_sides sides = sides_at(&search->room, line_up, r);
        add(&left, search->room.weight[k], sm_known_self(search->pairs, node->items[k]), sides.value_before,
            sides.weight_before);
        out->left[r] = cost(&left);
    }
    for (size_t r = node->n; r-- > 1;) {
        size_t k = out->order[r];
        const sm_sides sides = sides_at(&search->room, line_up, r);
        add(&right, search->room.weight[k], sm_known_self(search->pairs, node->items[k]), sides.value_after,
            sides.weight_after);
        out->right[r - 1] = cost(&right);
    }
}

/* The node itself, its items taken in order. */
static void sum_node(sm_search *search, const sm_node *node) {
    if (search->is_summed) return;
    search->all = (running){0};
    sm_links_look(&search->room, node, NULL, 1);
    for (size_t k = 0; k < node->n; k++) {
        const sm_sides sides = sides_at(&search->room, 0, k);
        add(&search->all, search->room.weight[k], sm_known_self(search->pairs, node->items[k]), sides.value_before,
            sides.weight_before);
    }
    search->is_summed = true;
}

static double price_cuts(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    sum_node(search, node);
    sm_links_look(&search->room, node, line_ups, n_line_ups);
    return cost(&search->all);
}

static size_t line_ups_at_once(const smerf_target *target, const sm_search_size *size) {
    return sm_links_at_once(sm_known_pairs_of(target)->links, size);
}

/* ---- levels ---- */

/* Sums of one item's observed pairs, by the level of the partner. */
static void add_item(sm_search *search, const sm_node *node, const uint32_t *level, size_t k, double *sums) {
    const sm_links *links = search->room.links;
    double w = search->room.weight[k];
    sums[level[k]] += w * w * sm_known_self(search->pairs, node->items[k]);
    search->level_weight[level[k]] += w * w;
    for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
        size_t j = links->partner[e];
        if (level[j] == SMERF_MISSING) continue;
        double weight = w * search->room.weight[j] * sm_links_weight(links, e);
        sums[level[j]] += weight * sm_links_value(links, e);
        search->level_weight[level[j]] += weight;
    }
}

static void level_distances(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                            double *mean) {
    sum_node(search, node);
    double otherwise = search->all.sum / search->all.pairs;
    sm_level_order(node, level, n_levels, search->by_level, search->level_first);
    memset(mean, 0, n_levels * n_levels * sizeof *mean);
    for (size_t a = 0; a < n_levels; a++) {
        double *row = mean + a * n_levels;
        memset(search->level_weight, 0, n_levels * sizeof *search->level_weight);
        for (size_t r = search->level_first[a]; r < search->level_first[a + 1]; r++)
            add_item(search, node, level, search->by_level[r], row);
        for (size_t b = 0; b < n_levels; b++)
            row[b] = search->level_weight[b] > 0 ? row[b] / search->level_weight[b] : otherwise;
    }
}

static const sm_pricing pricing = {.price = price_cuts, .costs = fill_costs, .n_at_once = line_ups_at_once};

const sm_engine sm_pairs_engine = {
    .search_new = new_search,
    .search_free = free_search,
    .enter = enter_node,
    .is_pure = is_pure,
    .best_cut = sm_best_by_costs,
    .pricing = &pricing,
    .level_distances = level_distances,
    .near_order = near_order,
};
