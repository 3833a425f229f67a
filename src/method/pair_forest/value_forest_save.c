/* value_forest_save.c - a value forest as named arrays; back from them is value_forest_load.c.
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
#include "base/pieces.h"
#include "method/pair_forest/value_forest.h"

typedef struct totals {
    size_t n_nodes, n_splits, n_leaves, n_long, n_terms, n_left;
} totals;

static size_t n_terms_of(const sm_value_tree *tree) { return tree->n_long > 0 ? tree->first_term[tree->n_long] : 0; }

static size_t n_left_of(const sm_value_tree *tree) { return tree->n_long > 0 ? tree->first_left[tree->n_long] : 0; }

static void count(totals *all, const sm_value_tree *tree) {
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
    totals all = {0};
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
