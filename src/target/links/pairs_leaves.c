/* pairs_leaves.c - how far apart two leaves are, where only some pairs are known.
 *
 * h(l, l') is the mean over the observed pairs between the leaves, an item and itself counted where l = l'. Where there
 * is none, both leaves climb at the same time, step by step to their parents (the root stays where it is), until there is
 * an observed pair of different items between the two sets; sets that overlap have the pairs inside the overlap, too. So
 * h(l, l') = h(l', l) by construction, and a tree is silent of all other leaves or of none.
 *
 * One leaf against all costs few passes over the leaves: sums for each leaf, then running totals, so that the sums for
 * any node are the difference of two of them. Such differences are exact (pairs_exact.h). That is also why it does not
 * matter in which order, or from which side, the pairs are added up: the bits are the same. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/links/pairs.h"
#include "target/links/pairs_exact.h"

typedef struct summary {
    sm_places places;
    double *apart;    /* [n_nodes] mean distance of different members; NaN: none is known */
    sm_exact weights; /* sums of w_i w_j weight_ij */
    sm_exact values;  /* and of w_i w_j weight_ij z_ij: as many words */
} summary;

/* Both sums, the weights first. */
typedef struct sums {
    uint64_t words[2 * SM_EXACT_MOST_WORDS];
} sums;

/* ---- before the first question ---- */

size_t sm_pairs_summary_bytes(const smerf_target *target, size_t n_leaves) {
    return sm_size(target->n_rows, 2 * sizeof(uint32_t), sm_size(n_leaves, 2 * sizeof(double), sizeof(summary)));
}

static void choose_units(const sm_known_pairs *pairs, const sm_leaves *leaves, summary *made) {
    double least = INFINITY, most = 0;
    for (size_t m = 0; m < leaves->first[leaves->n]; m++) {
        least = fmin(least, leaves->weight[m]);
        most = fmax(most, leaves->weight[m]);
    }
    made->weights = made->values = sm_exact_for(least * least * pairs->least_weight, most * most * pairs->most_weight,
                                                pairs->links->n + leaves->first[leaves->n]);
    if (pairs->largest > 0) made->values.unit += ilogb(pairs->largest) + 1;
}

void *sm_pairs_summarise(const smerf_target *target, const sm_leaves *leaves) {
    const sm_known_pairs *pairs = sm_known_pairs_of(target);
    summary *made = sm_zeros(1, sizeof *made);
    sm_pair_sums *inside = sm_array(leaves->n_nodes, sizeof *inside);
    bool has_room = made != NULL && inside != NULL && sm_places_start(&made->places, target->n_rows, leaves);
    if (has_room) made->apart = sm_array(leaves->n_nodes, sizeof *made->apart);
    has_room = has_room && made->apart != NULL && sm_links_sum_nodes(pairs->links, leaves, &made->places, inside);
    for (size_t node = 0; node < leaves->n_nodes && has_room; node++)
        made->apart[node] = inside[node].weight > 0 ? inside[node].value / inside[node].weight : NAN;
    sm_free(inside);
    if (has_room) {
        choose_units(pairs, leaves, made);
        return made;
    }
    sm_pairs_summary_free(made);
    return NULL;
}

void sm_pairs_summary_free(void *made) {
    summary *old = made;
    if (old == NULL) return;
    sm_places_free(&old->places);
    sm_free(old->apart);
    sm_free(old);
}

static bool is_silent(const summary *made) { return isnan(made->apart[0]); }

/* ---- sums ---- */

static void add_pair(const summary *made, uint64_t *words, double weight, double value) {
    sm_exact_add(&made->weights, words, weight);
    sm_exact_add(&made->values, words + made->weights.n_words, weight * value);
}

static bool has_pairs(const summary *made, const uint64_t *words) {
    for (size_t w = 0; w < made->weights.n_words; w++)
        if (words[w] != 0) return true;
    return false;
}

static double mean_of(const summary *made, const uint64_t *words) {
    return sm_exact_get(&made->values, words + made->weights.n_words) / sm_exact_get(&made->weights, words);
}

