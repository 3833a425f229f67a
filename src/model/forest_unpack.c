/* forest_unpack.c - trees from their arrays, which are not to be trusted. See forest_arrays.h.
 *
 * Both layouts say in the same way how many leaves a tree has and which of its nodes, in preorder, are leaves, and the same
 * checks see to it that splits make sense. They differ in where the terms of a split stand, and in what a leaf has. */
#include "model/forest_arrays.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static size_t n_terms_taken(const sm_tree *tree) { return tree->first_term[tree->n_splits]; }

/* ---- finding the arrays ---- */

static smerf_status refuse_array(const char *name, smerf_error *error) {
    return sm_fail(error, SMERF_BAD_FILE, "the model's array '%s' is absent or has the wrong type or length", name);
}

/*   n  the length it must have, or SIZE_MAX: any, which is put there */
static const void *find_array(const sm_tensors *tensors, const char *name, sm_tensor_type type, size_t *n,
                              bool is_needed, smerf_status *status, smerf_error *error) {
    const sm_tensor *tensor = sm_tensors_find(tensors, name);
    if (*status != SMERF_OK || (tensor == NULL && !is_needed)) return NULL;
    if (tensor == NULL || tensor->type != type || (*n != SIZE_MAX && tensor->n != *n)) {
        *status = refuse_array(name, error);
        return NULL;
    }
    *n = tensor->n;
    return tensor->data;
}

static smerf_status find_arrays(sm_unpacker *from, const sm_tensors *tensors, size_t n_trees, smerf_error *error) {
    smerf_status status = SMERF_OK;
    *from = (sm_unpacker){.n_trees = n_trees};
    sm_tree_counts *rest = &from->rest;
    rest->n_splits = rest->n_leaves = rest->n_members = rest->n_terms = rest->n_left = rest->n_nodes = SIZE_MAX;
    from->n_leaves = find_array(tensors, "tree.n_leaves", SM_U32, &from->n_trees, true, &status, error);
    from->threshold = find_array(tensors, "split.threshold", SM_F64, &rest->n_splits, true, &status, error);
    from->gain = find_array(tensors, "split.gain", SM_F64, &rest->n_splits, true, &status, error);
    from->n_members = find_array(tensors, "leaf.n_members", SM_U32, &rest->n_leaves, true, &status, error);
    from->item = find_array(tensors, "member.item", SM_U32, &rest->n_members, true, &status, error);
    from->draws = find_array(tensors, "member.draws", SM_U32, &rest->n_members, false, &status, error);
    from->term_feature = find_array(tensors, "term.feature", SM_U32, &rest->n_terms, true, &status, error);
    from->n_terms = find_array(tensors, "split.n_terms", SM_U32, &rest->n_splits, false, &status, error);
    from->weight = find_array(tensors, "term.weight", SM_I8, &rest->n_terms, from->n_terms != NULL, &status, error);
    from->level = find_array(tensors, "term.level", SM_U32, &rest->n_terms, false, &status, error);
    from->n_left = find_array(tensors, "split.n_left", SM_U32, &rest->n_splits, false, &status, error);
    if (from->n_left == NULL) rest->n_left = 0;
    if (from->n_left != NULL)
        from->left = find_array(tensors, "left.level", SM_U32, &rest->n_left, true, &status, error);
    if (from->n_left == NULL && sm_tensors_find(tensors, "left.level") != NULL && status == SMERF_OK)
        status = sm_fail(error, SMERF_BAD_FILE, "the model lists levels that go left, but not how many each split has");
    from->kind = find_array(tensors, "node.kind", SM_U8, &rest->n_nodes, true, &status, error);
    return status;
}

