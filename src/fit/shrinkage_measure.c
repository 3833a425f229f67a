/* shrinkage_measure.c - what the trees of a grown forest say of some training pairs that they have not seen.
 *
 *   1. find_mean    the mean of the known distances, by weight
 *   2. draw_pairs   known pairs, spread evenly over all: every kind of target where all are known, or listed ones
 *   3. add_tree     for each tree that counts, what it says of the pairs whose items are both out of bag
 *
 * All of it depends on data, options and seed, and on the numbers of the trees, but not on which other trees there are: parts of
 * a forest draw the same pairs, and their sums add up to those of the whole. */
#include "fit/shrinkage_measure.h"

#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "predict/query.h"
#include "target/links/pairs.h"

/* Among which pairs are drawn where all are known: a row of z is found for each. */
enum { MOST_ITEMS = 256 };

/* Leaves as large as that have their distances to all others formed at once. */
enum { MEMBERS_A_ROW = 8 };

typedef struct measure_job {
    smerf_model *model;
    sm_view view;
    sm_arena arena;         /* holds the arrays below */
    uint32_t *picked;       /* [n_picked] the items of the pairs, ascending */
    uint32_t *left, *right; /* [n_pairs] indices among these */
    size_t *end_of;         /* [n_picked] where the pairs end of which the item is the left one */
    size_t n_picked;
    size_t *trees; /* [n_trees] that count */
    size_t n_trees;
    struct measure_scratch *scratches; /* [n_threads] */
} measure_job;

/* A thread's. */
typedef struct measure_scratch {
    bool *is_out; /* [n_items] */
    uint32_t *out,
        *out_index;    /* [n_picked] those of the picked items that are out of bag, and where they stand there */
    uint32_t *leaf;    /* [n_picked] of those */
    uint32_t *leaf_of; /* [n_picked] of all; SMERF_MISSING: in the bag */
    sm_leaf_table table;
    sm_shrinkage sums;
} measure_scratch;

/* ---- 1  the mean ---- */

/* As the distance of a leaf that holds all items to itself, without their own distances. */
static smerf_status find_mean(const smerf_model *model, const smerf_target *target, double *mean, smerf_error *error) {
    size_t n = model->n_items;
    sm_arena arena = {0};
    uint32_t *item = sm_arena_take(&arena, n, sizeof *item), *draws = sm_arena_take(&arena, n, sizeof *draws);
    bool is_ready = !arena.has_failed;
    for (size_t i = 0; i < n && is_ready; i++) {
        item[i] = (uint32_t)i;
        draws[i] = 1;
    }
    bool is_leaf = true;
    uint32_t index = 0, first_term = 0, first_member[2] = {0, (uint32_t)n};
    sm_tree root = {.n_nodes = 1, .n_leaves = 1, .is_leaf = &is_leaf, .index = &index, .first_term = &first_term};
    root.first_member = first_member;
    root.member_item = item;
    root.member_draws = draws;
    smerf_model all = {.options = model->options, .n_items = n, .weights = model->weights, .trees = &root};
    all.target = (smerf_target *)target; /* which nobody changes */
    all.options.self_distance = SMERF_SELF_EXCLUDE;
    sm_ready ready = {0};
    is_ready = is_ready && sm_ready_start(&ready, &all, 0, 0);
    if (is_ready) *mean = ready.self[0];
    if (is_ready) sm_ready_free(&ready, &all);
    sm_arena_free(&arena);
    return is_ready ? SMERF_OK : sm_no_memory(error, "finding the mean distance");
}

/* ---- 2  pairs ---- */

/* The k-th of n numbers below `total`, one drawn from each of n equal parts of them. */
static uint64_t drawn_number(sm_random *random, uint64_t total, size_t n, size_t k) {
    uint64_t step = total / n, rest = total % n;
    uint64_t first = step * k + (rest < k ? rest : k), size = step + (k < rest ? 1 : 0);
    return first + sm_random_below_64(random, size);
}

