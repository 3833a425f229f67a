/* value_forest_file.c - a value forest to named arrays, and back from them, which are not to be trusted. The second part lists
 * the arrays. */
#include <math.h>

#include "base/memory.h"
#include "base/tensors.h"
#include "method/pair_forest/value_forest.h"

typedef struct totals {
    size_t n_nodes, n_splits, n_values, n_long, n_terms, n_left;
} totals;

/* What is still unread of each array. */
typedef struct cursor {
    const uint32_t *n_leaves, *feature, *term_feature, *term_level, *n_left, *left_level;
    const int8_t *term_weight;
    const uint8_t *mark;
    const double *threshold, *value;
    totals rest;
} cursor;

/* ---- finding the arrays ---- */

static smerf_status refuse(const char *name, smerf_error *error) {
    return sm_fail(error, SMERF_BAD_FILE, "the model's array '%s' is absent or has the wrong type or length", name);
}

/*   n  the length it must have, or SIZE_MAX: any, which is put there */
static const void *find(const sm_tensors *tensors, const char *name, sm_tensor_type type, size_t *n,
                        smerf_status *status, smerf_error *error) {
    if (*status != SMERF_OK) return NULL;
    const sm_tensor *tensor = sm_tensors_find(tensors, name);
    if (tensor == NULL || tensor->type != type || (*n != SIZE_MAX && tensor->n != *n)) {
        *status = refuse(name, error);
        return NULL;
    }
    *n = tensor->n;
    return tensor->data;
}

static smerf_status find_all(cursor *next, const sm_tensors *tensors, size_t *n_trees, smerf_error *error) {
    smerf_status status = SMERF_OK;
    totals *rest = &next->rest;
    *n_trees = rest->n_nodes = rest->n_splits = rest->n_values = SIZE_MAX;
    next->n_leaves = find(tensors, "learned.n_leaves", SM_U32, n_trees, &status, error);
    next->mark = find(tensors, "learned.mark", SM_U8, &rest->n_nodes, &status, error);
    next->threshold = find(tensors, "learned.threshold", SM_F64, &rest->n_splits, &status, error);
    next->feature = find(tensors, "learned.feature", SM_U32, &rest->n_splits, &status, error);
    next->value = find(tensors, "learned.value", SM_F64, &rest->n_values, &status, error);
    if (sm_tensors_find(tensors, "learned.n_left") == NULL) return status;
    rest->n_long = rest->n_terms = rest->n_left = SIZE_MAX;
    next->term_feature = find(tensors, "learned.term_feature", SM_U32, &rest->n_terms, &status, error);
    next->term_weight = find(tensors, "learned.term_weight", SM_I8, &rest->n_terms, &status, error);
    next->term_level = find(tensors, "learned.term_level", SM_U32, &rest->n_terms, &status, error);
    next->n_left = find(tensors, "learned.n_left", SM_U32, &rest->n_long, &status, error);
    next->left_level = find(tensors, "learned.left_level", SM_U32, &rest->n_left, &status, error);
    return status;
}

/* ---- one tree ---- */

/* Whether the tree's part of each array is there, and where its long splits start and end. False: not, or no memory. */
static bool take_shape(sm_value_tree *tree, cursor *next, size_t n_values) {
    totals *rest = &next->rest;
    size_t n_leaves = *next->n_leaves++;
    if (n_leaves == 0 || n_leaves > UINT32_MAX / 2 || n_leaves - 1 > rest->n_splits ||
        2 * n_leaves - 1 > rest->n_nodes || n_leaves > rest->n_values / n_values)
        return false;
    tree->n_leaves = n_leaves;
    tree->n_nodes = 2 * n_leaves - 1;
    rest->n_nodes -= tree->n_nodes;
    rest->n_splits -= n_leaves - 1;
    rest->n_values -= n_leaves * n_values;
    for (size_t node = 0; node < tree->n_nodes; node++) tree->n_long += (next->mark[node] & SM_MARK_LONG) != 0;
    if (tree->n_long > rest->n_long) return false;
    rest->n_long -= tree->n_long;
    tree->steps = sm_array(tree->n_nodes, sizeof *tree->steps);
    if (n_values > 1) tree->others = sm_array(n_leaves * (n_values - 1), sizeof *tree->others);
    tree->first_term = sm_zeros(tree->n_long + 1, sizeof *tree->first_term);
    tree->first_left = sm_zeros(tree->n_long + 1, sizeof *tree->first_left);
    return tree->steps != NULL && (n_values == 1 || tree->others != NULL) && tree->first_term != NULL &&
           tree->first_left != NULL;
}

