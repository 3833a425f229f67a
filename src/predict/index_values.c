/* index_values.c - leaves of an index, arranged by the values that they have, and what these say of distances: see index.h.
 *
 * Values of labels are the fractions p of the classes, and h = 1 - sum p p'. The sum over the trees of p p' is no more than the
 * smaller of the sums of p and of p', as neither exceeds 1, and no more than the root of the product of the sums of their squares
 * (Cauchy and Schwarz); of several classes in one group likewise. Values of a response are means m, and h is (m - m')^2 / 2 or
 * more, the mean of which over the trees is no less than the square of the mean of m - m' (Jensen).
 *
 * Bounds are taken a little lower than they are found, by far more than rounding can be. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "predict/index.h"

/* Of the square of the largest value, or of the largest itself. */
#define BOUND_SLACK 1e-9

enum { GROUP_SHIFT = 28, COUNT_SHIFT = 32 };

/* ---- memory ---- */

static sm_values_bound bound_of(const smerf_index *index) { return index->model->target->kind->values.bound; }

static size_t n_values_of(const smerf_index *index) {
    return index->model->target->kind->values.n_values(index->model->target);
}

/* The largest value in size of any leaf.   values  scratch */
static double find_scale(const smerf_index *index, double *values) {
    const smerf_target *target = index->model->target;
    double scale = 0;
    for (size_t b = 0; b < index->model->options.n_trees; b++) {
        const sm_leaves *leaves = &sm_index_ready(index)[b].leaves;
        for (size_t l = 0; l < leaves->n; l++) {
            target->kind->values.leaf_values(target, leaves, l, values);
            for (size_t v = 0; v < n_values_of(index); v++) scale = fmax(scale, fabs(values[v]));
        }
    }
    return scale;
}

/* Without memory for it there are no bounds, and the search is slower. */
void sm_leaves_start(smerf_index *index) {
    bool has_bound = bound_of(index) != SM_NO_BOUND && index->model->options.self_distance == SMERF_SELF_GIVEN;
    if (!has_bound || sm_index_ready(index) == NULL) return;
    size_t n_values = n_values_of(index);
    double *values = sm_array(n_values, sizeof *values);
    if (values == NULL) return;
    index->leaves.scale = bound_of(index) == SM_FRACTIONS_BOUND ? 1 : find_scale(index, values);
    index->leaves.n_groups = n_values < SM_CODE_GROUPS ? n_values : SM_CODE_GROUPS;
    sm_free(values);
}

static bool widen_leaves(smerf_index *index, size_t capacity) {
    size_t n_trees = index->model->options.n_trees;
    uint32_t *leaf = sm_array(sm_size(capacity, n_trees, 0), sizeof *leaf);
    if (leaf == NULL) return false;
    for (size_t b = 0; b < n_trees && index->n_items > 0; b++)
        memcpy(leaf + b * capacity, index->leaves.leaf + b * index->capacity, index->n_items * sizeof *leaf);
    sm_free(index->leaves.leaf);
    index->leaves.leaf = leaf;
    return true;
}

/* The leaves come last: they are laid out by the capacity. */
bool sm_leaves_reserve(smerf_index *index, size_t needed) {
    sm_index_leaves *leaves = &index->leaves;
    size_t n_before = sm_code_tiles(index->capacity), n = sm_code_tiles(needed), n_groups = leaves->n_groups;
    return sm_index_widen((void **)&leaves->item_at, index->capacity, needed, sizeof *leaves->item_at) &&
           sm_index_widen((void **)&leaves->least, n_before, n, sizeof *leaves->least) &&
           sm_index_widen((void **)&leaves->ranges, n_before * n_groups, n * n_groups, sizeof *leaves->ranges) &&
           widen_leaves(index, needed);
}

void sm_leaves_free(sm_index_leaves *leaves) {
    sm_free(leaves->leaf);
    sm_free(leaves->item_at);
    sm_free(leaves->least);
    sm_free(leaves->ranges);
    *leaves = (sm_index_leaves){0};
}

/* ---- sums of values ---- */

void sm_leaf_sums(const smerf_index *index, const uint32_t *leaf, size_t step, double *values, double *sums) {
    const smerf_target *target = index->model->target;
    const sm_ready *ready = sm_index_ready(index);
    size_t n_values = n_values_of(index), n_groups = index->leaves.n_groups;
    memset(sums, 0, n_groups * 2 * sizeof *sums);
    for (size_t b = 0; b < index->model->options.n_trees; b++) {
        target->kind->values.leaf_values(target, &ready[b].leaves, leaf[b * step], values);
        for (size_t v = n_groups; v < n_values && bound_of(index) == SM_FRACTIONS_BOUND; v++)
            values[v % n_groups] += values[v];
        for (size_t g = 0; g < n_groups; g++) {
            sums[2 * g] += values[g];
            sums[2 * g + 1] += values[g] * values[g];
        }
    }
}

