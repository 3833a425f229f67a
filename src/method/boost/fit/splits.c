/* splits.c - the best split of one column of a node, from its histogram.
 *
 * A split gains G_l^2 / (H_l + l2) + G_r^2 / (H_r + l2) - G^2 / (H + l2), with G the sum of gradients and H that of hessians: what the
 * two leaves would lower the loss by, doubled. The first of equal ones wins: that with the lower bin, and before that the one in
 * which what is missing goes right. */
#include "method/boost/fit/pair_tree.h"

#include <stdlib.h>

/* Levels of few pairs are put in order by means that are drawn towards 0: as if so many pairs more had no gradient. */
static const double level_smoothing = 10;

typedef struct side_scan {
    const sm_tree_plan *plan;
    const sm_gradients *units;
    sm_cell whole;
    double parent; /* G^2 / (H + l2) */
} side_scan;

static double worth(const side_scan *scan, sm_cell sum) {
    double gradient = (double)sm_cell_gradient(sum) * scan->units->unit;
    double hessian = (double)sm_cell_hessian(sum) * scan->units->hessian_unit + scan->plan->l2;
    return gradient * gradient / hessian;
}

static bool may_be_leaf(const side_scan *scan, sm_cell sum) {
    return sm_cell_count(sum) >= scan->plan->min_leaf && sm_cell_hessian(sum) > 0 &&
           (double)sm_cell_hessian(sum) * scan->units->hessian_unit >= scan->plan->least_hessian;
}

/* 0: it is no split. */
static double gain_of(const side_scan *scan, sm_cell left) {
    sm_cell right = scan->whole - left;
    if (!may_be_leaf(scan, left) || !may_be_leaf(scan, right)) return 0;
    return worth(scan, left) + worth(scan, right) - scan->parent;
}

/* ---- numbers ---- */

/* The left sides of all cuts behind a bin that has pairs: sums of whole numbers, which doubles hold exactly. */
typedef struct left_sides {
    size_t n;
    double gradient[SM_MOST_BINS], hessian[SM_MOST_BINS], worth[SM_MOST_BINS];
    sm_cell sum[SM_MOST_BINS];
    uint32_t bin[SM_MOST_BINS];
} left_sides;

/* What both sides of each cut are worth, in the same operations as worth(): a loop that compilers turn into vectors. */
static void price_sides(const side_scan *scan, left_sides *sides) {
    const double unit = scan->units->unit, hessian_unit = scan->units->hessian_unit, l2 = scan->plan->l2;
    const double whole_gradient = (double)sm_cell_gradient(scan->whole);
    const double whole_hessian = (double)sm_cell_hessian(scan->whole);
    for (size_t k = 0; k < sides->n; k++) {
        double left = sides->gradient[k] * unit, right = (whole_gradient - sides->gradient[k]) * unit;
        double left_hessian = sides->hessian[k] * hessian_unit + l2;
        double right_hessian = (whole_hessian - sides->hessian[k]) * hessian_unit + l2;
        sides->worth[k] = left * left / left_hessian + right * right / right_hessian;
    }
}

/* Bins 0 ... b to the left, for every b.   left  what goes there in any case */
static void scan_bins(const side_scan *scan, const sm_cell *cells, size_t n_values, sm_cell left, bool missing_left,
                      sm_bin_split *best) {
    left_sides sides;
    sides.n = 0;
    for (size_t b = 0; b + 1 < n_values; b++) {
        if (sm_cell_count(cells[b]) == 0) continue; /* the same as before it */
        left += cells[b];
        sides.sum[sides.n] = left;
        sides.gradient[sides.n] = (double)sm_cell_gradient(left);
        sides.hessian[sides.n] = (double)sm_cell_hessian(left);
        sides.bin[sides.n++] = (uint32_t)b;
    }
    price_sides(scan, &sides);
    for (size_t k = 0; k < sides.n; k++) {
        double gain = sides.worth[k] - scan->parent;
        if (!(gain > best->gain) || !may_be_leaf(scan, sides.sum[k]) || !may_be_leaf(scan, scan->whole - sides.sum[k]))
            continue;
        best->gain = gain;
        best->bin = sides.bin[k];
        best->missing_left = missing_left;
    }
}

/* Where nothing is missing here, it goes to the side with more pairs. */
static bool is_left_larger(const side_scan *scan, const sm_cell *cells, size_t bin) {
    size_t n = 0;
    for (size_t b = 0; b <= bin; b++) n += sm_cell_count(cells[b]);
    return 2 * n >= sm_cell_count(scan->whole);
}

static void scan_number(const side_scan *scan, const sm_pair_column *column, const sm_cell *cells, sm_bin_split *best) {
    size_t n_values = column->n_bins - column->has_missing;
    bool is_any_missing = column->has_missing && sm_cell_count(cells[n_values]) > 0;
    scan_bins(scan, cells, n_values, (sm_cell){0, 0}, false, best);
    if (is_any_missing)
        scan_bins(scan, cells, n_values, cells[n_values], true, best);
    else if (best->gain > 0)
        best->missing_left = is_left_larger(scan, cells, best->bin);
}

/* ---- categories ---- */

typedef struct ranked_bin {
    double mean;
    uint32_t bin;
} ranked_bin;

static int by_mean(const void *a, const void *b) {
    const ranked_bin *left = a, *right = b;
    if (left->mean != right->mean) return left->mean < right->mean ? -1 : 1;
    return (left->bin > right->bin) - (left->bin < right->bin);
}

/* Bins in the order of their mean gradients; those that have none go right. */
static void scan_category(const side_scan *scan, const sm_pair_column *column, const sm_cell *cells,
                          sm_bin_split *best) {
    ranked_bin ranked[SM_MOST_BINS];
    size_t n = 0, n_left = 0;
    sm_cell left = {0, 0};
    for (size_t b = 0; b < column->n_bins; b++) {
        if (sm_cell_count(cells[b]) == 0) continue;
        double hessian = (double)sm_cell_hessian(cells[b]) * scan->units->hessian_unit + level_smoothing;
        ranked[n++] = (ranked_bin){(double)sm_cell_gradient(cells[b]) * scan->units->unit / hessian, (uint32_t)b};
    }
    if (n < 2) return;
    qsort(ranked, n, sizeof *ranked, by_mean);
    for (size_t k = 0; k + 1 < n; k++) {
        left += cells[ranked[k].bin];
        double gain = gain_of(scan, left);
        if (!(gain > best->gain)) continue;
        best->gain = gain;
        n_left = k + 1;
    }
    for (size_t k = 0; k < n_left; k++) best->set[ranked[k].bin / 32] |= 1u << ranked[k].bin % 32;
}

sm_bin_split sm_column_best_split(const sm_tree_plan *plan, size_t column, const sm_cell *cells, sm_cell whole,
                                  const sm_gradients *units) {
    const sm_pair_column *of = &plan->binned->columns[column];
    side_scan scan = {.plan = plan, .units = units, .whole = whole};
    scan.parent = worth(&scan, whole);
    /* less is what rounding leaves */
    sm_bin_split best = {.gain = 1e-12 * scan.parent, .column = (uint32_t)column, .bin = SM_MOST_BINS};
    double least = best.gain;
    if (of->threshold != NULL)
        scan_number(&scan, of, cells, &best);
    else
        scan_category(&scan, of, cells, &best);
    if (!(best.gain > least)) best.gain = 0;
    return best;
}
