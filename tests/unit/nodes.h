/* nodes.h - for tests of what a target says of nodes: line-ups, levels and children, drawn at random. */
#ifndef TESTS_UNIT_NODES_H
#define TESTS_UNIT_NODES_H

#include "tests/unit/forests.h"

#include "target/target.h"
#include "tests/unit/engines.h"

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

/* ---- nodes below nodes, searched in several ways that must agree ---- */

enum { WAYS = 4 };

/* Both kernels, with much and little room for copies of blocks. */
static inline sm_search *search_in_a_way(const smerf_target *target, size_t n_line_ups, size_t way) {
    sm_search_size size = {.n_items = target->n_rows,
                           .n_line_ups = n_line_ups,
                           .n_threads = way < 2 ? 1 : 100000,
                           .kernels = way % 2 == 0 ? SMERF_KERNELS_PLAIN : SMERF_KERNELS_AUTO};
    sm_search *search = plain_engine(target->kind)->search_new(target, &size, NULL);
    assert_non_null(search);
    return search;
}

typedef struct descent {
    const smerf_target *target;
    const double *weight; /* [target->n_rows] */
    size_t n_line_ups;
    double share_of_root, share; /* of all items that are in the root, and of a node's that are in the next */
    size_t least;                /* items of a node */
    void (*check)(const smerf_target *target, sm_search *const *searches, size_t *views, sm_node *node,
                  sm_random *random);
} descent;

/* Checks a root on some of the items, and nodes below it. */
static inline void descend(const descent *of, sm_random *random) {
    size_t n = of->target->n_rows, views[WAYS] = {0};
    uint32_t *items = calloc(n, sizeof *items), *rest = calloc(n, sizeof *rest);
    double *weight = calloc(n, sizeof *weight);
    sm_search *searches[WAYS];
    assert_true(items != NULL && rest != NULL && weight != NULL);
    for (size_t way = 0; way < WAYS; way++) searches[way] = search_in_a_way(of->target, of->n_line_ups, way);
    for (size_t i = 0; i < n; i++) items[i] = (uint32_t)i;
    size_t n_now = of->share_of_root < 1 ? draw_children(items, n, rest, of->share_of_root, random) : n;
    while (n_now >= of->least) {
        sm_node node = {.items = items, .n = n_now, .weight = weight};
        for (size_t k = 0; k < n_now; k++) node.total += weight[k] = of->weight[items[k]];
        of->check(of->target, searches, views, &node, random);
        n_now = draw_children(items, n_now, rest, of->share, random);
    }
    for (size_t way = 0; way < WAYS; way++) plain_engine(of->target->kind)->search_free(searches[way]);
    free(items);
    free(rest);
    free(weight);
}

#endif