static size_t fewer(uint64_t total, size_t most) { return total < most ? (size_t)total : most; }

/* Some of the pairs of a target that lists those that are known. */
static smerf_status draw_listed(sm_shrinkage *shrinkage, const sm_links *links, sm_random *random, smerf_error *error) {
    size_t total = links->n / 2, n = fewer(total, SM_MOST_SHRINKAGE_PAIRS), k = 0, number = 0;
    if (!sm_shrinkage_reserve(shrinkage, n)) return sm_no_memory(error, "drawing pairs");
    uint64_t wanted = n > 0 ? drawn_number(random, total, n, 0) : 0;
    for (uint32_t i = 0; i < links->n_items && k < n; i++)
        for (size_t e = links->first[i]; e < links->first[i + 1] && k < n; e++) {
            if (links->partner[e] < i || number++ != wanted) continue;
            shrinkage->left[k] = i;
            shrinkage->right[k] = links->partner[e];
            shrinkage->truth[k++] = sm_links_value(links, e);
            if (k < n) wanted = drawn_number(random, total, n, k);
        }
    return SMERF_OK;
}

/* Some of the pairs among some of the items.   item  [n_items] scratch, row  [n_rows of the target] likewise */
static void draw_among(sm_shrinkage *shrinkage, const smerf_target *target, sm_random *random, uint32_t *item,
                       double *row) {
    size_t n_items = fewer(target->n_rows, MOST_ITEMS), n = shrinkage->n_pairs, k = 0;
    uint64_t total = (uint64_t)n_items * (n_items - 1) / 2, number = 0;
    for (size_t i = 0; i < n_items; i++) item[i] = (uint32_t)drawn_number(random, target->n_rows, n_items, i);
    uint64_t wanted = drawn_number(random, total, n, 0);
    for (size_t a = 0; a < n_items && k < n; a++) {
        if (wanted < number + (n_items - 1 - a)) target->kind->data.true_row(target, item[a], row);
        for (; k < n && wanted < number + (n_items - 1 - a); wanted = k < n ? drawn_number(random, total, n, k) : 0) {
            shrinkage->left[k] = item[a];
            shrinkage->right[k] = item[a + 1 + (wanted - number)];
            shrinkage->truth[k] = row[shrinkage->right[k]];
            k++;
        }
        number += n_items - 1 - a;
    }
}

static smerf_status draw_pairs(sm_shrinkage *shrinkage, const smerf_target *target, uint64_t seed, smerf_error *error) {
    sm_random random;
    sm_random_start(&random, seed, 0, SM_STREAM_SHRINKAGE);
    if (target->kind == &sm_target_pairs || target->kind == &sm_target_observed)
        return draw_listed(shrinkage, sm_known_pairs_of(target)->links, &random, error);
    size_t n_items = fewer(target->n_rows, MOST_ITEMS), total = n_items * (n_items - 1) / 2;
    uint32_t *item = sm_array(n_items, sizeof *item);
    double *row = sm_array(target->n_rows, sizeof *row);
    bool has_memory =
        item != NULL && row != NULL && sm_shrinkage_reserve(shrinkage, fewer(total, SM_MOST_SHRINKAGE_PAIRS));
    if (has_memory) draw_among(shrinkage, target, &random, item, row);
    sm_free(item);
    sm_free(row);
    return has_memory ? SMERF_OK : sm_no_memory(error, "drawing pairs");
}

/* What distances are counted in: from the largest deviation among the pairs. */
static void choose_unit(sm_shrinkage *shrinkage) {
    double largest = 0;
    for (size_t p = 0; p < shrinkage->n_pairs; p++)
        largest = fmax(largest, fabs(shrinkage->truth[p] - shrinkage->mean));
    shrinkage->unit = largest > 0 ? fmax(largest / SM_UNITS_A_DEVIATION, 1e-300) : 1;
}

/* ---- 3  trees ---- */

