/* triplets.c - triplets as a target: checking and joining them, taking some of the items.
 *
 * A triplet says that one item is nearer to an anchor than another is. No distance is known, so nothing is grown on it or predicted
 * from it: methods learn from the triplets themselves (method/linear/fit/triplets_fit.c). Repeats add up: an answer that was given twice
 * weighs twice. Two answers that conflict are kept as two triplets: how often each was given is what is known. */
#include "target/triplets/triplets.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

static const double largest_weight = 1e100;

static void free_triplets(smerf_target *target) {
    sm_triplets *triplets = (sm_triplets *)target;
    sm_free(triplets->anchor);
    sm_free(triplets->near);
    sm_free(triplets->far);
    sm_free(triplets->weight);
    sm_free(triplets);
}

/* Arrays for n triplets, of which there are none yet. */
static sm_triplets *new_triplets(size_t n_items, size_t n) {
    sm_triplets *triplets = sm_zeros(1, sizeof *triplets);
    if (triplets == NULL) return NULL;
    sm_target_start(&triplets->head, &sm_target_triplets, n_items, n_items);
    triplets->head.has_no_diagonal = true;
    triplets->anchor = sm_array(n, sizeof *triplets->anchor);
    triplets->near = sm_array(n, sizeof *triplets->near);
    triplets->far = sm_array(n, sizeof *triplets->far);
    triplets->weight = sm_array(n, sizeof *triplets->weight);
    if (triplets->anchor != NULL && triplets->near != NULL && triplets->far != NULL && triplets->weight != NULL)
        return triplets;
    free_triplets(&triplets->head);
    return NULL;
}

/* ---- checks ---- */

#define AT_ENTRY "entry %zu: "

static smerf_status check_triplet(const smerf_triplet_list *list, size_t k, size_t n_items, smerf_error *error) {
    const uint32_t items[] = {list->anchor[k], list->near[k], list->far[k]};
    for (size_t i = 0; i < 3; i++)
        if (items[i] >= n_items)
            return sm_fail_at(error, k, SMERF_NOWHERE, AT_ENTRY "there is no item %u; there are %zu", k, items[i],
                              n_items);
    for (size_t i = 0; i < 3; i++)
        if (items[i] == items[(i + 1) % 3])
            return sm_fail_at(error, k, SMERF_NOWHERE,
                              AT_ENTRY "item %u stands there twice; a triplet is about three different items", k,
                              items[i]);
    double weight = list->weight != NULL ? list->weight[k] : 1;
    if (weight > 0 && weight <= largest_weight) return SMERF_OK;
    return sm_fail_at(error, k, SMERF_NOWHERE, AT_ENTRY "the weight %g of a triplet is not above 0, and 1e100 at most",
                      k, weight);
}

static smerf_status check_list(const smerf_triplet_list *list, size_t n_items, smerf_error *error) {
    if (n_items >= SMERF_MISSING || list->n >= SMERF_MISSING)
        return sm_fail(error, SMERF_BAD_INPUT, "more items or triplets than can be counted in 32 bits");
    if (n_items < 3)
        return sm_fail(error, SMERF_BAD_INPUT, "a triplet is about three items, and there are %zu", n_items);
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < list->n && status == SMERF_OK; k++) status = check_triplet(list, k, n_items, error);
    return status;
}

/* ---- order ---- */

static uint64_t key_of_others(const smerf_triplet_list *list, size_t k) {
    uint32_t near = list->near[k], far = list->far[k];
    return near < far ? (uint64_t)near << 32 | far : (uint64_t)far << 32 | near;
}

/* By anchor, the others, and the order of the list.   order  [n] out, the caller's to free */
static smerf_status sort_triplets(const smerf_triplet_list *list, uint32_t **order, smerf_error *error) {
    size_t n = list->n;
    uint64_t *keys = sm_array(n, sizeof *keys), *spare_keys = sm_array(n, sizeof *spare_keys);
    uint32_t *indices = sm_array(n, sizeof *indices), *spare = sm_array(n, sizeof *spare);
    bool has_memory = keys != NULL && spare_keys != NULL && indices != NULL && spare != NULL;
    for (size_t k = 0; k < n && has_memory; k++) {
        keys[k] = key_of_others(list, k);
        indices[k] = (uint32_t)k;
    }
    if (has_memory) {
        sm_sort(keys, indices, n, spare_keys, spare);
        for (size_t k = 0; k < n; k++) keys[k] = list->anchor[indices[k]];
        sm_sort(keys, indices, n, spare_keys, spare);
    }
    sm_free(keys);
    sm_free(spare_keys);
    sm_free(spare);
    *order = indices;
    if (has_memory) return SMERF_OK;
    sm_free(indices);
    *order = NULL;
    return sm_no_memory(error, "sorting triplets");
}

static size_t end_of_comparison(const smerf_triplet_list *list, const uint32_t *order, size_t first) {
    size_t end = first + 1;
    while (end < list->n && list->anchor[order[end]] == list->anchor[order[first]] &&
           key_of_others(list, order[end]) == key_of_others(list, order[first]))
        end++;
    return end;
}

/* ---- joining ---- */

static void put_triplet(sm_triplets *to, uint32_t anchor, uint32_t near, uint32_t far, double weight) {
    to->anchor[to->n] = anchor;
    to->near[to->n] = near;
    to->far[to->n] = far;
    to->weight[to->n++] = weight;
}

