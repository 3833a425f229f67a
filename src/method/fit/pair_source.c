/* pair_source.c - see pair_source.h.
 *   1. the items that are allowed, and how many pairs they make      start_choosing
 *   2. row by row, the pairs that are known; where they are too many, each is taken with the same probability: how many are skipped
 *      until the next is drawn, so that a pair that is not taken costs nothing                take_row
 *   3. weights are brought to the mean 1                             level_weights */
#include "method/fit/pair_source.h"

#include <math.h>
#include <string.h>

#include "base/draws.h"
#include "base/memory.h"
#include "target/links/graph.h"
#include "target/links/pairs.h"

typedef struct choosing {
    const sm_pair_source *source;
    const sm_pair_choice *choice;
    sm_drawn_pairs *pairs;
    bool *is_allowed;   /* [n_items] */
    double *row;        /* [n_items] of the target */
    size_t capacity;    /* pairs */
    double probability; /* of one that is not linked, or of any */
    double left_out;    /* pairs until the next that is drawn */
    bool is_drawn, keeps_links, has_weights;
    sm_draws draws;
} choosing;

static size_t n_items_of(const choosing *work) { return work->source->training->items->n_items; }

/* ---- 1. how many ---- */

static bool has_item(const choosing *work, size_t item) {
    const sm_pair_choice *choice = work->choice;
    if (choice->held[0] == SM_NO_GROUP) return !choice->are_held;
    size_t group = work->source->group_of[item];
    return (group == choice->held[0] || group == choice->held[1]) == choice->are_held;
}

static bool takes_both_orders(const choosing *work) { return work->source->is_directed && !work->choice->are_held; }

/* Pairs of two allowed items in one order, and those of them that are linked. */
static void count_pairs(const choosing *work, const sm_links *links, double *n_all, double *n_linked) {
    double n = 0;
    *n_linked = 0;
    for (size_t i = 0; i < n_items_of(work); i++) {
        n += work->is_allowed[i];
        for (size_t e = links != NULL && work->is_allowed[i] ? links->first[i] : 0;
             links != NULL && work->is_allowed[i] && e < links->first[i + 1]; e++)
            *n_linked += work->is_allowed[links->partner[e]] && links->partner[e] > i;
    }
    *n_all = work->source->links != NULL ? *n_linked : n * (n - 1) / 2;
}

static const sm_links *graph_links(const smerf_target *target) {
    return target->kind == &sm_target_graph ? sm_graph_of(target)->links : NULL;
}

static void draw_gap(choosing *work) {
    double u = 1 - sm_draw_uniform(&work->draws);
    work->left_out = work->probability < 1 ? floor(log(u) / log1p(-work->probability)) : 0;
}

/* Drawn numbers scatter: with a little less than the most, they stay below it. */
static double most_on_average(double most) {
    double less = most - 4 * sqrt(most);
    return less > 1 ? less : 1;
}

static smerf_status start_choosing(choosing *work, smerf_error *error) {
    const sm_pair_source *source = work->source;
    const sm_training_set *training = source->training;
    double n_all, n_linked = 0, most = (double)work->choice->most, n_orders = takes_both_orders(work) ? 2 : 1;
    const sm_links *graph = source->keeps_links ? graph_links(training->target) : NULL;
    for (size_t i = 0; i < n_items_of(work); i++) work->is_allowed[i] = has_item(work, i);
    count_pairs(work, source->links != NULL ? source->links : graph, &n_all, &n_linked);
    n_all *= n_orders;
    n_linked *= n_orders;
    work->is_drawn = n_all > most;
    work->keeps_links = work->is_drawn && graph != NULL && n_linked <= most / 2;
    double rest = work->keeps_links ? n_linked : 0;
    work->probability = work->is_drawn ? most_on_average(most - rest) / (n_all - rest) : 1;
    work->has_weights = source->weight != NULL || (source->links != NULL && source->links->weight != NULL) ||
                        work->keeps_links || work->choice->are_held;
    work->capacity = work->is_drawn ? work->choice->most : (size_t)n_all;
    sm_draws_start(&work->draws, training->options->seed, work->choice->draw, SM_STREAM_ROUND);
    draw_gap(work);
    double bytes = (double)work->capacity * (4 * sizeof(double) + 2 * sizeof(uint32_t));
    smerf_status status = sm_check_memory(bytes, "boosting on pairs", error);
    if (status != SMERF_OK) return status;
    sm_drawn_pairs *pairs = work->pairs;
    pairs->left = sm_array(work->capacity, sizeof *pairs->left);
    pairs->right = sm_array(work->capacity, sizeof *pairs->right);
    pairs->z = sm_array(work->capacity, sizeof *pairs->z);
    pairs->score = sm_array(work->capacity, sizeof *pairs->score);
    if (work->has_weights) pairs->weight = sm_array(work->capacity, sizeof *pairs->weight);
    bool has_memory = pairs->left != NULL && pairs->right != NULL && pairs->z != NULL && pairs->score != NULL &&
                      (!work->has_weights || pairs->weight != NULL);
    return has_memory ? SMERF_OK : sm_no_memory(error, "boosting on pairs");
}

