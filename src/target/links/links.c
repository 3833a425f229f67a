/* links.c - a sparse symmetric matrix: from its upper triangle or a list of pairs, and to and from a model's arrays; an order of
 * all items in which linked ones stand near each other. */
#include "target/links/links.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* ---- the upper triangle ---- */

bool sm_upper_start(sm_upper *upper, size_t n_items, size_t n_most, bool has_weights) {
    *upper = (sm_upper){0};
    upper->n_partners = sm_zeros(n_items, sizeof *upper->n_partners);
    upper->partner = sm_array(n_most, sizeof *upper->partner);
    upper->value = sm_array(n_most, sizeof *upper->value);
    if (has_weights) upper->weight = sm_array(n_most, sizeof *upper->weight);
    if (upper->n_partners != NULL && upper->partner != NULL && upper->value != NULL &&
        (upper->weight != NULL || !has_weights))
        return true;
    sm_upper_free(upper);
    return false;
}

void sm_upper_free(sm_upper *upper) {
    sm_free(upper->n_partners);
    sm_free(upper->partner);
    sm_free(upper->value);
    sm_free(upper->weight);
    *upper = (sm_upper){0};
}

static void drop_if_all(double **numbers, size_t n, double number) {
    if (*numbers == NULL) return;
    for (size_t k = 0; k < n; k++)
        if ((*numbers)[k] != number) return;
    sm_free(*numbers);
    *numbers = NULL;
}

void sm_upper_trim(sm_upper *upper, double common) {
    drop_if_all(&upper->value, upper->n, common);
    drop_if_all(&upper->weight, upper->n, 1);
}

/* ---- both triangles ---- */

static smerf_status reserve_links(sm_links *links, const sm_upper *upper, size_t n_items, smerf_error *error) {
    size_t n_numbers = (upper->value != NULL ? 1u : 0u) + (upper->weight != NULL ? 1u : 0u);
    double bytes = (double)upper->n * 2 * (double)(sizeof *links->partner + n_numbers * sizeof(double)) +
                   (double)n_items * 2 * sizeof *links->first;
    smerf_status status = sm_check_memory(bytes, "the list of pairs", error);
    if (status != SMERF_OK) return status;
    links->n = 2 * upper->n;
    links->first = sm_zeros(n_items + 1, sizeof *links->first);
    links->partner = sm_array(links->n, sizeof *links->partner);
    if (upper->value != NULL) links->value = sm_array(links->n, sizeof *links->value);
    if (upper->weight != NULL) links->weight = sm_array(links->n, sizeof *links->weight);
    if (links->first != NULL && links->partner != NULL && (links->value != NULL || upper->value == NULL) &&
        (links->weight != NULL || upper->weight == NULL))
        return SMERF_OK;
    return sm_no_memory(error, "listing pairs");
}

static void put_link(sm_links *links, size_t at, uint32_t partner, const sm_upper *upper, size_t k) {
    links->partner[at] = partner;
    if (links->value != NULL) links->value[at] = upper->value[k];
    if (links->weight != NULL) links->weight[at] = upper->weight[k];
}

/* Rows fill up in ascending order: partners smaller than the row's item come from their own rows, which are earlier. */
static void fill_rows(sm_links *links, const sm_upper *upper, size_t *next) {
    size_t k = 0;
    for (size_t i = 0; i < links->n_items; i++)
        for (size_t end = k + upper->n_partners[i]; k < end; k++) {
            put_link(links, next[i]++, upper->partner[k], upper, k);
            put_link(links, next[upper->partner[k]]++, (uint32_t)i, upper, k);
        }
}

smerf_status sm_links_mirror(sm_links *links, const sm_upper *upper, size_t n_items, double common,
                             smerf_error *error) {
    *links = (sm_links){.n_items = n_items, .common = common};
    smerf_status status = reserve_links(links, upper, n_items, error);
    size_t *next = NULL;
    if (status == SMERF_OK) {
        for (size_t i = 0; i < n_items; i++) links->first[i + 1] = upper->n_partners[i];
        for (size_t k = 0; k < upper->n; k++) links->first[upper->partner[k] + 1]++;
        for (size_t i = 0; i < n_items; i++) links->first[i + 1] += links->first[i];
        next = sm_copy(links->first, n_items, sizeof *next);
        if (next == NULL) status = sm_no_memory(error, "listing pairs");
    }
    if (status == SMERF_OK)
        fill_rows(links, upper, next);
    else
        sm_links_free(links);
    sm_free(next);
    return status;
}