static double fractions_bound(const sm_value_range *ranges, size_t n_groups, double n_trees, const double *sums) {
    double same = 0;
    for (size_t g = 0; g < n_groups; g++) {
        double by_sum = fmin(sums[2 * g], ranges[g].most), by_square = sqrt(sums[2 * g + 1] * ranges[g].most_squared);
        same += fmin(by_sum, by_square);
    }
    return 1 - same / n_trees - BOUND_SLACK;
}

/* Scaled, so that no square of a difference is too large for a double. */
static double squares_bound(const sm_value_range *ranges, size_t n_groups, double n_trees, const double *sums,
                            double scale) {
    double sum = 0;
    for (size_t g = 0; g < n_groups && scale > 0; g++) {
        double gap = fmax(ranges[g].least - sums[2 * g], sums[2 * g] - ranges[g].most) / n_trees / scale;
        if (gap > BOUND_SLACK) sum += (gap - BOUND_SLACK) * (gap - BOUND_SLACK) / 2;
    }
    return (sum - BOUND_SLACK) * scale * scale;
}

double sm_tile_bound(const smerf_index *index, size_t tile, const double *sums) {
    const sm_index_leaves *leaves = &index->leaves;
    double n_trees = (double)index->model->options.n_trees;
    const sm_value_range *ranges = leaves->ranges + tile * leaves->n_groups;
    if (leaves->n_groups == 0) return -INFINITY;
    if (bound_of(index) == SM_FRACTIONS_BOUND) return fractions_bound(ranges, leaves->n_groups, n_trees, sums);
    double bound = squares_bound(ranges, leaves->n_groups, n_trees, sums, leaves->scale);
    return isfinite(bound) ? bound : -INFINITY;
}

/* ---- arranging ---- */

typedef struct value_order {
    smerf_index *index;
    size_t first, n_items; /* where the items stand that are looked at */
    double *sums;          /* [items from first][n_groups][2] */
    double *values;        /* [tiles from that of first][values of the target] scratch */
    const uint32_t *from;  /* [n_items] where the sums of an item are found that stands there */
} value_order;

static void sum_tile(const void *of, size_t tile) {
    const value_order *job = of;
    const smerf_index *index = job->index;
    size_t n_sums = 2 * index->leaves.n_groups, first = tile * SM_INDEX_TILE;
    for (size_t p = first < job->first ? job->first : first; p < first + SM_INDEX_TILE && p < job->n_items; p++)
        sm_leaf_sums(index, index->leaves.leaf + p, index->capacity, job->values + tile * n_values_of(index),
                     job->sums + (p - job->first) * n_sums);
}

/* Ranges, and the first item, of the tile as it now stands. */
static void describe_leaf_tile(const value_order *job, size_t tile) {
    sm_index_leaves *leaves = &job->index->leaves;
    sm_value_range *ranges = leaves->ranges + tile * leaves->n_groups;
    size_t first = tile * SM_INDEX_TILE;
    leaves->least[tile] = UINT32_MAX;
    for (size_t g = 0; g < leaves->n_groups; g++) ranges[g] = (sm_value_range){INFINITY, -INFINITY, 0};
    for (size_t p = first; p < first + SM_INDEX_TILE && p < job->n_items; p++)
        if (leaves->item_at[p] < leaves->least[tile]) leaves->least[tile] = leaves->item_at[p];
    for (size_t p = first; p < first + SM_INDEX_TILE && p < job->n_items && leaves->n_groups > 0; p++) {
        const double *sums = job->sums + (job->from != NULL ? job->from[p] : p - job->first) * 2 * leaves->n_groups;
        for (size_t g = 0; g < leaves->n_groups; g++) {
            ranges[g].least = fmin(ranges[g].least, sums[2 * g]);
            ranges[g].most = fmax(ranges[g].most, sums[2 * g]);
            ranges[g].most_squared = fmax(ranges[g].most_squared, sums[2 * g + 1]);
        }
    }
}

/* By the group with the largest sum, by that sum, and by the next group; or simply by the first sum. */
static uint64_t value_key(const smerf_index *index, const double *sums) {
    size_t n_groups = index->leaves.n_groups, best = 0, next = 0;
    double n_trees = (double)index->model->options.n_trees;
    if (bound_of(index) == SM_SQUARES_BOUND) return sm_sort_key(sums[0]);
    for (size_t g = 1; g < n_groups; g++)
        if (sums[2 * g] > sums[2 * best]) best = g;
    for (size_t g = 0; g < n_groups; g++)
        if (g != best && (next == best || sums[2 * g] > sums[2 * next])) next = g;
    uint64_t most = (uint64_t)(sums[2 * best] / n_trees * ((1 << GROUP_SHIFT) - 1)) & ((1 << GROUP_SHIFT) - 1);
    uint64_t second = (uint64_t)(sums[2 * next] / n_trees * ((1 << GROUP_SHIFT) - 1)) & ((1 << GROUP_SHIFT) - 1);
    return ((uint64_t)best << GROUP_SHIFT | most) << COUNT_SHIFT | (uint64_t)next << GROUP_SHIFT | second;
}