/* ---- 2. row by row ---- */

/* What a pair that is taken weighs.   own  its weight in a list */
static double weight_of_pair(const choosing *work, size_t i, size_t j, double own, bool is_kept_link) {
    const sm_pair_source *source = work->source;
    double weight = source->weight != NULL ? own * source->weight[i] * source->weight[j] : own;
    if (work->keeps_links && !is_kept_link) weight /= work->probability;
    if (work->choice->are_held && source->group_of[i] == source->group_of[j]) weight /= (double)(source->n_groups - 1);
    return weight;
}

static void take_pair(choosing *work, size_t i, size_t j, double z, double own) {
    sm_drawn_pairs *pairs = work->pairs;
    bool is_kept_link = work->keeps_links && z != 1;
    if (!is_kept_link) {
        if (work->left_out > 0) {
            work->left_out--;
            return;
        }
        draw_gap(work);
    }
    if (pairs->n == work->capacity) return; /* rarer than anything that will be seen */
    pairs->left[pairs->n] = (uint32_t)i;
    pairs->right[pairs->n] = (uint32_t)j;
    pairs->z[pairs->n] = z;
    if (work->has_weights) pairs->weight[pairs->n] = weight_of_pair(work, i, j, own, is_kept_link);
    pairs->n++;
}

static void take_listed_row(choosing *work, size_t i) {
    const sm_links *links = work->source->links;
    for (size_t e = links->first[i]; e < links->first[i + 1]; e++) {
        size_t j = links->partner[e];
        if (work->is_allowed[j] && (j > i || takes_both_orders(work)))
            take_pair(work, i, j, sm_links_value(links, e), sm_links_weight(links, e));
    }
}

static void take_row(choosing *work, size_t i) {
    const smerf_target *target = work->source->training->target;
    size_t n = n_items_of(work);
    if (work->source->links != NULL) {
        take_listed_row(work, i);
        return;
    }
    target->kind->data.true_row(target, i, work->row);
    for (size_t j = takes_both_orders(work) ? 0 : i + 1; j < n; j++)
        if (j != i && work->is_allowed[j]) take_pair(work, i, j, work->row[j], 1);
}

/* ---- 3. weights ---- */

static void level_weights(sm_drawn_pairs *pairs) {
    double sum = 0;
    for (size_t k = 0; k < pairs->n; k++) sum += pairs->weight[k];
    for (size_t k = 0; k < pairs->n && sum > 0; k++) pairs->weight[k] *= (double)pairs->n / sum;
}

smerf_status sm_pairs_choose(const sm_pair_source *source, const sm_pair_choice *choice, sm_drawn_pairs *pairs,
                             bool *is_drawn, smerf_error *error) {
    size_t n = source->training->items->n_items;
    choosing work = {.source = source, .choice = choice, .pairs = pairs};
    *pairs = (sm_drawn_pairs){0};
    work.is_allowed = sm_array(n, sizeof *work.is_allowed);
    work.row = sm_array(n, sizeof *work.row);
    bool has_memory = work.is_allowed != NULL && work.row != NULL;
    smerf_status status = has_memory ? start_choosing(&work, error) : sm_no_memory(error, "boosting on pairs");
    for (size_t i = 0; i < n && status == SMERF_OK; i++)
        if (work.is_allowed[i]) take_row(&work, i);
    if (status == SMERF_OK && pairs->weight != NULL) level_weights(pairs);
    *is_drawn = work.is_drawn;
    sm_free(work.is_allowed);
    sm_free(work.row);
    if (status != SMERF_OK) sm_drawn_pairs_free(pairs);
    return status;
}

void sm_drawn_pairs_free(sm_drawn_pairs *pairs) {
    sm_free(pairs->left);
    sm_free(pairs->right);
    sm_free(pairs->z);
    sm_free(pairs->weight);
    sm_free(pairs->base);
    sm_free(pairs->score);
    *pairs = (sm_drawn_pairs){0};
}
