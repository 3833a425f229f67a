/* response_scan.c - what every cut of a node gains, for a response of one column, where weights are numbers of draws.
 *
 * With d the deviations from the node's mean, which add up to 0, and s the sum of w d on the left side, the gain is
 *     s^2 / W_L + s^2 / W_R = s^2 W / (W_L W_R).
 * The mean is kept as the value of one of the items and what it is above that, so that deviations add up to 0 whatever the
 * values lie around. vectors.c is the same for any weights and columns. */
#include "base/memory.h"
#include "base/two.h"
#include "target/vectors/vectors.h"

struct sm_search {
    sm_arena arena; /* holds the arrays below */
    const sm_vectors *vectors;
    double *values;      /* [n_slots] by slot */
    uint8_t *draws;      /* [n_slots] by slot */
    double total;        /* the node's weight W */
    double first, above; /* its mean is their sum */
    bool is_pure;
    double weight[SM_MOST_DRAWS + 1]; /* 0, 1, 2, ...: looking numbers up is quicker than turning them into doubles */
};

/* Half the squared difference, of an item to itself too. */
static bool scan_fits(const smerf_target *target, const sm_search_size *size) {
    const sm_vectors *vectors = sm_columns_vectors(target);
    if (!size->are_draws || size->n_levels > 0) return false;
    return vectors->rank == 1 && vectors->a == NULL && vectors->self == NULL && vectors->scale[0] == 0.5;
}

static void free_scan(sm_search *scan) {
    if (scan == NULL) return;
    sm_arena_free(&scan->arena);
    sm_free(scan);
}

static sm_search *new_scan(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    sm_search *scan = sm_zeros(1, sizeof *scan);
    if (scan != NULL) {
        scan->vectors = sm_columns_vectors(target);
        for (size_t w = 0; w <= SM_MOST_DRAWS; w++) scan->weight[w] = (double)w;
        scan->values = sm_arena_take(&scan->arena, size->n_slots, sizeof *scan->values);
        scan->draws = sm_arena_take(&scan->arena, size->n_slots, sizeof *scan->draws);
        if (!scan->arena.has_failed) return scan;
    }
    free_scan(scan);
    sm_no_memory(error, "preparing to grow trees");
    return NULL;
}

static void start_tree(sm_search *scan, const uint32_t *items, const uint8_t *draws, size_t n) {
    for (size_t slot = 0; slot < n; slot++) {
        scan->values[slot] = scan->vectors->u[items[slot]];
        scan->draws[slot] = draws[slot];
    }
}

static void move_slots(sm_search *scan, const uint32_t *slots, size_t n, size_t first) {
    for (size_t k = 0; k < n; k++) {
        scan->values[first + k] = scan->values[slots[k]];
        scan->draws[first + k] = scan->draws[slots[k]];
    }
}

static size_t enter_node(sm_search *scan, sm_node *node, size_t view) {
    const uint32_t *slots = node->slots;
    size_t n = node->n;
    double total = 0, sum = 0, squares = 0, first = scan->values[slots[0]];
    bool is_pure = true;
    for (size_t k = 0; k < n; k++) {
        double apart = scan->values[slots[k]] - first, w = scan->draws[slots[k]];
        total += w;
        sum += w * apart;
        squares += w * apart * apart;
        is_pure = is_pure && apart == 0;
    }
    scan->total = total;
    scan->first = first;
    scan->above = sum / total;
    node->cost = squares - sum * scan->above; /* only its size matters: digits may be lost */
    node->total = total;
    scan->is_pure = is_pure;
    return view;
}

static bool is_pure(sm_search *scan, const sm_node *node) {
    (void)node;
    return scan->is_pure;
}

static double gains(sm_search *scan, const uint32_t *order, size_t n, double *gain) {
    double left = 0, sum = 0, total = scan->total, first = scan->first, above = scan->above, largest = -INFINITY;
    for (size_t r = 0; r + 1 < n; r++) {
        double w = scan->weight[scan->draws[order[r]]];
        left += w;
        sum += w * (scan->values[order[r]] - first - above);
        gain[r] = sum * sum * total / (left * (total - left));
        largest = gain[r] > largest ? gain[r] : largest;
    }
    return largest;
}

static void gains_of_two(sm_search *scan, const uint32_t *const order[2], size_t n, double *const gain[2],
                         double largest[2]) {
    sm_two left = {0}, sum = {0};
    sm_two total = sm_both(scan->total), first = sm_both(scan->first), above = sm_both(scan->above);
    sm_two most = sm_both(-INFINITY);
    for (size_t r = 0; r + 1 < n; r++) {
        uint32_t a = order[0][r], b = order[1][r];
        sm_two w = {scan->weight[scan->draws[a]], scan->weight[scan->draws[b]]};
        sm_two value = {scan->values[a], scan->values[b]};
        left += w;
        sum += w * (value - first - above);
        sm_two gains_now = sum * sum * total / (left * (total - left));
        gain[0][r] = gains_now[0];
        gain[1][r] = gains_now[1];
        most = sm_two_most(gains_now, most);
    }
    largest[0] = most[0];
    largest[1] = most[1];
}

static const sm_scanning scanning = {.gains = gains, .gains_of_two = gains_of_two};

const sm_engine sm_response_scanner = {
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
