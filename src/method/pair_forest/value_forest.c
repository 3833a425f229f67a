/* value_forest.c - a forest whose leaves hold values (rfd, plugin): memory, files, the way down: see value_forest.h. */
#include "method/pair_forest/value_forest.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/tensors.h"
#include "model/forest_arrays.h"

static bool is_leaf_step(const sm_value_step *step) { return (step->mark & SM_STEP_IS_LEAF) != 0; }

/* ---- coming and going ---- */

static void free_value_tree(sm_value_tree *tree) {
    sm_free(tree->steps);
    sm_free(tree->others);
    sm_tree_free(&tree->long_splits);
}

smerf_status sm_value_forest_start(sm_value_forest *forest, size_t n_trees, size_t n_values, smerf_error *error) {
    *forest = (sm_value_forest){.n_trees = n_trees, .n_values = n_values};
    forest->trees = sm_zeros(n_trees, sizeof *forest->trees);
    return forest->trees != NULL ? SMERF_OK : sm_no_memory(error, "keeping trees");
}

void sm_value_forest_free(sm_value_forest *forest) {
    for (size_t b = 0; b < forest->n_trees && forest->trees != NULL; b++) free_value_tree(&forest->trees[b]);
    sm_free(forest->trees);
    *forest = (sm_value_forest){0};
}

/* ---- from trees that have just grown, or come from a file ---- */

static bool is_long(const sm_tree *tree, size_t split) {
    return !sm_tree_split_is_plain(tree, split) || tree->term_feature[tree->first_term[split]] > SM_STEP_INDEX;
}

static size_t n_left_of(const sm_tree *tree, size_t split) {
    return tree->first_left != NULL ? tree->first_left[split + 1] - tree->first_left[split] : 0;
}

static bool reserve_long_splits(sm_tree *splits, size_t n_terms, size_t n_left) {
    splits->threshold = sm_array(splits->n_splits, sizeof *splits->threshold);
    splits->missing_left = sm_array(splits->n_splits, sizeof *splits->missing_left);
    splits->is_category = sm_array(splits->n_splits, sizeof *splits->is_category);
    splits->first_term = sm_zeros(splits->n_splits + 1, sizeof *splits->first_term);
    splits->first_left = sm_zeros(splits->n_splits + 1, sizeof *splits->first_left);
    splits->term_feature = sm_array(n_terms, sizeof *splits->term_feature);
    splits->term_weight = sm_array(n_terms, sizeof *splits->term_weight);
    splits->term_level = sm_array(n_terms, sizeof *splits->term_level);
    splits->left_level = sm_array(n_left, sizeof *splits->left_level);
    return splits->threshold != NULL && splits->missing_left != NULL && splits->is_category != NULL &&
           splits->first_term != NULL && splits->first_left != NULL && splits->term_feature != NULL &&
           splits->term_weight != NULL && splits->term_level != NULL && splits->left_level != NULL;
}

/*   number  of the split among the long ones */
static void keep_long_split(sm_tree *splits, size_t number, const sm_tree *tree, size_t split) {
    uint32_t term = splits->first_term[number], left = splits->first_left[number];
    splits->threshold[number] = tree->threshold[split];
    splits->missing_left[number] = tree->missing_left[split];
    splits->is_category[number] = tree->is_category[split];
    for (size_t t = tree->first_term[split]; t < tree->first_term[split + 1]; t++, term++) {
        splits->term_feature[term] = tree->term_feature[t];
        splits->term_weight[term] = tree->term_weight[t];
        splits->term_level[term] = tree->term_level != NULL ? tree->term_level[t] : SMERF_MISSING;
    }
    for (size_t l = 0; l < n_left_of(tree, split); l++)
        splits->left_level[left++] = tree->left_level[tree->first_left[split] + l];
    splits->first_term[number + 1] = term;
    splits->first_left[number + 1] = left;
}

