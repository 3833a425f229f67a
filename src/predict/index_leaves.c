/* index_leaves.c - an index of leaves is searched, one query at a time: the distances of its leaves to all leaves of every tree
 * become tables, and each item adds up one number a tree, in the order of the trees: see index.h.
 *
 * A tile is passed over if its values say that it is too far (index_values.c), and left where what is summed up so far, and the
 * least that the trees to come can add, is too far already. The tiles that may be nearest come first. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "predict/index.h"

enum { TREES_AT_A_TIME = 4, LOOKS = 4, FIRST_LEAF_TILES = 8 };

/* Of what is summed up: more than the order of additions changes. */
#define SUM_SLACK 1e-9

/* What is made of one query. Threads that share its items share it. */
typedef struct query_table {
    double *row;     /* [all leaves] distances, tree after tree */
    double *rest;    /* [trees + 1] the least that this tree and those after it add */
    double *size;    /* [trees + 1] what their numbers are at most in size, added up */
    double *sums;    /* [n_groups][2] of its values */
    double *values;  /* [values of the target] scratch */
    uint32_t *leaf;  /* [trees] its own */
    double *scratch; /* of leaf_row */
} query_table;

typedef struct leaf_search {
    sm_index_search *of;
    size_t row;          /* the query, where threads share one */
    size_t *first;       /* [trees + 1] where the row of each tree starts in a table */
    query_table *tables; /* one, or one for each thread */
    double *bounds;      /* [threads][tiles of a part] */
    size_t n_tiles;      /* of a part */
} leaf_search;

static const sm_query *query_of(const leaf_search *job) { return job->of->search.query; }

/* ---- tables ---- */

/* The distances of one tree's leaves, and the least and largest of them. */
static void fill_row(const leaf_search *job, size_t row, size_t b, const query_table *table) {
    const sm_query *query = query_of(job);
    const smerf_target *target = query->model->target;
    const sm_ready *ready = sm_query_ready(query, b);
    double *to = table->row + job->first[b], least, most;
    sm_query_row_leaves(query, b, row, row + 1, &table->leaf[b]);
    target->kind->predicting.leaf_row(target, &ready->leaves, table->leaf[b], to, table->scratch);
    if (ready->self != NULL) to[table->leaf[b]] = ready->self[table->leaf[b]];
    least = most = to[0];
    for (size_t l = 1; l < ready->leaves.n; l++) {
        least = to[l] < least ? to[l] : least;
        most = to[l] > most ? to[l] : most;
    }
    table->rest[b] = least;
    table->size[b] = fmax(fabs(least), fabs(most));
}

static void fill_table(const leaf_search *job, size_t row, const query_table *table) {
    const smerf_index *index = job->of->index;
    size_t n_trees = query_of(job)->n_trees;
    for (size_t b = 0; b < n_trees; b++) fill_row(job, row, b, table);
    table->rest[n_trees] = table->size[n_trees] = 0;
    for (size_t b = n_trees; b-- > 0;) {
        table->rest[b] += table->rest[b + 1];
        table->size[b] += table->size[b + 1];
    }
    if (index->leaves.n_groups > 0) sm_leaf_sums(index, table->leaf, 1, table->values, table->sums);
}

/* ---- one tile ---- */

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

static void add_trees(const leaf_search *job, const query_table *table, sm_span trees, sm_span items, double *sums) {
    const sm_query *query = query_of(job);
    const double *row[TREES_AT_A_TIME];
    const uint32_t *leaf[TREES_AT_A_TIME];
    for (size_t b = trees.first; b < trees.end;) {
        size_t n_trees = trees.end - b < TREES_AT_A_TIME ? 1 : TREES_AT_A_TIME;
        for (size_t t = 0; t < n_trees; t++, b++) {
            row[t] = table->row + job->first[b];
            leaf[t] = sm_query_leaves(query, &query->others, b) + items.first;
        }
        if (n_trees == TREES_AT_A_TIME)
            add_four_trees(row, leaf, items.end - items.first, sums);
        else
            add_tree(row[0], leaf[0], items.end - items.first, sums);
    }
}

