/* deviations.h - the inner loops over a node's vectors: what its items deviate by from their mean, and what a side of a cut
 * costs, added up from that. target/vectors tells why this is the cost of a set:
 *     2 B + (O - 2 <s, s>) / W,   s = sum of w_i d_i, B = sum of w_i b_i, O = sum of w_i^2 o_i, <x, y> = sum of scale x y.
 *
 * Numbers of the rank go in groups of four, which is what a product is summed in, too: four lanes, joined as a fixed tree. Both
 * tables are made from the same loops (loops/deviations.h), without fused multiply-add, so that the bits are the same. */
#ifndef SM_KERNELS_DEVIATIONS_H
#define SM_KERNELS_DEVIATIONS_H

#include <stddef.h>
#include <stdint.h>

#define SM_GROUP ((size_t)4)

/* At least one, which holds nothing if the rank is 0. */
static inline size_t sm_n_groups(size_t rank) { return rank > 0 ? (rank + SM_GROUP - 1) / SM_GROUP : 1; }

/* What is known of all items. Arrays of [n_groups][SM_GROUP], here and below, end in zeros and start on a cache line. */
typedef struct sm_deviation_form {
    size_t rank;
    const double *u;     /* [n_items][rank] */
    const double *a;     /* [n_items]; NULL: b_i is <d_i, d_i> */
    const double *own;   /* [n_items] o; NULL: 0 throughout */
    const double *scale; /* [n_groups][SM_GROUP] */
} sm_deviation_form;

/* W, B and O of a set of items. */
enum { SM_WEIGHT, SM_PART, SM_OWN, SM_N_FACTS };

/* A node. Each item has a row: w_i d_i, and right after that its part of the facts: what a cut reads of it lies in the same cache lines. */
typedef struct sm_deviations {
    sm_deviation_form form;
    size_t n, stride;
    double *rows;                    /* [n][stride] and one number more */
    double *origin, *above, *scaled; /* [n_groups][SM_GROUP] the mean is origin + above; scale times the mean */
    double *sums;                    /* likewise, scratch */
    double all[SM_N_FACTS];          /* the facts of the node */
} sm_deviations;

/* Long rows start where no group lies across two cache lines; short ones are not worth the memory. */
static inline size_t sm_deviation_stride(size_t rank) {
    size_t n = rank + SM_N_FACTS;
    return n <= 2 * SM_GROUP ? n : sm_n_groups(n) * SM_GROUP;
}

typedef struct sm_deviation_kernels {
    /* Turns to a node: finds its mean, and fills its rows and facts.
     *   items, weight  [n]
     *   total          their weight */
    void (*enter)(sm_deviations *node, const uint32_t *items, const double *weight, size_t n, double total);

    /* The costs of all cuts, where the right side's s is that of the left but for its sign, and its facts may be what the left
     * side leaves of the node's.
     *   order        [n] node indices
     *   left, right  [n - 1] out */
    void (*price_once)(const sm_deviations *node, const uint32_t *order, double *left, double *right);

    /* The costs of one side, added up from its own end.   costs  [n - 1] out */
    void (*price_left)(const sm_deviations *node, const uint32_t *order, double *costs);
    void (*price_right)(const sm_deviations *node, const uint32_t *order, double *costs);
} sm_deviation_kernels;

#endif
