/* links_sums.c - what stands before and after each item in a line-up, of the items it is linked to.
 *
 * For every item its links are gone through in storage order, and each is added on the side that the ranks say: by masks
 * instead of branches, which nobody could foresee. Up to four line-ups are looked at together in the lanes of a vector: the
 * links are read once, and the ranks of a partner lie next to each other. A lane computes what it would compute alone. What
 * was found is written where the item stands in the line-up, so that those who walk along it read from one end to the other.
 *
 * Where weights are whole numbers and nothing else is summed up, so are the sums: then whole numbers are added, and what
 * stands after is the rest. */
#include <assert.h>

#include "base/two.h"
#include "target/links/links.h"

typedef int32_t ints __attribute__((vector_size(SM_LINKS_LANES * sizeof(int32_t))));
typedef int64_t two_masks __attribute__((vector_size(sizeof(sm_two))));

/* A number in each lane: two and two, which compilers keep in registers on every processor. */
typedef struct lanes {
    sm_two half[SM_LINKS_LANES / 2];
} lanes;

/* How many items ahead the cells are prefetched in which sides will be written: those lie all over a line-up. */
enum { AHEAD = 8 };

/* ---- one line-up ---- */

static void count_sides(sm_links_scratch *scratch, sm_counts *counts) {
    const sm_links *links = scratch->links;
    const int32_t *rank = scratch->rank, *whole = scratch->whole;
    for (size_t k = 0; k < links->n_items; k++) {
        int32_t before = 0, all = 0, own = rank[k];
        if (k + AHEAD < links->n_items) __builtin_prefetch(counts + rank[k + AHEAD], 1);
        for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
            uint32_t j = links->partner[e];
            all += whole[j];
            before += whole[j] & -(int32_t)(rank[j] < own);
        }
        counts[own] = (sm_counts){.before = before, .after = all - before, .own = whole[k]};
        scratch->linked += (int64_t)whole[k] * all;
    }
}

/* The flags are known where this is inlined. */
static inline void sum_any(const sm_links_scratch *scratch, sm_sides *sides, bool has_values, bool has_weights) {
    const sm_links *links = scratch->links;
    for (size_t k = 0; k < links->n_items; k++) {
        double weight[2] = {0}, value[2] = {0};
        int32_t own = scratch->rank[k];
        for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
            uint32_t j = links->partner[e];
            bool is_before = scratch->rank[j] < own;
            double w = has_weights ? scratch->weight[j] * links->weight[e] : scratch->weight[j];
            weight[0] += is_before ? w : 0;
            weight[1] += is_before ? 0 : w;
            if (!has_values) continue;
            double v = w * links->value[e];
            value[0] += is_before ? v : 0;
            value[1] += is_before ? 0 : v;
        }
        sides[own] = (sm_sides){.weight_before = weight[0],
                                .weight_after = weight[1],
                                .value_before = has_values ? value[0] : links->common * weight[0],
                                .value_after = has_values ? value[1] : links->common * weight[1]};
    }
}

/* ---- several of them: n_seen, one in each lane ---- */

static void count_lanes(sm_links_scratch *scratch, sm_counts *counts, size_t n_seen) {
    const sm_links *links = scratch->links;
    const ints *rank = (const ints *)(const void *)scratch->rank;
    size_t n = links->n_items;
    for (size_t k = 0; k < n; k++) {
        ints before = {0}, own = rank[k];
        int32_t all = 0, own_weight = scratch->whole[k];
        for (size_t lane = 0; lane < n_seen && k + AHEAD < n; lane++)
            __builtin_prefetch(counts + lane * n + (size_t)rank[k + AHEAD][lane], 1);
        for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
            uint32_t j = links->partner[e];
            int32_t w = scratch->whole[j];
            all += w;
            before += (rank[j] < own) & w;
        }
        for (size_t lane = 0; lane < n_seen; lane++)
            counts[lane * n + (size_t)own[lane]] =
                (sm_counts){.before = before[lane], .after = all - before[lane], .own = own_weight};
        scratch->linked += (int64_t)own_weight * all;
    }
}

/* Writes what was found of one item, each lane where the item stands in its line-up. */
static void put_sides(const sm_links_scratch *scratch, sm_sides *sides, size_t k, size_t n_seen) {
    const double(*found)[SM_LINKS_LANES] = (const double(*)[SM_LINKS_LANES])(const void *)scratch->found;
    for (size_t lane = 0; lane < n_seen; lane++)
        sides[lane * scratch->links->n_items + (size_t)scratch->rank[k * SM_LINKS_LANES + lane]] =
            (sm_sides){found[0][lane], found[1][lane], found[2][lane], found[3][lane]};
}

