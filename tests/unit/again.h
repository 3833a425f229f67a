/* again.h - for tests of growing: the trees of a model once more, with branches left whether anybody is idle or not; and whether two
 * trees are the same, to the last bit. */
#ifndef TESTS_UNIT_AGAIN_H
#define TESTS_UNIT_AGAIN_H

#include "tests/unit/forests.h"

#include "model/model.h"
#include "train/grow/tree_builder.h"

enum { NEVER = 0 };

typedef struct again {
    sm_view view;
    sm_problem problem;
    size_t n_threads;
    sm_pool pool;
    sm_branches branches;
    sm_tree_builder *builders[8];
    sm_tree *trees; /* [n_trees] */
    atomic_size_t n_branches;
} again;

static inline smerf_status grow(void *job, size_t task, size_t thread, smerf_error *error) {
    again *here = job;
    bool is_whole = task < here->problem.options->n_trees;
    sm_branch *branch = is_whole ? sm_branches_begin(&here->branches, task) : sm_branches_take(&here->branches);
    sm_tree_builder **builder = &here->builders[thread];
    smerf_status status = branch == NULL ? SMERF_NO_MEMORY : SMERF_OK;
    atomic_fetch_add(&here->n_branches, 1);
    if (status == SMERF_OK && *builder == NULL)
        status = sm_tree_builder_new(&here->problem, SMERF_KERNELS_AUTO, builder, error);
    if (status == SMERF_OK) status = sm_tree_builder_grow(*builder, branch, &here->branches, thread, error);
    if (status == SMERF_OK && !sm_branches_end(&here->branches, branch, here->trees)) status = SMERF_NO_MEMORY;
    return status;
}

/* least  items of a branch that is left whether anybody is idle or not; NEVER: none is */
static inline smerf_status grow_all(again *here, size_t least, smerf_error *error) {
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = here->n_threads);
    sm_pool_start(&here->pool, &run); /* one that failed stays stopped */
    smerf_status status = sm_branches_start(&here->branches, &here->pool, here->problem.options->n_trees, error);
    if (status != SMERF_OK) return status;
    here->branches.is_wanted = least != NEVER;
    here->branches.least = least != NEVER ? least : SIZE_MAX;
    here->n_branches = 0;
    status = sm_pool_run(&here->pool, here->problem.options->n_trees, grow, here, error);
    sm_branches_free(&here->branches);
    for (size_t t = 0; t < 8; t++) {
        sm_tree_builder_free(here->builders[t]);
        here->builders[t] = NULL;
    }
    return status;
}

static inline void start_again(again *here, const smerf_model *model, const smerf_items *items, size_t n_threads) {
    smerf_error error;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    *here = (again){.n_threads = n_threads};
    sm_pool_start(&here->pool, &run);
    demand_ok(sm_view_match(&here->view, &model->features, items, &error), &error);
    const sm_problem given = {.view = &here->view,
                              .features = &model->features,
                              .target = model->target,
                              .item_weights = model->weights,
                              .options = &model->options};
    demand_ok(sm_problem_start(&here->problem, &given, &here->pool, &error), &error);
    here->trees = calloc(model->options.n_trees, sizeof *here->trees);
    assert_non_null(here->trees);
}

static inline void forget_trees(again *here) {
    for (size_t t = 0; t < here->problem.options->n_trees; t++) sm_tree_free(&here->trees[t]);
}

static inline void end_again(again *here) {
    forget_trees(here);
    free(here->trees);
    sm_problem_free(&here->problem);
    sm_view_free(&here->view);
}

#define ASSERT_SAME(field, count)                                                                                      \
    do {                                                                                                               \
        assert_int_equal(a->field == NULL, b->field == NULL);                                                          \
        if (a->field != NULL && (count) > 0) assert_memory_equal(a->field, b->field, (count) * sizeof *a->field);      \
    } while (0)

static inline void assert_same_tree(const sm_tree *a, const sm_tree *b) {
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_splits, b->n_splits);
    assert_int_equal(a->n_leaves, b->n_leaves);
    ASSERT_SAME(is_leaf, a->n_nodes);
    ASSERT_SAME(index, a->n_nodes);
    ASSERT_SAME(right, a->n_splits);
    ASSERT_SAME(threshold, a->n_splits);
    ASSERT_SAME(gain, a->n_splits);
    ASSERT_SAME(missing_left, a->n_splits);
    ASSERT_SAME(is_category, a->n_splits);
    ASSERT_SAME(first_term, a->n_splits + 1);
    ASSERT_SAME(term_feature, a->first_term[a->n_splits]);
    ASSERT_SAME(term_level, a->first_term[a->n_splits]);
    ASSERT_SAME(term_weight, a->first_term[a->n_splits]);
    ASSERT_SAME(first_left, a->n_splits + 1);
    ASSERT_SAME(left_level, a->first_left != NULL ? a->first_left[a->n_splits] : 0);
    ASSERT_SAME(first_member, a->n_leaves + 1);
    ASSERT_SAME(member_item, a->first_member[a->n_leaves]);
    ASSERT_SAME(member_draws, a->first_member[a->n_leaves]);
}

#endif