/* Which of the items are out of the bag of a tree.   returns how many */
static size_t list_out_of_bag(const measure_job *job, size_t b, measure_scratch *scratch) {
    size_t n_out = 0;
    sm_model_out_of_bag(job->model, b, scratch->is_out);
    for (size_t k = 0; k < job->n_picked; k++) {
        scratch->leaf_of[k] = SMERF_MISSING;
        if (!scratch->is_out[job->picked[k]]) continue;
        scratch->out[n_out] = job->picked[k];
        scratch->out_index[n_out++] = (uint32_t)k;
    }
    (void)b;
    return n_out;
}

/* What a tree says of the pairs that it has not seen. Pairs of one left item stand next to each other. */
static void add_pairs(const measure_job *job, const sm_ready *ready, measure_scratch *scratch) {
    size_t n = job->model->shrinkage.n_pairs, end;
    for (size_t first = 0; first < n; first = end) {
        uint32_t left = job->left[first], from = scratch->leaf_of[left];
        for (end = job->end_of[left]; from != SMERF_MISSING && first < end; first++) {
            uint32_t to = scratch->leaf_of[job->right[first]];
            if (to == SMERF_MISSING) continue;
            double distance = sm_leaf_table_distance(&scratch->table, job->model, ready, from, to);
            sm_shrinkage_add(&scratch->sums, first, distance);
        }
    }
}

static smerf_status add_tree(void *argument, size_t task, size_t thread, smerf_error *error) {
    const measure_job *job = argument;
    const smerf_model *model = job->model;
    measure_scratch *scratch = &job->scratches[thread];
    size_t b = job->trees[task], n_members = sm_tree_n_members(&model->trees[b]);
    sm_ready ready;
    size_t n_out = list_out_of_bag(job, b, scratch);
    if (!sm_ready_start(&ready, model, b, n_out)) return sm_no_memory(error, "predicting");
    sm_descend(&ready.descent, &job->view, scratch->out, 0, n_out, scratch->leaf);
    for (size_t k = 0; k < n_out; k++) scratch->leaf_of[scratch->out_index[k]] = scratch->leaf[k];
    sm_leaf_table_turn(&scratch->table, ready.leaves.n <= SM_FEW_LEAVES && n_members >= ready.leaves.n * MEMBERS_A_ROW);
    add_pairs(job, &ready, scratch);
    sm_ready_free(&ready, model);
    return SMERF_OK;
}

/* ---- all together ---- */

/* Which items the pairs have, and which trees count. False: no memory. */
static bool list_items_and_trees(measure_job *job) {
    const smerf_model *model = job->model;
    const sm_shrinkage *shrinkage = &model->shrinkage;
    size_t n = shrinkage->n_pairs;
    uint32_t *index_of = sm_arena_take_zeros(&job->arena, model->n_items, sizeof *index_of);
    job->picked = sm_arena_take(&job->arena, 2 * n, sizeof *job->picked);
    job->left = sm_arena_take(&job->arena, n, sizeof *job->left);
    job->right = sm_arena_take(&job->arena, n, sizeof *job->right);
    job->end_of = sm_arena_take_zeros(&job->arena, 2 * n, sizeof *job->end_of);
    job->trees = sm_arena_take(&job->arena, model->options.n_trees, sizeof *job->trees);
    if (job->arena.has_failed) return false;
    for (size_t p = 0; p < n; p++) index_of[shrinkage->left[p]] = index_of[shrinkage->right[p]] = 1;
    for (uint32_t i = 0; i < model->n_items; i++) {
        if (index_of[i] == 0) continue;
        index_of[i] = (uint32_t)job->n_picked;
        job->picked[job->n_picked++] = i;
    }
    for (size_t p = 0; p < n; p++) {
        job->left[p] = index_of[shrinkage->left[p]];
        job->right[p] = index_of[shrinkage->right[p]];
        job->end_of[job->left[p]] = p + 1;
    }
    for (size_t b = 0; b < model->options.n_trees; b++)
        if (sm_tree_counts_for_shrinkage(model->options.first_tree + b, model->n_items)) job->trees[job->n_trees++] = b;
    return true;
}

