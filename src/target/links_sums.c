/* links_sums.c - what stands before and after each item in a line-up, of the items it is linked to.
 *
 * For every item its links are gone through in storage order, and each is added on the side that the ranks say: by masks
 * instead of branches, which nobody could foresee. Up to four line-ups are looked at together in the lanes of a vector: the
 * links are read once, and the ranks of a partner lie next to each other. A lane computes what it would compute alone.
 *
 * Where weights are whole numbers and nothing else is summed up, so are the sums: then whole numbers are added, and what
 * stands after is the rest. */
#include "target/links.h"

typedef int32_t ints __attribute__((vector_size(SM_LINKS_LANES * sizeof(int32_t))));
typedef int64_t masks __attribute__((vector_size(SM_LINKS_LANES * sizeof(int64_t))));
typedef double doubles __attribute__((vector_size(SM_LINKS_LANES * sizeof(double))));

/* ---- one line-up ---- */

static void sum_whole(sm_links_room *room) {
    const sm_links *links = room->links;
    const int32_t *rank = room->rank, *whole = room->whole;
    for (size_t k = 0; k < links->n_items; k++) {
        int32_t before = 0, all = 0, own = rank[k];
        for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
            uint32_t j = links->partner[e];
            all += whole[j];
            before += whole[j] & -(int32_t)(rank[j] < own);
        }
        room->sums[4 * k] = before;
        room->sums[4 * k + 1] = all - before;
    }
}

/* The flags are known where this is inlined. */
static inline void sum_any(sm_links_room *room, bool has_values, bool has_weights) {
    const sm_links *links = room->links;
    for (size_t k = 0; k < links->n_items; k++) {
        double weight[2] = {0}, value[2] = {0};
        int32_t own = room->rank[k];
        for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
            uint32_t j = links->partner[e];
            bool is_before = room->rank[j] < own;
            double w = has_weights ? room->weight[j] * links->weight[e] : room->weight[j];
            weight[0] += is_before ? w : 0;
            weight[1] += is_before ? 0 : w;
            if (!has_values) continue;
            double v = w * links->value[e];
            value[0] += is_before ? v : 0;
            value[1] += is_before ? 0 : v;
        }
        double *sums = room->sums + 4 * k;
        sums[0] = weight[0];
        sums[1] = weight[1];
        if (!has_values) continue;
        sums[2] = value[0];
        sums[3] = value[1];
    }
}

/* ---- several of them ---- */

static void sum_whole_lanes(sm_links_room *room) {
    const sm_links *links = room->links;
    const ints *rank = (const ints *)(const void *)room->rank;
    doubles *sums = (doubles *)(void *)room->sums;
    for (size_t k = 0; k < links->n_items; k++) {
        ints before = {0}, own = rank[k];
        int32_t all = 0;
        for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
            uint32_t j = links->partner[e];
            int32_t w = room->whole[j];
            all += w;
            before += (rank[j] < own) & w;
        }
        sums[4 * k] = __builtin_convertvector(before, doubles);
        sums[4 * k + 1] = __builtin_convertvector(all - before, doubles);
    }
}

static inline void sum_any_lanes(sm_links_room *room, bool has_values, bool has_weights) {
    const sm_links *links = room->links;
    const ints *rank = (const ints *)(const void *)room->rank;
    doubles *sums = (doubles *)(void *)room->sums;
    for (size_t k = 0; k < links->n_items; k++) {
        doubles weight[2] = {{0}}, value[2] = {{0}};
        ints own = rank[k];
        for (size_t e = links->first[k]; e < links->first[k + 1]; e++) {
            uint32_t j = links->partner[e];
            masks is_before = __builtin_convertvector(rank[j] < own, masks);
            double w = has_weights ? room->weight[j] * links->weight[e] : room->weight[j];
            masks bits = (masks)(doubles){w, w, w, w};
            weight[0] += (doubles)(bits & is_before);
            weight[1] += (doubles)(bits & ~is_before);
            if (!has_values) continue;
            double v = w * links->value[e];
            bits = (masks)(doubles){v, v, v, v};
            value[0] += (doubles)(bits & is_before);
            value[1] += (doubles)(bits & ~is_before);
        }
        sums[4 * k] = weight[0];
        sums[4 * k + 1] = weight[1];
        if (!has_values) continue;
        sums[4 * k + 2] = value[0];
        sums[4 * k + 3] = value[1];
    }
}

/* ---- which of these ---- */

static void sum_up(sm_links_room *room) {
    bool has_values = room->links->value != NULL, has_weights = room->links->weight != NULL;
    bool is_one = room->n_lanes == 1;
    if (!has_values && !has_weights && room->is_whole)
        is_one ? sum_whole(room) : sum_whole_lanes(room);
    else if (!has_values && !has_weights)
        is_one ? sum_any(room, false, false) : sum_any_lanes(room, false, false);
    else if (!has_values)
        is_one ? sum_any(room, false, true) : sum_any_lanes(room, false, true);
    else if (!has_weights)
        is_one ? sum_any(room, true, false) : sum_any_lanes(room, true, false);
    else
        is_one ? sum_any(room, true, true) : sum_any_lanes(room, true, true);
}

size_t sm_links_line_up(sm_links_room *room, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    bool is_one = line_ups == NULL || n_line_ups == 1 || node->n > room->n_cells / SM_LINKS_LANES;
    size_t n_seen = is_one ? 1 : n_line_ups < SM_LINKS_LANES ? n_line_ups : SM_LINKS_LANES;
    room->n_lanes = is_one ? 1 : SM_LINKS_LANES;
    for (size_t lane = 0; lane < room->n_lanes; lane++) {
        const uint32_t *order =
            line_ups != NULL ? line_ups[lane < n_seen ? lane : 0].order : NULL; /* some lanes idle */
        for (size_t r = 0; r < node->n; r++)
            room->rank[(order != NULL ? order[r] : r) * room->n_lanes + lane] = (int32_t)r;
    }
    sum_up(room);
    return n_seen;
}
