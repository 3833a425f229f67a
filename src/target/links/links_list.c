/* links_list.c - a list of pairs, in any order and with repeats, put in order: two counting sorts. */
#include <math.h>

#include "base/memory.h"
#include "target/links/links.h"

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
