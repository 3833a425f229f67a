/* labels_search.c - prices every cut of a node from labels, in one step a cut.
 *
 * Q of a set is the weight of its pairs of different classes. An item of weight w that joins adds w (2 O + w z_ii), with
 * O the weight of the other classes: so one walk from the left gives Q of all left sides, and one from the right of all
 * right sides. O is not the total less the class's own weight, which loses the light items behind a heavy class. With
 * `most` the weight of the heaviest class and `rest` that of all others together, it is
 *     O = rest + (most - own),
 * which is rest for the heaviest class, and for any other no less than most: no digit is lost, whatever the weights.
 *
 * Entering a node numbers its classes from 0, so that a walk starts with a few sums, however many classes there are. */
#include <string.h>

#include "base/memory.h"
#include "target/labels/labels.h"

typedef struct labelled {
    double weight;
    uint32_t label; /* as the node numbers them */
} labelled;

struct sm_search {
    sm_arena arena; /* holds the arrays below */
    const sm_labels *labels;
    uint32_t *number;     /* [classes] a class's number in the node, while one is entered; else SMERF_MISSING */
    labelled *items;      /* [n_items] by node index */
    labelled *in_line;    /* [n_items] the same, lined up */
    double *class_weight; /* [n_items] */
    size_t n_classes;     /* that the node holds */
    double cost;          /* Q of the node */

    /* For the distances between levels. */
    uint32_t *first_of_class; /* [n_items + 1] by class: where its items stand below */
    uint32_t *by_class;       /* [n_items] node indices, class after class */
    double *level_sum;        /* [n_levels] the weight of one class in each level */
    uint32_t *touched;        /* [n_levels] the levels in which it is not 0 */
    double *most, *rest;      /* [n_levels] the weight of a level's heaviest class, and of the others */
    double *squares;          /* [n_levels] */
    double *others;           /* [n_levels] the fraction of the classes other than one */
};

static void free_labels_search(sm_search *search) {
    if (search == NULL) return;
    sm_arena_free(&search->arena);
    sm_free(search);
}