static bool start_scratch(measure_scratch *scratch, measure_job *job) {
    const sm_shrinkage *shrinkage = &job->model->shrinkage;
    sm_arena *arena = &job->arena;
    scratch->is_out = sm_arena_take(arena, job->model->n_items, sizeof *scratch->is_out);
    scratch->out = sm_arena_take(arena, job->n_picked, sizeof *scratch->out);
    scratch->out_index = sm_arena_take(arena, job->n_picked, sizeof *scratch->out_index);
    scratch->leaf = sm_arena_take(arena, job->n_picked, sizeof *scratch->leaf);
    scratch->leaf_of = sm_arena_take(arena, job->n_picked, sizeof *scratch->leaf_of);
    scratch->sums.mean = shrinkage->mean;
    scratch->sums.unit = shrinkage->unit;
    return !arena->has_failed && sm_leaf_table_start(&scratch->table, job->model) &&
           sm_shrinkage_reserve(&scratch->sums, shrinkage->n_pairs);
}

static smerf_status add_trees(measure_job *job, sm_pool *pool, smerf_error *error) {
    size_t n_threads = pool->n_threads < job->n_trees ? pool->n_threads : job->n_trees;
    pool->n_threads = n_threads;
    job->scratches = sm_arena_take_zeros(&job->arena, n_threads, sizeof *job->scratches);
    bool has_memory = !job->arena.has_failed;
    for (size_t t = 0; t < n_threads && has_memory; t++) has_memory = start_scratch(&job->scratches[t], job);
    smerf_status status = has_memory ? sm_pool_run(pool, job->n_trees, add_tree, job, error)
                                     : sm_no_memory(error, "asking trees out of bag");
    for (size_t t = 0; t < n_threads && job->scratches != NULL; t++) {
        if (status == SMERF_OK) sm_shrinkage_join(&job->model->shrinkage, &job->scratches[t].sums);
        sm_shrinkage_free(&job->scratches[t].sums);
        sm_leaf_table_free(&job->scratches[t].table);
    }
    return status;
}

static smerf_status measure_trees(smerf_model *model, const smerf_items *items, const smerf_run *run,
                                  smerf_error *error) {
    measure_job job = {.model = model};
    sm_pool pool;
    sm_pool_start(&pool, run);
    pool.fraction_from = 1; /* growing is what progress is about */
    smerf_status status = sm_view_match(&job.view, &model->features, items, error);
    if (status != SMERF_OK) return status;
    if (!list_items_and_trees(&job)) status = sm_no_memory(error, "asking trees out of bag");
    if (status == SMERF_OK && job.n_trees > 0 && job.n_picked > 0) status = add_trees(&job, &pool, error);
    sm_view_free(&job.view);
    sm_arena_free(&job.arena);
    return status;
}

smerf_status sm_measure_shrinkage(smerf_model *model, const smerf_items *items, const smerf_target *target,
                                  const smerf_run *run, smerf_error *error) {
    smerf_options *options = &model->options;
    sm_shrinkage *shrinkage = &model->shrinkage;
    sm_shrinkage_free(shrinkage);
    if (options->shrink == SMERF_SHRINK_OFF) return SMERF_OK;
    smerf_status status = find_mean(model, target, &shrinkage->mean, error);
    if (status == SMERF_OK && isnan(shrinkage->mean)) { /* nothing is known of two items */
        options->shrink = SMERF_SHRINK_OFF;
        return SMERF_OK;
    }
    if (status == SMERF_OK && options->shrink == SMERF_SHRINK_AUTO) {
        status = draw_pairs(shrinkage, target, options->seed, error);
        if (status == SMERF_OK) choose_unit(shrinkage);
        if (status == SMERF_OK) status = measure_trees(model, items, run, error);
    }
    if (status == SMERF_OK && !sm_shrinkage_choose(shrinkage, options->shrink, options->n_trees, model->n_items))
        status = sm_no_memory(error, "asking trees out of bag");
    return status;
}
