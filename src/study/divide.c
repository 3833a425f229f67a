/* divide.c - see divide.h.
 *
 * By nodes, a method knows nothing of the test items, and is tested on the pairs among them. By pairs, it knows all items
 * and some pairs, and is tested on the others. What is linked or not (a graph, and labels: the same or not) becomes a
 * graph of which some pairs are observed, so that areas under curves keep their meaning; all else becomes rated pairs. */
#include "study/divide.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/versioned.h"
#include "data/items.h"
#include "smerf_study.h"
#include "target/links/pairs.h"

/* ---- draws ---- */

/* One thing after the other is taken with the chance that it is among those still wanted, given how many are left. */
smerf_status smerf_split(size_t n, size_t n_train, uint64_t seed, bool *is_train, smerf_error *error) {
    if (n_train > n) return sm_fail(error, SMERF_BAD_INPUT, "split: %zu of %zu cannot be drawn", n_train, n);
    if (seed > INT64_MAX) return sm_fail(error, SMERF_BAD_INPUT, "split: the seed is not in 0 ... 2^63 - 1");
    sm_random random;
    sm_random_start(&random, seed, 0, SM_STREAM_SPLIT);
    size_t n_wanted = n_train;
    for (size_t k = 0; k < n; k++) {
        is_train[k] = sm_random_below_64(&random, n - k) < n_wanted;
        n_wanted -= is_train[k];
    }
    return SMERF_OK;
}

size_t smerf_split_n_pairs(size_t n_known, size_t n_items, double train_fraction) {
    double n = (double)n_items, of_items = round(train_fraction * n);
    double n_train = n_items > 1 ? round((double)n_known * of_items * (of_items - 1) / (n * (n - 1))) : 0;
    return n_train > 0 ? (size_t)n_train : 0;
}

/* ---- by nodes ---- */

static smerf_status cut(const sm_divider *divider, const uint32_t *rows, size_t n, smerf_items **items,
                        smerf_target **target, smerf_error *error) {
    smerf_status status = smerf_items_take(divider->items, rows, n, items, error);
    return status == SMERF_OK ? smerf_target_take(divider->target, rows, n, target, error) : status;
}

static smerf_status divide_items(const sm_divider *divider, sm_division *out, smerf_error *error) {
    uint32_t *rows = sm_array(divider->n, sizeof *rows);
    if (rows == NULL) return sm_no_memory(error, "dividing items");
    uint32_t *train = rows, *test = rows + divider->n_train;
    for (uint32_t i = 0; i < divider->n; i++) *(divider->is_train[i] ? train++ : test++) = i;
    smerf_status status = cut(divider, rows, divider->n_train, &out->own_train_items, &out->train, error);
    if (status == SMERF_OK)
        status = cut(divider, rows + divider->n_train, divider->n - divider->n_train, &out->own_test_items, &out->truth,
                     error);
    out->train_items = out->own_train_items;
    out->test_items = out->own_test_items;
    sm_free(rows);
    return status;
}

/* ---- lists of pairs ---- */

static void free_pairs(sm_pair_arrays *pairs) {
    sm_free(pairs->left);
    sm_free(pairs->right);
    sm_free(pairs->value);
    sm_free(pairs->weight);
}

static bool start_pairs(sm_pair_arrays *pairs, size_t n_most, bool has_weights) {
    pairs->left = sm_array(n_most, sizeof *pairs->left);
    pairs->right = sm_array(n_most, sizeof *pairs->right);
    pairs->value = sm_array(n_most, sizeof *pairs->value);
    if (has_weights) pairs->weight = sm_array(n_most, sizeof *pairs->weight);
    return pairs->left != NULL && pairs->right != NULL && pairs->value != NULL &&
           (pairs->weight != NULL || !has_weights);
}

static void add_pair(sm_pair_arrays *pairs, uint32_t left, uint32_t right, double value, double weight) {
    pairs->left[pairs->n] = left;
    pairs->right[pairs->n] = right;
    pairs->value[pairs->n] = value;
    if (pairs->weight != NULL) pairs->weight[pairs->n] = weight;
    pairs->n++;
}