smerf_status sm_unpack_values_start(sm_unpacker *from, const sm_tensors *tensors, size_t n_values, smerf_error *error) {
    smerf_status status = SMERF_OK;
    *from = (sm_unpacker){.n_trees = SIZE_MAX, .n_values = n_values};
    sm_tree_counts *rest = &from->rest;
    size_t n_numbers = rest->n_nodes = rest->n_splits = SIZE_MAX;
    from->n_leaves = find_array(tensors, "learned.n_leaves", SM_U32, &from->n_trees, true, &status, error);
    from->kind = find_array(tensors, "learned.mark", SM_U8, &rest->n_nodes, true, &status, error);
    from->threshold = find_array(tensors, "learned.threshold", SM_F64, &rest->n_splits, true, &status, error);
    from->split_feature = find_array(tensors, "learned.feature", SM_U32, &rest->n_splits, true, &status, error);
    from->value = find_array(tensors, "learned.value", SM_F64, &n_numbers, true, &status, error);
    if (status == SMERF_OK && n_numbers % n_values != 0) status = refuse_array("learned.value", error);
    if (status == SMERF_OK && from->n_trees == 0) status = refuse_array("learned.n_leaves", error);
    rest->n_leaves = n_numbers / n_values;
    if (sm_tensors_find(tensors, "learned.n_left") == NULL) return status;
    rest->n_long = rest->n_terms = rest->n_left = SIZE_MAX;
    from->term_feature = find_array(tensors, "learned.term_feature", SM_U32, &rest->n_terms, true, &status, error);
    from->weight = find_array(tensors, "learned.term_weight", SM_I8, &rest->n_terms, true, &status, error);
    from->level = find_array(tensors, "learned.term_level", SM_U32, &rest->n_terms, true, &status, error);
    from->n_left = find_array(tensors, "learned.n_left", SM_U32, &rest->n_long, true, &status, error);
    from->left = find_array(tensors, "learned.left_level", SM_U32, &rest->n_left, true, &status, error);
    return status;
}

/* ---- the nodes of a tree ---- */

/* Nodes in preorder hang together if the number of children that are still to come never reaches 0 before the end, and
 * does so there. The second bit of a split's kind goes to is_category, whatever it means. */
static bool link_nodes(sm_tree *tree, const uint8_t *kinds) {
    size_t n_open = 1, split = 0, leaf = 0, depth = 0;
    uint32_t *waiting = sm_array(tree->n_splits, sizeof *waiting); /* splits whose right child has not come yet */
    bool is_right = false, is_fine = waiting != NULL;
    for (size_t node = 0; node < tree->n_nodes && is_fine; node++) {
        uint8_t kind = kinds[node];
        is_fine =
            n_open > 0 && (kind == SM_NODE_IS_LEAF || (kind & ~(SM_NODE_IS_CATEGORY | SM_NODE_MISSING_LEFT)) == 0);
        if (!is_fine) break;
        if (is_right) tree->right[waiting[--depth]] = (uint32_t)node;
        tree->is_leaf[node] = is_right = kind == SM_NODE_IS_LEAF; /* then comes the last right child that waits */
        if (kind == SM_NODE_IS_LEAF) {
            is_fine = leaf < tree->n_leaves;
            tree->index[node] = (uint32_t)leaf++;
            n_open--;
        } else {
            is_fine = split < tree->n_splits;
            if (!is_fine) break;
            tree->is_category[split] = (kind & SM_NODE_IS_CATEGORY) != 0;
            tree->missing_left[split] = (kind & SM_NODE_MISSING_LEFT) != 0;
            waiting[depth++] = (uint32_t)split;
            tree->index[node] = (uint32_t)split++;
            n_open++;
        }
    }
    sm_free(waiting);
    return is_fine && n_open == 0;
}

