/* codes.c - finds the codes of a forest's leaves, if it has any: see codes.h. */
#include "predict/codes.h"

#include <stdatomic.h>

typedef struct codes_search {
    const smerf_model *model;
    const sm_leaf_codes *codes;
    atomic_bool is_mixed;
} codes_search;

static smerf_status find_tree_codes(void *argument, size_t b, size_t thread, smerf_error *error) {
    codes_search *search = argument;
    const sm_tree *tree = &search->model->trees[b];
    const smerf_target *target = search->model->target;
    const sm_leaves leaves = {.n = tree->n_leaves, .first = tree->first_member, .item = tree->member_item};
    (void)thread;
    (void)error;
    if (atomic_load(&search->is_mixed)) return SMERF_OK;
    if (!target->kind->predicting.leaf_codes(target, &leaves, search->codes->of[b]))
        atomic_store(&search->is_mixed, true);
    return SMERF_OK;
}

static bool reserve_codes(const smerf_model *model, sm_leaf_codes *codes) {
    size_t n_trees = model->options.n_trees;
    codes->of = sm_arena_take(&codes->arena, n_trees, sizeof *codes->of);
    for (size_t b = 0; b < n_trees && !codes->arena.has_failed; b++)
        codes->of[b] = sm_arena_take(&codes->arena, model->trees[b].n_leaves, sizeof *codes->of[b]);
    return !codes->arena.has_failed;
}

smerf_status sm_leaf_codes_find(const smerf_model *model, sm_pool *pool, sm_leaf_codes *codes, smerf_error *error) {
    codes_search search = {.model = model, .codes = codes};
    *codes = (sm_leaf_codes){0};
    if (model->method != NULL || model->target->kind->predicting.leaf_codes == NULL ||
        model->options.self_distance == SMERF_SELF_EXCLUDE || model->options.n_trees >= SM_MOST_CODES)
        return SMERF_OK;
    atomic_init(&search.is_mixed, false);
    smerf_status status = reserve_codes(model, codes) ? SMERF_OK : sm_no_memory(error, "looking for neighbours");
    if (status == SMERF_OK) status = sm_pool_run(pool, model->options.n_trees, find_tree_codes, &search, error);
    if (status != SMERF_OK || atomic_load(&search.is_mixed)) sm_leaf_codes_free(codes);
    return status;
}

void sm_leaf_codes_free(sm_leaf_codes *codes) {
    sm_arena_free(&codes->arena);
    *codes = (sm_leaf_codes){0};
}
