/* absolute_search.c - prices every cut of a node from absolute differences, in O(log n) a cut.
 *
 * Entering a node sorts its values once, gives each item its rank among the different ones, and centres them at the
 * node's weighted median. A walk from the left puts the items into a Fenwick tree (sums over a range of ranks in
 * O(log n)), which holds for each rank the sum of w and of w y. An item that joins adds w (2 D + w z_ii), with
 *     D = sum of w_j |y - y_j| = y (2 W_below - W) + (S - 2 S_below)
 * over the items that came before. A walk from the right does the same for the right sides, with a tree of its own: no
 * cost is what is left of a total.
 *
 * D is a difference, and its error about 1e-16 (W |y| + sum w_j |y_j|). Because of the centring, all of these errors
 * together come to a small multiple of 1e-16 times the node's cost, which is never less than sum w_j |y_j|. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "target/numbers/absolute.h"

typedef struct ranked {
    double weight, value; /* less the node's median */
    uint32_t rank;        /* among the node's different values */
} ranked;

/* Sums over a range of ranks. */
typedef struct sums {
    double weight, moment; /* of w, of w y */
} sums;

struct sm_search {
    sm_arena arena; /* holds the arrays below */
    const sm_absolute *absolute;
    ranked *items; /* [n_items] by node index */
    size_t n_ranks;
    sums *fenwick;                   /* [n_items + 1] entry p: the ranks p - (p & -p) ... p - 1 */
    double cost;                     /* Q of the node */
    uint32_t *order, *spare_order;   /* [n_items] node indices, by value */
    uint64_t *ranks, *spare_ranks;   /* [n_items] */
    double *level_weight, *distance; /* [n_levels] of the items so far: their weight; sum of w_j (y - y_j) */
    double *squares;                 /* [n_levels] */
};

static void free_absolute_search(sm_search *search) {
    if (search == NULL) return;
    sm_arena_free(&search->arena);
    sm_free(search);
}

static sm_search *new_absolute_search(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    size_t n = size->n_items, n_levels = size->n_levels < n ? size->n_levels : n;
    sm_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    search->absolute = sm_absolute_of(target);
    sm_arena *arena = &search->arena;
    search->items = sm_arena_take(arena, n, sizeof *search->items);
    search->fenwick = sm_arena_take(arena, n + 1, sizeof *search->fenwick);
    search->order = sm_arena_take(arena, n, sizeof *search->order);
    search->spare_order = sm_arena_take(arena, n, sizeof *search->spare_order);
    search->ranks = sm_arena_take(arena, n, sizeof *search->ranks);
    search->spare_ranks = sm_arena_take(arena, n, sizeof *search->spare_ranks);
    search->level_weight = sm_arena_take(arena, n_levels, sizeof *search->level_weight);
    search->distance = sm_arena_take(arena, n_levels, sizeof *search->distance);
    search->squares = sm_arena_take(arena, n_levels, sizeof *search->squares);
    if (!arena->has_failed) return search;
    free_absolute_search(search);
    sm_no_memory(error, "preparing to grow trees");
    return NULL;
}

/* ---- entering a node ---- */

static void sort_items(sm_search *search, const sm_node *node) {
    for (size_t k = 0; k < node->n; k++) {
        search->ranks[k] = search->absolute->rank[node->items[k]];
        search->order[k] = (uint32_t)k;
    }
    sm_sort(search->ranks, search->order, node->n, search->spare_ranks, search->spare_order);
}

static double median(const sm_search *search, const sm_node *node) {
    const double *value = search->absolute->value;
    double below = 0;
    size_t k = 0;
    for (; k + 1 < node->n; k++) {
        below += node->weight[search->order[k]];
        if (2 * below >= node->total) break;
    }
    return value[node->items[search->order[k]]];
}

/* How far the k-th value is above the one before it. Not from the centred values, which have lost digits far from the
 * centre. */
static double step_to_absolute(const sm_search *search, const sm_node *node, size_t k) {
    const double *value = search->absolute->value;
    return k > 0 ? value[node->items[search->order[k]]] - value[node->items[search->order[k - 1]]] : 0;
}

/* Walks up the values: each step adds to the distance of all that are above to all that are below. */
static double absolute_node_cost(const sm_search *search, const sm_node *node) {
    double cost = 0, weight = 0, distance = 0, squares = 0; /* distance: sum of w_j (y - y_j) over those before */
    for (size_t k = 0; k < node->n; k++) {
        double w = search->items[search->order[k]].weight;
        distance += weight * step_to_absolute(search, node, k);
        cost += 2 * w * distance;
        weight += w;
        squares += w * w;
    }
    return cost + search->absolute->column.diagonal * squares;
}

static size_t enter_absolute_node(sm_search *search, sm_node *node, size_t view) {
    const double *value = search->absolute->value;
    sort_items(search, node);
    double centre = median(search, node);
    uint32_t rank = 0;
    for (size_t k = 0; k < node->n; k++) {
        uint32_t at = search->order[k], item = node->items[at];
        rank += k > 0 && search->ranks[k] != search->ranks[k - 1];
        search->items[at] = (ranked){.weight = node->weight[at], .value = value[item] - centre, .rank = rank};
    }
    search->n_ranks = (size_t)rank + 1;
    search->cost = absolute_node_cost(search, node);
    return view;
}

/* Three different values are never equally far apart. */
static bool absolute_is_pure(sm_search *search, const sm_node *node) {
    double diagonal = search->absolute->column.diagonal;
    const double *value = search->absolute->value;
    if (node->n < 2) return true;
    if (search->n_ranks == 1) return diagonal == 0;
    return node->n == 2 && fabs(value[node->items[0]] - value[node->items[1]]) == diagonal;
}