/*   splits  n_splits is there already. False: no memory */
static bool keep_long_splits(sm_tree *splits, const sm_tree *tree) {
    size_t n_terms = 0, n_left = 0, number = 0;
    if (splits->n_splits == 0) return true;
    for (size_t s = 0; s < tree->n_splits; s++) {
        if (!is_long(tree, s)) continue;
        n_terms += tree->first_term[s + 1] - tree->first_term[s];
        n_left += n_left_of(tree, s);
    }
    if (!reserve_long_splits(splits, n_terms, n_left)) return false;
    for (size_t s = 0; s < tree->n_splits; s++)
        if (is_long(tree, s)) keep_long_split(splits, number++, tree, s);
    sm_tree_trim(splits);
    return true;
}

/* The way down. Leaves are still without values. False: no memory. */
static bool keep_tree(sm_value_tree *kept, const sm_tree *tree) {
    uint32_t n_long = 0;
    kept->n_nodes = tree->n_nodes;
    kept->n_leaves = tree->n_leaves;
    kept->steps = sm_array(tree->n_nodes, sizeof *kept->steps);
    for (size_t node = 0; node < tree->n_nodes && kept->steps != NULL; node++) {
        uint32_t index = tree->index[node];
        if (tree->is_leaf[node]) {
            kept->steps[node] = (sm_value_step){.mark = SM_STEP_IS_LEAF, .right = index};
            continue;
        }
        uint32_t mark = is_long(tree, index) ? SM_STEP_IS_LONG | n_long++ : tree->term_feature[tree->first_term[index]];
        kept->steps[node] = (sm_value_step){.threshold = tree->is_category[index] ? 0 : tree->threshold[index],
                                            .mark = mark | (tree->missing_left[index] ? SM_STEP_MISSING_LEFT : 0),
                                            .right = tree->right[index]};
    }
    kept->long_splits.n_splits = n_long;
    return kept->steps != NULL && keep_long_splits(&kept->long_splits, tree);
}

static bool reserve_values(sm_value_tree *kept, size_t n_values) {
    if (n_values > 1) kept->others = sm_array(sm_size(kept->n_leaves, n_values - 1, 0), sizeof *kept->others);
    return n_values == 1 || kept->others != NULL;
}

static void keep_values(sm_value_tree *kept, sm_value_step *leaf, size_t n_values, const double *values, double scale) {
    leaf->threshold = values[0] * scale;
    for (size_t v = 1; v < n_values; v++) kept->others[leaf->right * (n_values - 1) + v - 1] = values[v] * scale;
}

/* What the leaves hold, from the target.   values  [n_values] scratch */
static bool keep_leaf_means(sm_value_tree *kept, const sm_tree *grown, const smerf_model *model, size_t n_values,
                            double scale, double *values) {
    const smerf_target *target = model->target;
    sm_arena arena = {0};
    double *weight = sm_arena_take(&arena, sm_tree_n_members(grown), sizeof *weight);
    double *total = sm_arena_take(&arena, grown->n_leaves, sizeof *total);
    void *summary = NULL;
    sm_leaves leaves;
    if (!arena.has_failed && reserve_values(kept, n_values)) {
        sm_tree_leaves(grown, model->weights, weight, total, &leaves);
        leaves.summary = summary = target->kind->predicting.summarise(target, &leaves);
    }
    for (size_t node = 0; node < kept->n_nodes && summary != NULL; node++) {
        sm_value_step *step = &kept->steps[node];
        if (!is_leaf_step(step)) continue;
        target->kind->values.leaf_values(target, &leaves, step->right, values);
        keep_values(kept, step, n_values, values, scale);
    }
    if (summary != NULL) target->kind->predicting.summary_free(summary);
    sm_arena_free(&arena);
    return summary != NULL;
}

smerf_status sm_value_forest_take(sm_value_forest *forest, size_t first, const smerf_model *model, double scale,
                                  smerf_error *error) {
    double *values = sm_array(forest->n_values, sizeof *values);
    bool has_memory = values != NULL;
    for (size_t b = 0; b < model->options.n_trees && has_memory; b++) {
        sm_value_tree *kept = &forest->trees[first + b];
        has_memory = keep_tree(kept, &model->trees[b]) &&
                     keep_leaf_means(kept, &model->trees[b], model, forest->n_values, scale, values);
    }
    sm_free(values);
    return has_memory ? SMERF_OK : sm_no_memory(error, "keeping trees");
}

