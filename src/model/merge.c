/* merge.c - joins parts of one forest. The result has the bytes of the forest grown in one go. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

static bool same_text(const char *a, const char *b) { return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0; }

/* What two parts differ in, as a word; NULL: nothing but their trees. */
static const char *difference(const smerf_model *a, const smerf_model *b) {
    smerf_options left = a->options, right = b->options;
    if (left.seed != right.seed) return "seed";
    if (left.splits != right.splits) return "splits";
    if (left.candidates != right.candidates) return "candidates";
    if (left.density != right.density) return "density";
    if (left.min_parent != right.min_parent) return "min-parent";
    if (left.max_depth != right.max_depth) return "max-depth";
    if (left.sample != right.sample || left.sample_share != right.sample_share) return "sample";
    if (left.oob_rule != right.oob_rule) return "oob-rule";
    if (left.self_distance != right.self_distance || left.self_value != right.self_value) return "self-distance";
    if (a->n_items != b->n_items || memcmp(a->hashes, b->hashes, a->n_items * sizeof *a->hashes) != 0) return "items";
    if (!sm_features_equal(&a->features, &b->features)) return "features";
    if (!same_text(a->id_column, b->id_column) || !sm_strings_equal(&a->ids, &b->ids)) return "ids";
    if (!sm_strings_equal(&a->ignored, &b->ignored)) return "ignored columns";
    if (!same_text(a->weight_column, b->weight_column)) return "item weights";
    if (a->weights != NULL && memcmp(a->weights, b->weights, a->n_items * sizeof *a->weights) != 0)
        return "item weights";
    if (a->target->kind != b->target->kind || !a->target->kind->equal(a->target, b->target)) return "target";
    return NULL;
}

static int by_first_tree(const void *a, const void *b) {
    size_t left = (*(const smerf_model *const *)a)->options.first_tree;
    size_t right = (*(const smerf_model *const *)b)->options.first_tree;
    return (left > right) - (left < right);
}

static smerf_status check_parts(const smerf_model **sorted, size_t n_parts, smerf_error *error) {
    for (size_t i = 1; i < n_parts; i++) {
        const char *differs = difference(sorted[0], sorted[i]);
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

static bool copy_text(char **copy, const char *text) {
    *copy = text != NULL ? sm_copy_string(text) : NULL;
    return text == NULL || *copy != NULL;
}

static bool copy_strings(sm_strings *copy, const sm_strings *strings) {
    return sm_strings_copy(copy, (const char *const *)strings->text, strings->n);
}

/* All but the trees. */
static bool copy_rest(smerf_model *copy, const smerf_model *model) {
    copy->n_items = model->n_items;
    copy->target = sm_target_share(model->target);
    copy->hashes = sm_copy(model->hashes, model->n_items, sizeof *copy->hashes);
    if (copy->hashes == NULL || !sm_features_copy(&copy->features, &model->features)) return false;
    if (!copy_strings(&copy->ids, &model->ids) || !copy_strings(&copy->ignored, &model->ignored)) return false;
    if (!copy_text(&copy->id_column, model->id_column) || !copy_text(&copy->weight_column, model->weight_column))
        return false;
    if (model->weights == NULL) return true;
    copy->weights = sm_copy(model->weights, model->n_items, sizeof *copy->weights);
    return copy->weights != NULL;
}

static bool join(smerf_model *merged, const smerf_model *const *sorted, size_t n_parts) {
    size_t n_trees = 0;
    for (size_t i = 0; i < n_parts; i++) n_trees += sorted[i]->options.n_trees;
    merged->trees = sm_zeros(n_trees, sizeof *merged->trees);
    if (merged->trees == NULL || !copy_rest(merged, sorted[0])) return false;
    merged->options = sorted[0]->options;
    merged->options.n_trees = n_trees;
    sm_tree *next = merged->trees;
    for (size_t i = 0; i < n_parts; i++)
        for (size_t b = 0; b < sorted[i]->options.n_trees; b++)
            if (!sm_tree_copy(next++, &sorted[i]->trees[b])) return false;
    return true;
}

smerf_status smerf_model_merge(const smerf_model *const *parts, size_t n_parts, smerf_model **out, smerf_error *error) {
    if (n_parts == 0) return sm_fail(error, SMERF_BAD_INPUT, "there is nothing to merge");
    const smerf_model **sorted = sm_copy(parts, n_parts, sizeof *sorted);
    smerf_model *merged = sm_zeros(1, sizeof *merged);
    smerf_status status = SMERF_OK;
    if (sorted == NULL || merged == NULL) {
        status = sm_no_memory(error, "merging models");
        goto done;
    }
    qsort(sorted, n_parts, sizeof *sorted, by_first_tree);
    status = check_parts(sorted, n_parts, error);
    if (status == SMERF_OK && !join(merged, sorted, n_parts)) status = sm_no_memory(error, "merging models");
    if (status == SMERF_OK) {
        *out = merged;
        merged = NULL; /* now the caller's */
    }
done:
    sm_free(sorted);
    smerf_model_free(merged);
    return status;
}