static smerf_pair_list list_of(const sm_pair_arrays *pairs) {
    return (smerf_pair_list){
        .n = pairs->n, .left = pairs->left, .right = pairs->right, .value = pairs->value, .weight = pairs->weight};
}

/* ---- what is known ---- */

/* NULL: all pairs are. */
static const sm_known_pairs *listed_pairs(const smerf_target *target) {
    bool is_listed = target->kind == &sm_target_pairs || target->kind == &sm_target_observed;
    return is_listed ? sm_known_pairs_of(target) : NULL;
}

static void list_known(sm_divider *divider, const sm_known_pairs *listed) {
    const sm_links *links = listed->links;
    for (uint32_t i = 0; i < links->n_items; i++) {
        divider->self[i] = sm_known_self(listed, i);
        divider->self_weight[i] = listed->self_weight != NULL ? listed->self_weight[i] : 0;
        for (size_t e = links->first[i]; e < links->first[i + 1]; e++)
            if (links->partner[e] > i)
                add_pair(&divider->known, i, links->partner[e], sm_links_value(links, e), sm_links_weight(links, e));
    }
}

/*   row  [n_rows] scratch */
static void list_all(sm_divider *divider, double *row) {
    const smerf_target *target = divider->target;
    for (uint32_t i = 0; i < target->n_rows; i++) {
        smerf_target_row(target, i, row);
        divider->self[i] = row[i];
        divider->self_weight[i] = target->has_no_diagonal ? 0 : 1;
        for (uint32_t j = i + 1; j < target->n_rows; j++) add_pair(&divider->known, i, j, row[j], 1);
    }
}

static smerf_status list_pairs(sm_divider *divider, smerf_error *error) {
    const sm_known_pairs *listed = listed_pairs(divider->target);
    size_t n = divider->target->n_rows, n_pairs = divider->n;
    bool has_weights = listed != NULL && listed->links->weight != NULL;
    bool has_links = divider->target->kind->data.is_link != NULL;
    double bytes = (double)n_pairs * (has_weights ? 24 : 16) * (has_links ? 3 : 2);
    smerf_status status = sm_check_memory(bytes, "dividing pairs", error);
    if (status != SMERF_OK) return status;
    double *row = sm_array(n, sizeof *row);
    divider->self = sm_array(n, sizeof *divider->self);
    divider->self_weight = sm_array(n, sizeof *divider->self_weight);
    bool has_memory = row != NULL && divider->self != NULL && divider->self_weight != NULL &&
                      start_pairs(&divider->known, n_pairs, has_weights) &&
                      start_pairs(&divider->part, n_pairs + n, has_weights) &&
                      (!has_links || start_pairs(&divider->edges, n_pairs, false));
    if (has_memory && listed != NULL) list_known(divider, listed);
    if (has_memory && listed == NULL) list_all(divider, row);
    sm_free(row);
    return has_memory ? SMERF_OK : sm_no_memory(error, "dividing pairs");
}

/* ---- by pairs ---- */

static void gather_part(sm_divider *divider, bool wanted) {
    const sm_pair_arrays *known = &divider->known;
    divider->part.n = 0;
    for (size_t k = 0; k < known->n; k++)
        if (divider->is_train[k] == wanted)
            add_pair(&divider->part, known->left[k], known->right[k], known->value[k],
                     known->weight != NULL ? known->weight[k] : 1);
}

/* The pairs of the part are the observed ones. A link's value is what its distance is short of 1. */
static smerf_status make_graph(sm_divider *divider, bool wanted, smerf_target **out, smerf_error *error) {
    const sm_pair_arrays *part = &divider->part;
    gather_part(divider, wanted);
    divider->edges.n = 0;
    for (size_t k = 0; k < part->n; k++)
        if (divider->target->kind->data.is_link(part->value[k]))
            add_pair(&divider->edges, part->left[k], part->right[k], 1 - part->value[k], 1);
    const smerf_pair_list edges = list_of(&divider->edges), observed = list_of(part);
    return smerf_target_new_graph(&edges, &observed, divider->target->n_rows, out, error);
}

