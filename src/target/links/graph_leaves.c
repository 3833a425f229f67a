/* graph_leaves.c - how far apart two leaves are in a graph: 1, less what their links take away.
 *
 * h(l, l') is 1 - S / (W_l W_l'), S the sum over i in l of w_i (sum over its partners j in l' of w_j (1 - z_ij)). To make
 * h(l, l') and h(l', l) the same to the last bit, the outer sum always runs over the leaf with the smaller number. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/links/graph.h"

typedef struct summary {
    sm_places places;
    double *apart; /* [n_nodes] mean distance of different members; NaN: there is but one */
} summary;

/* ---- before the first question ---- */

size_t sm_graph_summary_bytes(const smerf_target *target, size_t n_leaves) {
    return sm_size(target->n_rows, 2 * sizeof(uint32_t), sm_size(n_leaves, 2 * sizeof(double), sizeof(summary)));
}

static double mean_of(const sm_graph *graph, const sm_pair_sums *sums) {
    return sums->all > 0 ? fmax(1 - (sums->weight - sums->value) / sums->all, graph->least) : NAN;
}

void *sm_graph_summarise(const smerf_target *target, const sm_leaves *leaves) {
    const sm_graph *graph = sm_graph_of(target);
    summary *made = sm_zeros(1, sizeof *made);
    sm_pair_sums *sums = sm_array(leaves->n_nodes, sizeof *sums);
    bool has_room = made != NULL && sums != NULL && sm_places_start(&made->places, target->n_rows, leaves);
    if (has_room) made->apart = sm_array(leaves->n_nodes, sizeof *made->apart);
    has_room = has_room && made->apart != NULL && sm_links_sum_nodes(graph->links, leaves, &made->places, sums);
    for (size_t node = 0; node < leaves->n_nodes && has_room; node++) made->apart[node] = mean_of(graph, &sums[node]);
    sm_free(sums);
    if (has_room) return made;
    sm_graph_summary_free(made);
    return NULL;
}

void sm_graph_summary_free(void *made) {
    summary *old = made;
    if (old == NULL) return;
    sm_places_free(&old->places);
    sm_free(old->apart);
    sm_free(old);
}

/* ---- two leaves ---- */

/* The sum over an item's partners j in a leaf of w_j (1 - z_ij): through its partners, or through the leaf's members,
 * whichever are few. Both are in the order of the items. */
static double sum_partners(const sm_links *links, const sm_leaves *leaves, const sm_places *places, size_t item,
                           size_t leaf) {
    size_t first = leaves->first[leaf], end = leaves->first[leaf + 1];
    double sum = 0;
    if (links->first[item + 1] - links->first[item] > 16 * (end - first)) {
        for (size_t m = first; m < end; m++) {
            size_t e = sm_links_find(links, item, leaves->item[m]);
            if (e < links->first[item + 1]) sum += leaves->weight[m] * (1 - sm_links_value(links, e));
        }
        return sum;
    }
    for (size_t e = links->first[item]; e < links->first[item + 1]; e++) {
        uint32_t m = places->place[links->partner[e]];
        if (sm_place_is_in(m, first, end)) sum += leaves->weight[m] * (1 - sm_links_value(links, e));
    }
    return sum;
}

/* S; a <= b. */
static double sum_links(const sm_links *links, const sm_leaves *leaves, const sm_places *places, size_t a, size_t b) {
    double sum = 0;
    for (size_t m = leaves->first[a]; m < leaves->first[a + 1]; m++)
        sum += leaves->weight[m] * sum_partners(links, leaves, places, leaves->item[m], b);
    return sum;
}

static double distance_to_other(const sm_graph *graph, const sm_leaves *leaves, size_t a, size_t b, double linked) {
    return fmax(1 - linked / (leaves->total[a] * leaves->total[b]), graph->least);
}

static double distance_to_itself(const sm_graph *graph, const sm_leaves *leaves, const sm_places *places, size_t leaf) {
    double apart = 0, same = 0, so_far = 0, all = leaves->total[leaf] * leaves->total[leaf];
    for (size_t m = leaves->first[leaf]; m < leaves->first[leaf + 1]; m++) {
        apart += 2 * leaves->weight[m] * so_far;
        same += leaves->weight[m] * leaves->weight[m];
        so_far += leaves->weight[m];
    }
    double linked = sum_links(graph->links, leaves, places, leaf, leaf);
    return fmax((apart - linked) / all + same / all * graph->self, graph->least);
}

double sm_graph_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b) {
    const sm_graph *graph = sm_graph_of(target);
    const sm_places *places = &((const summary *)leaves->summary)->places;
    if (a > b) return sm_graph_leaf_pair(target, leaves, b, a);
    if (a == b) return distance_to_itself(graph, leaves, places, a);
    return distance_to_other(graph, leaves, a, b, sum_links(graph->links, leaves, places, a, b));
}

/* ---- one leaf and all ---- */

/* Adds to row[l] for the leaves l > leaf: the outer sum runs over this leaf. The inner sums of one item wait at the first
 * member of their leaf until all of its partners were seen. */