/* Memory of an arrangement. */
typedef struct value_sort {
    sm_arena arena;
    uint64_t *keys, *spare_keys;                         /* [n_items] */
    uint32_t *order, *spare_order, *stands_at, *new_row; /* [n_items] items, in their new order; where they stood */
} value_sort;

static void sort_by_values(const value_order *job, value_sort *sort) {
    const sm_index_leaves *leaves = &job->index->leaves;
    for (size_t p = 0; p < job->n_items; p++) sort->stands_at[leaves->item_at[p]] = (uint32_t)p;
    for (size_t i = 0; i < job->n_items; i++) {
        sort->keys[i] = value_key(job->index, job->sums + (size_t)sort->stands_at[i] * 2 * leaves->n_groups);
        sort->order[i] = (uint32_t)i;
    }
    sm_sort(sort->keys, sort->order, job->n_items, sort->spare_keys, sort->spare_order);
}

/* From here on nothing can fail. */
static void take_order(value_order *job, value_sort *sort) {
    sm_index_leaves *leaves = &job->index->leaves;
    for (size_t p = 0; p < job->n_items; p++) sort->spare_order[p] = sort->stands_at[sort->order[p]];
    for (size_t b = 0; b < job->index->model->options.n_trees; b++) {
        uint32_t *row = leaves->leaf + b * job->index->capacity;
        for (size_t p = 0; p < job->n_items; p++) sort->new_row[p] = row[sort->spare_order[p]];
        memcpy(row, sort->new_row, job->n_items * sizeof *row);
    }
    memcpy(leaves->item_at, sort->order, job->n_items * sizeof *leaves->item_at);
    job->from = sort->spare_order;
    for (size_t tile = 0; tile < sm_code_tiles(job->n_items); tile++) describe_leaf_tile(job, tile);
    leaves->n_arranged = job->n_items;
}

static smerf_status sum_values(value_order *job, sm_arena *arena, size_t n_threads, smerf_error *error) {
    size_t n = job->n_items - job->first, n_sums = 2 * job->index->leaves.n_groups;
    smerf_status status = sm_check_memory((double)n * (double)n_sums * sizeof *job->sums, "making an index", error);
    if (status != SMERF_OK || n_sums == 0) return status;
    size_t n_scratch = sm_size(sm_code_tiles(job->n_items), n_values_of(job->index), 0);
    job->sums = sm_arena_take(arena, sm_size(n, n_sums, 0), sizeof *job->sums);
    job->values = sm_arena_take(arena, n_scratch, sizeof *job->values);
    if (arena->has_failed) return sm_no_memory(error, "making an index");
    sm_index_for_tiles(job->n_items, n_threads, sum_tile, job);
    return SMERF_OK;
}

static smerf_status arrange_leaves(value_order *job, smerf_error *error) {
    value_sort sort = {0};
    size_t n = job->n_items;
    sort.keys = sm_arena_take(&sort.arena, n, sizeof *sort.keys);
    sort.spare_keys = sm_arena_take(&sort.arena, n, sizeof *sort.keys);
    sort.order = sm_arena_take(&sort.arena, n, sizeof *sort.order);
    sort.spare_order = sm_arena_take(&sort.arena, n, sizeof *sort.order);
    sort.stands_at = sm_arena_take(&sort.arena, n, sizeof *sort.order);
    sort.new_row = sm_arena_take(&sort.arena, n, sizeof *sort.order);
    smerf_status status = sort.arena.has_failed ? sm_no_memory(error, "making an index") : SMERF_OK;
    if (status == SMERF_OK) {
        sort_by_values(job, &sort);
        take_order(job, &sort);
    }
    sm_arena_free(&sort.arena);
    return status;
}

smerf_status sm_leaves_update(smerf_index *index, size_t first, size_t n_items, size_t n_threads, smerf_error *error) {
    sm_index_leaves *leaves = &index->leaves;
    bool is_anew = leaves->n_groups > 0 && n_items - leaves->n_arranged > leaves->n_arranged / 4;
    value_order job = {.index = index, .n_items = n_items};
    sm_arena arena = {0};
    job.first = is_anew ? 0 : first / SM_INDEX_TILE * SM_INDEX_TILE;
    for (size_t i = first; i < n_items; i++) leaves->item_at[i] = (uint32_t)i;
    smerf_status status = sum_values(&job, &arena, n_threads, error);
    if (status == SMERF_OK && is_anew) status = arrange_leaves(&job, error);
    for (size_t tile = job.first / SM_INDEX_TILE; tile < sm_code_tiles(n_items) && status == SMERF_OK && !is_anew;
         tile++)
        describe_leaf_tile(&job, tile);
    sm_arena_free(&arena);
    return status;
}
