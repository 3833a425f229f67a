/* graph_search.c - prices every cut of a node from the edges inside it.
 *
 * When item k joins the items before it, Q grows by w_k (2 (U_k + V_k) + w_k z_kk): U_k is the weight of the items before
 * it that it is not linked to, at distance 1, and V_k the sum of w_j z_kj over those that it is linked to. Both sides of
 * a cut are summed up in walks of their own, from the ends, so that a cost never is a difference of others.
 *
 * U_k is the weight so far without that of k's partners, which is exact where weights are whole numbers, and good
 * enough unless partners are nearly all of the weight. Then it is summed up from the gaps between the partners, over a
 * tree of partial sums: heavy items that are linked to each other must not hide what light ones cost. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/two.h"
#include "target/links/graph.h"

struct sm_search {
    sm_links_scratch scratch;
    sm_arena arena; /* holds the arrays below */
    const sm_graph *graph;
    bool has_cost;
    double cost; /* of the node entered last, once it was needed */

    /* Of the line-up that is walked. Node 0 of the tree of partial sums is about all ranks; see below. */
    const uint32_t *order; /* NULL: by node index */
    bool has_gaps;         /* whether the tree is up to date */
    double *gap_weight;    /* [2 n_items] */
    bool *gap_is_marked;   /* [2 n_items] has a partner; all false between two items */

    uint32_t *by_level;                                /* [n_items] see sm_level_order */
    size_t *level_first;                               /* [n_levels + 1] */
    double *level_weight, *level_linked, *level_value; /* [n_levels] of the level, of one item's partners in it */
};

static void free_graph_search(sm_search *search) {
    if (search == NULL) return;
    sm_links_scratch_free(&search->scratch);
    sm_arena_free(&search->arena);
    sm_free(search);
}

static smerf_status graph_near_order(const smerf_target *target, uint32_t **order, smerf_error *error) {
    return sm_links_near_order(sm_graph_of(target)->links, order, error);
}

static sm_search *new_graph_search(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    sm_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    search->graph = sm_graph_of(target);
    size_t n_sums = sm_size(size->n_items, 2, 0);
    search->gap_weight = sm_arena_take(&search->arena, n_sums, sizeof *search->gap_weight);
    search->gap_is_marked = sm_arena_take_zeros(&search->arena, n_sums, sizeof *search->gap_is_marked);
    search->by_level = sm_arena_take(&search->arena, size->n_items, sizeof *search->by_level);
    search->level_first = sm_arena_take(&search->arena, size->n_levels + 1, sizeof *search->level_first);
    search->level_weight = sm_arena_take(&search->arena, size->n_levels, sizeof *search->level_weight);
    search->level_linked = sm_arena_take(&search->arena, size->n_levels, sizeof *search->level_linked);
    search->level_value = sm_arena_take(&search->arena, size->n_levels, sizeof *search->level_value);
    smerf_status status = SMERF_OK;
    if (search->arena.has_failed) status = sm_no_memory(error, "preparing to grow trees");
    if (status == SMERF_OK) status = sm_links_scratch_start(&search->scratch, search->graph->links, size, error);
    if (status == SMERF_OK) return search;
    free_graph_search(search);
    return NULL;
}

static size_t enter_graph_node(sm_search *search, sm_node *node, size_t view) {
    search->has_cost = false;
    return sm_links_enter(&search->scratch, node, view);
}

static bool graph_is_pure(sm_search *search, const sm_node *node) {
    const sm_links *links = search->scratch.links;
    double first = search->graph->self;
    if (links->n < node->n * (node->n - 1) && first != 1) return false; /* some two are not linked */
    for (size_t e = 0; e < links->n; e++)
        if (sm_links_value(links, e) != first) return false;
    return true;
}

/* ---- the weight in the gaps between partners ---- */

/* A part of the tree: the ranks first .. end - 1. Its left half follows it, and its right half follows that. */
typedef struct part {
    size_t node, first, end;
} part;

static part left_half(part whole) {
    return (part){whole.node + 1, whole.first, whole.first + (whole.end - whole.first) / 2};
}