smerf_status sm_value_forest_load(sm_value_forest *forest, const sm_tensors *tensors, const sm_features *features,
                                  size_t n_values, smerf_error *error) {
    sm_unpacker from;
    *forest = (sm_value_forest){0};
    smerf_status status = sm_unpack_values_start(&from, tensors, n_values, error);
    if (status == SMERF_OK) status = sm_value_forest_start(forest, from.n_trees, n_values, error);
    for (size_t b = 0; b < from.n_trees && status == SMERF_OK; b++) {
        sm_value_tree *kept = &forest->trees[b];
        const double *values;
        sm_tree tree;
        status = sm_unpack_values_tree(&from, b, features, &tree, &values, error);
        if (status == SMERF_OK && (!keep_tree(kept, &tree) || !reserve_values(kept, n_values)))
            status = sm_no_memory(error, "loading trees");
        for (size_t node = 0; node < kept->n_nodes && status == SMERF_OK; node++) {
            sm_value_step *step = &kept->steps[node];
            if (is_leaf_step(step)) keep_values(kept, step, n_values, values + step->right * n_values, 1);
        }
        sm_tree_free(&tree);
    }
    if (status == SMERF_OK) status = sm_unpack_finish(&from, error);
    if (status != SMERF_OK) sm_value_forest_free(forest);
    return status;
}

/* ---- the way down ---- */

static bool goes_left_at_step(const sm_value_tree *tree, const sm_value_step *step, const sm_view *view, size_t item) {
    size_t index = step->mark & SM_STEP_INDEX;
    if ((step->mark & SM_STEP_IS_LONG) != 0) return sm_tree_goes_left(&tree->long_splits, index, view, item);
    double value = sm_number_at(&view->numbers[index], item);
    return isnan(value) ? (step->mark & SM_STEP_MISSING_LEFT) != 0 : value <= step->threshold;
}

static const sm_value_step *find_leaf_step(const sm_value_tree *tree, const sm_view *view, size_t item) {
    size_t node = 0;
    while (!is_leaf_step(&tree->steps[node]))
        node = goes_left_at_step(tree, &tree->steps[node], view, item) ? node + 1 : tree->steps[node].right;
    return &tree->steps[node];
}

void sm_value_forest_predict(const sm_value_forest *forest, const sm_view *view, size_t first, size_t end,
                             double *values) {
    size_t n_values = forest->n_values, n_numbers = (end - first) * n_values;
    memset(values, 0, n_numbers * sizeof *values);
    for (size_t b = 0; b < forest->n_trees; b++) {
        const sm_value_tree *tree = &forest->trees[b];
        for (size_t i = first; i < end; i++) {
            const sm_value_step *leaf = find_leaf_step(tree, view, i);
            double *sums = values + (i - first) * n_values;
            sums[0] += leaf->threshold;
            for (size_t v = 1; v < n_values; v++) sums[v] += tree->others[leaf->right * (n_values - 1) + v - 1];
        }
    }
    for (size_t k = 0; k < n_numbers; k++) values[k] /= (double)forest->n_trees;
}

/* ---- to arrays: one function for each ---- */

#define EACH_TREE(forest, tree)                                                                                        \
    for (const sm_value_tree *tree = (forest)->trees, *end_tree = tree + (forest)->n_trees; tree < end_tree; tree++)

#define EACH_STEP(tree, step)                                                                                          \
    for (const sm_value_step *step = (tree)->steps, *end_step = step + (tree)->n_nodes; step < end_step; step++)

static void put_learned_n_leaves(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(forest, tree) sm_pieces_put_u32(&piece, tree->n_leaves);
    sm_pieces_flush(&piece);
}