static bool take_leaf(sm_value_tree *tree, sm_value_step *step, size_t leaf, cursor *next, size_t n_values) {
    if (leaf == tree->n_leaves) return false;
    *step = (sm_value_step){.mark = SM_STEP_IS_LEAF, .right = (uint32_t)leaf, .threshold = *next->value};
    bool is_fine = isfinite(*next->value++);
    for (size_t v = 1; v < n_values; v++) {
        tree->others[leaf * (n_values - 1) + v - 1] = *next->value;
        is_fine = is_fine && isfinite(*next->value++);
    }
    return is_fine;
}

/* How many terms and levels a long split has. */
static bool count_long(sm_value_tree *tree, size_t number, cursor *next, size_t n_terms) {
    size_t n_left = *next->n_left++;
    if (n_terms == 0 || n_terms > next->rest.n_terms || n_left > next->rest.n_left) return false;
    next->rest.n_terms -= n_terms;
    next->rest.n_left -= n_left;
    uint64_t end_term = tree->first_term[number] + (uint64_t)n_terms;
    uint64_t end_left = tree->first_left[number] + (uint64_t)n_left;
    tree->first_term[number + 1] = (uint32_t)end_term;
    tree->first_left[number + 1] = (uint32_t)end_left;
    return end_term <= UINT32_MAX && end_left <= UINT32_MAX;
}

static bool take_split(sm_value_tree *tree, sm_value_step *step, uint8_t mark, size_t *n_long, cursor *next,
                       const sm_features *features) {
    size_t feature = *next->feature++;
    bool is_long = (mark & SM_MARK_LONG) != 0;
    *step = (sm_value_step){.threshold = *next->threshold++};
    step->mark = (uint32_t)(is_long ? SM_STEP_IS_LONG | *n_long : feature & SM_STEP_PLACE) |
                 ((mark & SM_MARK_MISSING_LEFT) != 0 ? SM_STEP_MISSING_LEFT : 0);
    if (!isfinite(step->threshold) || *n_long > SM_STEP_PLACE) return false;
    if (is_long) return count_long(tree, (*n_long)++, next, feature);
    return feature <= SM_STEP_PLACE && feature < features->n && features->feature[feature].kind == SMERF_NUMBER;
}

/* Nodes in preorder hang together if the number of open places never reaches 0 before the end, and does so there. */
static bool take_nodes(sm_value_tree *tree, cursor *next, size_t n_values, const sm_features *features) {
    size_t n_open = 1, n_splits = 0, n_long = 0, leaf = 0, depth = 0;
    uint32_t *waiting = sm_array(tree->n_leaves, sizeof *waiting); /* splits whose right child has not come yet */
    bool is_right = false, is_fine = waiting != NULL;
    for (size_t node = 0; node < tree->n_nodes && is_fine; node++) {
        uint8_t mark = *next->mark++;
        is_fine = n_open > 0 && (mark == SM_MARK_LEAF || (mark & ~(SM_MARK_LONG | SM_MARK_MISSING_LEFT)) == 0);
        if (!is_fine) break;
        if (is_right) tree->steps[waiting[--depth]].right = (uint32_t)node;
        is_right = mark == SM_MARK_LEAF; /* after a leaf comes the last right child that waits */
        if (is_right) {
            is_fine = take_leaf(tree, &tree->steps[node], leaf++, next, n_values);
            n_open--;
        } else {
            is_fine =
                ++n_splits < tree->n_leaves && take_split(tree, &tree->steps[node], mark, &n_long, next, features);
            if (is_fine) waiting[depth++] = (uint32_t)node;
            n_open++;
        }
    }
    sm_free(waiting);
    return is_fine && n_open == 0;
}

/* ---- long splits ---- */

static bool term_is_fine(const sm_value_tree *tree, size_t term, bool is_set, const sm_features *features) {
    uint32_t f = tree->term_feature[term], level = tree->term_level[term];
    if (f >= features->n || (tree->term_weight[term] != 1 && tree->term_weight[term] != -1)) return false;
    const sm_feature *feature = &features->feature[f];
    if (feature->kind == SMERF_NUMBER) return !is_set && level == SMERF_MISSING;
    return is_set ? level == SMERF_MISSING : level < feature->levels.n;
}

static bool long_is_fine(const sm_value_tree *tree, size_t number, const sm_features *features) {
    size_t first = tree->first_term[number], end = tree->first_term[number + 1];
    size_t left = tree->first_left[number], end_left = tree->first_left[number + 1];
    bool is_set = left < end_left;
    if (is_set && end - first != 1) return false;
    for (size_t t = first; t < end; t++)
        if (!term_is_fine(tree, t, is_set, features)) return false;
    for (size_t l = left; l < end_left; l++) {
        if (tree->left_level[l] >= features->feature[tree->term_feature[first]].levels.n) return false;
        if (l > left && tree->left_level[l] <= tree->left_level[l - 1]) return false;
    }
    return true;
}