/* How many nodes the tree has, how they hang together, and the thresholds. */
static bool take_nodes(sm_tree *tree, sm_unpacker *from) {
    sm_tree_counts *rest = &from->rest;
    size_t n_leaves = *from->n_leaves++;
    if (n_leaves == 0 || n_leaves > UINT32_MAX / 2 || n_leaves > rest->n_leaves || n_leaves - 1 > rest->n_splits ||
        2 * n_leaves - 1 > rest->n_nodes)
        return false;
    size_t n_splits = tree->n_splits = n_leaves - 1, n_nodes = tree->n_nodes = 2 * n_leaves - 1;
    tree->n_leaves = n_leaves;
    tree->is_leaf = sm_array(n_nodes, sizeof *tree->is_leaf);
    tree->index = sm_array(n_nodes, sizeof *tree->index);
    tree->right = sm_array(n_splits, sizeof *tree->right);
    tree->is_category = sm_array(n_splits, sizeof *tree->is_category);
    tree->missing_left = sm_array(n_splits, sizeof *tree->missing_left);
    tree->threshold = sm_copy(from->threshold, n_splits, sizeof *tree->threshold);
    if (tree->is_leaf == NULL || tree->index == NULL || tree->right == NULL || tree->is_category == NULL ||
        tree->missing_left == NULL || tree->threshold == NULL || !link_nodes(tree, from->kind))
        return false;
    from->kind += n_nodes;
    from->threshold += n_splits;
    rest->n_nodes -= n_nodes;
    rest->n_splits -= n_splits;
    rest->n_leaves -= n_leaves;
    return true;
}

static bool split_is_fine(const sm_tree *tree, size_t split, const sm_features *features) {
    if (!isfinite(tree->threshold[split]) || (tree->gain != NULL && !isfinite(tree->gain[split]))) return false;
    size_t from = tree->first_term[split], to = tree->first_term[split + 1];
    for (size_t t = from; t < to; t++) {
        if (tree->term_feature[t] >= features->n || (tree->term_weight[t] != 1 && tree->term_weight[t] != -1))
            return false;
        const sm_feature *feature = &features->feature[tree->term_feature[t]];
        uint32_t level = tree->term_level != NULL ? tree->term_level[t] : SMERF_MISSING;
        bool is_indicator = feature->kind == SMERF_CATEGORY && !tree->is_category[split];
        if (is_indicator ? level >= feature->levels.n : level != SMERF_MISSING) return false;
        if (tree->is_category[split] && feature->kind != SMERF_CATEGORY) return false;
    }
    if (!tree->is_category[split]) return true;
    if (tree->first_left == NULL || to - from != 1) return false;
    const sm_feature *feature = &features->feature[tree->term_feature[from]];
    size_t first = tree->first_left[split], end = tree->first_left[split + 1];
    bool lists_right = first < end && tree->left_level[first] == SMERF_MISSING;
    if (lists_right && (!tree->missing_left[split] || ++first == end)) return false; /* nobody would go right */
    for (size_t i = first; i < end; i++) {
        if (tree->left_level[i] >= feature->levels.n) return false;
        if (i > first && tree->left_level[i] <= tree->left_level[i - 1]) return false;
    }
    return true;
}

static bool splits_are_fine(const sm_tree *tree, const sm_features *features) {
    for (size_t s = 0; s < tree->n_splits; s++)
        if (!split_is_fine(tree, s, features)) return false;
    return true;
}

static smerf_status refuse_tree(size_t b, smerf_error *error) {
    return sm_fail(error, SMERF_BAD_FILE, "tree %zu of the model does not hang together", b);
}

smerf_status sm_unpack_finish(const sm_unpacker *from, smerf_error *error) {
    const sm_tree_counts *rest = &from->rest;
    if ((rest->n_leaves | rest->n_splits | rest->n_nodes | rest->n_terms | rest->n_members | rest->n_left |
         rest->n_long) == 0)
        return SMERF_OK;
    return sm_fail(error, SMERF_BAD_FILE, "the model's arrays are longer than its trees");
}

/* ---- a forest on distances: terms of every split, members of every leaf ---- */

