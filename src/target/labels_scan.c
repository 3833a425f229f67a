/* labels_scan.c - what every cut of a node gains, for labels, where weights are numbers of draws.
 *
 * Q of a set is the weight of its ordered pairs of different classes. An item of weight w that joins the left side adds
 * 2 w (W_L - own) to it, with own the weight of its class there; leaving the right side it takes 2 w (W_R - own) away.
 * All of these are whole numbers, which a double holds exactly: nothing is lost by counting down. labels_search.c is the
 * same for any weights. */
#include "base/arena.h"
#include "base/memory.h"
#include "target/labels.h"

/* Squares of the weight of a tree must be whole numbers that a double can hold. */
static const size_t most_draws = (size_t)1 << 26;

typedef struct drawn {
    uint32_t label, draws;
} drawn;

typedef struct tally {
    double left, all; /* the weight of one class on the left side, and in the node */
} tally;

struct sm_scan {
    sm_arena arena; /* holds the arrays below */
    const sm_labels *labels;
    drawn *items;   /* [n_slots] by slot */
    tally *tallies; /* [classes]; 0 for classes that the node does not hold, and on the left between scans */
    uint32_t *held; /* [classes] those that it holds */
    size_t n_held;
    double total, pairs; /* W and Q of the node */
};

static bool fits(const smerf_target *target) {
    return sm_labels_of(target)->column.diagonal == 0 && target->n_rows <= most_draws;
}

static void scan_free(sm_scan *scan) {
    if (scan == NULL) return;
    sm_arena_free(&scan->arena);
    sm_free(scan);
}

static sm_scan *scan_new(const smerf_target *target, size_t n_slots, smerf_error *error) {
    sm_scan *scan = sm_zeros(1, sizeof *scan);
    if (scan != NULL) {
        scan->labels = sm_labels_of(target);
        size_t n_classes = scan->labels->classes->n;
        scan->items = sm_arena_take(&scan->arena, n_slots, sizeof *scan->items);
        scan->tallies = sm_arena_take_zeros(&scan->arena, n_classes, sizeof *scan->tallies);
        scan->held = sm_arena_take(&scan->arena, n_classes, sizeof *scan->held);
        if (!scan->arena.has_failed) return scan;
    }
    scan_free(scan);
    sm_no_memory(error, "preparing to grow trees");
    return NULL;
}

static void start(sm_scan *scan, const uint32_t *items, const uint32_t *draws, size_t n) {
    for (size_t slot = 0; slot < n; slot++)
        scan->items[slot] = (drawn){.label = scan->labels->class_of[items[slot]], .draws = draws[slot]};
}

static void move(sm_scan *scan, const uint32_t *slots, size_t n, size_t first) {
    for (size_t k = 0; k < n; k++) scan->items[first + k] = scan->items[slots[k]];
}

static bool enter(sm_scan *scan, const uint32_t *slots, size_t n, double *cost, double *weight) {
    for (size_t h = 0; h < scan->n_held; h++) scan->tallies[scan->held[h]].all = 0;
    size_t n_held = 0;
    for (size_t k = 0; k < n; k++) {
        drawn item = scan->items[slots[k]];
        double before = scan->tallies[item.label].all;
        if (before == 0) scan->held[n_held++] = item.label;
        scan->tallies[item.label].all = before + item.draws;
    }
    double total = 0, pairs = 0;
    for (size_t h = 0; h < n_held; h++) {
        double own = scan->tallies[scan->held[h]].all;
        pairs += 2 * own * total;
        total += own;
    }
    scan->n_held = n_held;
    scan->total = total;
    scan->pairs = pairs;
    *cost = pairs / total;
    *weight = total;
    return n_held > 1;
}

static void gains(sm_scan *scan, const uint32_t *order, size_t n, double *gain) {
    double left = 0, right = scan->total, left_pairs = 0, right_pairs = scan->pairs, cost = scan->pairs / scan->total;
    for (size_t r = 0; r + 1 < n; r++) {
        drawn item = scan->items[order[r]];
        tally *of = &scan->tallies[item.label];
        double w = item.draws, own = of->left;
        left_pairs += 2 * w * (left - own);
        right_pairs -= 2 * w * (right - (of->all - own));
        left += w;
        right -= w;
        of->left = own + w;
        gain[r] = cost - (left_pairs * right + right_pairs * left) / (left * right);
    }
    for (size_t h = 0; h < scan->n_held; h++) scan->tallies[scan->held[h]].left = 0;
}

const sm_scanner sm_labels_scanner = {
    .fits = fits, .scan_new = scan_new, .scan_free = scan_free, .start = start, .move = move, .enter = enter, .gains = gains};
