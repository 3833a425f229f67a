/* rfd_walk.c - see rfd_walk.h. Several pairs go down side by side, so that the processor waits for several nodes at a
 * time; a pair that has arrived makes room for the next one. */
#include "method/pair_forest/rfd_walk.h"

#include <float.h>

enum { ABREAST = 16 };

/* A pair on its way. */
typedef struct walker {
    const double *x, *y; /* the numbers of its items */
    uint32_t node;
    size_t pair;
} walker;

static inline walker set_off(const sm_item_numbers *rows, const sm_item_numbers *columns, const uint32_t *left,
                             const uint32_t *right, size_t pair) {
    return (walker){
        .x = sm_item_numbers_of(rows, left[pair]), .y = sm_item_numbers_of(columns, right[pair]), .pair = pair};
}

/* The sum as sm_view_project forms it, kept within the range after each addition. */
static double project_carefully(const sm_projection *projection, const double *x, const double *y) {
    double sum = 0;
    for (size_t t = 0; t < projection->n_terms; t++) {
        double value = projection->weight[t] * sm_pair_feature(x, y, projection->feature[t]);
        if (isnan(value)) return NAN;
        sum = fmax(-DBL_MAX, fmin(DBL_MAX, sum + value));
    }
    return sum;
}

static double project(const sm_value_tree *tree, size_t split, const double *x, const double *y) {
    const sm_projection projection = sm_value_tree_projection(tree, split);
    double sum = 0;
    for (size_t t = 0; t < projection.n_terms; t++)
        sum += projection.weight[t] * sm_pair_feature(x, y, projection.feature[t]);
    return isfinite(sum) ? sum : project_carefully(&projection, x, y);
}

/* Which way a node sends a pair is a toss-up, which the processor would guess wrong half the time: hence arithmetic in
 * place of branches. */
static inline uint32_t step_down(const sm_value_tree *tree, const sm_value_step *step, const walker *at) {
    uint32_t place = step->mark & SM_STEP_PLACE;
    double value =
        (step->mark & SM_STEP_IS_LONG) != 0 ? project(tree, place, at->x, at->y) : sm_pair_feature(at->x, at->y, place);
    bool is_missing = value != value, missing_left = (step->mark & SM_STEP_MISSING_LEFT) != 0;
    uint32_t mask = 0u - (uint32_t)((value <= step->threshold) | (is_missing & missing_left));
    return ((at->node + 1) & mask) | (step->right & ~mask);
}

void sm_rfd_walk(const sm_value_tree *tree, const sm_item_numbers *rows, const sm_item_numbers *columns,
                 const uint32_t *left, const uint32_t *right, size_t n, double *sums) {
    walker walkers[ABREAST];
    size_t n_walkers = 0, next = 0;
    for (; n_walkers < ABREAST && next < n; n_walkers++, next++)
        walkers[n_walkers] = set_off(rows, columns, left, right, next);
    while (n_walkers > 0)
        for (size_t w = 0; w < n_walkers; w++) {
            walker *at = &walkers[w];
            const sm_value_step *step = &tree->steps[at->node];
            if ((step->mark & SM_STEP_IS_LEAF) == 0) {
                at->node = step_down(tree, step, at);
                __builtin_prefetch(&tree->steps[at->node]); /* it comes while the others take their step */
                continue;
            }
            sums[at->pair] += step->threshold;
            *at = next < n ? set_off(rows, columns, left, right, next) : walkers[--n_walkers];
            next++;
        }
}
