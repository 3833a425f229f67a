/* index_leaves.c - an index of leaves is searched for few queries: the distances of a query's leaf to all leaves of every tree
 * become tables, and each item adds up one number a tree, in the order of the trees: see index.h.
 *
 * A stretch of items stays in the nearest cache while trees go by, some at a time. */
#include <string.h>

#include "base/memory.h"
#include "predict/index.h"

enum { STRETCH_ITEMS = 2048, TREES_AT_A_TIME = 4 };

typedef struct index_leaves_job {
    sm_index_search *of;
    size_t row;                 /* the query */
    size_t *first;              /* [trees + 1] where the table of each tree starts */
    double *table;              /* [all leaves] */
    sm_leaf_scratch *scratches; /* [n_threads] */
} index_leaves_job;

static smerf_status make_table(void *argument, size_t b, size_t thread, smerf_error *error) {
    const index_leaves_job *job = argument;
    const sm_query *query = job->of->search.query;
    const smerf_target *target = query->model->target;
    const sm_ready *ready = sm_query_ready(query, b);
    double *row = job->table + job->first[b];
    uint32_t leaf;
    (void)error;
    sm_query_row_leaves(query, b, job->row, job->row + 1, &leaf);
    target->kind->predicting.leaf_row(target, &ready->leaves, leaf, row, job->scratches[thread].scratch);
    if (ready->self != NULL) row[leaf] = ready->self[leaf];
    return SMERF_OK;
}

/* Several trees in one go over the sums; each sum takes them one after the other. */
static void add_four_trees(const double *const *table, const uint32_t *const *leaf, size_t n, double *sums) {
    for (size_t i = 0; i < n; i++) {
        double sum = sums[i] + table[0][leaf[0][i]];
        sum += table[1][leaf[1][i]];
        sum += table[2][leaf[2][i]];
        sums[i] = sum + table[3][leaf[3][i]];
    }
}

static void add_tree(const double *table, const uint32_t *leaf, size_t n, double *sums) {
    for (size_t i = 0; i < n; i++) sums[i] += table[leaf[i]];
}

static void add_stretch(const index_leaves_job *job, size_t first, size_t n, double *sums) {
    const sm_query *query = job->of->search.query;
    const double *table[TREES_AT_A_TIME];
    const uint32_t *leaf[TREES_AT_A_TIME];
    memset(sums, 0, n * sizeof *sums);
    for (size_t b = 0; b < query->n_trees;) {
        size_t n_trees = query->n_trees - b < TREES_AT_A_TIME ? 1 : TREES_AT_A_TIME;
        for (size_t t = 0; t < n_trees; t++, b++) {
            table[t] = job->table + job->first[b];
            leaf[t] = sm_query_leaves(query, &query->others, b) + first;
        }
        if (n_trees == TREES_AT_A_TIME)
            add_four_trees(table, leaf, n, sums);
        else
            add_tree(table[0], leaf[0], n, sums);
    }
}

static smerf_status add_part(void *argument, size_t part, size_t thread, smerf_error *error) {
    const index_leaves_job *job = argument;
    sm_nearest *list = sm_index_list(job->of, part, job->row);
    sm_span items = sm_index_part(job->of, part);
    double sums[STRETCH_ITEMS], n_trees = (double)job->of->search.query->n_trees;
    (void)thread;
    for (size_t first = items.first, n; first < items.end; first += n) {
        n = items.end - first < STRETCH_ITEMS ? items.end - first : STRETCH_ITEMS;
        add_stretch(job, first, n, sums);
        for (size_t i = 0; i < n; i++)
            if (!sm_index_offer(list, first + i, sums[i] / n_trees))
                return sm_no_memory(error, "looking for neighbours");
    }
    return SMERF_OK;
}

static smerf_status add_query(index_leaves_job *job, smerf_error *error) {
    const sm_neighbor_search *search = &job->of->search;
    double n = (double)(search->end - search->first), before = (double)(job->row - search->first);
    sm_search_fraction(search, before / n, before / n); /* tables are quick */
    smerf_status status = sm_pool_run(search->pool, search->query->n_trees, make_table, job, error);
    sm_search_fraction(search, before / n, (before + 1) / n);
    return status == SMERF_OK ? sm_pool_run(search->pool, job->of->n_parts, add_part, job, error) : status;
}

static smerf_status reserve_tables(index_leaves_job *job, sm_arena *arena, smerf_error *error) {
    const sm_query *query = job->of->search.query;
    job->first = sm_arena_take(arena, query->n_trees + 1, sizeof *job->first);
    if (arena->has_failed) return sm_no_memory(error, "looking for neighbours");
    job->first[0] = 0;
    for (size_t b = 0; b < query->n_trees; b++) job->first[b + 1] = job->first[b] + query->model->trees[b].n_leaves;
    job->table = sm_arena_take(arena, job->first[query->n_trees], sizeof *job->table);
    job->scratches = sm_leaf_scratches_new(query->model, job->of->search.pool->n_threads);
    bool has_memory = !arena->has_failed && job->scratches != NULL;
    return has_memory ? SMERF_OK : sm_no_memory(error, "looking for neighbours");
}

smerf_status sm_index_add_leaves(sm_index_search *of, smerf_error *error) {
    sm_neighbor_search *search = &of->search;
    index_leaves_job job = {.of = of};
    sm_arena arena = {0};
    smerf_status status = SMERF_OK;
    if (search->query->n_groups == 0) status = sm_query_plan(search->query, false, true, error);
    if (status == SMERF_OK) status = sm_query_turn(search->query, 0, search->pool, error);
    if (status == SMERF_OK) status = reserve_tables(&job, &arena, error);
    for (job.row = search->first; job.row < search->end && status == SMERF_OK; job.row++)
        status = add_query(&job, error);
    sm_leaf_scratches_free(job.scratches, search->pool->n_threads);
    sm_arena_free(&arena);
    return status;
}