/* The triplets of one comparison, order[0 .. n - 1], as one or two. */
static void join_triplets(const smerf_triplet_list *list, const uint32_t *order, size_t n, sm_triplets *to) {
    double weight[2] = {0, 0}; /* the smaller item is nearer; the larger one is */
    uint32_t near = list->near[order[0]], far = list->far[order[0]];
    uint32_t smaller = near < far ? near : far, larger = near < far ? far : near;
    for (size_t k = 0; k < n; k++)
        weight[list->near[order[k]] == larger] += list->weight != NULL ? list->weight[order[k]] : 1;
    if (weight[0] > 0) put_triplet(to, list->anchor[order[0]], smaller, larger, weight[0]);
    if (weight[1] > 0) put_triplet(to, list->anchor[order[0]], larger, smaller, weight[1]);
    to->facts.n_comparisons++;
    to->facts.n_repeated += n > 1;
    to->facts.n_conflicts += weight[0] > 0 && weight[1] > 0;
}

/* is_seen  [n_items] zeros */
static void count_unobserved(sm_triplets *triplets, bool *is_seen) {
    for (size_t t = 0; t < triplets->n; t++)
        is_seen[triplets->anchor[t]] = is_seen[triplets->near[t]] = is_seen[triplets->far[t]] = true;
    for (size_t i = 0; i < triplets->head.n_rows; i++) triplets->facts.n_unobserved += !is_seen[i];
}

static smerf_status make_triplets(const smerf_triplet_list *list, size_t n_items, smerf_target **out,
                                  smerf_error *error) {
    uint32_t *order = NULL;
    smerf_status status = sort_triplets(list, &order, error);
    if (status != SMERF_OK) return status;
    sm_triplets *triplets = new_triplets(n_items, list->n);
    bool *is_seen = sm_zeros(n_items, sizeof *is_seen);
    if (triplets != NULL && is_seen != NULL) {
        for (size_t first = 0, end; first < list->n; first = end) {
            end = end_of_comparison(list, order, first);
            join_triplets(list, order + first, end - first, triplets);
        }
        count_unobserved(triplets, is_seen);
        *out = &triplets->head;
    } else {
        if (triplets != NULL) free_triplets(&triplets->head);
        status = sm_no_memory(error, "listing triplets");
    }
    sm_free(is_seen);
    sm_free(order);
    return status;
}

smerf_status smerf_target_new_triplets(const smerf_triplet_list *list, size_t n_items, smerf_target **out,
                                       smerf_error *error) {
    smerf_status status = check_list(list, n_items, error);
    return status == SMERF_OK ? make_triplets(list, n_items, out, error) : status;
}

/* ---- what is known ---- */

bool smerf_target_triplet_facts(const smerf_target *target, smerf_triplet_facts *facts) {
    if (target->kind != &sm_target_triplets) return false;
    *facts = sm_triplets_of(target)->facts;
    return true;
}

static void no_true_row(const smerf_target *target, size_t row, double *out) {
    (void)row;
    for (size_t j = 0; j < target->n_columns; j++) out[j] = NAN;
}

/* Those of which all three items are taken. Repeats were joined before, and are counted no more. */
static smerf_status take_triplets(const smerf_target *target, const uint32_t *rows, size_t n, smerf_target **out,
                                  smerf_error *error) {
    const sm_triplets *all = sm_triplets_of(target);
    uint32_t *new_row = sm_array(target->n_rows, sizeof *new_row);
    sm_triplets *kept = new_triplets(n, all->n); /* not in order: only a list */
    smerf_status status = new_row != NULL && kept != NULL ? SMERF_OK : sm_no_memory(error, "taking triplets");
    if (status == SMERF_OK) {
        for (size_t i = 0; i < target->n_rows; i++) new_row[i] = SMERF_MISSING;
        for (size_t k = 0; k < n; k++) new_row[rows[k]] = (uint32_t)k;
        for (size_t t = 0; t < all->n; t++) {
            uint32_t anchor = new_row[all->anchor[t]], near = new_row[all->near[t]], far = new_row[all->far[t]];
            if (anchor != SMERF_MISSING && near != SMERF_MISSING && far != SMERF_MISSING)
                put_triplet(kept, anchor, near, far, all->weight[t]);
        }
        const smerf_triplet_list list = {
            .n = kept->n, .anchor = kept->anchor, .near = kept->near, .far = kept->far, .weight = kept->weight};
        status = make_triplets(&list, n, out, error);
    }
    if (kept != NULL) free_triplets(&kept->head);
    sm_free(new_row);
    return status;
}

static bool triplets_are_equal(const smerf_target *a, const smerf_target *b) {
    const sm_triplets *left = sm_triplets_of(a), *right = sm_triplets_of(b);
    if (a->n_rows != b->n_rows || left->n != right->n) return false;
    for (size_t t = 0; t < left->n; t++)
        if (left->anchor[t] != right->anchor[t] || left->near[t] != right->near[t] || left->far[t] != right->far[t] ||
            left->weight[t] != right->weight[t])
            return false;
    return true;
}

/* Without engines and without leaves: whatever grows or predicts asks sm_target_check_distances first. */
const sm_target_kind sm_target_triplets = {.name = "triplets",
                                           .data.free = free_triplets,
                                           .data.true_row = no_true_row,
                                           .data.has_no_distances = true,
                                           .data.take = take_triplets,
                                           .data.equal = triplets_are_equal};