/* An item's distance to itself is no pair to be tested with: where it was given, it goes to the training pairs. */
static smerf_status make_pairs(sm_divider *divider, bool wanted, smerf_target **out, smerf_error *error) {
    gather_part(divider, wanted);
    for (uint32_t i = 0; i < divider->target->n_rows && wanted; i++)
        if (divider->self_weight[i] > 0) add_pair(&divider->part, i, i, divider->self[i], divider->self_weight[i]);
    const smerf_pair_list pairs = list_of(&divider->part);
    return smerf_target_new_pairs(&pairs, divider->target->n_rows, out, error);
}

static smerf_status divide_pairs(sm_divider *divider, sm_division *out, smerf_error *error) {
    bool has_links = divider->target->kind->data.is_link != NULL;
    out->train_items = out->test_items = divider->items;
    smerf_status status = (has_links ? make_graph : make_pairs)(divider, true, &out->train, error);
    if (status != SMERF_OK) return status;
    return (has_links ? make_graph : make_pairs)(divider, false, &out->truth, error);
}

/* ---- groups and folds ---- */

/* Numbers the groups anew, from 0, in the order in which they are met. */
static smerf_status number_groups(sm_divider *divider, const uint32_t *groups, smerf_error *error) {
    size_t n = divider->n;
    uint64_t *keys = sm_array(n, sizeof *keys), *spare_keys = sm_array(n, sizeof *spare_keys);
    uint32_t *order = sm_array(n, sizeof *order), *spare_order = sm_array(n, sizeof *spare_order);
    bool has_memory = keys != NULL && spare_keys != NULL && order != NULL && spare_order != NULL;
    for (size_t i = 0; i < n && has_memory; i++) {
        keys[i] = groups[i];
        order[i] = (uint32_t)i;
    }
    if (has_memory) sm_sort(keys, order, n, spare_keys, spare_order);
    for (size_t k = 0; k < n && has_memory; k++) {
        if (k == 0 || keys[k] != keys[k - 1]) divider->n_groups++;
        divider->group_of[order[k]] = (uint32_t)divider->n_groups - 1;
    }
    sm_free(keys);
    sm_free(spare_keys);
    sm_free(order);
    sm_free(spare_order);
    return has_memory ? SMERF_OK : sm_no_memory(error, "dividing data");
}

static smerf_status check_groups(const sm_divider *divider, double fraction, smerf_error *error) {
    size_t n = divider->n_groups, n_train = divider->n_train_groups;
    const char *what = divider->n_groups < divider->n ? "groups" : "items";
    if (divider->n_folds == 1) return sm_fail(error, SMERF_BAD_INPUT, "{folds}: there must be at least two");
    if (divider->n_folds > n)
        return sm_fail(error, SMERF_BAD_INPUT, "{folds}: %zu cannot be made of %zu %s", divider->n_folds, n, what);
    if (divider->n_folds == 0 && (n_train == 0 || n_train == n))
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{train}: %g of %zu %s makes %zu to learn from: there must be some, and some to test with",
                       fraction, n, what, n_train);
    return SMERF_OK;
}

static smerf_status start_groups(sm_divider *divider, const sm_division_plan *plan, smerf_error *error) {
    size_t n = divider->n;
    smerf_status status = SMERF_OK;
    divider->group_of = sm_array(n, sizeof *divider->group_of);
    if (divider->group_of == NULL) return sm_no_memory(error, "dividing data");
    for (size_t i = 0; i < n && plan->groups == NULL; i++) divider->group_of[i] = (uint32_t)i;
    if (plan->groups == NULL)
        divider->n_groups = n;
    else
        status = number_groups(divider, plan->groups, error);
    if (status != SMERF_OK) return status;
    divider->n_train_groups = (size_t)round(plan->train_fraction * (double)divider->n_groups);
    status = check_groups(divider, plan->train_fraction, error);
    if (status != SMERF_OK) return status;
    divider->group_size = sm_zeros(divider->n_groups, sizeof *divider->group_size);
    divider->order = sm_array(divider->n_groups, sizeof *divider->order);
    divider->fold_of = sm_array(divider->n_groups, sizeof *divider->fold_of);
    divider->fold_size = sm_zeros(divider->n_folds, sizeof *divider->fold_size);
    if (divider->group_size == NULL || divider->order == NULL || divider->fold_of == NULL || divider->fold_size == NULL)
        return sm_no_memory(error, "dividing data");
    for (size_t i = 0; i < n; i++) divider->group_size[divider->group_of[i]]++;
    return SMERF_OK;
}

