/* judges.c - several ratings that one judge gave of one pair become one: see pairs.h. */
#include "base/memory.h"
#include "base/sort.h"
#include "io/pairs/pairs.h"

/* Entries in the order of (smaller row, larger row, judge), those of one judge and pair in the order of the file. */
static smerf_status sort_ratings(const sm_pairs *pairs, sm_sorted_pairs *order, smerf_error *error) {
    smerf_status status = sm_pairs_sort(pairs, order, error);
    if (status != SMERF_OK) return status;
    for (size_t k = 0; k < pairs->n; k++) {
        order->keys[k] = pairs->judge[k];
        order->indices[k] = (uint32_t)k;
    }
    sm_sort(order->keys, order->indices, pairs->n, order->spare_keys, order->spare_indices);
    for (size_t k = 0; k < pairs->n; k++) order->keys[k] = sm_pairs_key(pairs, order->indices[k]);
    sm_sort(order->keys, order->indices, pairs->n, order->spare_keys,
            order->spare_indices); /* which keeps the judges' order */
    return SMERF_OK;
}

/* Puts the mean of the entries order[0 ... n - 1], all of one judge and pair, at the end of `to`. */
static void put_mean(const sm_pairs *pairs, const uint32_t *order, size_t n, sm_pairs *to) {
    double sum = 0, weights = 0;
    for (size_t k = 0; k < n; k++) {
        double weight = pairs->weight != NULL ? pairs->weight[order[k]] : 1;
        sum += weight * pairs->value[order[k]];
        weights += weight;
    }
    to->left[to->n] = pairs->left[order[0]];
    to->right[to->n] = pairs->right[order[0]];
    to->value[to->n] = n == 1 ? pairs->value[order[0]] : sum / weights;
    if (to->weight != NULL) to->weight[to->n] = weights / (double)n;
    to->row[to->n] = pairs->row != NULL ? pairs->row[order[0]] : order[0];
    to->judge[to->n++] = pairs->judge[order[0]];
}

smerf_status sm_pairs_fold_judges(sm_pairs *pairs, smerf_error *error) {
    sm_sorted_pairs order = {0};
    sm_pairs folded = *pairs;
    bool has_weight = pairs->weight != NULL;
    folded.n = 0;
    folded.judges = NULL;
    folded.left = sm_array(pairs->n, sizeof *folded.left);
    folded.right = sm_array(pairs->n, sizeof *folded.right);
    folded.value = sm_array(pairs->n, sizeof *folded.value);
    folded.weight = has_weight ? sm_array(pairs->n, sizeof *folded.weight) : NULL;
    folded.row = sm_array(pairs->n, sizeof *folded.row);
    folded.judge = sm_array(pairs->n, sizeof *folded.judge);
    bool has_memory = folded.left != NULL && folded.right != NULL && folded.value != NULL && folded.row != NULL &&
                      folded.judge != NULL && (folded.weight != NULL) == has_weight;
    smerf_status status = has_memory ? sort_ratings(pairs, &order, error) : sm_no_memory(error, "reading judges");
    if (status == SMERF_OK) {
        for (size_t k = 0, end; k < pairs->n; k = end) {
            uint32_t judge = pairs->judge[order.indices[k]];
            for (end = k + 1;
                 end < pairs->n && order.keys[end] == order.keys[k] && pairs->judge[order.indices[end]] == judge;)
                end++;
            put_mean(pairs, order.indices + k, end - k, &folded);
        }
        const sm_pairs was = *pairs;
        *pairs = folded;
        pairs->judges = was.judges;
        folded = was; /* to be freed */
        folded.judges = NULL;
    }
    sm_pairs_free(&folded);
    sm_sorted_pairs_free(&order);
    return status;
}
