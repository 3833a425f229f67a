/* thresholds.c - midway between the values on both sides of each cut, when a tree is done: see thresholds.h. */
#include "train/grow/thresholds.h"

#include <math.h>

static sm_gap kept_gap(const sm_tree *tree, size_t split) {
    sm_gap gap;
    memcpy(&gap, &tree->threshold[split], sizeof gap);
    return gap;
}

/* Midway between two values, but never the larger one: x <= t must separate them. */
static double midpoint(double low, double high) {
    double middle = (low + high) / 2;
    if (isinf(middle)) middle = low / 2 + high / 2;
    return middle < high ? middle : low;
}

/* The numbers on both sides of every gap; the lower ones where the gaps are. They lie all over memory: nothing but reading
 * is done here, so that many are on their way at once. */
static void read_gaps(sm_tree *tree, const sm_problem *problem, double *high) {
    const sm_numbers *numbers = problem->view->numbers;
    const uint32_t *feature = tree->term_feature;
    const bool *is_category = tree->is_category;
    size_t n_splits = tree->n_splits;
    for (size_t s = 0; s < n_splits; s++) {
        sm_gap gap = kept_gap(tree, s);
        if (is_category[s]) continue;
        tree->threshold[s] = sm_number_at(&numbers[feature[s]], gap.low);
        high[s] = sm_number_at(&numbers[feature[s]], gap.high);
    }
}

/* The same where splits are of sums. */
static void project_gaps(sm_tree *tree, const sm_problem *problem, double *high) {
    for (size_t s = 0; s < tree->n_splits; s++) {
        size_t first = tree->first_term[s];
        const sm_projection projection = {.n_terms = tree->first_term[s + 1] - first,
                                          .feature = tree->term_feature + first,
                                          .weight = tree->term_weight + first,
                                          .level = tree->term_level != NULL ? tree->term_level + first : NULL};
        sm_gap gap = kept_gap(tree, s);
        tree->threshold[s] = sm_view_project(problem->view, &projection, gap.low);
        high[s] = sm_view_project(problem->view, &projection, gap.high);
    }
}

void sm_make_thresholds(sm_tree *tree, const sm_problem *problem, double *high) {
    if (problem->options->splits == SMERF_AXIS)
        read_gaps(tree, problem, high);
    else
        project_gaps(tree, problem, high);
    for (size_t s = 0; s < tree->n_splits; s++)
        tree->threshold[s] = tree->is_category[s] ? 0 : midpoint(tree->threshold[s], high[s]);
}