/* In random order each group goes to the fold that has the fewest items, the first of them. */
static void deal_folds(sm_divider *divider, uint64_t seed) {
    sm_random random;
    sm_random_start(&random, seed, 0, SM_STREAM_FOLDS);
    for (size_t g = 0; g < divider->n_groups; g++) divider->order[g] = (uint32_t)g;
    sm_random_shuffle(&random, divider->order, divider->n_groups);
    for (size_t f = 0; f < divider->n_folds; f++) divider->fold_size[f] = 0;
    for (size_t g = 0; g < divider->n_groups; g++) {
        size_t smallest = 0;
        for (size_t f = 1; f < divider->n_folds; f++)
            if (divider->fold_size[f] < divider->fold_size[smallest]) smallest = f;
        divider->fold_of[divider->order[g]] = (uint32_t)smallest;
        divider->fold_size[smallest] += divider->group_size[divider->order[g]];
    }
}

/* Sets is_train of the items, whole groups together. */
static smerf_status draw_groups(sm_divider *divider, uint64_t seed, size_t round, smerf_error *error) {
    size_t n_folds = divider->n_folds;
    smerf_status status = SMERF_OK;
    bool *group_is_train = sm_array(divider->n_groups, sizeof *group_is_train);
    if (group_is_train == NULL) return sm_no_memory(error, "dividing data");
    if (n_folds == 0)
        status = smerf_split(divider->n_groups, divider->n_train_groups, seed + round, group_is_train, error);
    else
        deal_folds(divider, seed + round / n_folds);
    for (size_t g = 0; g < divider->n_groups && n_folds > 0; g++)
        group_is_train[g] = divider->fold_of[g] != round % n_folds;
    divider->n_train = 0;
    for (size_t i = 0; i < divider->n && status == SMERF_OK; i++) {
        divider->is_train[i] = group_is_train[divider->group_of[i]];
        divider->n_train += divider->is_train[i];
    }
    sm_free(group_is_train);
    if (status == SMERF_OK && (divider->n_train < 2 || divider->n - divider->n_train < 2))
        status = sm_fail(error, SMERF_BAD_INPUT,
                         "{%s}: %zu of %zu items to learn from: there must be two, and two to test with",
                         n_folds > 0 ? "folds" : "train", divider->n_train, divider->n);
    return status;
}

/* ---- all together ---- */

static smerf_status count(sm_divider *divider, const sm_division_plan *plan, smerf_error *error) {
    size_t n_items = divider->target->n_rows, least = divider->by_pairs ? 1 : 2;
    const sm_known_pairs *listed = listed_pairs(divider->target);
    size_t n_all = n_items % 2 == 0 ? n_items / 2 * (n_items - 1) : (n_items - 1) / 2 * n_items;
    divider->n = !divider->by_pairs ? n_items : listed != NULL ? listed->links->n / 2 : n_all;
    divider->n_train = divider->by_pairs ? smerf_split_n_pairs(divider->n, n_items, plan->train_fraction)
                                         : (size_t)round(plan->train_fraction * (double)n_items);
    bool has_groups = plan->n_folds > 0 || plan->groups != NULL; /* which are counted when they are drawn */
    if (has_groups || (divider->n_train >= least && divider->n - divider->n_train >= least)) return SMERF_OK;
    return sm_fail(
        error, SMERF_BAD_INPUT, "{train}: %g of %zu items makes %zu of %zu %s to learn from: %s", plan->train_fraction,
        n_items, divider->n_train, divider->n, divider->by_pairs ? "known pairs" : "items",
        divider->by_pairs ? "there must be some, and some to test with" : "there must be two, and two to test with");
}

