/* links_leaves.c - where items are in a tree, and sums over the linked pairs below each of its nodes.
 *
 * A pair counts for the lowest node that holds both its members, and for all above it. That node is found by going
 * through the leaves in order: the leaves so far fall into groups, those that meet the current leaf at the same node,
 * and a step to the next leaf joins the last groups to one (Tarjan's off-line method, with a stack of groups). */
#include <string.h>

#include "base/memory.h"
#include "target/links/links.h"

bool sm_places_start(sm_places *places, size_t n_items, const sm_leaves *leaves) {
    places->place = sm_array(n_items, sizeof *places->place);
    places->leaf = sm_array(leaves->first[leaves->n], sizeof *places->leaf);
    if (places->place == NULL || places->leaf == NULL) {
        sm_places_free(places);
        return false;
    }
    for (size_t i = 0; i < n_items; i++) places->place[i] = SMERF_MISSING;
    for (size_t l = 0; l < leaves->n; l++)
        for (size_t m = leaves->first[l]; m < leaves->first[l + 1]; m++) {
            places->place[leaves->item[m]] = (uint32_t)m;
            places->leaf[m] = (uint32_t)l;
        }
    return true;
}

void sm_places_free(sm_places *places) {
    sm_free(places->place);
    sm_free(places->leaf);
    *places = (sm_places){0};
}

static void add_pair(sm_pair_sums *sums, const sm_links *links, size_t entry, double both) {
    double weight = both * sm_links_weight(links, entry);
    sums->weight += weight;
    sums->value += weight * sm_links_value(links, entry);
}

/* ---- any members ---- */

sm_pair_sums sm_links_sum(const sm_links *links, const sm_leaves *leaves, const sm_places *places, size_t first,
                          size_t end) {
    sm_pair_sums sums = {0};
    double so_far = 0;
    for (size_t m = first; m < end; m++) {
        size_t item = leaves->item[m];
        sums.all += leaves->weight[m] * so_far;
        so_far += leaves->weight[m];
        for (size_t e = links->first[item]; e < links->first[item + 1]; e++) {
            uint32_t other = places->place[links->partner[e]];
            if (sm_place_is_in(other, first, m)) add_pair(&sums, links, e, leaves->weight[m] * leaves->weight[other]);
        }
    }
    return sums;
}

/* Most partners are far away: the way is searched from the root. */
void sm_links_add_path(const sm_links *links, const sm_leaves *leaves, const sm_places *places, size_t first,
                       size_t end, const sm_path_sums *to) {
    const uint32_t *path = to->path;
    size_t n = to->n;
    for (size_t m = first; m < end; m++) {
        size_t item = leaves->item[m];
        for (size_t e = links->first[item]; e < links->first[item + 1]; e++) {
            uint32_t other = places->place[links->partner[e]];
            if (other == SMERF_MISSING) continue;
            size_t k = 0, leaf = places->leaf[other];
            while (k + 1 < n && sm_node_holds(leaves, path[k + 1], leaf)) k++;
            double both = leaves->weight[m] * leaves->weight[other] * sm_links_weight(links, e);
            to->weight[k] += both;
            to->value[k] += both * sm_links_value(links, e);
        }
    }
}

size_t sm_leaves_find(const sm_leaves *leaves, const sm_places *places, size_t first, size_t end) {
    if (first >= end) return leaves->n_nodes;
    for (size_t node = leaves->node[places->leaf[first]];; node = leaves->parent[node]) {
        size_t from = leaves->first[leaves->first_leaf[node]], to = leaves->first[leaves->end_leaf[node]];
        if (from == first && to == end) return node;
        if (node == 0 || from < first || to > end) return leaves->n_nodes;
    }
}

/* ---- all nodes ---- */

/* The leaves before the current one, in groups that meet it at the same node. */
typedef struct meeting {
    sm_arena arena;
    uint32_t *top;   /* [leaves] the highest node that starts with each leaf */
    uint32_t *up;    /* [leaves] another leaf of the same group, or itself: the one that speaks for the group */
    uint32_t *node;  /* [leaves] where the group meets the current leaf, by the one that speaks for it */
    uint32_t *stack; /* [leaves] who speaks for each group, from the highest node to the lowest */
    size_t n_groups;
} meeting;

