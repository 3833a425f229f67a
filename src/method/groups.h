/* groups.h - items in groups, and the bags that leave out two of them: what makes a pair of training items out of bag.
 *
 * A bag is learned from the items that are in neither of its two groups. A pair is out of bag for every bag that has left out both
 * of its items: one bag if they are of two groups, and one with each other group if they are of one. */
#ifndef SM_METHOD_GROUPS_H
#define SM_METHOD_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SM_MOST_GROUPS = 64 };

static inline size_t sm_n_bags(size_t n_groups) { return n_groups < 2 ? 0 : n_groups * (n_groups - 1) / 2; }

/* The bag that leaves out groups a < b. */
static inline size_t sm_bag_of(size_t n_groups, size_t a, size_t b) {
    return a * n_groups - a * (a + 1) / 2 + b - a - 1;
}

/* The same for two groups in any order. */
static inline size_t sm_bag_without(size_t n_groups, size_t a, size_t b) {
    return sm_bag_of(n_groups, a < b ? a : b, a < b ? b : a);
}

/* How many groups so many bags hold out two of; 0: there is no such number. */
static inline size_t sm_groups_of_bags(size_t n_bags) {
    for (size_t n_groups = 3; n_groups <= SM_MOST_GROUPS; n_groups++)
        if (sm_n_bags(n_groups) == n_bags) return n_groups;
    return 0;
}

/* Whether the bag that leaves out groups a and g leaves out both items of a pair of groups a and b: of two groups that is one bag, of one group
 * its bags with every other. */
static inline bool sm_bag_leaves_out_both(size_t a, size_t b, size_t g) { return a != b ? g == b : g != a; }

/* fit/groups.c */

/* Groups of items, dealt out at random.   group_of  [n_items] out */
void sm_groups_deal(uint8_t *group_of, size_t n_items, size_t n_groups, uint64_t seed);

/* How many groups are made of some items; 0: they are too few for bags that leave any to learn from. */
size_t sm_groups_choose(size_t n_bags, size_t n_items);

/* The two groups that a bag leaves out. */
void sm_groups_held(size_t n_groups, size_t bag, size_t held[2]);

#endif