smerf_status sm_divider_start(sm_divider *divider, const smerf_items *items, const smerf_target *target,
                              const sm_division_plan *plan, smerf_error *error) {
    *divider = (sm_divider){.items = items, .target = target, .by_pairs = plan->by_pairs, .n_folds = plan->n_folds};
    bool has_groups = plan->n_folds > 0 || plan->groups != NULL;
    if (has_groups && plan->by_pairs)
        return sm_fail(error, SMERF_BAD_INPUT, "{%s}: they are of items, and pairs are divided here",
                       plan->n_folds > 0 ? "folds" : "groups");
    smerf_status status = count(divider, plan, error);
    if (status != SMERF_OK) return status;
    divider->is_train = sm_array(divider->n, sizeof *divider->is_train);
    if (divider->is_train == NULL) status = sm_no_memory(error, "dividing data");
    if (status == SMERF_OK && plan->by_pairs) status = list_pairs(divider, error);
    if (status == SMERF_OK && has_groups) status = start_groups(divider, plan, error);
    if (status != SMERF_OK) sm_divider_free(divider);
    return status;
}

void sm_divider_free(sm_divider *divider) {
    sm_free(divider->is_train);
    sm_free(divider->group_of);
    sm_free(divider->group_size);
    sm_free(divider->order);
    sm_free(divider->fold_of);
    sm_free(divider->fold_size);
    free_pairs(&divider->known);
    free_pairs(&divider->part);
    free_pairs(&divider->edges);
    sm_free(divider->self);
    sm_free(divider->self_weight);
    *divider = (sm_divider){0};
}

/* Sets is_train. */
static smerf_status draw(sm_divider *divider, uint64_t seed, size_t round, smerf_error *error) {
    if (divider->group_of != NULL) return draw_groups(divider, seed, round, error);
    return smerf_split(divider->n, divider->n_train, seed + round, divider->is_train, error);
}

smerf_status sm_divide(sm_divider *divider, uint64_t seed, size_t round, sm_division *out, smerf_error *error) {
    *out = (sm_division){0};
    smerf_status status = draw(divider, seed, round, error);
    if (status == SMERF_OK)
        status = (divider->by_pairs ? divide_pairs(divider, out, error) : divide_items(divider, out, error));
    if (status != SMERF_OK) sm_division_free(out);
    return status;
}

smerf_status smerf_compare_division(const smerf_target *target, const smerf_comparison *comparison, size_t round,
                                    bool *is_train, smerf_error *error) {
    SM_READ(smerf_comparison, comparison, error);
    const sm_division_plan plan = {
        .train_fraction = comparison->train_fraction, .n_folds = comparison->n_folds, .groups = comparison->groups};
    smerf_options usual;
    smerf_options_default(&usual);
    sm_divider divider;
    if (comparison->by_pairs)
        return sm_fail(error, SMERF_BAD_INPUT, "by pairs there are no items to learn from: see smerf_target_divide");
    smerf_status status = sm_divider_start(&divider, NULL, target, &plan, error);
    if (status != SMERF_OK) return status;
    status = draw(&divider, comparison->options != NULL ? comparison->options->seed : usual.seed, round, error);
    if (status == SMERF_OK) memcpy(is_train, divider.is_train, divider.n * sizeof *is_train);
    sm_divider_free(&divider);
    return status;
}

smerf_status smerf_target_divide(const smerf_target *target, double train_fraction, uint64_t seed, smerf_target **train,
                                 smerf_target **test, smerf_error *error) {
    sm_divider divider;
    sm_division division;
    if (!(train_fraction > 0 && train_fraction < 1))
        return sm_fail(error, SMERF_BAD_INPUT, "{train}: %g is not between 0 and 1", train_fraction);
    smerf_status status = sm_target_check_distances(target, "dividing the known pairs", error);
    if (status == SMERF_OK) status = sm_target_check_cut(target, error);
    const sm_division_plan plan = {.by_pairs = true, .train_fraction = train_fraction};
    if (status == SMERF_OK) status = sm_divider_start(&divider, NULL, target, &plan, error);
    if (status != SMERF_OK) return status;
    status = sm_divide(&divider, seed, 0, &division, error);
    sm_divider_free(&divider);
    if (status != SMERF_OK) return status;
    *train = division.train; /* there are no items to free */
    *test = division.truth;
    return SMERF_OK;
}

void sm_division_free(sm_division *division) {
    smerf_target_free(division->train);
    smerf_target_free(division->truth);
    smerf_items_free(division->own_train_items);
    smerf_items_free(division->own_test_items);
    *division = (sm_division){0};
}
