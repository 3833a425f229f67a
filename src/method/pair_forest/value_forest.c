/* value_forest.c - see value_forest.h. */
#include "method/pair_forest/value_forest.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* ---- coming and going ---- */

static void free_tree(sm_value_tree *tree) {
    sm_free(tree->steps);
    sm_free(tree->others);
    sm_free(tree->first_term);
    sm_free(tree->term_feature);
    sm_free(tree->term_weight);
    sm_free(tree->term_level);
    sm_free(tree->first_left);
    sm_free(tree->left_level);
}

smerf_status sm_value_forest_start(sm_value_forest *forest, size_t n_trees, size_t n_values, smerf_error *error) {
    *forest = (sm_value_forest){.n_trees = n_trees, .n_values = n_values};
    forest->trees = sm_zeros(n_trees, sizeof *forest->trees);
    return forest->trees != NULL ? SMERF_OK : sm_no_memory(error, "keeping trees");
}

void sm_value_forest_free(sm_value_forest *forest) {
    for (size_t b = 0; b < forest->n_trees && forest->trees != NULL; b++) free_tree(&forest->trees[b]);
    sm_free(forest->trees);
    *forest = (sm_value_forest){0};
}

/* ---- from trees that have just grown ---- */

/* A split by one number as it is. */
static bool is_plain(const sm_tree *tree, size_t split) {
    size_t term = tree->first_term[split];
    return !tree->is_category[split] && tree->first_term[split + 1] == term + 1 && tree->term_weight[term] == 1 &&
           (tree->term_level == NULL || tree->term_level[term] == SMERF_MISSING) &&
           tree->term_feature[term] <= SM_STEP_PLACE;
}

static bool make_long_room(sm_value_tree *tree, size_t n_terms, size_t n_left) {
    tree->first_term = sm_zeros(tree->n_long + 1, sizeof *tree->first_term);
    tree->first_left = sm_zeros(tree->n_long + 1, sizeof *tree->first_left);
    tree->term_feature = sm_array(n_terms, sizeof *tree->term_feature);
    tree->term_weight = sm_array(n_terms, sizeof *tree->term_weight);
    tree->term_level = sm_array(n_terms, sizeof *tree->term_level);
    tree->left_level = sm_array(n_left, sizeof *tree->left_level);
    return tree->first_term != NULL && tree->first_left != NULL && tree->term_feature != NULL &&
           tree->term_weight != NULL && tree->term_level != NULL && tree->left_level != NULL;
}

static size_t n_left_of(const sm_tree *tree, size_t split) {
    return tree->first_left != NULL ? tree->first_left[split + 1] - tree->first_left[split] : 0;
}

static void take_long(sm_value_tree *tree, size_t number, const sm_tree *grown, size_t split) {
    uint32_t term = tree->first_term[number], left = tree->first_left[number];
    for (size_t t = grown->first_term[split]; t < grown->first_term[split + 1]; t++, term++) {
        tree->term_feature[term] = grown->term_feature[t];
        tree->term_weight[term] = grown->term_weight[t];
        tree->term_level[term] = grown->term_level != NULL ? grown->term_level[t] : SMERF_MISSING;
    }
    for (size_t l = 0; l < n_left_of(grown, split); l++)
        tree->left_level[left++] = grown->left_level[grown->first_left[split] + l];
    tree->first_term[number + 1] = term;
    tree->first_left[number + 1] = left;
}

static bool take_long_splits(sm_value_tree *tree, const sm_tree *grown) {
    size_t n_terms = 0, n_left = 0, number = 0;
    for (size_t s = 0; s < grown->n_splits; s++) {
        if (is_plain(grown, s)) continue;
        tree->n_long++;
        n_terms += grown->first_term[s + 1] - grown->first_term[s];
        n_left += n_left_of(grown, s);
    }
    if (tree->n_long == 0) return true;
    if (!make_long_room(tree, n_terms, n_left)) return false;
    for (size_t s = 0; s < grown->n_splits; s++)
        if (!is_plain(grown, s)) take_long(tree, number++, grown, s);
    return true;
}

static bool take_steps(sm_value_tree *tree, const sm_tree *grown) {
    uint32_t n_long = 0;
    tree->n_nodes = grown->n_nodes;
    tree->n_leaves = grown->n_leaves;
    tree->steps = sm_array(grown->n_nodes, sizeof *tree->steps);
    for (size_t node = 0; node < grown->n_nodes && tree->steps != NULL; node++) {
        uint32_t place = grown->place[node];
        if (grown->is_leaf[node]) {
            tree->steps[node] = (sm_value_step){.mark = SM_STEP_IS_LEAF, .right = place};
            continue;
        }
        uint32_t mark =
            is_plain(grown, place) ? grown->term_feature[grown->first_term[place]] : SM_STEP_IS_LONG | n_long++;
        tree->steps[node] = (sm_value_step){.threshold = grown->is_category[place] ? 0 : grown->threshold[place],
                                            .mark = mark | (grown->missing_left[place] ? SM_STEP_MISSING_LEFT : 0),
                                            .right = grown->right[place]};
    }
    return tree->steps != NULL;
}