/* Adds the observed pairs of one member with the members first .. end - 1. The products are the same from both sides. */
static void add_member(const sm_known_pairs *pairs, const sm_leaves *leaves, const summary *made, size_t m,
                       size_t first, size_t end, uint64_t *words) {
    const sm_links *links = pairs->links;
    size_t item = leaves->item[m];
    for (size_t e = links->first[item]; e < links->first[item + 1]; e++) {
        uint32_t other = made->places.place[links->partner[e]];
        if (!sm_place_is_in(other, first, end)) continue;
        add_pair(made, words, leaves->weight[m] * leaves->weight[other] * sm_links_weight(links, e),
                 sm_links_value(links, e));
    }
}

static double distance_to_itself(const sm_known_pairs *pairs, const sm_leaves *leaves, const summary *made,
                                 size_t leaf) {
    sums all = {0};
    size_t first = leaves->first[leaf], end = leaves->first[leaf + 1];
    for (size_t m = first; m < end; m++) {
        add_pair(made, all.words, leaves->weight[m] * leaves->weight[m], sm_known_self(pairs, leaves->item[m]));
        add_member(pairs, leaves, made, m, first, end, all.words);
    }
    return mean_of(made, all.words);
}

/* ---- two leaves ---- */

static size_t first_member(const sm_leaves *leaves, size_t node) { return leaves->first[leaves->first_leaf[node]]; }
static size_t end_member(const sm_leaves *leaves, size_t node) { return leaves->first[leaves->end_leaf[node]]; }

/* Over the observed pairs of different members between two nodes, through the members of the smaller one. */
static void add_between(const sm_known_pairs *pairs, const sm_leaves *leaves, const summary *made, size_t a, size_t b,
                        uint64_t *words) {
    size_t first_a = first_member(leaves, a), end_a = end_member(leaves, a);
    size_t first_b = first_member(leaves, b), end_b = end_member(leaves, b);
    if (end_a - first_a > end_b - first_b) {
        add_between(pairs, leaves, made, b, a, words);
        return;
    }
    for (size_t m = first_a; m < end_a; m++) add_member(pairs, leaves, made, m, first_b, end_b, words);
}

double sm_pairs_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b) {
    const sm_known_pairs *pairs = sm_known_pairs_of(target);
    const summary *made = leaves->summary;
    if (a == b) return distance_to_itself(pairs, leaves, made, a);
    if (is_silent(made)) return NAN;
    sums all = {0};
    size_t left = leaves->node[a], right = leaves->node[b];
    for (;; left = leaves->parent[left], right = leaves->parent[right]) {
        add_between(pairs, leaves, made, left, right, all.words);
        if (has_pairs(made, all.words)) return mean_of(made, all.words);
        if (left == 0 && right == 0) return NAN;
    }
}

/* ---- one leaf and all ---- */

/* Where all leaves are on their way up. The totals are of the pairs between this leaf's node and the leaves before each
 * leaf; while pairs are added, those with leaf l alone stand at l + 1. */
typedef struct climb {
    uint64_t *totals;  /* [leaves + 1][2 n_words] */
    uint32_t *at;      /* [leaves] the node that each has come to */
    size_t node;       /* that this leaf has come to, */
    size_t first, end; /* and its members */
} climb;

static uint64_t *total_at(const climb *up, const summary *made, size_t leaf) {
    return up->totals + leaf * 2 * made->weights.n_words;
}

static void add_members(const sm_known_pairs *pairs, const sm_leaves *leaves, const summary *made, climb *up,
                        size_t first, size_t end) {
    const sm_links *links = pairs->links;
    for (size_t m = first; m < end; m++) {
        size_t item = leaves->item[m];
        for (size_t e = links->first[item]; e < links->first[item + 1]; e++) {
            uint32_t other = made->places.place[links->partner[e]];
            if (other == SMERF_MISSING) continue;
            add_pair(made, total_at(up, made, made->places.leaf[other] + 1),
                     leaves->weight[m] * leaves->weight[other] * sm_links_weight(links, e), sm_links_value(links, e));
        }
    }
}

static void add_up(const sm_leaves *leaves, const summary *made, climb *up) {
    size_t n_words = made->weights.n_words;
    for (size_t l = 1; l <= leaves->n; l++) {
        uint64_t *here = total_at(up, made, l), *before = total_at(up, made, l - 1);
        sm_exact_add_sum(&made->weights, here, before);
        sm_exact_add_sum(&made->values, here + n_words, before + n_words);
    }
}

