/* merge.c - joins parts of one forest. The result has the bytes of the forest grown in one go. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

static bool same_text(const char *a, const char *b) { return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0; }

/* What two parts differ in, as a word; NULL: nothing but their trees. */
static const char *difference_of_parts(const smerf_model *a, const smerf_model *b) {
    smerf_options left = a->options, right = b->options;
    if (!sm_features_equal(&a->features, &b->features)) return "features";
    if (a->n_items != b->n_items || memcmp(a->hashes, b->hashes, a->n_items * sizeof *a->hashes) != 0) return "items";
    if (!same_text(a->id_column, b->id_column) || !sm_strings_equal(&a->ids, &b->ids)) return "ids";
    if (!sm_strings_equal(&a->ignored, &b->ignored)) return "ignored columns";
    if (!same_text(a->weight_column, b->weight_column)) return "item weights";
    if (a->weights != NULL && memcmp(a->weights, b->weights, a->n_items * sizeof *a->weights) != 0)
        return "item weights";
    if (a->target->kind != b->target->kind || !a->target->kind->data.equal(a->target, b->target)) return "target";
    if (left.seed != right.seed) return "seed";
    if (left.splits != right.splits) return "splits";
    if (left.candidates != right.candidates) return "candidates";
    if (left.density != right.density) return "density";
    if (left.min_parent != right.min_parent) return "min-parent";
    if (left.max_depth != right.max_depth) return "max-depth";
    if (left.sample != right.sample || left.sample_fraction != right.sample_fraction) return "sample";
    if (left.oob_rule != right.oob_rule) return "oob-rule";
    if (left.shrink != right.shrink || !sm_shrinkage_same_pairs(&a->shrinkage, &b->shrinkage)) return "shrink";
    if (left.self_distance != right.self_distance || left.self_value != right.self_value) return "self-distance";
    return NULL;
}

static int by_first_tree(const void *a, const void *b) {
    size_t left = (*(const smerf_model *const *)a)->options.first_tree;
    size_t right = (*(const smerf_model *const *)b)->options.first_tree;
    return (left > right) - (left < right);
}

static smerf_status check_parts(const smerf_model **sorted, size_t n_parts, smerf_error *error) {
    for (size_t i = 0; i < n_parts; i++) {
        smerf_status status = sm_model_check_forest(sorted[i], "merging", error);
        if (status != SMERF_OK) return status;
    }
    for (size_t i = 1; i < n_parts; i++) {
        const char *differs = difference_of_parts(sorted[0], sorted[i]);
        if (differs != NULL)
            return sm_fail(error, SMERF_BAD_INPUT,
                           "these are not parts of one forest: they differ in %s; merge wants the same data, "
                           "options and seed",
                           differs);
        size_t expected = sorted[i - 1]->options.first_tree + sorted[i - 1]->options.n_trees;
        size_t found = sorted[i]->options.first_tree;
        if (found != expected)
            return sm_fail(error, SMERF_BAD_INPUT,
                           "the trees %s: a part ends before tree %zu and the next one starts with tree %zu",
                           found < expected ? "overlap" : "leave a gap", expected, found);
    }
    return SMERF_OK;
}

/* The sums of all parts, and what follows from them. False: no memory. */
static bool join_shrinkage(smerf_model *merged, const smerf_model *const *sorted, size_t n_parts) {
    for (size_t i = 1; i < n_parts; i++) sm_shrinkage_join(&merged->shrinkage, &sorted[i]->shrinkage);
    return sm_shrinkage_choose(&merged->shrinkage, merged->options.shrink, merged->options.n_trees, merged->n_items);
}

/* All parts in one; NULL: no memory. */
static smerf_model *join_parts(const smerf_model *const *sorted, size_t n_parts) {
    smerf_model whole = *sorted[0]; /* as it will be described: borrows everything */
    whole.options.n_trees = 0;
    for (size_t i = 0; i < n_parts; i++) whole.options.n_trees += sorted[i]->options.n_trees;
    smerf_model *merged = sm_model_copy_head(&whole);
    sm_tree *next = merged != NULL ? merged->trees : NULL;
    for (size_t i = 0; i < n_parts && merged != NULL; i++)
        for (size_t b = 0; b < sorted[i]->options.n_trees; b++)
            if (!sm_tree_copy(next++, &sorted[i]->trees[b])) {
                smerf_model_free(merged);
                return NULL;
            }
    if (merged == NULL || join_shrinkage(merged, sorted, n_parts)) return merged;
    smerf_model_free(merged);
    return NULL;
}

smerf_status smerf_model_merge(const smerf_model *const *parts, size_t n_parts, smerf_model **out, smerf_error *error) {
    if (n_parts == 0) return sm_fail(error, SMERF_BAD_INPUT, "there is nothing to merge");
    const smerf_model **sorted = sm_copy(parts, n_parts, sizeof *sorted);
    if (sorted == NULL) return sm_no_memory(error, "merging models");
    qsort(sorted, n_parts, sizeof *sorted, by_first_tree);
    smerf_status status = check_parts(sorted, n_parts, error);
    if (status == SMERF_OK) {
        smerf_model *merged = join_parts(sorted, n_parts);
        if (merged != NULL)
            *out = merged;
        else
            status = sm_no_memory(error, "merging models");
    }
    sm_free(sorted);
    return status;
}
