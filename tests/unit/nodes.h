/* nodes.h - for tests of what a target says of nodes: line-ups, levels and children, drawn at random. */
#ifndef TESTS_UNIT_NODES_H
#define TESTS_UNIT_NODES_H

#include "tests/unit/forests.h"

#include "target/target.h"

static inline void draw_order(uint32_t *order, size_t n, sm_random *random) {
    for (size_t k = 0; k < n; k++) order[k] = (uint32_t)k;
    sm_random_shuffle(random, order, n);
}

/* Every level has an item; some items have none.   n_levels  at most n */
static inline void draw_levels(uint32_t *level, size_t n, uint32_t n_levels, sm_random *random) {
    for (size_t k = 0; k < n; k++) {
        bool is_missing = k >= n_levels && sm_random_below(random, 5) == 0;
        level[k] = is_missing ? SMERF_MISSING : k < n_levels ? (uint32_t)k : sm_random_below(random, n_levels);
    }
}

/* Deals items out to two children, both in the order they were in; returns how many go left.
 *   right     [n] room
 *   share     of those that go left, about */
static inline size_t draw_children(uint32_t *items, size_t n, uint32_t *right, double share, sm_random *random) {
    size_t n_left = 0, n_right = 0;
    for (size_t k = 0; k < n; k++)
        if (sm_random_uniform(random) < share)
            items[n_left++] = items[k];
        else
            right[n_right++] = items[k];
    memcpy(items + n_left, right, n_right * sizeof *items);
    return n_left;
}

#endif
