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

/* An item: its class and how often it was drawn, in one word, since in large nodes these come from far apart. */
typedef uint32_t drawn;

enum { DRAWS_BITS = 8 };

static uint32_t label_of(drawn item) { return item >> DRAWS_BITS; }
static uint32_t draws_of(drawn item) { return item & ((1 << DRAWS_BITS) - 1); }

typedef struct tally {
    uint32_t left, all; /* the weight of one class on the left side, and in the node */
} tally;

struct sm_scan {
    sm_arena arena; /* holds the arrays below */
    const sm_labels *labels;
    drawn *items;   /* [n_slots] by slot */
    tally *tallies; /* [classes]; 0 for classes that the node does not hold, and on the left between scans */
    uint32_t *held; /* [classes] those that it holds */
    size_t n_held;
    double total, pairs; /* W and Q of the node */
    unsigned bits;       /* of a word that each class may have */
    uint64_t packed;
    uint64_t squares;    /* of the weights of its classes, added up */
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
        scan->bits = n_classes < 64 ? (unsigned)(63 / n_classes) : 0;
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
        scan->items[slot] = scan->labels->class_of[items[slot]] << DRAWS_BITS | draws[slot];
}

static void move(sm_scan *scan, const uint32_t *slots, size_t n, size_t first) {
    for (size_t k = 0; k < n; k++) scan->items[first + k] = scan->items[slots[k]];
}

static bool enter(sm_scan *scan, const uint32_t *slots, size_t n, double *cost, double *weight) {
    for (size_t h = 0; h < scan->n_held; h++) scan->tallies[scan->held[h]].all = 0;
    size_t n_held = 0;
    for (size_t k = 0; k < n; k++) {
        drawn item = scan->items[slots[k]];
        uint32_t before = scan->tallies[label_of(item)].all;
        if (before == 0) scan->held[n_held++] = label_of(item);
        scan->tallies[label_of(item)].all = before + draws_of(item);
    }
    uint64_t total = 0, squares = 0;
    for (size_t h = 0; h < n_held; h++) {
        uint64_t own = scan->tallies[scan->held[h]].all;
        squares += own * own;
        total += own;
    }
    scan->n_held = n_held;
    scan->squares = squares;
    scan->total = (double)total;
    scan->pairs = (double)(total * total - squares);
    *cost = scan->pairs / scan->total;
    *weight = scan->total;
    return n_held > 1;
}

/* Whole numbers below 2^52 as doubles, in two steps that a compiler can do for several at once. */
static double as_double(uint64_t number) {
    const double two_to_52 = 0x1p52;
    union {
        uint64_t bits;
        double number;
    } both = {.number = two_to_52};
    both.bits |= number;
    return both.number - two_to_52;
}

/* A stretch of cuts: what lies on the left side of each, and the squares of the weights of classes, added up, on both. */
enum { STRETCH = 128 };

typedef struct counts {
    uint64_t left, left_square, right_square; /* after the last cut */
    uint64_t lefts[STRETCH], left_squares[STRETCH], right_squares[STRETCH];
} counts;

static void note(counts *so_far, size_t k, uint64_t w, uint64_t own, uint64_t all) {
    so_far->lefts[k] = so_far->left += w;
    so_far->left_squares[k] = so_far->left_square += w * (2 * own + w);
    so_far->right_squares[k] = so_far->right_square -= w * (2 * (all - own) - w);
}

static void count(sm_scan *scan, const uint32_t *order, size_t n_cuts, counts *so_far) {
    for (size_t k = 0; k < n_cuts; k++) {
        drawn item = scan->items[order[k]];
        tally *of = &scan->tallies[label_of(item)];
        note(so_far, k, draws_of(item), of->left, of->all);
        of->left += draws_of(item);
    }
}

/* The same where the weights of all classes fit into one word: adding to that is quicker than adding to memory, which the
 * next item may have to wait for. */
static void count_packed(sm_scan *scan, const uint32_t *order, size_t n_cuts, counts *so_far) {
    uint64_t packed = scan->packed, mask = ((uint64_t)1 << scan->bits) - 1;
    for (size_t k = 0; k < n_cuts; k++) {
        drawn item = scan->items[order[k]];
        unsigned shift = label_of(item) * scan->bits;
        note(so_far, k, draws_of(item), packed >> shift & mask, scan->tallies[label_of(item)].all);
        packed += (uint64_t)draws_of(item) << shift;
    }
    scan->packed = packed;
}

static void gains(sm_scan *scan, const uint32_t *order, size_t n, double *gain) {
    counts so_far;
    double total = scan->total, cost = scan->pairs / scan->total;
    bool is_packed = scan->total < (double)((uint64_t)1 << scan->bits);
    scan->packed = so_far.left = so_far.left_square = 0;
    so_far.right_square = scan->squares;
    for (size_t first = 0; first + 1 < n; first += STRETCH) {
        size_t n_cuts = n - 1 - first < STRETCH ? n - 1 - first : STRETCH;
        (is_packed ? count_packed : count)(scan, order + first, n_cuts, &so_far);
        for (size_t k = 0; k < n_cuts; k++) { /* none waits for the one before */
            double left = as_double(so_far.lefts[k]), right = total - left;
            double left_pairs = left * left - as_double(so_far.left_squares[k]);
            double right_pairs = right * right - as_double(so_far.right_squares[k]);
            gain[first + k] = cost - (left_pairs * right + right_pairs * left) / (left * right);
        }
    }
    for (size_t h = 0; h < scan->n_held && !is_packed; h++) scan->tallies[scan->held[h]].left = 0;
}

const sm_scanner sm_labels_scanner = {
    .fits = fits, .scan_new = scan_new, .scan_free = scan_free, .start = start, .move = move, .enter = enter, .gains = gains};