static bool take_long_splits(sm_value_tree *tree, cursor *next, const sm_features *features) {
    if (tree->n_long == 0) return true;
    size_t n_terms = tree->first_term[tree->n_long], n_left = tree->first_left[tree->n_long];
    tree->term_feature = sm_copy(next->term_feature, n_terms, sizeof *tree->term_feature);
    tree->term_weight = sm_copy(next->term_weight, n_terms, sizeof *tree->term_weight);
    tree->term_level = sm_copy(next->term_level, n_terms, sizeof *tree->term_level);
    tree->left_level = sm_copy(next->left_level, n_left, sizeof *tree->left_level);
    next->term_feature += n_terms;
    next->term_weight += n_terms;
    next->term_level += n_terms;
    next->left_level += n_left;
    bool is_fine =
        tree->term_feature != NULL && tree->term_weight != NULL && tree->term_level != NULL && tree->left_level != NULL;
    for (size_t s = 0; s < tree->n_long && is_fine; s++) is_fine = long_is_fine(tree, s, features);
    return is_fine;
}

smerf_status sm_value_forest_load(sm_value_forest *forest, const sm_tensors *tensors, const sm_features *features,
                                  size_t n_values, smerf_error *error) {
    cursor next = {0};
    size_t n_trees;
    *forest = (sm_value_forest){0};
    smerf_status status = find_all(&next, tensors, &n_trees, error);
    if (status == SMERF_OK && n_trees == 0) status = refuse("learned.n_leaves", error);
    if (status == SMERF_OK) status = sm_value_forest_start(forest, n_trees, n_values, error);
    for (size_t b = 0; b < n_trees && status == SMERF_OK; b++) {
        sm_value_tree *tree = &forest->trees[b];
        if (!take_shape(tree, &next, n_values) || !take_nodes(tree, &next, n_values, features) ||
            !take_long_splits(tree, &next, features))
            status = sm_fail(error, SMERF_BAD_FILE, "tree %zu of the model does not hang together", b);
    }
    const totals *rest = &next.rest;
    if (status == SMERF_OK &&
        (rest->n_nodes | rest->n_splits | rest->n_values | rest->n_long | rest->n_terms | rest->n_left) != 0)
        status = sm_fail(error, SMERF_BAD_FILE, "the model's arrays are longer than its trees");
    if (status != SMERF_OK) sm_value_forest_free(forest);
    return status;
}

/* ---- saving ---- */

/* The arrays of a value forest:
 *
 *   learned.n_leaves      u32  [trees]
 *   learned.mark          u8   [nodes] in preorder: 1 is a leaf, 2 is long, 4 missing goes left
 *   learned.threshold     f64  [splits] in the order of their nodes; 0 where a set of levels decides
 *   learned.feature       u32  [splits] the feature; of a long split: how many terms it has
 *   learned.value         f64  [leaves][n_values]
 * and if there are long splits:
 *   learned.term_feature  u32  [terms];  learned.term_weight  i8;  learned.term_level  u32
 *   learned.n_left        u32  [long splits] how many levels go left; 0: the sum decides
 *   learned.left_level    u32  the levels
 * The arrays go to the file tree by tree, without a copy of the whole. */

typedef struct saved_totals {
    size_t n_nodes, n_splits, n_leaves, n_long, n_terms, n_left;
} saved_totals;

static size_t n_terms_of(const sm_value_tree *tree) { return tree->n_long > 0 ? tree->first_term[tree->n_long] : 0; }

static size_t n_left_of(const sm_value_tree *tree) { return tree->n_long > 0 ? tree->first_left[tree->n_long] : 0; }

static void count(saved_totals *all, const sm_value_tree *tree) {
    all->n_nodes += tree->n_nodes;
    all->n_splits += tree->n_leaves - 1;
    all->n_leaves += tree->n_leaves;
    all->n_long += tree->n_long;
    all->n_terms += n_terms_of(tree);
    all->n_left += n_left_of(tree);
}

/* ---- saving: one function for each array ---- */

#define EACH_TREE(forest, tree)                                                                                        \
    for (const sm_value_tree *tree = (forest)->trees, *end_tree = tree + (forest)->n_trees; tree < end_tree; tree++)

#define EACH_STEP(tree, step)                                                                                          \
    for (const sm_value_step *step = (tree)->steps, *end_step = step + (tree)->n_nodes; step < end_step; step++)