static void add_later_leaves(const sm_links *links, const sm_leaves *leaves, const sm_places *places, size_t leaf,
                             double *row, double *inner) {
    for (size_t a = leaves->first[leaf]; a < leaves->first[leaf + 1]; a++) {
        size_t item = leaves->item[a], end = links->first[item + 1];
        for (size_t e = links->first[item]; e < end; e++) {
            uint32_t m = places->place[links->partner[e]];
            if (m == SMERF_MISSING || places->leaf[m] <= leaf) continue;
            inner[leaves->first[places->leaf[m]]] += leaves->weight[m] * (1 - sm_links_value(links, e));
        }
        for (size_t e = links->first[item]; e < end; e++) {
            uint32_t m = places->place[links->partner[e]];
            if (m == SMERF_MISSING || places->leaf[m] <= leaf) continue;
            double *waiting = &inner[leaves->first[places->leaf[m]]];
            row[places->leaf[m]] += leaves->weight[a] * *waiting;
            *waiting = 0;
        }
    }
}

/* Adds to row[l] for the leaves l < leaf: the outer sum runs over them, so the inner sums over this leaf are formed
 * first, one for every member of an earlier leaf. A leaf is done when the first of its members with a sum is met. */
static void add_earlier_leaves(const sm_links *links, const sm_leaves *leaves, const sm_places *places, size_t leaf,
                               double *row, double *inner) {
    for (size_t a = leaves->first[leaf]; a < leaves->first[leaf + 1]; a++) {
        size_t item = leaves->item[a];
        for (size_t e = links->first[item]; e < links->first[item + 1]; e++) {
            uint32_t m = places->place[links->partner[e]];
            if (m < leaves->first[leaf]) inner[m] += leaves->weight[a] * (1 - sm_links_value(links, e));
        }
    }
    for (size_t a = leaves->first[leaf]; a < leaves->first[leaf + 1]; a++) {
        size_t item = leaves->item[a];
        for (size_t e = links->first[item]; e < links->first[item + 1]; e++) {
            uint32_t met = places->place[links->partner[e]];
            if (met >= leaves->first[leaf] || inner[met] == 0) continue;
            size_t l = places->leaf[met];
            for (size_t m = leaves->first[l]; m < leaves->first[l + 1]; m++) {
                row[l] += leaves->weight[m] * inner[m];
                inner[m] = 0;
            }
        }
    }
}

/* Most leaves have no link with this one, and are at distance 1. */
void sm_graph_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row, double *scratch) {
    const sm_graph *graph = sm_graph_of(target);
    const sm_places *places = &((const summary *)leaves->summary)->places;
    double unlinked = fmax(1, graph->least);
    memset(row, 0, leaves->n * sizeof *row);
    memset(scratch, 0, leaves->first[leaves->n] * sizeof *scratch);
    add_earlier_leaves(graph->links, leaves, places, leaf, row, scratch);
    add_later_leaves(graph->links, leaves, places, leaf, row, scratch);
    for (size_t l = 0; l < leaves->n; l++)
        row[l] = row[l] == 0 ? unlinked : distance_to_other(graph, leaves, leaf, l, row[l]);
    row[leaf] = distance_to_itself(graph, leaves, places, leaf);
}

double sm_graph_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end) {
    const sm_graph *graph = sm_graph_of(target);
    const summary *made = leaves->summary;
    size_t node = sm_leaves_find(leaves, &made->places, first, end);
    if (node < leaves->n_nodes) return made->apart[node];
    const sm_pair_sums sums = sm_links_sum(graph->links, leaves, &made->places, first, end);
    return mean_of(graph, &sums);
}

/* ---- a leaf and nodes ---- */

void sm_graph_path_means(const smerf_target *target, const sm_nodes *nodes, size_t leaf, const uint32_t *path, size_t n,
                         double *mean, double *scratch) {
    const sm_graph *graph = sm_graph_of(target);
    const sm_leaves *leaves = nodes->leaves;
    double *weight = scratch, *value = scratch + n, same = 0, linked = 0;
    size_t first = leaves->first[leaf], end = leaves->first[leaf + 1];
    memset(scratch, 0, 2 * n * sizeof *scratch);
    const sm_path_sums sums = {.path = path, .n = n, .weight = weight, .value = value};
    sm_links_add_path(graph->links, leaves, &((const summary *)leaves->summary)->places, first, end, &sums);
    for (size_t m = first; m < end; m++) same += leaves->weight[m] * leaves->weight[m];
    for (size_t k = n; k-- > 0;) {
        linked += weight[k] - value[k];
        double own = sm_node_holds(leaves, path[k], leaf) ? same * (1 - graph->self) : 0;
        mean[k] = fmax(1 - (linked + own) / (leaves->total[leaf] * nodes->total[path[k]]), graph->least);
    }
    size_t last = leaves->first_leaf[path[n - 1]];
    if (leaves->node[last] == path[n - 1]) mean[n - 1] = sm_graph_leaf_pair(target, leaves, leaf, last);
}