static part right_half(part whole) {
    size_t n_left = (whole.end - whole.first) / 2;
    return (part){whole.node + 2 * n_left, whole.first + n_left, whole.end};
}

static double sum_gaps(sm_search *search, part of) {
    size_t index = search->order != NULL ? search->order[of.first] : of.first;
    double weight = of.end - of.first == 1 ? search->scratch.weight[index]
                                           : sum_gaps(search, left_half(of)) + sum_gaps(search, right_half(of));
    search->gap_weight[of.node] = weight;
    return weight;
}

static void mark(sm_search *search, part whole, size_t rank, bool is_marked) {
    for (part of = whole;; of = rank < left_half(of).end ? left_half(of) : right_half(of)) {
        search->gap_is_marked[of.node] = is_marked;
        if (of.end - of.first == 1) return;
    }
}

/* The weight of unmarked ranks in first .. end - 1. */
static double unmarked_weight(const sm_search *search, part of, size_t first, size_t end) {
    if (end <= of.first || of.end <= first) return 0;
    if (first <= of.first && of.end <= end && !search->gap_is_marked[of.node]) return search->gap_weight[of.node];
    if (of.end - of.first == 1) return 0;
    return unmarked_weight(search, left_half(of), first, end) + unmarked_weight(search, right_half(of), first, end);
}

static double weight_in_gaps(sm_search *search, size_t n, size_t k, size_t first, size_t end) {
    const sm_links *links = search->scratch.links;
    const part whole = {0, 0, n};
    if (!search->has_gaps) {
        sm_links_rank_all(&search->scratch, search->order);
        sum_gaps(search, whole);
        search->has_gaps = true;
    }
    for (size_t e = links->first[k]; e < links->first[k + 1]; e++)
        mark(search, whole, sm_links_rank(&search->scratch, links->partner[e]), true);
    double weight = unmarked_weight(search, whole, first, end);
    for (size_t e = links->first[k]; e < links->first[k + 1]; e++)
        mark(search, whole, sm_links_rank(&search->scratch, links->partner[e]), false);
    return weight;
}

/* U_k: the weight of the ranks first .. end - 1 that k is not linked to, of `all` with `linked` taken away. */
static double unlinked_weight(sm_search *search, size_t n, size_t k, double all, double linked, size_t first,
                              size_t end) {
    if (search->scratch.is_whole || linked <= all - all / 1024) return all - linked;
    return weight_in_gaps(search, n, k, first, end);
}

/* ---- costs ---- */

/* The cost of the first items of a line-up, one more each time.   n_costs  n for the node itself, whose Q is returned */
static double walk_right(sm_search *search, const sm_sides *sides, size_t n, size_t n_costs, double *costs) {
    double cost = 0, weight = 0;
    for (size_t r = 0; r < n_costs; r++) {
        size_t k = search->order != NULL ? search->order[r] : r;
        double w = search->scratch.weight[k];
        double unlinked = unlinked_weight(search, n, k, weight, sides[r].weight_before, 0, r);
        cost += w * (2 * (unlinked + sides[r].value_before) + w * search->graph->self);
        weight += w;
        if (costs != NULL) costs[r] = cost / weight;
    }
    return cost;
}

/* The same from the other end: costs[r] is that of the items after rank r. */
static void walk_left(sm_search *search, const sm_sides *sides, size_t n, double *costs) {
    double cost = 0, weight = 0;
    for (size_t r = n; r-- > 1;) {
        size_t k = search->order[r];
        double w = search->scratch.weight[k];
        double unlinked = unlinked_weight(search, n, k, weight, sides[r].weight_after, r + 1, n);
        cost += w * (2 * (unlinked + sides[r].value_after) + w * search->graph->self);
        weight += w;
        costs[r - 1] = cost / weight;
    }
}

