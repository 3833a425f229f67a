/* triplets.h - the target that knows of no distance, only which of two is larger. Shared by the files that learn from triplets and
 * score by them. */
#ifndef SM_TARGET_TRIPLETS_H
#define SM_TARGET_TRIPLETS_H

#include <math.h>

#include "target/target.h"

/* Ascending by anchor, and then by the smaller and by the larger of the two others: triplets of one comparison stand side by side,
 * at most two, first the one whose smaller item is nearer. */
typedef struct sm_triplets {
    smerf_target head;
    size_t n;
    uint32_t *anchor, *near, *far; /* [n] */
    double *weight;                /* [n] added up over repeats */
    smerf_triplet_facts facts;
} sm_triplets;

static inline const sm_triplets *sm_triplets_of(const smerf_target *target) { return (const sm_triplets *)target; }

/* The end of the triplets of the comparison that starts at `first`. */
static inline size_t sm_comparison_end(const sm_triplets *triplets, size_t first) {
    size_t next = first + 1;
    bool is_both = next < triplets->n && triplets->anchor[next] == triplets->anchor[first] &&
                   triplets->near[next] == triplets->far[first] && triplets->far[next] == triplets->near[first];
    return next + is_both;
}

/* ---- the logistic loss of a triplet ----
 * A margin is d(anchor, far) - d(anchor, near), in log-odds. The loss is log(1 + exp(-margin)); its slope and its curvature are the first
 * and the second derivative by the margin. None of them overflows. */

static inline double sm_triplet_loss(double margin) {
    return margin > 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
}

static inline double sm_triplet_slope(double margin) {
    double small = exp(-fabs(margin));
    return -(margin > 0 ? small : 1) / (1 + small);
}

static inline double sm_triplet_curvature(double margin) {
    double small = exp(-fabs(margin));
    return small / ((1 + small) * (1 + small));
}

#endif
