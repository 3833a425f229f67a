/* forest_builder.c - grows a forest: checks, prepares, and deals the trees out to the threads. */
#include "train/grow/forest_builder.h"

#include "base/memory.h"
#include "target/completed/completed.h"
#include "target/links/pairs.h"
#include "target/vectors/rank.h"
#include "train/grow/tree_builder.h"

typedef struct forest_job {
    const sm_problem *problem;
    smerf_kernels kernels;
    sm_branches branches;
    sm_tree_builder **builders; /* [n_threads], made when a thread takes its first branch */
    smerf_model *model;
} forest_job;

/* A tree, or a branch that another thread left. */
static smerf_status grow_one(void *job, size_t task, size_t thread, smerf_error *error) {
    forest_job *forest = job;
    sm_branches *branches = &forest->branches;
    bool is_whole = task < forest->problem->options->n_trees;
    sm_branch *branch = is_whole ? sm_branches_begin(branches, task) : sm_branches_take(branches);
    if (branch == NULL) return sm_no_memory(error, "growing a tree");
    sm_tree_builder **builder = &forest->builders[thread];
    smerf_status status = SMERF_OK;
    if (*builder == NULL) status = sm_tree_builder_new(forest->problem, forest->kernels, builder, error);
    if (status == SMERF_OK) status = sm_tree_builder_grow(*builder, branch, branches, thread, error);
    if (status == SMERF_OK && !sm_branches_end(branches, branch, forest->model->trees))
        status = sm_no_memory(error, "growing a tree");
    return status;
}

/* What the threads will need, all but the target's own scratch: the line-ups of a node (their orders and the costs of
 * their cuts), sorting, and the tree that grows. */
static smerf_status check_growing_memory(const sm_problem *problem, size_t n_threads, smerf_error *error) {
    double line_ups = sm_splitter_bytes(problem, 2), others = (double)problem->n_items * 130;
    double lists = (double)problem->most_sorted * (4 * (double)problem->n_numbers + 4);
    return sm_check_memory((line_ups + lists + others) * (double)n_threads, "lining up the items of a node", error);
}

static smerf_status grow_all(const sm_problem *problem, const smerf_run *run, smerf_model *model, smerf_error *error) {
    size_t n_trees = problem->options->n_trees;
    sm_pool pool;
    sm_pool_start(&pool, run);
    pool.n_threads = problem->n_threads;
    while (pool.n_threads > n_trees && check_growing_memory(problem, pool.n_threads, NULL) != SMERF_OK)
        pool.n_threads--;
    smerf_status status = check_growing_memory(problem, pool.n_threads, error);
    if (status != SMERF_OK) return status;
    forest_job job = {.problem = problem,
                      .kernels = run != NULL ? run->kernels : SMERF_KERNELS_AUTO,
                      .builders = sm_zeros(pool.n_threads, sizeof *job.builders),
                      .model = model};
    if (job.builders == NULL) return sm_no_memory(error, "preparing to grow trees");
    status = sm_branches_start(&job.branches, &pool, n_trees, error);
    if (status == SMERF_OK) {
        status = sm_pool_run(&pool, n_trees, grow_one, &job, error);
        sm_branches_free(&job.branches);
    }
    for (size_t t = 0; t < pool.n_threads; t++) sm_tree_builder_free(job.builders[t]);
    sm_free(job.builders);
    return status;
}

/* The target as the options want it: the same, or made from it one step after the other. Takes over what it is given. */
typedef smerf_status (*target_step)(smerf_target *target, const smerf_options *options, sm_pool *pool,
                                    smerf_target **out, smerf_error *error);

static smerf_status set_diagonal(smerf_target *target, const smerf_options *options, sm_pool *pool, smerf_target **out,
                                 smerf_error *error) {
    (void)pool;
    if (options->self_distance == SMERF_SELF_VALUE && target->kind->data.with_diagonal == NULL)
        return sm_fail(error, SMERF_BAD_INPUT, "the self-distance of a target of the kind '%s' cannot be set",
                       sm_target_public_name(target));
    if (options->self_distance == SMERF_SELF_VALUE)
        return target->kind->data.with_diagonal(target, options->self_value, out, error);
    *out = sm_target_retain(target);
    return SMERF_OK;
}