/* Both where partners are counted: from both ends at once. */
static void walk_counts(const sm_search *search, const sm_counts *counts, size_t n, const sm_line_up *out) {
    const sm_two self = sm_both(search->graph->self), distance = sm_both(search->scratch.links->common);
    sm_two cost = {0, 0}, weight = {0, 0};
    for (size_t r = 0; r + 1 < n; r++) {
        const sm_counts *left = &counts[r], *right = &counts[n - 1 - r];
        sm_two w = sm_two_whole(left->own, right->own), linked = sm_two_whole(left->before, right->after);
        cost += w * (2 * (weight - linked + distance * linked) + w * self);
        weight += w;
        sm_two mean = cost / weight;
        out->left[r] = mean[0];
        out->right[n - 2 - r] = mean[1];
    }
}

static void turn_to_graph(sm_search *search, const uint32_t *order) {
    search->order = order;
    search->has_gaps = false;
}

/* Q of a node whose partners are counted: in whole numbers, so that it does not matter along which line-up. */
static double counted_sum(const sm_search *search, const sm_node *node) {
    int64_t all = 0, squares = 0, linked = search->scratch.linked;
    for (size_t k = 0; k < node->n; k++) {
        all += search->scratch.whole[k];
        squares += (int64_t)search->scratch.whole[k] * search->scratch.whole[k];
    }
    return (double)(all * all - squares - linked) + search->scratch.links->common * (double)linked +
           search->graph->self * (double)squares;
}

/* Others are summed up by node index. */
static double walked_sum(sm_search *search, const sm_node *node) {
    turn_to_graph(search, NULL);
    return walk_right(search, sm_links_sides(&search->scratch, 0), node->n, node->n, NULL);
}

static double price_graph_cuts(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    bool is_counted = search->scratch.is_counted;
    if (!search->has_cost && (!is_counted || n_line_ups == 0)) sm_links_look(&search->scratch, node, NULL, 1);
    if (!search->has_cost && !is_counted) search->cost = walked_sum(search, node) / node->total;
    sm_links_look(&search->scratch, node, line_ups, n_line_ups);
    if (!search->has_cost && is_counted) search->cost = counted_sum(search, node) / node->total;
    search->has_cost = true;
    return search->cost;
}

static void fill_graph_costs(sm_search *search, const sm_node *node, size_t line_up, const sm_line_up *out) {
    if (search->scratch.is_counted) {
        walk_counts(search, sm_links_counts(&search->scratch, line_up), node->n, out);
        return;
    }
    const sm_sides *sides = sm_links_sides(&search->scratch, line_up);
    turn_to_graph(search, out->order);
    walk_right(search, sides, node->n, node->n - 1, out->left);
    walk_left(search, sides, node->n, out->right);
}

static size_t graph_line_ups_at_once(const smerf_target *target, const sm_search_size *size) {
    return sm_links_at_once(sm_graph_of(target)->links, size);
}

/* ---- levels ---- */

/* Where sums of weights are exact and links are at distance 0: from the weight of the linked pairs alone. */
static void sum_levels_exactly(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                               double *sums) {
    const sm_links *links = search->scratch.links;
    const double *weight = search->scratch.weight;
    for (size_t a = 0; a < n_levels; a++)
        for (size_t b = 0; b < n_levels; b++)
            sums[a * n_levels + b] = search->level_weight[a] * search->level_weight[b];
    for (size_t k = 0; k < node->n; k++) {
        if (level[k] == SMERF_MISSING) continue;
        double *row = sums + level[k] * n_levels, w = weight[k];
        row[level[k]] += w * w * search->graph->self - w * w;
        for (size_t e = links->first[k]; e < links->first[k + 1]; e++)
            if (level[links->partner[e]] != SMERF_MISSING)
                row[level[links->partner[e]]] -= w * weight[links->partner[e]];
    }
}

