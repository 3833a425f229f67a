/* labels_scan.c - what every cut of a node gains, for labels, where weights are numbers of draws.
 *
 * Q of a set is the weight of its ordered pairs of different classes. An item of weight w that joins the left side adds
 * 2 w (W_L - own) to it, with own the weight of its class there; leaving the right side it takes 2 w (W_R - own) away.
 * All of these are whole numbers, which a double holds exactly: nothing is lost by counting down. labels_search.c is the
 * same for any weights. */
#include "base/memory.h"
#include "base/two.h"
#include "target/labels/labels.h"

/* Squares of the weight of a tree must be whole numbers that a double can hold. */
static const size_t most_draws = (size_t)1 << 26, most_classes = (size_t)1 << 24;

/* An item: its class and how often it was drawn, in one word, since in large nodes these come from far apart. */
typedef uint32_t drawn;

enum { DRAWS_BITS = 8 };

static uint32_t label_of(drawn item) { return item >> DRAWS_BITS; }
static uint32_t draws_of(drawn item) { return item & ((1 << DRAWS_BITS) - 1); }

typedef struct tally {
    double left[2]; /* the weight of one class on the left side, along two line-ups, */
    double all;     /* and in the node */
} tally;

struct sm_search {
    sm_arena arena; /* holds the arrays below */
    const sm_labels *labels;
    drawn *items;   /* [n_slots] by slot */
    tally *tallies; /* [classes]; 0 for classes that the node does not hold, and on the left between scans */
    uint32_t *held; /* [classes] those that it holds */
    size_t n_held;
    double total, pairs;            /* W and Q of the node */
    double squares;                 /* of the weights of its classes, added up */
    double weight[1 << DRAWS_BITS]; /* 0, 1, 2, ...: looking numbers up is quicker than turning them into doubles */
};

static bool scan_fits(const smerf_target *target, const sm_search_size *size) {
    const sm_labels *labels = sm_labels_of(target);
    if (!size->are_draws || size->n_levels > 0) return false;
    return labels->column.diagonal == 0 && target->n_rows <= most_draws && labels->classes->n < most_classes;
}

static void free_scan(sm_search *scan) {
    if (scan == NULL) return;
    sm_arena_free(&scan->arena);
    sm_free(scan);
}

static sm_search *new_scan(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    sm_search *scan = sm_zeros(1, sizeof *scan);
    if (scan != NULL) {
        scan->labels = sm_labels_of(target);
        size_t n_classes = scan->labels->classes->n;
        for (size_t w = 0; w < 1 << DRAWS_BITS; w++) scan->weight[w] = (double)w;
        scan->items = sm_arena_take(&scan->arena, size->n_slots, sizeof *scan->items);
        scan->tallies = sm_arena_take_zeros(&scan->arena, n_classes, sizeof *scan->tallies);
        scan->held = sm_arena_take(&scan->arena, n_classes, sizeof *scan->held);
        if (!scan->arena.has_failed) return scan;
    }
    free_scan(scan);
    sm_no_memory(error, "preparing to grow trees");
    return NULL;
}

static void start_tree(sm_search *scan, const uint32_t *items, const uint8_t *draws, size_t n) {
    for (size_t slot = 0; slot < n; slot++)
        scan->items[slot] = scan->labels->class_of[items[slot]] << DRAWS_BITS | draws[slot];
}

static void move_slots(sm_search *scan, const uint32_t *slots, size_t n, size_t first) {
    for (size_t k = 0; k < n; k++) scan->items[first + k] = scan->items[slots[k]];
}

