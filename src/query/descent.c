/* descent.c - see descent.h. */
#include "query/descent.h"

/* Marks in sm_step.feature. A feature whose number reaches into them makes its split one of another sort. */
#define A_LEAF UINT32_MAX
#define ANOTHER_SORT (UINT32_MAX - 1)
#define MISSING_LEFT 0x40000000u
#define MOST_FEATURES 0x40000000u

enum { ABREAST = 8, NODES_AN_ITEM = 8 };

size_t sm_descent_bytes(const sm_tree *tree, size_t n_items) {
    return n_items >= tree->n_nodes / NODES_AN_ITEM ? tree->n_nodes * sizeof(sm_step) : 0;
}

/* A split by one number as it is; others are left to sm_tree_goes_left. */
static bool is_plain(const sm_tree *tree, size_t split) {
    size_t term = tree->first_term[split];
    return !tree->is_category[split] && tree->first_term[split + 1] == term + 1 && tree->term_weight[term] == 1 &&
           (tree->term_level == NULL || tree->term_level[term] == SMERF_MISSING) &&
           tree->term_feature[term] < MOST_FEATURES;
}

void sm_descent_start(sm_descent *descent, const sm_tree *tree, size_t n_items, sm_arena *arena) {
    *descent = (sm_descent){.tree = tree};
    if (sm_descent_bytes(tree, n_items) == 0) return;
    sm_step *steps = sm_arena_take(arena, tree->n_nodes, sizeof *steps);
    for (size_t node = 0; node < tree->n_nodes && steps != NULL; node++) {
        size_t split = tree->place[node];
        if (tree->is_leaf[node]) {
            steps[node] = (sm_step){.feature = A_LEAF, .right = tree->place[node]};
        } else if (is_plain(tree, split)) {
            uint32_t feature = tree->term_feature[tree->first_term[split]];
            steps[node] = (sm_step){.threshold = tree->threshold[split],
                                    .feature = feature | (tree->missing_left[split] ? MISSING_LEFT : 0),
                                    .right = tree->right[split]};
        } else {
            steps[node] = (sm_step){.feature = ANOTHER_SORT, .right = tree->right[split]};
        }
    }
    descent->steps = steps;
}

/* Which way a node sends an item is a toss-up, which the processor would guess wrong half the time: hence arithmetic in
 * place of branches. */
static uint32_t step_down(const sm_descent *descent, const sm_view *view, uint32_t node, size_t item) {
    const sm_step step = descent->steps[node];
    bool goes_left;
    if (step.feature == ANOTHER_SORT) {
        goes_left = sm_tree_goes_left(descent->tree, descent->tree->place[node], view, item);
    } else {
        double value = view->values[step.feature & ~MISSING_LEFT][item];
        bool is_missing = value != value, missing_left = (step.feature & MISSING_LEFT) != 0;
        goes_left = (value <= step.threshold) | (is_missing & missing_left);
    }
    uint32_t mask = 0u - goes_left;
    return ((node + 1) & mask) | (step.right & ~mask);
}

/* At most ABREAST items. */
static void descend_abreast(const sm_descent *descent, const sm_view *view, const size_t *items, size_t n,
                            uint32_t *leaf) {
    uint32_t node[ABREAST] = {0};
    bool is_moving = true;
    while (is_moving) {
        is_moving = false;
        for (size_t k = 0; k < n; k++) {
            if (descent->steps[node[k]].feature == A_LEAF) continue;
            is_moving = true;
            node[k] = step_down(descent, view, node[k], items[k]);
        }
    }
    for (size_t k = 0; k < n; k++) leaf[k] = descent->steps[node[k]].right;
}

void sm_descend(const sm_descent *descent, const sm_view *view, const uint32_t *pick, size_t first, size_t end,
                uint32_t *leaf) {
    for (size_t from = first; from < end; from += ABREAST) {
        size_t items[ABREAST], n = end - from < ABREAST ? end - from : ABREAST;
        for (size_t k = 0; k < n; k++) items[k] = pick != NULL ? pick[from + k] : from + k;
        if (descent->steps != NULL)
            descend_abreast(descent, view, items, n, leaf + (from - first));
        else
            for (size_t k = 0; k < n; k++) leaf[from - first + k] = sm_tree_leaf(descent->tree, view, items[k]);
    }
}