/* Adds a number in some lanes to one sum, and in the others to another.   where  the first: all bits of a lane are set */
static inline void add_on_sides(lanes sums[2], const ints where, double number) {
    const two_masks first[2] = {(two_masks)__builtin_shufflevector(where, where, 0, 0, 1, 1),
                                (two_masks)__builtin_shufflevector(where, where, 2, 2, 3, 3)};
    two_masks bits = (two_masks)sm_both(number);
    for (size_t h = 0; h < 2; h++) {
        sums[0].half[h] += (sm_two)(bits & first[h]);
        sums[1].half[h] += (sm_two)(bits & ~first[h]);
    }
}

static inline void sum_any_lanes(const sm_links_scratch *scratch, sm_sides *sides, size_t n_seen, bool has_values,
                                 bool has_weights) {
    const sm_links *links = scratch->links;
    const ints *rank = (const ints *)(const void *)scratch->rank;
    lanes *found = (lanes *)(void *)scratch->found;
    for (size_t k = 0; k < links->n_items; k++) {
        lanes weight[2] = {0}, value[2] = {0};
        ints own = rank[k];
        for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
            uint32_t j = links->partner[e];
            ints is_before = rank[j] < own;
            double w = has_weights ? scratch->weight[j] * links->weight[e] : scratch->weight[j];
            add_on_sides(weight, is_before, w);
            if (has_values) add_on_sides(value, is_before, w * links->value[e]);
        }
        for (size_t side = 0; side < 2; side++)
            for (size_t h = 0; h < 2; h++) {
                found[side].half[h] = weight[side].half[h];
                found[2 + side].half[h] = has_values ? value[side].half[h] : links->common * weight[side].half[h];
            }
        put_sides(scratch, sides, k, n_seen);
    }
}

/* ---- which of these ---- */

/* The sums of line-ups first .. first + n_seen - 1, whose ranks are known. */
static void sum_sides(sm_links_scratch *scratch, size_t first, size_t n_seen) {
    bool has_values = scratch->links->value != NULL, has_weights = scratch->links->weight != NULL;
    bool is_one = scratch->n_lanes == 1;
    sm_sides *sides = (sm_sides *)scratch->cells + first * scratch->links->n_items;
    sm_counts *counts = (sm_counts *)scratch->cells + first * scratch->links->n_items;
    scratch->linked = 0;
    if (scratch->is_counted)
        is_one ? count_sides(scratch, counts) : count_lanes(scratch, counts, n_seen);
    else if (!has_values && !has_weights)
        is_one ? sum_any(scratch, sides, false, false) : sum_any_lanes(scratch, sides, n_seen, false, false);
    else if (!has_values)
        is_one ? sum_any(scratch, sides, false, true) : sum_any_lanes(scratch, sides, n_seen, false, true);
    else if (!has_weights)
        is_one ? sum_any(scratch, sides, true, false) : sum_any_lanes(scratch, sides, n_seen, true, false);
    else
        is_one ? sum_any(scratch, sides, true, true) : sum_any_lanes(scratch, sides, n_seen, true, true);
}

static void rank_lane(sm_links_scratch *scratch, const uint32_t *order, size_t lane) {
    size_t n = scratch->links->n_items, n_lanes = scratch->n_lanes;
    int32_t *rank = scratch->rank + lane;
    for (size_t r = 0; r < n; r++) {
        if (order != NULL && r + 2 * AHEAD < n) __builtin_prefetch(rank + order[r + 2 * AHEAD] * n_lanes, 1);
        rank[(order != NULL ? order[r] : r) * n_lanes] = (int32_t)r;
    }
}

void sm_links_rank_all(sm_links_scratch *scratch, const uint32_t *order) {
    scratch->n_lanes = 1;
    rank_lane(scratch, order, 0);
}

void sm_links_look(sm_links_scratch *scratch, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    assert(node->n * n_line_ups <= scratch->n_cells);
    size_t most = node->n <= scratch->n_cells / SM_LINKS_LANES ? SM_LINKS_LANES : 1;
    for (size_t first = 0, n_seen; first < n_line_ups; first += n_seen) {
        size_t n_left = n_line_ups - first;
        n_seen = n_left < most ? n_left : most;
        scratch->n_lanes = n_seen == 1 ? 1 : SM_LINKS_LANES;
        for (size_t lane = 0; lane < scratch->n_lanes; lane++) /* those without a line-up repeat the first */
            rank_lane(scratch, line_ups != NULL ? line_ups[first + (lane < n_seen ? lane : 0)].order : NULL, lane);
        sum_sides(scratch, first, n_seen);
    }
}