static bool is_leaf(const sm_value_step *step) { return (step->mark & SM_STEP_IS_LEAF) != 0; }

static void put_n_leaves(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(forest, tree) sm_pieces_put_u32(&piece, tree->n_leaves);
    sm_pieces_flush(&piece);
}

static void put_mark(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(forest, tree)
    EACH_STEP(tree, step) {
        unsigned char mark = (unsigned char)((is_leaf(step) ? SM_MARK_LEAF : 0) |
                                             ((step->mark & SM_STEP_IS_LONG) != 0 ? SM_MARK_LONG : 0) |
                                             ((step->mark & SM_STEP_MISSING_LEFT) != 0 ? SM_MARK_MISSING_LEFT : 0));
        sm_pieces_put(&piece, &mark, sizeof mark);
    }
    sm_pieces_flush(&piece);
}

static void put_threshold(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(forest, tree)
    EACH_STEP(tree, step) if (!is_leaf(step)) sm_pieces_put_f64(&piece, step->threshold);
    sm_pieces_flush(&piece);
}

static void put_feature(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(forest, tree)
    EACH_STEP(tree, step) {
        size_t place = step->mark & SM_STEP_PLACE;
        if (is_leaf(step)) continue;
        bool is_long = (step->mark & SM_STEP_IS_LONG) != 0;
        sm_pieces_put_u32(&piece, is_long ? tree->first_term[place + 1] - tree->first_term[place] : place);
    }
    sm_pieces_flush(&piece);
}

static void put_value(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(forest, tree)
    EACH_STEP(tree, step) {
        if (!is_leaf(step)) continue;
        sm_pieces_put_f64(&piece, step->threshold);
        for (size_t v = 1; v < forest->n_values; v++)
            sm_pieces_put_f64(&piece, tree->others[step->right * (forest->n_values - 1) + v - 1]);
    }
    sm_pieces_flush(&piece);
}

static void put_term_feature(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    EACH_TREE(forest, tree)
    if (tree->n_long > 0) sink(to, tree->term_feature, n_terms_of(tree) * sizeof *tree->term_feature);
}

static void put_term_weight(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    EACH_TREE(forest, tree)
    if (tree->n_long > 0) sink(to, tree->term_weight, n_terms_of(tree) * sizeof *tree->term_weight);
}

static void put_term_level(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    EACH_TREE(forest, tree)
    if (tree->n_long > 0) sink(to, tree->term_level, n_terms_of(tree) * sizeof *tree->term_level);
}

static void put_n_left(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(forest, tree)
    for (size_t s = 0; s < tree->n_long; s++) sm_pieces_put_u32(&piece, tree->first_left[s + 1] - tree->first_left[s]);
    sm_pieces_flush(&piece);
}

static void put_left_level(const void *of, sm_tensor_sink sink, void *to) {
    const sm_value_forest *forest = of;
    EACH_TREE(forest, tree)
    if (tree->n_long > 0) sink(to, tree->left_level, n_left_of(tree) * sizeof *tree->left_level);
}

smerf_status sm_value_forest_save(const sm_value_forest *forest, sm_tensors *tensors, smerf_error *error) {
    saved_totals all = {0};
    EACH_TREE(forest, tree) count(&all, tree);
    bool has_long = all.n_long > 0;
    const struct {
        const char *name;
        sm_tensor_type type;
        size_t n;
        bool is_needed;
        sm_tensor_put put;
    } arrays[] = {{"learned.n_leaves", SM_U32, forest->n_trees, true, put_n_leaves},
                  {"learned.mark", SM_U8, all.n_nodes, true, put_mark},
                  {"learned.threshold", SM_F64, all.n_splits, true, put_threshold},
                  {"learned.feature", SM_U32, all.n_splits, true, put_feature},
                  {"learned.value", SM_F64, all.n_leaves * forest->n_values, true, put_value},
                  {"learned.term_feature", SM_U32, all.n_terms, has_long, put_term_feature},
                  {"learned.term_weight", SM_I8, all.n_terms, has_long, put_term_weight},
                  {"learned.term_level", SM_U32, all.n_terms, has_long, put_term_level},
                  {"learned.n_left", SM_U32, all.n_long, has_long, put_n_left},
                  {"learned.left_level", SM_U32, all.n_left, has_long, put_left_level}};
    smerf_status status = SMERF_OK;
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays && status == SMERF_OK; a++)
        if (arrays[a].is_needed)
            status = sm_tensors_add_written(tensors, arrays[a].name, arrays[a].type, forest, arrays[a].n, arrays[a].put,
                                            error);
    return status;
}
