/* found.h - for tests of neighbours: what a search has found, and what there is to find, by looking at all distances. */
#ifndef TESTS_UNIT_FOUND_H
#define TESTS_UNIT_FOUND_H

#include "tests/unit/forests.h"

typedef struct found {
    size_t n_queries, n;
    size_t *first; /* [queries + 1] */
    smerf_neighbor *neighbors;
    size_t capacity;
} found;

static inline int keep_neighbors(void *context, size_t query, const smerf_neighbor *neighbors, size_t n) {
    found *kept = context;
    assert_int_equal(query, kept->n_queries);
    kept->first[query] = kept->n;
    assert_true(kept->n + n <= kept->capacity);
    for (size_t k = 0; k < n; k++) kept->neighbors[kept->n++] = neighbors[k];
    kept->first[++kept->n_queries] = kept->n;
    return 0;
}

static inline found found_start(size_t n_queries, size_t n_items) {
    found made = {.capacity = n_queries * n_items};
    made.first = calloc(n_queries + 1, sizeof *made.first);
    made.neighbors = calloc(made.capacity + 1, sizeof *made.neighbors);
    assert_true(made.first != NULL && made.neighbors != NULL);
    return made;
}

static inline void found_free(found *kept) {
    free(kept->first);
    free(kept->neighbors);
}

/* The next of a row after (distance, item), by looking at all of them; n: there is none. */
static inline size_t next_nearest(const double *row, size_t n, size_t itself, const smerf_neighbor *after) {
    size_t best = n;
    for (size_t j = 0; j < n; j++) {
        bool is_after = after == NULL || row[j] > after->distance || (row[j] == after->distance && j > after->item);
        if (j == itself || isnan(row[j]) || !is_after) continue;
        if (best == n || row[j] < row[best]) best = j;
    }
    return best;
}

static inline found search_by_hand(const double *distances, size_t n_queries, size_t n_items,
                                   const smerf_neighborhood *wanted) {
    found made = found_start(n_queries, n_items);
    for (size_t q = 0; q < n_queries; q++) {
        const double *row = distances + q * n_items;
        smerf_neighbor here[512], *last = NULL;
        size_t n = 0;
        assert_true(n_items <= 512);
        while (wanted->k == 0 || n < wanted->k) {
            size_t j = next_nearest(row, n_items, wanted->queries == NULL ? q : n_items, last);
            if (j == n_items || (wanted->has_radius && row[j] > wanted->radius)) break;
            here[n] = (smerf_neighbor){.item = j, .distance = row[j]};
            last = &here[n++];
        }
        keep_neighbors(&made, q, here, n);
    }
    return made;
}

static inline void assert_same(const found *a, const found *b) {
    assert_int_equal(a->n_queries, b->n_queries);
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->first, b->first, (a->n_queries + 1) * sizeof *a->first);
    for (size_t k = 0; k < a->n; k++) {
        assert_int_equal(a->neighbors[k].item, b->neighbors[k].item);
        assert_memory_equal(&a->neighbors[k].distance, &b->neighbors[k].distance, sizeof(double));
    }
}

#endif