/*   bound  of what the trees say, on average */
static bool wants_leaf_tile(const leaf_search *job, const sm_nearest *list, size_t tile, double bound) {
    const smerf_index *index = job->of->index;
    return sm_nearest_wants_item(list, index->leaves.least[tile], sm_shrunk(&index->model->shrinkage, bound));
}

/* Whether any of these sums can still become near enough, when the trees from b on are added. */
static bool may_be_near(const leaf_search *job, const query_table *table, size_t b, size_t tile, const sm_nearest *list,
                        const double *sums, size_t n) {
    double least = sums[0], n_trees = (double)query_of(job)->n_trees;
    for (size_t i = 1; i < n; i++) least = sums[i] < least ? sums[i] : least;
    double bound = (least + table->rest[b] - SUM_SLACK * (fabs(least) + table->size[0])) / n_trees;
    return !(bound == bound) || wants_leaf_tile(job, list, tile, bound);
}

/* False: no memory. */
static bool visit_leaf_tile(const leaf_search *job, const query_table *table, size_t tile, sm_nearest *list) {
    const smerf_index *index = job->of->index;
    size_t n_trees = query_of(job)->n_trees, first = tile * SM_INDEX_TILE;
    sm_span items = {first, index->n_items - first < SM_INDEX_TILE ? index->n_items : first + SM_INDEX_TILE};
    size_t n = items.end - first, step = (n_trees / LOOKS + TREES_AT_A_TIME) / TREES_AT_A_TIME * TREES_AT_A_TIME;
    double sums[SM_INDEX_TILE] = {0};
    for (size_t b = 0; b < n_trees; b += step) {
        size_t end = n_trees - b < step ? n_trees : b + step;
        add_trees(job, table, (sm_span){b, end}, items, sums);
        if (end < n_trees && !may_be_near(job, table, end, tile, list, sums, n)) return true;
    }
    for (size_t i = 0; i < n; i++)
        if (!sm_index_offer(list, index->leaves.item_at[first + i],
                            sm_shrunk(&index->model->shrinkage, sums[i] / (double)n_trees)))
            return false;
    return true;
}

/* ---- one query, in a part of the items ---- */

/* The tiles with the smallest bounds: of several the first.   best  [FIRST_LEAF_TILES] out; returns how many there are */
static size_t find_nearest_tiles(const double *bounds, size_t n, size_t *best) {
    size_t n_best = 0;
    for (size_t t = 0; t < n; t++) {
        if (n_best == FIRST_LEAF_TILES && bounds[t] >= bounds[best[n_best - 1]]) continue;
        size_t at = n_best < FIRST_LEAF_TILES ? n_best++ : n_best - 1;
        for (; at > 0 && bounds[best[at - 1]] > bounds[t]; at--) best[at] = best[at - 1];
        best[at] = t;
    }
    return n_best;
}

static bool search_part(const leaf_search *job, const query_table *table, size_t part, size_t row, double *bounds) {
    sm_nearest *list = sm_index_list(job->of, part, row);
    sm_span items = sm_index_part(job->of, part);
    size_t first = items.first / SM_INDEX_TILE, n = sm_code_tiles(items.end) - first, best[FIRST_LEAF_TILES] = {0};
    if (items.first == items.end) return true;
    for (size_t t = 0; t < n; t++) bounds[t] = sm_tile_bound(job->of->index, first + t, table->sums);
    size_t n_best = find_nearest_tiles(bounds, n, best);
    for (size_t k = 0; k < n_best; k++) {
        if (!visit_leaf_tile(job, table, first + best[k], list)) return false;
        bounds[best[k]] = INFINITY; /* it has been visited */
    }
    for (size_t t = 0; t < n; t++)
        if (bounds[t] < INFINITY && wants_leaf_tile(job, list, first + t, bounds[t]) &&
            !visit_leaf_tile(job, table, first + t, list))
            return false;
    return true;
}

/* ---- threads share the items of a query, or each takes queries of its own ---- */

static smerf_status search_shared(void *argument, size_t part, size_t thread, smerf_error *error) {
    const leaf_search *job = argument;
    bool is_fine = search_part(job, job->tables, part, job->row, job->bounds + thread * job->n_tiles);
    return is_fine ? SMERF_OK : sm_no_memory(error, "looking for neighbours");
}