void sm_links_free(sm_links *links) {
    sm_free(links->first);
    sm_free(links->partner);
    sm_free(links->value);
    sm_free(links->weight);
    *links = (sm_links){0};
}

static bool same_numbers(const double *a, const double *b, size_t n) {
    if (a == NULL || b == NULL) return a == b;
    for (size_t k = 0; k < n; k++)
        if (a[k] != b[k]) return false;
    return true;
}

bool sm_links_equal(const sm_links *a, const sm_links *b) {
    return a->n_items == b->n_items && a->n == b->n && a->common == b->common &&
           memcmp(a->first, b->first, (a->n_items + 1) * sizeof *a->first) == 0 &&
           memcmp(a->partner, b->partner, a->n * sizeof *a->partner) == 0 && same_numbers(a->value, b->value, a->n) &&
           same_numbers(a->weight, b->weight, a->n);
}

size_t sm_links_n_lonely(const sm_links *links) {
    size_t n = 0;
    for (size_t i = 0; i < links->n_items; i++) n += links->first[i] == links->first[i + 1];
    return n;
}

/* ---- files ---- */

static void gather_upper(const sm_links *links, sm_upper *upper) {
    for (size_t i = 0; i < links->n_items; i++)
        for (size_t e = links->first[i]; e < links->first[i + 1]; e++) {
            if (links->partner[e] < i) continue;
            upper->n_partners[i]++;
            upper->partner[upper->n] = links->partner[e];
            upper->value[upper->n] = sm_links_value(links, e);
            if (upper->weight != NULL) upper->weight[upper->n] = links->weight[e];
            upper->n++;
        }
}

smerf_status sm_links_save(const sm_links *links, sm_tensors *tensors, smerf_error *error) {
    sm_upper upper;
    if (!sm_upper_start(&upper, links->n_items, links->n / 2, links->weight != NULL))
        return sm_no_memory(error, "saving pairs");
    gather_upper(links, &upper);
    sm_upper_trim(&upper, links->common);
    smerf_status status =
        sm_tensors_give(tensors, "target.n_partners", SM_U32, upper.n_partners, links->n_items, error);
    upper.n_partners = NULL; /* given away, whatever came of it */
    if (status == SMERF_OK) {
        status = sm_tensors_give(tensors, "target.partner", SM_U32, upper.partner, upper.n, error);
        upper.partner = NULL;
    }
    if (status == SMERF_OK && upper.value != NULL) {
        status = sm_tensors_give(tensors, "target.value", SM_F64, upper.value, upper.n, error);
        upper.value = NULL;
    }
    if (status == SMERF_OK && upper.weight != NULL) {
        status = sm_tensors_give(tensors, "target.weight", SM_F64, upper.weight, upper.n, error);
        upper.weight = NULL;
    }
    sm_upper_free(&upper);
    return status;
}

/* Counts add up to n, and partners ascend from the row's item to the last one. */
static bool is_upper(const uint32_t *n_partners, const uint32_t *partner, size_t n_items, size_t n) {
    size_t k = 0;
    for (size_t i = 0; i < n_items; i++) {
        if (n_partners[i] > n - k) return false;
        size_t before = i;
        for (size_t end = k + n_partners[i]; k < end; k++) {
            if (partner[k] <= before || partner[k] >= n_items) return false;
            before = partner[k];
        }
    }
    return k == n;
}

static smerf_status load_link_numbers(const sm_tensors *tensors, const char *name, size_t n, double **numbers,
                                      smerf_error *error) {
    const void *data = NULL;
    if (sm_tensors_find(tensors, name) == NULL) return SMERF_OK;
    smerf_status status = sm_tensors_get(tensors, name, SM_F64, n, &data, error);
    *numbers = (double *)data;
    return status;
}