static void take_apart(const sm_leaves *leaves, const summary *made, climb *up) {
    size_t n_words = made->weights.n_words;
    for (size_t l = leaves->n; l > 0; l--) {
        uint64_t *here = total_at(up, made, l), *before = total_at(up, made, l - 1);
        sm_exact_take_sum(&made->weights, here, before);
        sm_exact_take_sum(&made->values, here + n_words, before + n_words);
    }
}

/* This leaf goes to a node, whose members are those that it has and others on one side. */
static void go_to(const sm_known_pairs *pairs, const sm_leaves *leaves, const summary *made, climb *up, size_t node) {
    size_t first = first_member(leaves, node), end = end_member(leaves, node);
    add_members(pairs, leaves, made, up, first, up->first);
    add_members(pairs, leaves, made, up, up->end, end);
    add_up(leaves, made, up);
    up->node = node;
    up->first = first;
    up->end = end;
}

/* Answers for the leaves whose nodes have pairs with this one's; the others climb. Returns how many can. */
static size_t answer(const sm_leaves *leaves, const summary *made, climb *up, double *row) {
    size_t n_open = 0, n_words = made->weights.n_words;
    for (size_t l = 0; l < leaves->n; l++) {
        if (!isnan(row[l])) continue;
        const uint64_t *first = total_at(up, made, leaves->first_leaf[up->at[l]]);
        const uint64_t *end = total_at(up, made, leaves->end_leaf[up->at[l]]);
        if (memcmp(first, end, n_words * sizeof *first) == 0) {
            n_open += up->node != 0 || up->at[l] != 0;
            up->at[l] = leaves->parent[up->at[l]];
            continue;
        }
        sums all;
        memcpy(all.words, end, 2 * n_words * sizeof *end);
        sm_exact_take_sum(&made->weights, all.words, first);
        sm_exact_take_sum(&made->values, all.words + n_words, first + n_words);
        row[l] = mean_of(made, all.words);
    }
    return n_open;
}

static bool climb_start(climb *up, const sm_leaves *leaves, const summary *made, size_t leaf) {
    *up = (climb){.first = leaves->first[leaf], .end = leaves->first[leaf]};
    up->totals = sm_zeros(sm_size(leaves->n, 1, 1), 2 * made->weights.n_words * sizeof *up->totals);
    up->at = sm_copy(leaves->node, leaves->n, sizeof *up->at);
    return up->totals != NULL && up->at != NULL;
}

static void climb_free(climb *up) {
    sm_free(up->totals);
    sm_free(up->at);
}

void sm_pairs_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row, double *scratch) {
    const sm_known_pairs *pairs = sm_known_pairs_of(target);
    const summary *made = leaves->summary;
    climb up;
    (void)scratch;
    for (size_t l = 0; l < leaves->n; l++) row[l] = NAN;
    row[leaf] = distance_to_itself(pairs, leaves, made, leaf);
    if (is_silent(made)) return;
    if (climb_start(&up, leaves, made, leaf)) {
        go_to(pairs, leaves, made, &up, leaves->node[leaf]);
        while (answer(leaves, made, &up, row) > 0) {
            if (up.node == 0) continue; /* the others climb on */
            take_apart(leaves, made, &up);
            go_to(pairs, leaves, made, &up, leaves->parent[up.node]);
        }
    } else { /* slower, and in no room at all */
        for (size_t l = 0; l < leaves->n; l++) row[l] = sm_pairs_leaf_pair(target, leaves, leaf, l);
    }
    climb_free(&up);
}

double sm_pairs_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end) {
    const summary *made = leaves->summary;
    size_t node = sm_leaves_find(leaves, &made->places, first, end);
    if (node < leaves->n_nodes) return made->apart[node];
    const sm_pair_sums inside = sm_links_sum(sm_known_pairs_of(target)->links, leaves, &made->places, first, end);
    return inside.weight > 0 ? inside.value / inside.weight : NAN;
}

/* ---- nodes ---- */