static sm_search *new_labels_search(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    size_t n = size->n_items, n_levels = size->n_levels < n ? size->n_levels : n;
    size_t n_grouped = n_levels > 0 ? n : 0; /* without categories nobody needs levels */
    sm_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    search->labels = sm_labels_of(target);
    sm_arena *arena = &search->arena;
    size_t n_classes = search->labels->classes->n;
    search->number = sm_arena_take(arena, n_classes, sizeof *search->number);
    search->items = sm_arena_take(arena, n, sizeof *search->items);
    search->in_line = sm_arena_take(arena, n, sizeof *search->in_line);
    search->class_weight = sm_arena_take(arena, n, sizeof *search->class_weight);
    search->first_of_class = sm_arena_take(arena, n_grouped + 1, sizeof *search->first_of_class);
    search->by_class = sm_arena_take(arena, n_grouped, sizeof *search->by_class);
    search->level_sum = sm_arena_take_zeros(arena, n_levels, sizeof *search->level_sum);
    search->touched = sm_arena_take(arena, n_levels, sizeof *search->touched);
    search->most = sm_arena_take(arena, n_levels, sizeof *search->most);
    search->rest = sm_arena_take(arena, n_levels, sizeof *search->rest);
    search->squares = sm_arena_take(arena, n_levels, sizeof *search->squares);
    search->others = sm_arena_take(arena, n_levels, sizeof *search->others);
    if (arena->has_failed) {
        free_labels_search(search);
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    for (size_t c = 0; c < n_classes; c++) search->number[c] = SMERF_MISSING;
    return search;
}

/* Q of the node, class by class. */
static double labels_node_cost(const sm_search *search, size_t n) {
    double cost = 0, before = 0, squares = 0;
    for (size_t c = 0; c < search->n_classes; c++) {
        cost += 2 * search->class_weight[c] * before;
        before += search->class_weight[c];
    }
    for (size_t k = 0; k < n; k++) squares += search->items[k].weight * search->items[k].weight;
    return cost + search->labels->column.diagonal * squares;
}

static size_t enter_labels_node(sm_search *search, sm_node *node, size_t view) {
    const uint32_t *class_of = search->labels->class_of;
    uint32_t *number = search->number, n_classes = 0;
    for (size_t k = 0; k < node->n; k++) {
        uint32_t label = class_of[node->items[k]];
        if (number[label] == SMERF_MISSING) {
            number[label] = n_classes;
            search->class_weight[n_classes++] = 0;
        }
        search->items[k] = (labelled){.weight = node->weight[k], .label = number[label]};
        search->class_weight[number[label]] += node->weight[k];
    }
    for (size_t k = 0; k < node->n; k++) number[class_of[node->items[k]]] = SMERF_MISSING;
    search->n_classes = n_classes;
    search->cost = labels_node_cost(search, node->n);
    return view;
}

static bool labels_is_pure(sm_search *search, const sm_node *node) {
    double diagonal = search->labels->column.diagonal;
    if (node->n < 2) return true;
    if (search->n_classes == 1) return diagonal == 0;
    return diagonal == 1 && search->n_classes == node->n;
}

/* ---- cuts ---- */

/* One side of a cut, as items join it. */
typedef struct side {
    double total, cost; /* W, Q */
    double most, rest;  /* the weight of the heaviest class, and of the others */
} side;

static side empty_labels_side(const sm_search *search) {
    memset(search->class_weight, 0, search->n_classes * sizeof *search->class_weight);
    return (side){.total = 0};
}

static inline double smaller_weight(double a, double b) { return a < b ? a : b; }
static inline double larger_weight(double a, double b) { return a > b ? a : b; }

/* The new rest is all without this class if that is now the heaviest, which makes it the smaller one of the two. */
static inline double join_labels_side(side *at, double *class_weight, labelled item, double diagonal) {
    double w = item.weight, own = class_weight[item.label], others = at->rest + (at->most - own);
    at->cost += w * (2 * others + w * diagonal);
    at->total += w;
    class_weight[item.label] = own + w;
    at->rest = smaller_weight(others, at->rest + w);
    at->most = larger_weight(at->most, own + w);
    return at->cost / at->total;
}

static double price_labels_cuts(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    double diagonal = search->labels->column.diagonal;
    for (size_t u = 0; u < n_line_ups; u++) {
        const sm_line_up *line_up = &line_ups[u];
        for (size_t r = 0; r < node->n; r++) search->in_line[r] = search->items[line_up->order[r]];
        side left = empty_labels_side(search);
        for (size_t r = 0; r + 1 < node->n; r++)
            line_up->left[r] = join_labels_side(&left, search->class_weight, search->in_line[r], diagonal);
        side right = empty_labels_side(search);
        for (size_t r = node->n; r-- > 1;)
            line_up->right[r - 1] = join_labels_side(&right, search->class_weight, search->in_line[r], diagonal);
    }
    return search->cost / node->total;
}

/* ---- levels ---- */

/* Node indices of the items with a level, class after class. */
static void group_by_class(sm_search *search, const sm_node *node, const uint32_t *level) {
    uint32_t *next = search->first_of_class, sum = 0;
    memset(next, 0, (search->n_classes + 1) * sizeof *next);
    for (size_t k = 0; k < node->n; k++)
        if (level[k] != SMERF_MISSING) next[search->items[k].label]++;
    for (size_t c = 0; c <= search->n_classes; c++) {
        uint32_t count = next[c];
        next[c] = sum;
        sum += count;
    }
    for (size_t k = 0; k < node->n; k++)
        if (level[k] != SMERF_MISSING) search->by_class[next[search->items[k].label]++] = (uint32_t)k;
    memmove(next + 1, next, search->n_classes * sizeof *next); /* each has moved on to the next class's start */
    next[0] = 0;
}

/* The weight of a class in each level that has it; returns how many have. */
static size_t sum_class(sm_search *search, size_t label, const uint32_t *level) {
    size_t n_touched = 0;
    for (size_t p = search->first_of_class[label]; p < search->first_of_class[label + 1]; p++) {
        uint32_t index = search->by_class[p], of = level[index];
        if (search->level_sum[of] == 0) search->touched[n_touched++] = of; /* weights are > 0 */
        search->level_sum[of] += search->items[index].weight;
    }
    return n_touched;
}

static void forget_class(sm_search *search, size_t n_touched) {
    for (size_t t = 0; t < n_touched; t++) search->level_sum[search->touched[t]] = 0;
}

static void weigh_levels(sm_search *search, const uint32_t *level, size_t n_levels) {
    for (size_t a = 0; a < n_levels; a++) search->most[a] = search->rest[a] = search->squares[a] = 0;
    for (size_t label = 0; label < search->n_classes; label++) {
        size_t n_touched = sum_class(search, label, level);
        for (size_t t = 0; t < n_touched; t++) {
            uint32_t a = search->touched[t];
            double weight = search->level_sum[a];
            search->rest[a] += smaller_weight(weight, search->most[a]);
            search->most[a] = larger_weight(weight, search->most[a]);
        }
        forget_class(search, n_touched);
    }
}

/* Adds p_a (1 - p_b) of one class to the mean of levels a <= b. Summed over the classes this is 1 - sum p_a p_b, without
 * the loss of digits where that is nearly 0. */
static void add_class(sm_search *search, size_t n_touched, size_t n_levels, double *mean) {
    double *others = search->others;
    for (size_t t = 0; t < n_touched; t++) {
        uint32_t b = search->touched[t];
        double weight = search->rest[b] + (search->most[b] - search->level_sum[b]);
        others[b] = weight / (search->most[b] + search->rest[b]);
    }
    for (size_t t = 0; t < n_touched; t++) {
        uint32_t a = search->touched[t];
        double fraction = search->level_sum[a] / (search->most[a] + search->rest[a]);
        for (size_t b = a; b < n_levels; b++) mean[a * n_levels + b] += fraction * others[b];
    }
    for (size_t t = 0; t < n_touched; t++) others[search->touched[t]] = 1;
}

static void labels_level_distances(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                                   double *mean) {
    group_by_class(search, node, level);
    weigh_levels(search, level, n_levels);
    memset(mean, 0, n_levels * n_levels * sizeof *mean);
    for (size_t b = 0; b < n_levels; b++) search->others[b] = 1;
    for (size_t label = 0; label < search->n_classes; label++) {
        size_t n_touched = sum_class(search, label, level);
        add_class(search, n_touched, n_levels, mean);
        forget_class(search, n_touched);
    }
    for (size_t k = 0; k < node->n; k++)
        if (level[k] != SMERF_MISSING) search->squares[level[k]] += search->items[k].weight * search->items[k].weight;
    for (size_t a = 0; a < n_levels; a++) {
        double total = search->most[a] + search->rest[a];
        mean[a * n_levels + a] += search->labels->column.diagonal * search->squares[a] / (total * total);
        for (size_t b = 0; b < a; b++) mean[a * n_levels + b] = mean[b * n_levels + a];
    }
}

/* ---- many levels ---- */

static double start_labels_levels(sm_search *search, const sm_node *node, const sm_node_levels *levels) {
    (void)search, (void)node, (void)levels;
    return 1;
}

/* H is 1 - sum p_a p_b over the classes, p the fractions of a level's weight. */
static void multiply_labels_levels(sm_search *search, const sm_node *node, const sm_node_levels *levels,
                                   const double *x, double *y) {
    double *of_class = search->class_weight, diagonal = search->labels->column.diagonal; /* free between two prices */
    memset(of_class, 0, search->n_classes * sizeof *of_class);
    memset(y, 0, levels->n_levels * sizeof *y);
    for (size_t k = 0; k < node->n; k++) {
        uint32_t a = levels->level[k];
        if (a != SMERF_MISSING) of_class[search->items[k].label] += search->items[k].weight / levels->weight[a] * x[a];
    }
    for (size_t k = 0; k < node->n; k++) {
        uint32_t a = levels->level[k];
        if (a == SMERF_MISSING) continue;
        double fraction = search->items[k].weight / levels->weight[a];
        y[a] += fraction * (diagonal * fraction * x[a] - of_class[search->items[k].label]);
    }
}

static const sm_pricing pricing = {.price = price_labels_cuts};

const sm_engine sm_labels_engine = {
    .search_new = new_labels_search,
    .search_free = free_labels_search,
    .enter = enter_labels_node,
    .is_pure = labels_is_pure,
    .best_cut = sm_best_by_costs,
    .pricing = &pricing,
    .level_distances = labels_level_distances,
    .level_start = start_labels_levels,
    .level_product = multiply_labels_levels,
};
