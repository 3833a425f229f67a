/* forest_pack.c - the forest as arrays. See forest_arrays.h.
 *
 * The arrays go to the file tree by tree, without a copy of the whole: a forest may fill most of the memory. */
#include "model/forest_arrays.h"

#include "base/memory.h"
#include "base/tensors.h"

typedef struct totals {
    size_t n_nodes, n_splits, n_leaves, n_terms, n_left, n_members;
    bool has_sums, has_levels, has_categories, has_repeats;
} totals;

static size_t n_terms_of(const sm_tree *tree) { return tree->first_term[tree->n_splits]; }

static void count_tree(totals *all, const sm_tree *tree) {
    all->n_nodes += tree->n_nodes;
    all->n_splits += tree->n_splits;
    all->n_leaves += tree->n_leaves;
    all->n_terms += n_terms_of(tree);
    all->n_members += sm_tree_n_members(tree);
    if (tree->first_left != NULL) all->n_left += tree->first_left[tree->n_splits];
    all->has_levels = all->has_levels || tree->term_level != NULL;
    all->has_categories = all->has_categories || tree->first_left != NULL;
    all->has_sums = all->has_sums || n_terms_of(tree) != tree->n_splits;
    for (size_t t = 0; t < n_terms_of(tree); t++) all->has_sums = all->has_sums || tree->term_weight[t] != 1;
    for (size_t m = 0; m < sm_tree_n_members(tree); m++)
        all->has_repeats = all->has_repeats || tree->member_draws[m] != 1;
}

/* first[i + 1] - first[i] for i < n; 0 where there is no list. */
static void put_counts(sm_pieces *piece, const uint32_t *first, size_t n) {
    for (size_t i = 0; i < n; i++) sm_pieces_put_u32(piece, first != NULL ? first[i + 1] - first[i] : 0);
}

/* ---- one function for each array ---- */

#define EACH_TREE(model, tree)                                                                                         \
    for (const sm_tree *tree = (model)->trees, *end_tree = tree + (model)->options.n_trees; tree < end_tree; tree++)

static void put_threshold(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    EACH_TREE(model, tree) sink(to, tree->threshold, tree->n_splits * sizeof *tree->threshold);
}

static void put_gain(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    EACH_TREE(model, tree) sink(to, tree->gain, tree->n_splits * sizeof *tree->gain);
}

static void put_item(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    EACH_TREE(model, tree) sink(to, tree->member_item, sm_tree_n_members(tree) * sizeof *tree->member_item);
}

static void put_draws(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    EACH_TREE(model, tree) sink(to, tree->member_draws, sm_tree_n_members(tree) * sizeof *tree->member_draws);
}

static void put_feature(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    EACH_TREE(model, tree) sink(to, tree->term_feature, n_terms_of(tree) * sizeof *tree->term_feature);
}

static void put_weight(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    EACH_TREE(model, tree) sink(to, tree->term_weight, n_terms_of(tree) * sizeof *tree->term_weight);
}

static void put_left(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    EACH_TREE(model, tree)
    if (tree->first_left != NULL) sink(to, tree->left_level, tree->first_left[tree->n_splits] * sizeof(uint32_t));
}

static void put_n_leaves(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(model, tree) sm_pieces_put_u32(&piece, tree->n_leaves);
    sm_pieces_flush(&piece);
}

static void put_n_members(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(model, tree) put_counts(&piece, tree->first_member, tree->n_leaves);
    sm_pieces_flush(&piece);
}

static void put_n_terms(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(model, tree) put_counts(&piece, tree->first_term, tree->n_splits);
    sm_pieces_flush(&piece);
}

static void put_n_left(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(model, tree) put_counts(&piece, tree->first_left, tree->n_splits);
    sm_pieces_flush(&piece);
}

static void put_level(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    sm_pieces piece = {.sink = sink, .to = to};
    EACH_TREE(model, tree)
    for (size_t t = 0; t < n_terms_of(tree); t++)
        sm_pieces_put_u32(&piece, tree->term_level != NULL ? tree->term_level[t] : SMERF_MISSING);
    sm_pieces_flush(&piece);
}

static uint8_t kind_of(const sm_tree *tree, size_t node) {
    size_t split = tree->place[node];
    if (tree->is_leaf[node]) return SM_NODE_IS_LEAF;
    return (uint8_t)((tree->is_category[split] ? SM_NODE_IS_CATEGORY : 0) |
                     (tree->missing_left[split] ? SM_NODE_MISSING_LEFT : 0));
}

static void put_kind(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    EACH_TREE(model, tree) {
        uint8_t kinds[1024];
        size_t n = 0;
        for (size_t node = 0; node < tree->n_nodes; node++) {
            kinds[n++] = kind_of(tree, node);
            if (n < sizeof kinds) continue;
            sink(to, kinds, n);
            n = 0;
        }
        sink(to, kinds, n);
    }
}

smerf_status sm_forest_pack(const smerf_model *model, sm_tensors *tensors, smerf_error *error) {
    totals all = {0};
    EACH_TREE(model, tree) count_tree(&all, tree);
    const struct {
        const char *name;
        sm_tensor_type type;
        size_t n;
        bool is_needed;
        sm_tensor_put put;
    } arrays[] = {{"split.threshold", SM_F64, all.n_splits, true, put_threshold},
                  {"split.gain", SM_F64, all.n_splits, true, put_gain},
                  {"tree.n_leaves", SM_U32, model->options.n_trees, true, put_n_leaves},
                  {"leaf.n_members", SM_U32, all.n_leaves, true, put_n_members},
                  {"member.item", SM_U32, all.n_members, true, put_item},
                  {"member.draws", SM_U32, all.n_members, all.has_repeats, put_draws},
                  {"term.feature", SM_U32, all.n_terms, true, put_feature},
                  {"split.n_terms", SM_U32, all.n_splits, all.has_sums, put_n_terms},
                  {"term.weight", SM_I8, all.n_terms, all.has_sums, put_weight},
                  {"term.level", SM_U32, all.n_terms, all.has_levels, put_level},
                  {"split.n_left", SM_U32, all.n_splits, all.has_categories, put_n_left},
                  {"left.level", SM_U32, all.n_left, all.has_categories, put_left},
                  {"node.kind", SM_U8, all.n_nodes, true, put_kind}};
    smerf_status status = SMERF_OK;
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays && status == SMERF_OK; a++)
        if (arrays[a].is_needed)
            status = sm_tensors_add_written(tensors, arrays[a].name, arrays[a].type, model, arrays[a].n, arrays[a].put,
                                            error);
    return status;
}