bool sm_pairs_root_means(const smerf_target *target, const sm_nodes *nodes, double *mean) {
    const sm_known_pairs *pairs = sm_known_pairs_of(target);
    const sm_leaves *leaves = nodes->leaves;
    const summary *made = leaves->summary;
    const uint32_t root = 0;
    double *weight = sm_zeros(leaves->n_nodes, sizeof *weight);
    if (weight == NULL) return false;
    memset(mean, 0, leaves->n_nodes * sizeof *mean);
    for (size_t l = 0; l < leaves->n; l++) {
        size_t node = leaves->node[l];
        for (size_t m = leaves->first[l]; m < leaves->first[l + 1]; m++) {
            double own = leaves->weight[m] * leaves->weight[m];
            weight[node] += own;
            mean[node] += own * sm_known_self(pairs, leaves->item[m]);
        }
        const sm_path_sums along = {.path = &root, .n = 1, .weight = &weight[node], .value = &mean[node]};
        sm_links_add_path(pairs->links, leaves, &made->places, leaves->first[l], leaves->first[l + 1], &along);
    }
    for (size_t node = leaves->n_nodes; node-- > 0;) {
        if (node > 0) {
            weight[leaves->parent[node]] += weight[node];
            mean[leaves->parent[node]] += mean[node];
        }
        mean[node] /= weight[node];
    }
    sm_free(weight);
    return true;
}

/* Answers for those nodes of a path that have pairs with this leaf's node `n_up` steps up, themselves as many steps up.
 * Returns how many are open. */
static size_t answer_path(const double *weight, const double *value, size_t n, size_t n_up, double *mean) {
    double all_weight = 0, all_value = 0;
    size_t n_open = 0;
    for (size_t k = n; k-- > 0;) {
        all_weight += weight[k];
        all_value += value[k];
        size_t from = k > 0 ? k + n_up : 0, to = k + n_up < n ? k + n_up : n - 1;
        for (size_t query = from; query <= to; query++) {
            if (!isnan(mean[query])) continue;
            if (all_weight > 0)
                mean[query] = all_value / all_weight;
            else
                n_open++;
        }
    }
    return n_open;
}

void sm_pairs_path_means(const smerf_target *target, const sm_nodes *nodes, size_t leaf, const uint32_t *path, size_t n,
                         double *mean, double *scratch) {
    const sm_known_pairs *pairs = sm_known_pairs_of(target);
    const sm_leaves *leaves = nodes->leaves;
    const summary *made = leaves->summary;
    double *weight = scratch, *value = scratch + n, own_weight = 0, own_value = 0, so_far_weight = 0, so_far_value = 0;
    size_t node = leaves->node[leaf], first = first_member(leaves, node), end = end_member(leaves, node);
    const sm_path_sums along = {.path = path, .n = n, .weight = weight, .value = value};
    memset(scratch, 0, 2 * n * sizeof *scratch);
    sm_links_add_path(pairs->links, leaves, &made->places, first, end, &along);
    for (size_t m = first; m < end; m++) {
        own_weight += leaves->weight[m] * leaves->weight[m];
        own_value += leaves->weight[m] * leaves->weight[m] * sm_known_self(pairs, leaves->item[m]);
    }
    for (size_t k = n; k-- > 0;) { /* nodes that have the leaf itself */
        so_far_weight += weight[k];
        so_far_value += value[k];
        bool holds = sm_node_holds(leaves, path[k], leaf);
        mean[k] = holds ? (so_far_value + own_value) / (so_far_weight + own_weight) : NAN;
    }
    for (size_t n_up = 0; answer_path(weight, value, n, n_up, mean) > 0 && !is_silent(made); n_up++) {
        size_t was_first = first, was_end = end;
        node = leaves->parent[node];
        first = first_member(leaves, node);
        end = end_member(leaves, node);
        sm_links_add_path(pairs->links, leaves, &made->places, first, was_first, &along);
        sm_links_add_path(pairs->links, leaves, &made->places, was_end, end, &along);
    }
    size_t last = leaves->first_leaf[path[n - 1]];
    if (leaves->node[last] == path[n - 1]) mean[n - 1] = sm_pairs_leaf_pair(target, leaves, leaf, last);
}
