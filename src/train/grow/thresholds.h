/* thresholds.h - from the gaps that splits were cut in to their thresholds. */
#ifndef SM_TRAIN_THRESHOLDS_H
#define SM_TRAIN_THRESHOLDS_H

#include <string.h>

#include "model/tree.h"
#include "train/grow/problem.h"

/* The items on both sides of a gap; the same one twice: it is the gap before missing values. */
typedef struct sm_gap {
    uint32_t low, high;
} sm_gap;

/* A gap is kept where its threshold will be. */
static inline void sm_keep_gap(sm_tree *tree, size_t split, sm_gap gap) {
    _Static_assert(sizeof gap == sizeof *tree->threshold, "a gap must fit");
    memcpy(&tree->threshold[split], &gap, sizeof gap);
}

/* Once all splits have gaps.   high  [n_splits] scratch */
void sm_make_thresholds(sm_tree *tree, const sm_problem *problem, double *high);

#endif
