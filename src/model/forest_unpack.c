/* forest_unpack.c - a forest from its arrays, which are not to be trusted. See forest_arrays.h. */
#include "model/forest_arrays.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { IS_LEAF = SM_NODE_IS_LEAF, IS_CATEGORY = SM_NODE_IS_CATEGORY, MISSING_LEFT = SM_NODE_MISSING_LEFT };

typedef struct totals {
    size_t n_nodes, n_splits, n_leaves, n_terms, n_left, n_members;
} totals;

static size_t n_terms_of(const sm_tree *tree) { return tree->first_term[tree->n_splits]; }

/* What is still unread of each array; NULL where the file has none. */
typedef struct cursor {
    const double *threshold, *gain;
    const uint32_t *n_leaves, *n_members, *item, *draws, *feature, *n_terms, *level, *n_left, *left;
    const int8_t *weight;
    const uint8_t *kind;
    totals rest;
} cursor;

static const void *find(const sm_tensors *tensors, const char *name, sm_tensor_type type, size_t *n, bool is_needed,
                        smerf_status *status, smerf_error *error) {
    const sm_tensor *tensor = sm_tensors_find(tensors, name);
    if (*status != SMERF_OK || (tensor == NULL && !is_needed)) return NULL;
    if (tensor == NULL || tensor->type != type || (*n != SIZE_MAX && tensor->n != *n)) {
        *status =
            sm_fail(error, SMERF_BAD_FILE, "the model's array '%s' is absent or has the wrong type or length", name);
        return NULL;
    }
    *n = tensor->n;
    return tensor->data;
}

static smerf_status find_all(cursor *next, const sm_tensors *tensors, size_t n_trees, smerf_error *error) {
    smerf_status status = SMERF_OK;
    totals *rest = &next->rest;
    rest->n_splits = rest->n_leaves = rest->n_members = rest->n_terms = rest->n_left = rest->n_nodes = SIZE_MAX;
    next->n_leaves = find(tensors, "tree.n_leaves", SM_U32, &n_trees, true, &status, error);
    next->threshold = find(tensors, "split.threshold", SM_F64, &rest->n_splits, true, &status, error);
    next->gain = find(tensors, "split.gain", SM_F64, &rest->n_splits, true, &status, error);
    next->n_members = find(tensors, "leaf.n_members", SM_U32, &rest->n_leaves, true, &status, error);
    next->item = find(tensors, "member.item", SM_U32, &rest->n_members, true, &status, error);
    next->draws = find(tensors, "member.draws", SM_U32, &rest->n_members, false, &status, error);
    next->feature = find(tensors, "term.feature", SM_U32, &rest->n_terms, true, &status, error);
    next->n_terms = find(tensors, "split.n_terms", SM_U32, &rest->n_splits, false, &status, error);
    next->weight = find(tensors, "term.weight", SM_I8, &rest->n_terms, next->n_terms != NULL, &status, error);
    next->level = find(tensors, "term.level", SM_U32, &rest->n_terms, false, &status, error);
    next->n_left = find(tensors, "split.n_left", SM_U32, &rest->n_splits, false, &status, error);
    if (next->n_left != NULL) next->left = find(tensors, "left.level", SM_U32, &rest->n_left, true, &status, error);
    if (next->n_left == NULL && sm_tensors_find(tensors, "left.level") != NULL && status == SMERF_OK)
        status = sm_fail(error, SMERF_BAD_FILE, "the model lists levels that go left, but not how many each split has");
    next->kind = find(tensors, "node.kind", SM_U8, &rest->n_nodes, true, &status, error);
    return status;
}

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

/* Nodes in preorder hang together if the number of open places never reaches 0 before the end, and does so there. */
static bool take_nodes(sm_tree *tree, cursor *next) {
    size_t n_open = 1, split = 0, leaf = 0, depth = 0;
    uint32_t *waiting = sm_array(tree->n_splits, sizeof *waiting); /* splits whose right child has not come yet */
    bool is_right = false, is_fine = waiting != NULL;
    for (size_t node = 0; node < tree->n_nodes && is_fine; node++) {
        uint8_t kind = next->kind[node];
        is_fine = n_open > 0 && (kind == IS_LEAF || (kind & ~(IS_CATEGORY | MISSING_LEFT)) == 0);
        if (!is_fine) break;
        if (is_right) tree->right[waiting[--depth]] = (uint32_t)node;
        tree->is_leaf[node] = is_right = kind == IS_LEAF; /* after a leaf comes the last right child that waits */
        if (kind == IS_LEAF) {
            is_fine = leaf < tree->n_leaves;
            tree->place[node] = (uint32_t)leaf++;
            n_open--;
        } else {
            is_fine = split < tree->n_splits;
            if (!is_fine) break;
            tree->is_category[split] = (kind & IS_CATEGORY) != 0;
            tree->missing_left[split] = (kind & MISSING_LEFT) != 0;
            waiting[depth++] = (uint32_t)split;
            tree->place[node] = (uint32_t)split++;
            n_open++;
        }
    }
    sm_free(waiting);
    next->kind += tree->n_nodes;
    return is_fine && n_open == 0;
}

