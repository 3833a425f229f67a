/* histogram.h - sums of gradients over the pairs of a node, for each bin of each feature of a pair.
 *
 * Gradients are whole numbers (losses.h), so that sums are exact, the same in any order, and what is left for a node's other child is
 * a difference. */
#ifndef SM_BOOST_HISTOGRAM_H
#define SM_BOOST_HISTOGRAM_H

#include "method/boost/fit/binned.h"

/* Two numbers that are added together: the sum of gradients; and the number of pairs, above the sum of hessians. */
typedef int64_t sm_cell __attribute__((vector_size(16)));

enum { SM_HESSIAN_BITS = 42, SM_HESSIAN_UNIT_BITS = 20, SM_GRADIENT_BITS = 30 };
#define SM_MOST_BOOST_PAIRS (((size_t)1 << (63 - SM_HESSIAN_BITS)) - 1) /* that a cell can count */

static inline int64_t sm_cell_gradient(sm_cell cell) { return cell[0]; }
static inline int64_t sm_cell_hessian(sm_cell cell) { return cell[1] & (((int64_t)1 << SM_HESSIAN_BITS) - 1); }
static inline size_t sm_cell_count(sm_cell cell) { return (size_t)(cell[1] >> SM_HESSIAN_BITS); }

/* Some pairs, by their index. */
typedef struct sm_pair_slice {
    const uint32_t *order; /* [n] ascending */
    size_t n;
    const uint32_t *left, *right; /* items of a pair */
    const int32_t *gradient;
    const uint32_t *hessian; /* NULL: all 1 */
    const uint8_t *base_bin; /* of the column SM_PAIR_BASE; NULL: there is none */
} sm_pair_slice;

static inline sm_cell sm_cell_of(const sm_pair_slice *pairs, size_t pair) {
    int64_t hessian = pairs->hessian != NULL ? pairs->hessian[pair] : 1;
    return (sm_cell){pairs->gradient[pair], (int64_t)1 << SM_HESSIAN_BITS | hessian};
}

/* The sum over all of them. */
sm_cell sm_cells_sum(const sm_pair_slice *pairs);

/* Fills the bins of the columns of features first .. end - 1, and that of the base with feature n_features.
 *   cells  [binned->n_cells]
 *   joint  [SM_JOINT_FEATURES][SM_MOST_BINS * SM_MOST_BINS] scratch; zeros, and left as such */
enum { SM_JOINT_FEATURES = 8 };
void sm_histogram_fill(const sm_binned *binned, const sm_pair_slice *pairs, size_t first, size_t end, sm_cell *cells,
                       sm_cell *joint);

/* The same, a pair and a column after the other: what it means. */
void sm_histogram_fill_plainly(const sm_binned *binned, const sm_pair_slice *pairs, size_t first, size_t end,
                               sm_cell *cells);

#endif