/* ---- cuts ---- */

/* The items of smaller ranks. */
static inline sums below(const sums *fenwick, size_t rank) {
    sums sum = {0};
    for (size_t p = rank; p > 0; p &= p - 1) {
        sum.weight += fenwick[p].weight;
        sum.moment += fenwick[p].moment;
    }
    return sum;
}

static inline void put_absolute(sums *fenwick, size_t n_ranks, size_t rank, double weight, double moment) {
    for (size_t p = rank + 1; p <= n_ranks; p += p & -p) {
        fenwick[p].weight += weight;
        fenwick[p].moment += moment;
    }
}

/* One side of a cut, as items join it. */
typedef struct side {
    sums total;
    double cost; /* Q */
} side;

static side empty_absolute_side(const sm_search *search) {
    memset(search->fenwick, 0, (search->n_ranks + 1) * sizeof *search->fenwick);
    return (side){.cost = 0};
}

static inline double join_absolute_side(const sm_search *search, side *at, const ranked *item) {
    double w = item->weight, y = item->value;
    sums less = below(search->fenwick, item->rank);
    double distance = y * (2 * less.weight - at->total.weight) + (at->total.moment - 2 * less.moment);
    at->cost += w * (2 * distance + w * search->absolute->column.diagonal);
    at->total.weight += w;
    at->total.moment += w * y;
    put_absolute(search->fenwick, search->n_ranks, item->rank, w, w * y);
    return at->cost / at->total.weight;
}

static double price_absolute_cuts(sm_search *search, const sm_node *node, const sm_line_up *line_ups,
                                  size_t n_line_ups) {
    for (size_t u = 0; u < n_line_ups; u++) {
        const sm_line_up *line_up = &line_ups[u];
        side left = empty_absolute_side(search);
        for (size_t r = 0; r + 1 < node->n; r++)
            line_up->left[r] = join_absolute_side(search, &left, &search->items[line_up->order[r]]);
        side right = empty_absolute_side(search);
        for (size_t r = node->n; r-- > 1;)
            line_up->right[r - 1] = join_absolute_side(search, &right, &search->items[line_up->order[r]]);
    }
    return search->cost / node->total;
}

/* ---- levels ---- */

/* One walk up the values. At each item, distance[a] is the sum of w_j (y - y_j) over the items of level a so far: it
 * grows with every step up, and is never a difference. */
static void absolute_level_distances(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                                     double *mean) {
    double *weight = search->level_weight, *distance = search->distance, *squares = search->squares;
    memset(mean, 0, n_levels * n_levels * sizeof *mean);
    for (size_t a = 0; a < n_levels; a++) weight[a] = distance[a] = squares[a] = 0;
    for (size_t k = 0; k < node->n; k++) {
        uint32_t at = search->order[k], of = level[at];
        double w = search->items[at].weight, step = step_to_absolute(search, node, k);
        for (size_t a = 0; a < n_levels; a++) distance[a] += step * weight[a];
        if (of == SMERF_MISSING) continue;
        double *sum = mean + of * n_levels;
        for (size_t a = 0; a < n_levels; a++) sum[a] += w * distance[a];
        weight[of] += w;
        squares[of] += w * w;
    }
    double diagonal = search->absolute->column.diagonal;
    for (size_t a = 0; a < n_levels; a++) {
        double both = 2 * mean[a * n_levels + a] + diagonal * squares[a];
        mean[a * n_levels + a] = both / (weight[a] * weight[a]);
        for (size_t b = 0; b < a; b++) {
            both = mean[a * n_levels + b] + mean[b * n_levels + a];
            mean[a * n_levels + b] = mean[b * n_levels + a] = both / (weight[a] * weight[b]);
        }
    }
}

/* ---- many levels ---- */

static double start_absolute_levels(sm_search *search, const sm_node *node, const sm_node_levels *levels) {
    const double *value = search->absolute->value;
    (void)levels;
    return value[node->items[search->order[node->n - 1]]] - value[node->items[search->order[0]]] +
           fabs(search->absolute->column.diagonal);
}

/* One walk up the values. With c the part of an item in its level's entry of x, the sum of c |y - y_j| grows from one value to the
 * next by twice the c below, as they all add up to 0; where it starts does not matter. */
static void multiply_absolute_levels(sm_search *search, const sm_node *node, const sm_node_levels *levels,
                                     const double *x, double *y) {
    double below = 0, distance = 0, diagonal = search->absolute->column.diagonal;
    memset(y, 0, levels->n_levels * sizeof *y);
    for (size_t k = 0; k < node->n; k++) {
        uint32_t at = search->order[k], a = levels->level[at];
        distance += 2 * below * step_to_absolute(search, node, k);
        if (a == SMERF_MISSING) continue;
        double fraction = search->items[at].weight / levels->weight[a];
        y[a] += fraction * (distance + diagonal * fraction * x[a]);
        below += fraction * x[a];
    }
}

static const sm_pricing pricing = {.price = price_absolute_cuts};

const sm_engine sm_absolute_engine = {
    .search_new = new_absolute_search,
    .search_free = free_absolute_search,
    .enter = enter_absolute_node,
    .is_pure = absolute_is_pure,
    .best_cut = sm_best_by_costs,
    .pricing = &pricing,
    .level_distances = absolute_level_distances,
    .level_start = start_absolute_levels,
    .level_product = multiply_absolute_levels,
};