smerf_status sm_links_load(sm_links *links, const sm_tensors *tensors, size_t n_items, double common,
                           smerf_error *error) {
    const sm_tensor *partner = sm_tensors_find(tensors, "target.partner");
    if (partner == NULL || partner->type != SM_U32 || partner->n >= UINT32_MAX || n_items >= INT32_MAX)
        return sm_fail(error, SMERF_BAD_FILE, "the model has no list of pairs");
    const void *n_partners = NULL;
    smerf_status status = sm_tensors_get(tensors, "target.n_partners", SM_U32, n_items, &n_partners, error);
    if (status != SMERF_OK) return status;
    /* Borrowed from the file and only read. */
    sm_upper upper = {.n = partner->n, .n_partners = (uint32_t *)n_partners, .partner = (uint32_t *)partner->data};
    if (!is_upper(upper.n_partners, upper.partner, n_items, upper.n))
        return sm_fail(error, SMERF_BAD_FILE, "the model's pairs do not fit its items");
    status = load_link_numbers(tensors, "target.value", upper.n, &upper.value, error);
    if (status == SMERF_OK) status = load_link_numbers(tensors, "target.weight", upper.n, &upper.weight, error);
    if (status != SMERF_OK) return status;
    for (size_t k = 0; k < upper.n && upper.value != NULL; k++)
        if (!(fabs(upper.value[k]) <= SM_LARGEST_DISTANCE))
            return sm_fail(error, SMERF_BAD_FILE, "the model's distances are not all finite");
    for (size_t k = 0; k < upper.n && upper.weight != NULL; k++)
        if (!(upper.weight[k] >= SM_SMALLEST_PAIR_WEIGHT && upper.weight[k] <= SM_LARGEST_PAIR_WEIGHT))
            return sm_fail(error, SMERF_BAD_FILE, "the model's weights of pairs are not all from %g to %g",
                           SM_SMALLEST_PAIR_WEIGHT, SM_LARGEST_PAIR_WEIGHT);
    return sm_links_mirror(links, &upper, n_items, common, error);
}

/* ---- lists of pairs, in any order and with repeats: two counting sorts put them in order ---- */

static smerf_status check_entry(const smerf_pair_list *list, size_t entry, size_t n_items, smerf_error *error) {
    uint32_t left = list->left[entry], right = list->right[entry];
    if (left >= n_items || right >= n_items)
        return sm_fail_at(error, entry, SMERF_NOWHERE, SM_AT_ENTRY "the pair (%u, %u) is none of %zu items", entry,
                          left, right, n_items);
    if (list->value != NULL && !(fabs(list->value[entry]) <= SM_LARGEST_DISTANCE))
        return sm_fail_at(error, entry, SMERF_NOWHERE,
                          SM_AT_ENTRY "the value of this pair is %g; values are finite numbers up to %g", entry,
                          list->value[entry], SM_LARGEST_DISTANCE);
    if (list->weight != NULL &&
        !(list->weight[entry] >= SM_SMALLEST_PAIR_WEIGHT && list->weight[entry] <= SM_LARGEST_PAIR_WEIGHT))
        return sm_fail_at(error, entry, SMERF_NOWHERE,
                          SM_AT_ENTRY "the weight of this pair is %g; weights are numbers from %g to %g", entry,
                          list->weight[entry], SM_SMALLEST_PAIR_WEIGHT, SM_LARGEST_PAIR_WEIGHT);
    return SMERF_OK;
}

/* Sorts entries by one of their items, keeping the order of equal ones.
 *   from  [n] the entries as they stand; NULL: in the order of the list
 *   next  [n_items + 1] scratch */
static void sort_by(const smerf_pair_list *list, size_t n_items, uint32_t (*item)(const smerf_pair_list *, size_t),
                    const uint32_t *from, uint32_t *to, uint32_t *next) {
    for (size_t i = 0; i <= n_items; i++) next[i] = 0;
    for (size_t p = 0; p < list->n; p++) next[item(list, p) + 1]++;
    for (size_t i = 0; i < n_items; i++) next[i + 1] += next[i];
    for (size_t k = 0; k < list->n; k++) {
        uint32_t p = from != NULL ? from[k] : (uint32_t)k;
        to[next[item(list, p)]++] = p;
    }
}