static bool split_is_fine(const sm_tree *tree, size_t split, const sm_features *features) {
    if (!isfinite(tree->threshold[split]) || !isfinite(tree->gain[split])) return false;
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
    for (size_t i = tree->first_left[split]; i < tree->first_left[split + 1]; i++) {
        if (tree->left_level[i] >= feature->levels.n) return false;
        if (i > tree->first_left[split] && tree->left_level[i] <= tree->left_level[i - 1]) return false;
    }
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

static uint32_t *take(const uint32_t **from, size_t n) {
    uint32_t *copy = sm_copy(*from, n, sizeof *copy);
    *from += n;
    return copy;
}

/* How many nodes, terms and members the tree has, and how they hang together. */
static bool take_shape(sm_tree *tree, cursor *next) {
    const totals *rest = &next->rest;
    size_t n_leaves = *next->n_leaves++;
    if (n_leaves == 0 || n_leaves > rest->n_leaves || n_leaves - 1 > rest->n_splits || 2 * n_leaves - 1 > rest->n_nodes)
        return false;
    size_t n_splits = tree->n_splits = n_leaves - 1;
    tree->n_leaves = n_leaves;
    tree->n_nodes = 2 * n_leaves - 1;
    tree->is_leaf = sm_array(tree->n_nodes, sizeof *tree->is_leaf);
    tree->place = sm_array(tree->n_nodes, sizeof *tree->place);
    tree->right = sm_array(n_splits, sizeof *tree->right);
    tree->is_category = sm_array(n_splits, sizeof *tree->is_category);
    tree->missing_left = sm_array(n_splits, sizeof *tree->missing_left);
    tree->first_term = take_counts(&next->n_terms, n_splits, rest->n_terms, 1);
    tree->first_member = take_counts(&next->n_members, n_leaves, rest->n_members, 1);
    if (next->n_left != NULL) tree->first_left = take_counts(&next->n_left, n_splits, rest->n_left, 0);
    bool has_all = tree->is_leaf != NULL && tree->place != NULL && tree->right != NULL && tree->is_category != NULL &&
                   tree->missing_left != NULL && tree->first_term != NULL && tree->first_member != NULL &&
                   (next->n_left == NULL || tree->first_left != NULL);
    return has_all && take_nodes(tree, next);
}

static bool take_values(sm_tree *tree, cursor *next) {
    size_t n_splits = tree->n_splits, n_terms = n_terms_of(tree), n_members = sm_tree_n_members(tree);
    tree->threshold = sm_copy(next->threshold, n_splits, sizeof *tree->threshold);
    tree->gain = sm_copy(next->gain, n_splits, sizeof *tree->gain);
    next->threshold += n_splits;
    next->gain += n_splits;
    tree->term_feature = take(&next->feature, n_terms);
    tree->member_item = take(&next->item, n_members);
    tree->term_weight = sm_array(n_terms, sizeof *tree->term_weight);
    tree->member_draws = sm_array(n_members, sizeof *tree->member_draws);
    if (next->level != NULL) tree->term_level = take(&next->level, n_terms);
    if (next->left != NULL) tree->left_level = take(&next->left, tree->first_left[n_splits]);
    if (tree->threshold == NULL || tree->gain == NULL || tree->term_feature == NULL || tree->member_item == NULL ||
        tree->term_weight == NULL || tree->member_draws == NULL || (next->level != NULL && tree->term_level == NULL) ||
        (next->left != NULL && tree->left_level == NULL))
        return false;
    for (size_t t = 0; t < n_terms; t++) tree->term_weight[t] = next->weight != NULL ? *next->weight++ : 1;
    for (size_t m = 0; m < n_members; m++) tree->member_draws[m] = next->draws != NULL ? *next->draws++ : 1;
    return true;
}

/* False: no memory, or the arrays do not fit together. */
static bool take_tree(smerf_model *model, sm_tree *tree, cursor *next, bool *is_seen) {
    if (!take_shape(tree, next) || !take_values(tree, next)) return false;
    totals *rest = &next->rest;
    rest->n_leaves -= tree->n_leaves;
    rest->n_splits -= tree->n_splits;
    rest->n_nodes -= tree->n_nodes;
    rest->n_terms -= n_terms_of(tree);
    rest->n_members -= sm_tree_n_members(tree);
    if (tree->first_left != NULL) rest->n_left -= tree->first_left[tree->n_splits];
    for (size_t s = 0; s < tree->n_splits; s++)
        if (!split_is_fine(tree, s, &model->features)) return false;
    return members_are_fine(tree, model->n_items, is_seen);
}

smerf_status sm_forest_unpack(smerf_model *model, const sm_tensors *tensors, smerf_error *error) {
    cursor next = {0};
    size_t n_trees = model->options.n_trees;
    smerf_status status = find_all(&next, tensors, n_trees, error);
    if (status != SMERF_OK) return status;
    if (next.n_left == NULL) next.rest.n_left = 0;
    bool *is_seen = sm_array(model->n_items, sizeof *is_seen);
    model->trees = sm_zeros(n_trees, sizeof *model->trees);
    if (is_seen == NULL || model->trees == NULL) status = sm_no_memory(error, "unpacking a forest");
    for (size_t b = 0; b < n_trees && status == SMERF_OK; b++)
        if (!take_tree(model, &model->trees[b], &next, is_seen))
            status = sm_fail(error, SMERF_BAD_FILE, "tree %zu of the model does not hang together", b);
    const totals *rest = &next.rest;
    if (status == SMERF_OK &&
        (rest->n_leaves | rest->n_splits | rest->n_nodes | rest->n_terms | rest->n_members | rest->n_left) != 0)
        status = sm_fail(error, SMERF_BAD_FILE, "the model's arrays are longer than its trees");
    sm_free(is_seen);
    return status;
}
