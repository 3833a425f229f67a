/* same_pairs.c - see same_pairs.h. Pairs are sorted by a key that both directions share. */
#include "io/pairs/same_pairs.h"

#include "base/memory.h"
#include "base/sort.h"

static uint64_t key_of(const sm_pairs *pairs, size_t k) {
    uint32_t left = pairs->left[k], right = pairs->right[k];
    return left < right ? (uint64_t)left << 32 | right : (uint64_t)right << 32 | left;
}

void sm_sorted_pairs_free(sm_sorted_pairs *order) {
    sm_free(order->keys);
    sm_free(order->spare_keys);
    sm_free(order->places);
    sm_free(order->spare_places);
    *order = (sm_sorted_pairs){0};
}

smerf_status sm_pairs_sort(const sm_pairs *pairs, sm_sorted_pairs *order, smerf_error *error) {
    *order = (sm_sorted_pairs){0};
    if (pairs->n >= SMERF_MISSING) return sm_fail(error, SMERF_BAD_INPUT, "more pairs than can be counted in 32 bits");
    order->keys = sm_array(pairs->n, sizeof *order->keys);
    order->spare_keys = sm_array(pairs->n, sizeof *order->spare_keys);
    order->places = sm_array(pairs->n, sizeof *order->places);
    order->spare_places = sm_array(pairs->n, sizeof *order->spare_places);
    if (order->keys == NULL || order->spare_keys == NULL || order->places == NULL || order->spare_places == NULL) {
        sm_sorted_pairs_free(order);
        return sm_no_memory(error, "sorting pairs");
    }
    for (size_t k = 0; k < pairs->n; k++) {
        order->keys[k] = key_of(pairs, k);
        order->places[k] = (uint32_t)k;
    }
    sm_sort(order->keys, order->places, pairs->n, order->spare_keys, order->spare_places);
    return SMERF_OK;
}

smerf_status sm_pairs_number(const sm_pairs *pairs, uint32_t *number, size_t *n_different, smerf_error *error) {
    sm_sorted_pairs order;
    smerf_status status = sm_pairs_sort(pairs, &order, error);
    if (status != SMERF_OK) return status;
    *n_different = 0;
    for (size_t k = 0, end; k < pairs->n; k = end) {
        uint32_t place = order.places[k];
        bool is_self = pairs->left[place] == pairs->right[place];
        for (end = k; end < pairs->n && order.keys[end] == order.keys[k]; end++)
            number[order.places[end]] = is_self ? SMERF_MISSING : (uint32_t)*n_different;
        *n_different += !is_self;
    }
    sm_sorted_pairs_free(&order);
    return SMERF_OK;
}

/* Sets is_kept, in the order of the file, for all edges whose key is there. */
static void mark_known(const sm_sorted_pairs *edges, size_t n_edges, const sm_sorted_pairs *others, size_t n_others,
                       bool *is_kept, size_t *n_kept, size_t *n_left_out) {
    *n_kept = *n_left_out = 0;
    for (size_t k = 0, end, other = 0; k < n_edges; k = end) {
        while (other < n_others && others->keys[other] < edges->keys[k]) other++;
        bool is_there = other < n_others && others->keys[other] == edges->keys[k];
        for (end = k; end < n_edges && edges->keys[end] == edges->keys[k]; end++)
            is_kept[edges->places[end]] = is_there;
        ++*(is_there ? n_kept : n_left_out);
    }
}

static void keep(sm_pairs *edges, const bool *is_kept, size_t *row) {
    size_t n = 0;
    for (size_t k = 0; k < edges->n; k++) {
        if (!is_kept[k]) continue;
        edges->left[n] = edges->left[k];
        edges->right[n] = edges->right[k];
        if (edges->value != NULL) edges->value[n] = edges->value[k];
        if (edges->weight != NULL) edges->weight[n] = edges->weight[k];
        row[n++] = edges->row != NULL ? edges->row[k] : k;
    }
    sm_free(edges->row);
    edges->row = row;
    edges->n = n;
}

smerf_status sm_pairs_keep_among(sm_pairs *edges, const sm_pairs *others, size_t *n_kept, size_t *n_left_out,
                                 smerf_error *error) {
    sm_sorted_pairs of_edges = {0}, of_others = {0};
    bool *is_kept = sm_array(edges->n, sizeof *is_kept);
    size_t *row = sm_array(edges->n, sizeof *row);
    smerf_status status = is_kept != NULL && row != NULL ? SMERF_OK : sm_no_memory(error, "comparing pairs");
    if (status == SMERF_OK) status = sm_pairs_sort(edges, &of_edges, error);
    if (status == SMERF_OK) status = sm_pairs_sort(others, &of_others, error);
    if (status == SMERF_OK) {
        mark_known(&of_edges, edges->n, &of_others, others->n, is_kept, n_kept, n_left_out);
        keep(edges, is_kept, row);
        row = NULL; /* now the edges' */
    }
    sm_sorted_pairs_free(&of_edges);
    sm_sorted_pairs_free(&of_others);
    sm_free(is_kept);
    sm_free(row);
    return status;
}