static bool meeting_start(meeting *at, const sm_leaves *leaves) {
    *at = (meeting){0};
    at->top = sm_arena_take(&at->arena, leaves->n, sizeof *at->top);
    at->up = sm_arena_take(&at->arena, leaves->n, sizeof *at->up);
    at->node = sm_arena_take(&at->arena, leaves->n, sizeof *at->node);
    at->stack = sm_arena_take(&at->arena, leaves->n, sizeof *at->stack);
    if (at->arena.has_failed) {
        sm_arena_free(&at->arena);
        return false;
    }
    for (size_t node = leaves->n_nodes; node-- > 0;) at->top[leaves->first_leaf[node]] = (uint32_t)node;
    return true;
}

static uint32_t group_of(meeting *at, uint32_t leaf) {
    while (at->up[leaf] != leaf) {
        at->up[leaf] = at->up[at->up[leaf]];
        leaf = at->up[leaf];
    }
    return leaf;
}

/* From leaf - 1 to leaf: what met at or below the node that both are in now meets there. */
static void step_to(meeting *at, const sm_leaves *leaves, uint32_t leaf) {
    uint32_t before = leaf - 1, meet = leaves->parent[at->top[leaf]];
    at->up[before] = before;
    while (at->n_groups > 0 && at->node[at->stack[at->n_groups - 1]] >= meet)
        at->up[at->stack[--at->n_groups]] = before;
    at->node[before] = meet;
    at->stack[at->n_groups++] = before;
}

static void add_leaf(const sm_links *links, const sm_leaves *leaves, const sm_places *places, meeting *at,
                     uint32_t leaf, sm_pair_sums *sums) {
    for (size_t m = leaves->first[leaf]; m < leaves->first[leaf + 1]; m++) {
        size_t item = leaves->item[m];
        for (size_t e = links->first[item]; e < links->first[item + 1]; e++) {
            uint32_t other = places->place[links->partner[e]];
            if (other == SMERF_MISSING || other >= m) continue;
            uint32_t other_leaf = places->leaf[other];
            uint32_t meet = other_leaf == leaf ? leaves->node[leaf] : at->node[group_of(at, other_leaf)];
            add_pair(&sums[meet], links, e, leaves->weight[m] * leaves->weight[other]);
        }
    }
}

/* Gives what each node has to its parent. Children come after their parents, the right one last.   total  scratch */
static void add_upwards(const sm_leaves *leaves, sm_pair_sums *sums, double *total) {
    memset(total, 0, leaves->n_nodes * sizeof *total);
    for (size_t l = 0; l < leaves->n; l++)
        for (size_t m = leaves->first[l]; m < leaves->first[l + 1]; m++) {
            size_t node = leaves->node[l];
            sums[node].all += leaves->weight[m] * total[node];
            total[node] += leaves->weight[m];
        }
    for (size_t node = leaves->n_nodes; node-- > 1;) {
        size_t parent = leaves->parent[node];
        sums[parent].all += sums[node].all + total[parent] * total[node];
        sums[parent].weight += sums[node].weight;
        sums[parent].value += sums[node].value;
        total[parent] += total[node];
    }
}

bool sm_links_sum_nodes(const sm_links *links, const sm_leaves *leaves, const sm_places *places, sm_pair_sums *sums) {
    meeting at;
    double *total = sm_array(leaves->n_nodes, sizeof *total);
    if (total == NULL || !meeting_start(&at, leaves)) {
        sm_free(total);
        return false;
    }
    memset(sums, 0, leaves->n_nodes * sizeof *sums);
    for (uint32_t leaf = 0; leaf < leaves->n; leaf++) {
        if (leaf > 0) step_to(&at, leaves, leaf);
        add_leaf(links, leaves, places, &at, leaf, sums);
    }
    add_upwards(leaves, sums, total);
    sm_arena_free(&at.arena);
    sm_free(total);
    return true;
}