/* first[0 .. n] from n counts (all 1 where there are none), at most `most` together. */
static uint32_t *take_counts(const uint32_t **counts, size_t n, size_t most, uint32_t smallest) {
    uint32_t *first = sm_array(n + 1, sizeof *first);
    if (first == NULL) return NULL;
    uint64_t sum = first[0] = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t count = *counts != NULL ? *(*counts)++ : 1;
        sum += count;
        if (count < smallest || sum > most || sum > UINT32_MAX) {
            sm_free(first);
            return NULL;
        }
        first[i + 1] = (uint32_t)sum;
    }
    return first;
}

static uint32_t *take_indices(const uint32_t **from, size_t n) {
    uint32_t *copy = sm_copy(*from, n, sizeof *copy);
    if (n > 0) *from += n; /* without any there may be no array */
    return copy;
}

static bool take_terms(sm_tree *tree, sm_unpacker *from) {
    size_t n_splits = tree->n_splits;
    tree->first_term = take_counts(&from->n_terms, n_splits, from->rest.n_terms, 1);
    if (from->n_left != NULL) tree->first_left = take_counts(&from->n_left, n_splits, from->rest.n_left, 0);
    tree->gain = sm_copy(from->gain, n_splits, sizeof *tree->gain);
    from->gain += n_splits;
    if (tree->first_term == NULL || (from->n_left != NULL && tree->first_left == NULL) || tree->gain == NULL)
        return false;
    size_t n_terms = n_terms_taken(tree);
    tree->term_feature = take_indices(&from->term_feature, n_terms);
    tree->term_weight = sm_array(n_terms, sizeof *tree->term_weight);
    if (from->level != NULL) tree->term_level = take_indices(&from->level, n_terms);
    if (from->left != NULL) tree->left_level = take_indices(&from->left, tree->first_left[n_splits]);
    if (tree->term_feature == NULL || tree->term_weight == NULL || (from->level != NULL && tree->term_level == NULL) ||
        (from->left != NULL && tree->left_level == NULL))
        return false;
    for (size_t t = 0; t < n_terms; t++) tree->term_weight[t] = from->weight != NULL ? *from->weight++ : 1;
    from->rest.n_terms -= n_terms;
    if (tree->first_left != NULL) from->rest.n_left -= tree->first_left[n_splits];
    return true;
}

static bool take_members(sm_tree *tree, sm_unpacker *from) {
    tree->first_member = take_counts(&from->n_members, tree->n_leaves, from->rest.n_members, 1);
    if (tree->first_member == NULL) return false;
    size_t n_members = sm_tree_n_members(tree);
    tree->member_item = take_indices(&from->item, n_members);
    tree->member_draws = sm_array(n_members, sizeof *tree->member_draws);
    if (tree->member_item == NULL || tree->member_draws == NULL) return false;
    for (size_t m = 0; m < n_members; m++) tree->member_draws[m] = from->draws != NULL ? *from->draws++ : 1;
    from->rest.n_members -= n_members;
    return true;
}

static bool members_are_fine(const sm_tree *tree, size_t n_items, bool *is_seen) {
    bool is_fine = true;
    memset(is_seen, 0, n_items * sizeof *is_seen);
    for (size_t m = 0; m < sm_tree_n_members(tree) && is_fine; m++) {
        uint32_t item = tree->member_item[m];
        is_fine = item < n_items && !is_seen[item] && tree->member_draws[m] > 0;
        if (is_fine) is_seen[item] = true;
    }
    return is_fine;
}

smerf_status sm_forest_unpack(smerf_model *model, const sm_tensors *tensors, smerf_error *error) {
    sm_unpacker from;
    size_t n_trees = model->options.n_trees;
    smerf_status status = find_arrays(&from, tensors, n_trees, error);
    if (status != SMERF_OK) return status;
    bool *is_seen = sm_array(model->n_items, sizeof *is_seen);
    model->trees = sm_zeros(n_trees, sizeof *model->trees);
    if (is_seen == NULL || model->trees == NULL) status = sm_no_memory(error, "unpacking a forest");
    for (size_t b = 0; b < n_trees && status == SMERF_OK; b++) {
        sm_tree *tree = &model->trees[b];
        if (!take_nodes(tree, &from) || !take_terms(tree, &from) || !take_members(tree, &from) ||
            !splits_are_fine(tree, &model->features) || !members_are_fine(tree, model->n_items, is_seen))
            status = refuse_tree(b, error);
    }
    if (status == SMERF_OK) status = sm_unpack_finish(&from, error);
    sm_free(is_seen);
    return status;
}