static smerf_status search_own(void *argument, size_t task, size_t thread, smerf_error *error) {
    const leaf_search *job = argument;
    size_t row = job->of->search.first + task;
    fill_table(job, row, &job->tables[thread]);
    bool is_fine = search_part(job, &job->tables[thread], 0, row, job->bounds + thread * job->n_tiles);
    return is_fine ? SMERF_OK : sm_no_memory(error, "looking for neighbours");
}

static smerf_status search_one_by_one(leaf_search *job, smerf_error *error) {
    const sm_neighbor_search *search = &job->of->search;
    smerf_status status = SMERF_OK;
    size_t n = search->end - search->first;
    if (job->of->n_parts == 1) return sm_pool_run(search->pool, n, search_own, job, error);
    for (job->row = search->first; job->row < search->end && status == SMERF_OK; job->row++) {
        double from = (double)(job->row - search->first) / (double)n;
        sm_search_fraction(search, from, from + 1 / (double)n);
        fill_table(job, job->row, job->tables);
        status = sm_pool_run(search->pool, job->of->n_parts, search_shared, job, error);
    }
    return status;
}

/* ---- memory ---- */

static void reserve_table(const leaf_search *job, query_table *table, sm_arena *arena) {
    const sm_query *query = query_of(job);
    const sm_index_leaves *leaves = &job->of->index->leaves;
    size_t n_values = leaves->n_groups > 0 ? smerf_model_n_values(query->model) : 0;
    table->row = sm_arena_take(arena, job->first[query->n_trees], sizeof *table->row);
    table->rest = sm_arena_take(arena, query->n_trees + 1, sizeof *table->rest);
    table->size = sm_arena_take(arena, query->n_trees + 1, sizeof *table->size);
    table->sums = sm_arena_take(arena, 2 * leaves->n_groups, sizeof *table->sums);
    table->values = sm_arena_take(arena, n_values, sizeof *table->values);
    table->leaf = sm_arena_take(arena, query->n_trees, sizeof *table->leaf);
    table->scratch = sm_arena_take(arena, sm_model_most_members(query->model), sizeof *table->scratch);
}

static smerf_status reserve_leaf_search(leaf_search *job, sm_arena *arena, smerf_error *error) {
    const sm_query *query = query_of(job);
    size_t n_threads = job->of->search.pool->n_threads, n_tables = job->of->n_parts > 1 ? 1 : n_threads;
    sm_span items = sm_index_part(job->of, 0);
    job->n_tiles = sm_code_tiles(items.end - items.first);
    job->first = sm_arena_take(arena, query->n_trees + 1, sizeof *job->first);
    job->tables = sm_arena_take_zeros(arena, n_tables, sizeof *job->tables);
    job->bounds = sm_arena_take(arena, sm_size(job->n_tiles, n_threads, 0), sizeof *job->bounds);
    if (arena->has_failed) return sm_no_memory(error, "looking for neighbours");
    job->first[0] = 0;
    for (size_t b = 0; b < query->n_trees; b++) job->first[b + 1] = job->first[b] + query->model->trees[b].n_leaves;
    double bytes = (double)job->first[query->n_trees] * sizeof(double) * (double)n_tables;
    smerf_status status = sm_check_memory(bytes, "looking for neighbours", error);
    for (size_t t = 0; t < n_tables && status == SMERF_OK; t++) reserve_table(job, &job->tables[t], arena);
    return status == SMERF_OK && arena->has_failed ? sm_no_memory(error, "looking for neighbours") : status;
}

smerf_status sm_index_add_leaves(sm_index_search *of, smerf_error *error) {
    const sm_neighbor_search *search = &of->search;
    leaf_search job = {.of = of};
    sm_arena arena = {0};
    smerf_status status = SMERF_OK;
    if (search->query->n_groups == 0) status = sm_query_plan(search->query, false, true, error);
    if (status == SMERF_OK) status = sm_query_turn(search->query, 0, search->pool, error);
    if (status == SMERF_OK) status = reserve_leaf_search(&job, &arena, error);
    if (status == SMERF_OK) status = search_one_by_one(&job, error);
    sm_arena_free(&arena);
    return status;
}