static void put_learned_mark(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(forest, tree)
    EACH_STEP(tree, step) {
        unsigned char mark = (unsigned char)((is_leaf_step(step) ? SM_NODE_IS_LEAF : 0) |
                                             ((step->mark & SM_STEP_IS_LONG) != 0 ? SM_NODE_IS_LONG : 0) |
                                             ((step->mark & SM_STEP_MISSING_LEFT) != 0 ? SM_NODE_MISSING_LEFT : 0));
        sm_pieces_put(&piece, &mark, sizeof mark);
    }
    sm_pieces_flush(&piece);
}

static void put_learned_threshold(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(forest, tree)
    EACH_STEP(tree, step) if (!is_leaf_step(step)) sm_pieces_put_f64(&piece, step->threshold);
    sm_pieces_flush(&piece);
}

static void put_learned_feature(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(forest, tree)
    EACH_STEP(tree, step) {
        size_t index = step->mark & SM_STEP_INDEX;
        if (is_leaf_step(step)) continue;
        const uint32_t *first_term = tree->long_splits.first_term;
        sm_pieces_put_u32(&piece,
                          (step->mark & SM_STEP_IS_LONG) != 0 ? first_term[index + 1] - first_term[index] : index);
    }
    sm_pieces_flush(&piece);
}

static void put_learned_value(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(forest, tree)
    EACH_STEP(tree, step) {
        if (!is_leaf_step(step)) continue;
        sm_pieces_put_f64(&piece, step->threshold);
        for (size_t v = 1; v < forest->n_values; v++)
            sm_pieces_put_f64(&piece, tree->others[step->right * (forest->n_values - 1) + v - 1]);
    }
    sm_pieces_flush(&piece);
}

/* Long splits only from here on. */
#define EACH_LONG(forest, splits)                                                                                      \
    EACH_TREE(forest, tree)                                                                                            \
    for (const sm_tree *splits = &tree->long_splits; splits != NULL && splits->n_splits > 0; splits = NULL)

static size_t n_long_terms_of(const sm_tree *splits) { return splits->first_term[splits->n_splits]; }

static void put_learned_term_feature(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    EACH_LONG(forest, splits) sink(to, splits->term_feature, n_long_terms_of(splits) * sizeof *splits->term_feature);
}

static void put_learned_term_weight(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    EACH_LONG(forest, splits) sink(to, splits->term_weight, n_long_terms_of(splits) * sizeof *splits->term_weight);
}

static void put_learned_term_level(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_LONG(forest, splits)
    for (size_t t = 0; t < n_long_terms_of(splits); t++)
        sm_pieces_put_u32(&piece, splits->term_level != NULL ? splits->term_level[t] : SMERF_MISSING);
    sm_pieces_flush(&piece);
}

static void put_learned_n_left(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_LONG(forest, splits)
    for (size_t s = 0; s < splits->n_splits; s++) sm_pieces_put_u32(&piece, n_left_of(splits, s));
    sm_pieces_flush(&piece);
}

static void put_learned_left_level(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    EACH_LONG(forest, splits)
    if (splits->first_left != NULL)
        sink(to, splits->left_level, splits->first_left[splits->n_splits] * sizeof *splits->left_level);
}

smerf_status sm_value_forest_save(const sm_value_forest *forest, sm_tensors *tensors, smerf_error *error) {
    bool has_long = false;
    EACH_LONG(forest, splits) has_long = true;
    const sm_forest_array arrays[] = {{"learned.n_leaves", SM_U32, put_learned_n_leaves, true},
                                      {"learned.mark", SM_U8, put_learned_mark, true},
                                      {"learned.threshold", SM_F64, put_learned_threshold, true},
                                      {"learned.feature", SM_U32, put_learned_feature, true},
                                      {"learned.value", SM_F64, put_learned_value, true},
                                      {"learned.term_feature", SM_U32, put_learned_term_feature, has_long},
                                      {"learned.term_weight", SM_I8, put_learned_term_weight, has_long},
                                      {"learned.term_level", SM_U32, put_learned_term_level, has_long},
                                      {"learned.n_left", SM_U32, put_learned_n_left, has_long},
                                      {"learned.left_level", SM_U32, put_learned_left_level, has_long}};
    return sm_forest_add_arrays(forest, arrays, sizeof arrays / sizeof *arrays, tensors, error);
}
