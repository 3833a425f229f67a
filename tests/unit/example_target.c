/* example_target.c - a kind of target in one file, to be copied: docs/adding-a-target.md goes through it step by step.
 * Items have codes of 32 bits, and z_ij is in how many bits two of them differ. Everything is a plain sum over pairs. */
#include "base/memory.h"
#include "target/target.h"

static const sm_target_kind bits_kind;

typedef struct bits_target {
    smerf_target head; /* comes first: a smerf_target is one of these */
    uint32_t *codes;   /* [n_rows] owned */
    double self;       /* z_ii */
} bits_target;

/* ---- 1. the target itself ---- */

static double bits_apart(const smerf_target *target, size_t i, size_t j) {
    const bits_target *bits = (const bits_target *)target;
    return i == j ? bits->self : __builtin_popcount(bits->codes[i] ^ bits->codes[j]);
}

static void free_bits(smerf_target *target) {
    sm_free(((bits_target *)target)->codes);
    sm_free(target);
}

static smerf_status new_bits(const uint32_t *codes, size_t n, double self, smerf_target **out, smerf_error *error) {
    bits_target *bits = sm_zeros(1, sizeof *bits);
    if (bits == NULL) return sm_no_memory(error, "making a target");
    sm_target_start(&bits->head, &bits_kind, n, n);
    bits->codes = sm_copy(codes, n, sizeof *codes);
    bits->self = self;
    *out = &bits->head;
    if (bits->codes != NULL) return SMERF_OK;
    smerf_target_free(&bits->head);
    return sm_no_memory(error, "making a target");
}

static smerf_status vary_bits(const smerf_target *target, double self, smerf_target **out, smerf_error *error) {
    return new_bits(((const bits_target *)target)->codes, target->n_rows, self, out, error);
}

static void true_bits(const smerf_target *target, size_t row, double *out) {
    for (size_t j = 0; j < target->n_columns; j++) out[j] = bits_apart(target, row, j);
}

/* ---- 2. growing: an engine that prices cuts, Eq. (1) ---- */

struct sm_search {
    const smerf_target *target;
};

static sm_search *new_bits_search(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    sm_search *search = sm_zeros(1, sizeof *search);
    (void)size; /* nothing is kept about items, levels or line-ups */
    if (search == NULL) sm_no_memory(error, "preparing to grow trees");
    if (search != NULL) search->target = target;
    return search;
}

static void free_bits_search(sm_search *search) { sm_free(search); }

static double bits_in_node(const sm_search *search, const sm_node *node, size_t k, size_t j) {
    return bits_apart(search->target, node->items[k], node->items[j]);
}

static bool is_bits_node_pure(sm_search *search, const sm_node *node) {
    double first = bits_in_node(search, node, 0, 0);
    for (size_t k = 0; k < node->n; k++)
        for (size_t j = 0; j <= k; j++)
            if (bits_in_node(search, node, k, j) != first) return false;
    return true;
}

/* Q(S) / W of the items at one end of a line-up, of which S has one more at a time. */
static double price_bits(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    double sum = 0, weight = 0;
    for (size_t end = 0; end < 2 * n_line_ups; end++) { /* the left one of every line-up, and the right one */
        const sm_line_up *line = &line_ups[end / 2];
        sum = weight = 0;
        for (size_t r = 0, n = node->n; r < n; r++) {
            size_t k = line->order[end % 2 == 0 ? r : n - 1 - r];
            for (size_t s = 0; s <= r; s++) {
                size_t j = line->order[end % 2 == 0 ? s : n - 1 - s];
                sum += (j == k ? 1 : 2) * node->weight[k] * node->weight[j] * bits_in_node(search, node, k, j);
            }
            weight += node->weight[k];
            if (r + 1 < n) *(end % 2 == 0 ? &line->left[r] : &line->right[n - 2 - r]) = sum / weight;
        }
    }
    return sum / weight;
}

/* For features that are categories: the mean distance of the items of two levels. */
static void bits_levels(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels, double *mean) {
    for (size_t pair = 0; pair < n_levels * n_levels; pair++) {
        double sum = 0, weight = 0;
        for (size_t both = 0; both < node->n * node->n; both++) {
            size_t k = both / node->n, j = both % node->n;
            if (level[k] != pair / n_levels || level[j] != pair % n_levels) continue;
            sum += node->weight[k] * node->weight[j] * bits_in_node(search, node, k, j);
            weight += node->weight[k] * node->weight[j];
        }
        mean[pair] = sum / weight;
    }
}

/* The same for so many levels that all pairs of them would be too much: only products with these means. */
static double start_bits_levels(sm_search *search, const sm_node *node, const sm_node_levels *levels) {
    (void)search, (void)node, (void)levels;
    return 32; /* no mean is larger */
}

static void multiply_bits_levels(sm_search *search, const sm_node *node, const sm_node_levels *levels, const double *x,
                                 double *y) {
    for (size_t a = 0; a < levels->n_levels; a++) y[a] = 0;
    for (size_t both = 0; both < node->n * node->n; both++) {
        size_t k = both / node->n, j = both % node->n;
        uint32_t a = levels->level[k], b = levels->level[j];
        if (a == SMERF_MISSING || b == SMERF_MISSING) continue;
        double fraction = node->weight[k] / levels->weight[a] * (node->weight[j] / levels->weight[b]);
        y[a] += fraction * bits_in_node(search, node, k, j) * x[b];
    }
}

static const sm_engine bits_engine = {.search_new = new_bits_search,
                                      .search_free = free_bits_search,

                                      .is_pure = is_bits_node_pure,
                                      .best_cut = sm_best_by_costs,
                                      .pricing = &(const sm_pricing){.price = price_bits},
                                      .level_distances = bits_levels,
                                      .level_start = start_bits_levels,
                                      .level_product = multiply_bits_levels};

/* ---- 3. predicting, Eq. (2), the same to the last bit for (a, b) and (b, a) ---- */

static double bits_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b) {
    size_t low = a < b ? a : b, high = a < b ? b : a;
    double sum = 0;
    for (size_t m = leaves->first[low]; m < leaves->first[low + 1]; m++)
        for (size_t k = leaves->first[high]; k < leaves->first[high + 1]; k++)
            sum += leaves->weight[m] * leaves->weight[k] * bits_apart(target, leaves->item[m], leaves->item[k]);
    return sum / (leaves->total[low] * leaves->total[high]);
}

static void bits_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row, double *scratch) {
    (void)scratch;
    for (size_t l = 0; l < leaves->n; l++) row[l] = bits_leaf_pair(target, leaves, leaf, l);
}

/* Out of bag, for an item and itself. */
static double find_mean_bits(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end) {
    double sum = 0, weight = 0;
    for (size_t m = first; m < end; m++)
        for (size_t k = first; k < m; k++) {
            double both = leaves->weight[m] * leaves->weight[k];
            sum += both * bits_apart(target, leaves->item[m], leaves->item[k]);
            weight += both;
        }
    return sum / weight;
}

static const sm_target_kind bits_kind = {
    .name = "bits",
    .metrics = SMERF_HAS(SMERF_RMSE) | SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10),
    .engines = {&bits_engine},
    .predicting = {.leaf_row = bits_row, .leaf_pair = bits_leaf_pair, .mean_apart = find_mean_bits},
    .data = {.free = free_bits, .true_row = true_bits, .with_diagonal = vary_bits},
};