/* What the leaves hold, from the target.   values  [n_values] scratch */
static bool take_values(sm_value_tree *tree, size_t n_values, const sm_tree *grown, const smerf_model *model,
                        double scale, double *values) {
    const smerf_target *target = model->target;
    sm_arena arena = {0};
    double *weight = sm_arena_take(&arena, sm_tree_n_members(grown), sizeof *weight);
    double *total = sm_arena_take(&arena, grown->n_leaves, sizeof *total);
    void *summary = NULL;
    sm_leaves leaves;
    tree->others = n_values > 1 ? sm_array(sm_size(grown->n_leaves, n_values - 1, 0), sizeof *tree->others) : NULL;
    if (!arena.has_failed && (n_values == 1 || tree->others != NULL)) {
        sm_tree_leaves(grown, model->weights, weight, total, &leaves);
        leaves.summary = summary = target->kind->predicting.summarise(target, &leaves);
    }
    for (size_t node = 0; node < tree->n_nodes && summary != NULL; node++) {
        sm_value_step *step = &tree->steps[node];
        if ((step->mark & SM_STEP_IS_LEAF) == 0) continue;
        target->kind->values.leaf_values(target, &leaves, step->right, values);
        step->threshold = values[0] * scale;
        for (size_t v = 1; v < n_values; v++) tree->others[step->right * (n_values - 1) + v - 1] = values[v] * scale;
    }
    if (summary != NULL) target->kind->predicting.summary_free(summary);
    sm_arena_free(&arena);
    return summary != NULL;
}

smerf_status sm_value_forest_take(sm_value_forest *forest, size_t first, const smerf_model *model, double scale,
                                  smerf_error *error) {
    double *values = sm_array(forest->n_values, sizeof *values);
    bool has_room = values != NULL;
    for (size_t b = 0; b < model->options.n_trees && has_room; b++) {
        sm_value_tree *tree = &forest->trees[first + b];
        const sm_tree *grown = &model->trees[b];
        has_room = take_steps(tree, grown) && take_long_splits(tree, grown) &&
                   take_values(tree, forest->n_values, grown, model, scale, values);
    }
    sm_free(values);
    return has_room ? SMERF_OK : sm_no_memory(error, "keeping trees");
}

/* ---- the way down ---- */

sm_projection sm_value_tree_projection(const sm_value_tree *tree, size_t split) {
    size_t first = tree->first_term[split];
    return (sm_projection){.n_terms = tree->first_term[split + 1] - first,
                           .feature = tree->term_feature + first,
                           .weight = tree->term_weight + first,
                           .level = tree->term_level + first};
}

static bool has_level(const sm_value_tree *tree, size_t split, uint32_t level) {
    size_t low = tree->first_left[split], end = tree->first_left[split + 1], high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tree->left_level[middle] < level)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && tree->left_level[low] == level;
}

static bool goes_left(const sm_value_tree *tree, const sm_value_step *step, const sm_view *view, size_t item) {
    size_t place = step->mark & SM_STEP_PLACE;
    bool missing_left = (step->mark & SM_STEP_MISSING_LEFT) != 0, is_long = (step->mark & SM_STEP_IS_LONG) != 0;
    if (is_long && tree->first_left[place] < tree->first_left[place + 1]) {
        uint32_t level = view->codes[tree->term_feature[tree->first_term[place]]][item];
        return level == SMERF_MISSING ? missing_left : has_level(tree, place, level);
    }
    double value;
    if (is_long) {
        const sm_projection projection = sm_value_tree_projection(tree, place);
        value = sm_view_project(view, &projection, item);
    } else {
        value = sm_number_at(&view->numbers[place], item);
    }
    return isnan(value) ? missing_left : value <= step->threshold;
}

static const sm_value_step *find_leaf(const sm_value_tree *tree, const sm_view *view, size_t item) {
    size_t node = 0;
    while ((tree->steps[node].mark & SM_STEP_IS_LEAF) == 0)
        node = goes_left(tree, &tree->steps[node], view, item) ? node + 1 : tree->steps[node].right;
    return &tree->steps[node];
}

void sm_value_forest_predict(const sm_value_forest *forest, const sm_view *view, size_t first, size_t end,
                             double *values) {
    size_t n_values = forest->n_values, n_numbers = (end - first) * n_values;
    memset(values, 0, n_numbers * sizeof *values);
    for (size_t b = 0; b < forest->n_trees; b++) {
        const sm_value_tree *tree = &forest->trees[b];
        for (size_t i = first; i < end; i++) {
            const sm_value_step *leaf = find_leaf(tree, view, i);
            double *sums = values + (i - first) * n_values;
            sums[0] += leaf->threshold;
            for (size_t v = 1; v < n_values; v++) sums[v] += tree->others[leaf->right * (n_values - 1) + v - 1];
        }
    }
    for (size_t k = 0; k < n_numbers; k++) values[k] /= (double)forest->n_trees;
}
