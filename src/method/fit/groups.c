/* groups.c - items dealt out to groups, and which of them bags leave out: see groups.h. */
#include "method/groups.h"

#include "base/random.h"

void sm_groups_deal(uint8_t *group_of, size_t n_items, size_t n_groups, uint64_t seed) {
    sm_random random;
    sm_random_start(&random, seed, 0, SM_STREAM_GROUPS);
    for (size_t i = 0; i < n_items; i++) group_of[i] = (uint8_t)(i % n_groups);
    for (size_t i = n_items; i > 1; i--) {
        size_t j = (size_t)sm_random_below_64(&random, i);
        uint8_t group = group_of[i - 1];
        group_of[i - 1] = group_of[j];
        group_of[j] = group;
    }
}

/* Of 4 items on: fewer leave nothing to learn from. */
size_t sm_groups_choose(size_t n_bags, size_t n_items) {
    size_t n_groups = sm_groups_of_bags(n_bags);
    if (n_groups > n_items) n_groups = n_items;
    return n_bags == 0 || n_items < 4 || n_groups < 4 - (n_items > 5) ? 0 : n_groups;
}

void sm_groups_held(size_t n_groups, size_t bag, size_t held[2]) {
    for (size_t a = 0; a < n_groups; a++)
        for (size_t b = a + 1; b < n_groups; b++)
            if (sm_bag_of(n_groups, a, b) == bag) {
                held[0] = a;
                held[1] = b;
            }
}