smerf_status sm_list_sort(const smerf_pair_list *list, size_t n_items, uint32_t **order, smerf_error *error) {
    if (n_items == 0) return sm_fail(error, SMERF_BAD_INPUT, "there are no items to have pairs of");
    if (n_items >= INT32_MAX || list->n >= UINT32_MAX)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "%zu pairs of %zu items are too many: there may be 2^32 and 2^31 at most", list->n, n_items);
    for (size_t p = 0; p < list->n; p++) {
        smerf_status status = check_entry(list, p, n_items, error);
        if (status != SMERF_OK) return status;
    }
    smerf_status status = sm_check_memory((double)list->n * 8 + (double)n_items * 4, "sorting pairs", error);
    if (status != SMERF_OK) return status;
    uint32_t *next = sm_array(n_items + 1, sizeof *next);
    uint32_t *by_larger = sm_array(list->n, sizeof *by_larger), *sorted = sm_array(list->n, sizeof *sorted);
    if (next != NULL && by_larger != NULL && sorted != NULL) {
        sort_by(list, n_items, sm_list_larger, NULL, by_larger, next);
        sort_by(list, n_items, sm_list_smaller, by_larger, sorted, next);
        *order = sorted;
    } else {
        sm_free(sorted);
        status = sm_no_memory(error, "sorting pairs");
    }
    sm_free(next);
    sm_free(by_larger);
    return status;
}

size_t sm_list_run(const smerf_pair_list *list, const uint32_t *order, size_t first) {
    uint32_t smaller = sm_list_smaller(list, order[first]), larger = sm_list_larger(list, order[first]);
    size_t end = first + 1;
    while (end < list->n && sm_list_smaller(list, order[end]) == smaller && sm_list_larger(list, order[end]) == larger)
        end++;
    return end;
}

/* ---- near each other ----
 * Whoever goes through the links of a node jumps from an item to its partners, and where these lie all over a large node it
 * waits for memory at every jump. Breadth first over the links, an item stands in the neighbourhood of its partners. */

/* The ranks of fewer items along four line-ups fit into a second-level cache, wherever they lie. */
enum { LEAST_ITEMS = 1 << 16 };

/* Puts what is linked to the items order[first] and after behind them, and what is linked to that; returns where they end. */
static size_t reach(const sm_links *links, uint32_t *order, size_t first, size_t end, uint64_t *reached) {
    for (size_t at = first; at < end; at++) {
        sm_links_call_for(links, order, at, end);
        for (size_t e = links->first[order[at]]; e < links->first[order[at] + 1]; e++) {
            uint32_t partner = links->partner[e];
            order[end] = partner; /* kept only if it is new: no branch that nobody could foresee */
            end += ~reached[partner / 64] >> partner % 64 & 1;
            reached[partner / 64] |= (uint64_t)1 << partner % 64;
        }
    }
    return end;
}

bool sm_links_order(const sm_links *links, uint32_t *order) {
    uint64_t *reached = sm_zeros(links->n_items / 64 + 1, sizeof *reached); /* a bit for each: they stay in a cache */
    if (reached == NULL) return false;
    for (size_t i = 0, n = 0; i < links->n_items; i++) {
        if (reached[i / 64] >> i % 64 & 1) continue;
        reached[i / 64] |= (uint64_t)1 << i % 64;
        order[n] = (uint32_t)i;
        n = reach(links, order, n, n + 1, reached);
    }
    sm_free(reached);
    return true;
}

smerf_status sm_links_near_order(const sm_links *links, uint32_t **order, smerf_error *error) {
    *order = NULL;
    if (links->n_items < LEAST_ITEMS || links->n == 0) return SMERF_OK;
    smerf_status status = sm_check_memory((double)links->n_items * 5, "putting items in order", error);
    if (status != SMERF_OK) return status;
    *order = sm_array(links->n_items + 1, sizeof **order); /* one more is written and not kept */
    if (*order != NULL && sm_links_order(links, *order)) return SMERF_OK;
    sm_free(*order);
    *order = NULL;
    return sm_no_memory(error, "putting items in order");
}