/* ---- a forest on values: terms of long splits, values of every leaf ---- */

/* first_term and first_left, from the number of terms of long splits (which stands in place of the feature) and of levels.
 * Until the terms are taken, is_category says that a split is long. */
static bool count_long_terms(sm_tree *tree, sm_unpacker *from) {
    sm_tree_counts *rest = &from->rest;
    uint64_t n_terms = 0, n_left = 0;
    tree->first_term = sm_zeros(tree->n_splits + 1, sizeof *tree->first_term);
    tree->first_left = sm_zeros(tree->n_splits + 1, sizeof *tree->first_left);
    if (tree->first_term == NULL || tree->first_left == NULL) return false;
    for (size_t s = 0; s < tree->n_splits; s++) {
        size_t n = 1;
        if (tree->is_category[s]) {
            n = from->split_feature[s];
            size_t n_levels = rest->n_long > 0 ? *from->n_left : SIZE_MAX;
            if (n == 0 || n > rest->n_terms || n_levels > rest->n_left) return false;
            from->n_left++;
            rest->n_long--;
            rest->n_terms -= n;
            rest->n_left -= n_levels;
            n_left += n_levels;
        }
        n_terms += n;
        tree->first_term[s + 1] = (uint32_t)n_terms;
        tree->first_left[s + 1] = (uint32_t)n_left;
    }
    return n_terms <= UINT32_MAX && n_left <= UINT32_MAX;
}

static bool take_long_terms(sm_tree *tree, sm_unpacker *from) {
    if (!count_long_terms(tree, from)) return false;
    size_t n_terms = n_terms_taken(tree);
    tree->term_feature = sm_array(n_terms, sizeof *tree->term_feature);
    tree->term_weight = sm_array(n_terms, sizeof *tree->term_weight);
    tree->term_level = sm_array(n_terms, sizeof *tree->term_level);
    tree->left_level = take_indices(&from->left, tree->first_left[tree->n_splits]);
    if (tree->term_feature == NULL || tree->term_weight == NULL || tree->term_level == NULL || tree->left_level == NULL)
        return false;
    for (size_t s = 0; s < tree->n_splits; s++) {
        for (size_t t = tree->first_term[s]; t < tree->first_term[s + 1]; t++) {
            bool is_long = tree->is_category[s];
            tree->term_feature[t] = is_long ? *from->term_feature++ : from->split_feature[s];
            tree->term_weight[t] = is_long ? *from->weight++ : 1;
            tree->term_level[t] = is_long ? *from->level++ : SMERF_MISSING;
        }
        tree->is_category[s] = tree->first_left[s] < tree->first_left[s + 1];
    }
    from->split_feature += tree->n_splits;
    return true;
}

static bool take_leaf_values(const sm_tree *tree, sm_unpacker *from, const double **values) {
    size_t n_numbers = tree->n_leaves * from->n_values;
    bool is_fine = true;
    *values = from->value;
    for (size_t k = 0; k < n_numbers; k++) is_fine = is_fine && isfinite(from->value[k]);
    from->value += n_numbers;
    return is_fine;
}

smerf_status sm_unpack_values_tree(sm_unpacker *from, size_t b, const sm_features *features, sm_tree *tree,
                                   const double **values, smerf_error *error) {
    *tree = (sm_tree){0};
    bool is_fine = take_nodes(tree, from) && take_long_terms(tree, from) && splits_are_fine(tree, features) &&
                   take_leaf_values(tree, from, values);
    return is_fine ? SMERF_OK : refuse_tree(b, error);
}
