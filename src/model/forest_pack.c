/* forest_pack.c - a forest as arrays, which go to the file tree by tree. See forest_arrays.h. */
#include "model/forest_arrays.h"

#include "base/memory.h"
#include "base/tensors.h"

static size_t n_terms_of_tree(const sm_tree *tree) { return tree->first_term[tree->n_splits]; }

/* Which of the arrays that may be left out are needed. */
typedef struct array_needs {
    bool sums, levels, categories, repeats;
} array_needs;

static void note_needs(array_needs *needs, const sm_tree *tree) {
    needs->levels = needs->levels || tree->term_level != NULL;
    needs->categories = needs->categories || tree->first_left != NULL;
    needs->sums = needs->sums || n_terms_of_tree(tree) != tree->n_splits;
    for (size_t t = 0; t < n_terms_of_tree(tree) && !needs->sums; t++) needs->sums = tree->term_weight[t] != 1;
    for (size_t m = 0; m < sm_tree_n_members(tree) && !needs->repeats; m++) needs->repeats = tree->member_draws[m] != 1;
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
    EACH_TREE(model, tree) sink(to, tree->term_feature, n_terms_of_tree(tree) * sizeof *tree->term_feature);
}

static void put_weight(const void *of, sm_tensor_sink sink, void *to) {
    const smerf_model *model = of;
    EACH_TREE(model, tree) sink(to, tree->term_weight, n_terms_of_tree(tree) * sizeof *tree->term_weight);
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
    for (size_t t = 0; t < n_terms_of_tree(tree); t++)
        sm_pieces_put_u32(&piece, tree->term_level != NULL ? tree->term_level[t] : SMERF_MISSING);
    sm_pieces_flush(&piece);
}

static uint8_t kind_of(const sm_tree *tree, size_t node) {
    size_t split = tree->index[node];
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

/* ---- both layouts ---- */

static void count_bytes(void *to, const void *bytes, size_t n_bytes) {
    (void)bytes;
    *(size_t *)to += n_bytes;
}

smerf_status sm_forest_add_arrays(const void *forest, const sm_forest_array *arrays, size_t n, sm_tensors *tensors,
                                  smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (size_t a = 0; a < n && status == SMERF_OK; a++) {
        size_t n_bytes = 0;
        if (!arrays[a].is_needed) continue;
        arrays[a].put(forest, count_bytes, &n_bytes);
        status = sm_tensors_add_written(tensors, arrays[a].name, arrays[a].type, forest,
                                        n_bytes / sm_tensor_type_bytes(arrays[a].type), arrays[a].put, error);
    }
    return status;
}

/* ---- the layout of a forest on distances ---- */

smerf_status sm_forest_pack(const smerf_model *model, sm_tensors *tensors, smerf_error *error) {
    array_needs needs = {0};
    EACH_TREE(model, tree) note_needs(&needs, tree);
    const sm_forest_array arrays[] = {{"split.threshold", SM_F64, put_threshold, true},
                                      {"split.gain", SM_F64, put_gain, true},
                                      {"tree.n_leaves", SM_U32, put_n_leaves, true},
                                      {"leaf.n_members", SM_U32, put_n_members, true},
                                      {"member.item", SM_U32, put_item, true},
                                      {"member.draws", SM_U32, put_draws, needs.repeats},
                                      {"term.feature", SM_U32, put_feature, true},
                                      {"split.n_terms", SM_U32, put_n_terms, needs.sums},
                                      {"term.weight", SM_I8, put_weight, needs.sums},
                                      {"term.level", SM_U32, put_level, needs.levels},
                                      {"split.n_left", SM_U32, put_n_left, needs.categories},
                                      {"left.level", SM_U32, put_left, needs.categories},
                                      {"node.kind", SM_U8, put_kind, true}};
    return sm_forest_add_arrays(model, arrays, sizeof arrays / sizeof *arrays, tensors, error);
}