static size_t enter_node(sm_search *scan, sm_node *node, size_t view) {
    const uint32_t *slots = node->slots;
    size_t n = node->n;
    for (size_t h = 0; h < scan->n_held; h++) scan->tallies[scan->held[h]].all = 0;
    size_t n_held = 0;
    for (size_t k = 0; k < n; k++) {
        drawn item = scan->items[slots[k]];
        double before = scan->tallies[label_of(item)].all;
        if (before == 0) scan->held[n_held++] = label_of(item);
        scan->tallies[label_of(item)].all = before + draws_of(item);
    }
    double total = 0, squares = 0;
    for (size_t h = 0; h < n_held; h++) {
        double own = scan->tallies[scan->held[h]].all;
        squares += own * own;
        total += own;
    }
    scan->n_held = n_held;
    scan->squares = squares;
    scan->total = total;
    scan->pairs = total * total - squares;
    node->cost = scan->pairs / total;
    node->total = total;
    return view;
}

static bool is_pure(sm_search *scan, const sm_node *node) {
    (void)node;
    return scan->n_held == 1;
}

static void clear_left(sm_search *scan) {
    for (size_t h = 0; h < scan->n_held; h++) {
        tally *of = &scan->tallies[scan->held[h]];
        of->left[0] = of->left[1] = 0;
    }
}

static double gains(sm_search *scan, const uint32_t *order, size_t n, double *gain) {
    double left = 0, right = scan->total, left_pairs = 0, right_pairs = scan->pairs, cost = scan->pairs / scan->total;
    double largest = -INFINITY;
    for (size_t r = 0; r + 1 < n; r++) {
        drawn item = scan->items[order[r]];
        tally *of = &scan->tallies[label_of(item)];
        double w = scan->weight[draws_of(item)], own = of->left[0];
        left_pairs += 2 * w * (left - own);
        right_pairs -= 2 * w * (right - (of->all - own));
        left += w;
        right -= w;
        of->left[0] = own + w;
        gain[r] = cost - (left_pairs * right + right_pairs * left) / (left * right);
        largest = gain[r] > largest ? gain[r] : largest;
    }
    clear_left(scan);
    return largest;
}

/* Q is W^2 less the squares of the weights of classes. If l of a class of weight a is on the left, (a - l)^2 is on the right:
 * a^2 - 2 a l + l^2. */
static void gains_of_two(sm_search *scan, const uint32_t *const order[2], size_t n, double *const gain[2],
                         double largest[2]) {
    sm_two left = {0}, squares = {0}, products = {0}, all_squares = sm_both(scan->squares);
    sm_two total = sm_both(scan->total), cost = sm_both(scan->pairs / scan->total);
    sm_two most = sm_both(-INFINITY);
    for (size_t r = 0; r + 1 < n; r++) {
        drawn a = scan->items[order[0][r]], b = scan->items[order[1][r]];
        tally *of_a = &scan->tallies[label_of(a)], *of_b = &scan->tallies[label_of(b)];
        sm_two w = {scan->weight[draws_of(a)], scan->weight[draws_of(b)]};
        sm_two own = {of_a->left[0], of_b->left[1]}, all = {of_a->all, of_b->all}, now = own + w;
        of_a->left[0] = now[0];
        of_b->left[1] = now[1];
        left += w;
        squares += w * (own + now);
        products += w * all;
        sm_two right = total - left, right_squares = all_squares + squares - (products + products);
        sm_two left_pairs = left * left - squares, right_pairs = right * right - right_squares;
        sm_two gains_now = cost - (left_pairs * right + right_pairs * left) / (left * right);
        gain[0][r] = gains_now[0];
        gain[1][r] = gains_now[1];
        most = sm_two_most(gains_now, most);
    }
    largest[0] = most[0];
    largest[1] = most[1];
    clear_left(scan);
}

static const sm_scanning scanning = {.gains = gains, .gains_of_two = gains_of_two};

const sm_engine sm_labels_scanner = {
    .fits = scan_fits,
    .lists_slots = true,
    .search_new = new_scan,
    .search_free = free_scan,
    .start = start_tree,
    .move = move_slots,
    .enter = enter_node,
    .is_pure = is_pure,
    .best_cut = sm_best_by_gains,
    .scanning = &scanning,
};