/* Missing pairs filled in; the shrinkage for this rank is chosen on held-out pairs. */
static smerf_status fill_in_pairs(smerf_target *target, const smerf_options *options, sm_pool *pool, smerf_target **out,
                                  smerf_error *error) {
    if (options->complete == SMERF_COMPLETE_OFF) {
        *out = sm_target_retain(target);
        return SMERF_OK;
    }
    const sm_links *links = sm_known_pairs_of(target)->links;
    size_t rank = options->complete, n_steps = 0;
    sm_completion completion;
    bool *left_out = sm_array(links->n, sizeof *left_out);
    if (left_out == NULL) return sm_no_memory(error, "completing pairs");
    sm_completion_hold_out(links, options->seed, left_out);
    smerf_status status = sm_completion_choose(links, left_out, options->seed, &rank, &n_steps, pool, error);
    if (status == SMERF_OK) status = sm_complete(links, rank, n_steps, options->seed, pool, &completion, error);
    if (status == SMERF_OK) status = sm_completed_new(target, &completion, out, error);
    sm_free(left_out);
    return status;
}

static smerf_status lower_rank(smerf_target *target, const smerf_options *options, sm_pool *pool, smerf_target **out,
                               smerf_error *error) {
    if (options->rank > 0) return sm_rank_new(target, options->rank, options->seed, pool, out, error);
    *out = sm_target_retain(target);
    return SMERF_OK;
}

static smerf_status choose_target(smerf_target *target, const smerf_options *options, const smerf_run *run,
                                  smerf_target **out, smerf_error *error) {
    static const target_step steps[] = {set_diagonal, lower_rank, fill_in_pairs};
    sm_pool pool;
    smerf_target *chosen = sm_target_retain(target);
    smerf_status status = SMERF_OK;
    sm_pool_start(&pool, run);
    pool.fraction_to = 0; /* the forest is what progress is about */
    for (size_t s = 0; s < sizeof steps / sizeof *steps && status == SMERF_OK; s++) {
        smerf_target *next = NULL;
        status = steps[s](chosen, options, &pool, &next, error);
        smerf_target_free(chosen);
        chosen = next;
    }
    *out = chosen;
    return status;
}

static smerf_status fit_forest(const smerf_items *items, const sm_view *view, smerf_target *target,
                               const smerf_options *resolved, const smerf_run *run, smerf_model **out,
                               smerf_error *error) {
    smerf_model *model;
    smerf_status status = sm_model_new(items, view, target, resolved, run, &model, error);
    if (status != SMERF_OK) return status;
    const sm_problem given = {.view = view,
                              .features = &model->features,
                              .target = target,
                              .item_weights = model->weights,
                              .options = &model->options};
    sm_problem problem;
    sm_pool pool;
    sm_pool_start(&pool, run);
    pool.fraction_to = 0; /* the forest is what progress is about */
    status = sm_problem_start(&problem, &given, &pool, error);
    if (status == SMERF_OK) {
        status = grow_all(&problem, run, model, error);
        sm_problem_free(&problem);
    }
    if (status == SMERF_OK)
        *out = model;
    else
        smerf_model_free(model);
    return status;
}

smerf_status sm_fit_check(const smerf_items *items, const smerf_target *target, const smerf_options *options,
                          smerf_options *resolved, smerf_error *error) {
    if (target->is_block)
        return sm_fail(error, SMERF_BAD_INPUT, "distances between two sets of items cannot be trained on");
    if (target->n_rows != items->n_items)
        return sm_fail(error, SMERF_BAD_INPUT, "there are %zu items, and the target is about %zu", items->n_items,
                       target->n_rows);
    return sm_options_resolve(options, items, target, resolved, error);
}

smerf_status sm_fit(const smerf_items *items, smerf_target *target, const smerf_options *options, const smerf_run *run,
                    smerf_model **out, smerf_error *error) {
    smerf_options resolved;
    smerf_status status = sm_fit_check(items, target, options, &resolved, error);
    if (status != SMERF_OK) return status;
    sm_view view;
    smerf_target *chosen = NULL;
    status = sm_view_match(&view, &items->features, items, error);
    if (status != SMERF_OK) return status;
    status = choose_target(target, &resolved, run, &chosen, error);
    if (status == SMERF_OK) status = fit_forest(items, &view, chosen, &resolved, run, out, error);
    smerf_target_free(chosen);
    sm_view_free(&view);
    return status;
}