/* U_k and V_k of the item at one rank, for each level: of items before it in its own level, of all in the others. */
static void sum_item(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels, size_t rank,
                     double so_far, double *row) {
    const sm_links *links = search->scratch.links;
    const double *weight = search->scratch.weight;
    size_t k = search->by_level[rank], own = level[k];
    double *linked = search->level_linked, *value = search->level_value, w = weight[k];
    memset(linked, 0, n_levels * sizeof *linked);
    memset(value, 0, n_levels * sizeof *value);
    for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
        size_t j = links->partner[e], b = level[j];
        if (b == SMERF_MISSING || (b == own && sm_links_rank(&search->scratch, j) > rank)) continue;
        linked[b] += weight[j];
        value[b] += weight[j] * sm_links_value(links, e);
    }
    for (size_t b = 0; b < n_levels; b++) {
        double all = b == own ? so_far : search->level_weight[b];
        size_t first = search->level_first[b], end = b == own ? rank : search->level_first[b + 1];
        double sum = unlinked_weight(search, node->n, k, all, linked[b], first, end) + value[b];
        row[b] += b == own ? w * (2 * sum + w * search->graph->self) : w * sum;
    }
}

static void sum_levels(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels, double *sums) {
    turn_to_graph(search, search->by_level);
    sm_links_rank_all(&search->scratch, search->by_level);
    for (size_t a = 0; a < n_levels; a++) {
        double so_far = 0;
        for (size_t r = search->level_first[a]; r < search->level_first[a + 1]; r++) {
            sum_item(search, node, level, n_levels, r, so_far, sums + a * n_levels);
            so_far += search->scratch.weight[search->by_level[r]];
        }
    }
}

static void graph_level_distances(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                                  double *mean) {
    sm_level_order(node, level, n_levels, search->by_level, search->level_first);
    memset(mean, 0, n_levels * n_levels * sizeof *mean);
    for (size_t a = 0; a < n_levels; a++) {
        search->level_weight[a] = 0;
        for (size_t r = search->level_first[a]; r < search->level_first[a + 1]; r++)
            search->level_weight[a] += search->scratch.weight[search->by_level[r]];
    }
    bool is_quick = search->scratch.is_whole && node->total <= 0x1p26 && search->scratch.links->value == NULL;
    if (is_quick) /* products of two are exact, too */
        sum_levels_exactly(search, node, level, n_levels, mean);
    else
        sum_levels(search, node, level, n_levels, mean);
    for (size_t a = 0; a < n_levels; a++)
        for (size_t b = 0; b < n_levels; b++)
            mean[a * n_levels + b] /= search->level_weight[a] * search->level_weight[b];
}

/* ---- many levels ---- */

static double start_graph_levels(sm_search *search, const sm_node *node, const sm_node_levels *levels) {
    (void)node, (void)levels;
    return 1 + fabs(search->graph->self);
}

/* All pairs are at distance 1, but for links and for an item and itself: what is left is a walk over these. */
static void multiply_graph_levels(sm_search *search, const sm_node *node, const sm_node_levels *levels, const double *x,
                                  double *y) {
    const sm_links *links = search->scratch.links;
    const double *weight = search->scratch.weight;
    const uint32_t *level = levels->level;
    memset(y, 0, levels->n_levels * sizeof *y);
    for (size_t k = 0; k < node->n; k++) {
        if (level[k] == SMERF_MISSING) continue;
        double fraction = weight[k] / levels->weight[level[k]],
               sum = (search->graph->self - 1) * fraction * x[level[k]];
        for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
            size_t j = links->partner[e], b = level[j];
            if (b != SMERF_MISSING) sum += (sm_links_value(links, e) - 1) * (weight[j] / levels->weight[b]) * x[b];
        }
        y[level[k]] += fraction * sum;
    }
}

static const sm_pricing pricing = {
    .price = price_graph_cuts, .costs = fill_graph_costs, .n_at_once = graph_line_ups_at_once};

const sm_engine sm_graph_engine = {
    .search_new = new_graph_search,
    .search_free = free_graph_search,
    .enter = enter_graph_node,
    .is_pure = graph_is_pure,
    .best_cut = sm_best_by_costs,
    .pricing = &pricing,
    .level_distances = graph_level_distances,
    .level_start = start_graph_levels,
    .level_product = multiply_graph_levels,
    .near_order = graph_near_order,
};
