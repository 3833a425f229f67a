/* labels_leaves.c - how far apart two leaves are: 1 less the chance that two members have the same class,
 * h(l, l') = 1 - sum over the classes c of p_lc p_l'c, with p_lc the fraction of c in l.
 *
 * A tree's leaves are summarised twice: for each leaf the classes it holds, and for each class the leaves that hold it.
 * Two leaves have few classes in common, so a pair merges two short lists, and a row visits only the leaves that have a class in common
 * with it. Both take the products off in the order of the classes: the same bits from either side. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/labels/labels.h"

typedef struct summary {
    sm_arena arena;
    uint32_t *first;         /* [leaves + 1] indices into the two below */
    uint32_t *label;         /* the classes that a leaf holds, ascending */
    double *fraction;        /* and their fractions */
    uint32_t *first_holder;  /* [classes + 1] indices into the two below */
    uint32_t *holder;        /* the leaves that hold a class, ascending */
    double *holder_fraction; /* and its fractions in them */
    uint32_t *by_class;      /* [members] class after class, ascending in each */
} summary;

size_t sm_labels_summary_bytes(const smerf_target *target, size_t n_leaves) {
    size_t per_member = 3 * sizeof(uint32_t) + 2 * sizeof(double); /* a leaf holds at most one class a member */
    return target->n_rows * per_member + (n_leaves + sm_labels_of(target)->classes->n + 2) * sizeof(uint32_t);
}

void sm_labels_summary_free(void *made) {
    summary *leaves = made;
    if (leaves == NULL) return;
    sm_arena_free(&leaves->arena);
    sm_free(leaves);
}

/* Counts become the indices where each of n lists starts; [n] is where the last one ends. */
static void counts_to_first(uint32_t *counts, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i <= n; i++) {
        uint32_t count = i < n ? counts[i] : 0;
        counts[i] = sum;
        sum += count;
    }
}

/* Fills by_class and, for each member, its leaf.   next  [classes + 1] scratch */
static void sort_labels_members(const sm_labels *labels, const sm_leaves *leaves, uint32_t *by_class, uint32_t *leaf_of,
                                uint32_t *next) {
    size_t n_classes = labels->classes->n, n_members = leaves->first[leaves->n];
    memset(next, 0, (n_classes + 1) * sizeof *next);
    for (size_t l = 0; l < leaves->n; l++)
        for (size_t m = leaves->first[l]; m < leaves->first[l + 1]; m++) leaf_of[m] = (uint32_t)l;
    for (size_t m = 0; m < n_members; m++) next[labels->class_of[leaves->item[m]]]++;
    counts_to_first(next, n_classes);
    for (size_t m = 0; m < n_members; m++) by_class[next[labels->class_of[leaves->item[m]]]++] = (uint32_t)m;
}

/* Members of one class and one leaf stand next to each other: they become one holder. Returns how many there are. */
static size_t find_holders(const sm_labels *labels, const sm_leaves *leaves, const uint32_t *leaf_of, summary *made) {
    size_t n_members = leaves->first[leaves->n], n_classes = labels->classes->n, n_holders = 0;
    memset(made->first_holder, 0, (n_classes + 1) * sizeof *made->first_holder);
    for (size_t p = 0; p < n_members;) {
        uint32_t member = made->by_class[p], leaf = leaf_of[member], label = labels->class_of[leaves->item[member]];
        double weight = 0;
        for (; p < n_members; p++) {
            member = made->by_class[p];
            if (leaf_of[member] != leaf || labels->class_of[leaves->item[member]] != label) break;
            weight += leaves->weight[member];
        }
        made->first_holder[label]++;
        made->holder[n_holders] = leaf;
        made->holder_fraction[n_holders++] = weight / leaves->total[leaf];
    }
    counts_to_first(made->first_holder, n_classes);
    return n_holders;
}

/* The same by leaf. */
static void find_classes(size_t n_leaves, size_t n_classes, size_t n_holders, uint32_t *next, summary *made) {
    memset(made->first, 0, (n_leaves + 1) * sizeof *made->first);
    for (size_t h = 0; h < n_holders; h++) made->first[made->holder[h]]++;
    counts_to_first(made->first, n_leaves);
    memcpy(next, made->first, n_leaves * sizeof *next);
    for (size_t c = 0; c < n_classes; c++)
        for (size_t h = made->first_holder[c]; h < made->first_holder[c + 1]; h++) {
            uint32_t at = next[made->holder[h]]++;
            made->label[at] = (uint32_t)c;
            made->fraction[at] = made->holder_fraction[h];
        }
}

void *sm_labels_summarise(const smerf_target *target, const sm_leaves *leaves) {
    const sm_labels *labels = sm_labels_of(target);
    size_t n_members = leaves->first[leaves->n], n_classes = labels->classes->n;
    size_t n_next = n_classes + 1 > leaves->n ? n_classes + 1 : leaves->n;
    summary *made = sm_zeros(1, sizeof *made);
    uint32_t *leaf_of = sm_array(n_members, sizeof *leaf_of), *next = sm_array(n_next, sizeof *next);
    if (made == NULL || leaf_of == NULL || next == NULL) goto failed;
    made->by_class = sm_arena_take(&made->arena, n_members, sizeof *made->by_class);
    made->first_holder = sm_arena_take(&made->arena, n_classes + 1, sizeof *made->first_holder);
    made->holder = sm_arena_take(&made->arena, n_members, sizeof *made->holder);
    made->holder_fraction = sm_arena_take(&made->arena, n_members, sizeof *made->holder_fraction);
    made->first = sm_arena_take(&made->arena, leaves->n + 1, sizeof *made->first);
    made->label = sm_arena_take(&made->arena, n_members, sizeof *made->label);
    made->fraction = sm_arena_take(&made->arena, n_members, sizeof *made->fraction);
    if (made->arena.has_failed) goto failed;
    sort_labels_members(labels, leaves, made->by_class, leaf_of, next);
    size_t n_holders = find_holders(labels, leaves, leaf_of, made);
    find_classes(leaves->n, n_classes, n_holders, next, made);
    sm_free(leaf_of);
    sm_free(next);
    return made;
failed:
    sm_free(leaf_of);
    sm_free(next);
    sm_labels_summary_free(made);
    return NULL;
}

/* What h(l, l) has on top for its items' own distances. */
static double own_part(const smerf_target *target, const sm_leaves *leaves, size_t leaf) {
    double diagonal = sm_one_column_of(target)->diagonal, sum = 0;
    if (diagonal == 0) return 0;
    for (size_t m = leaves->first[leaf]; m < leaves->first[leaf + 1]; m++) {
        double fraction = leaves->weight[m] / leaves->total[leaf];
        sum += fraction * fraction;
    }
    return diagonal * sum;
}

double sm_labels_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b) {
    const summary *made = leaves->summary;
    double distance = 1;
    size_t i = made->first[a], j = made->first[b], end_i = made->first[a + 1], end_j = made->first[b + 1];
    while (i < end_i && j < end_j) {
        uint32_t left = made->label[i], right = made->label[j];
        if (left == right) distance -= made->fraction[i] * made->fraction[j];
        i += left <= right;
        j += right <= left;
    }
    return a == b ? distance + own_part(target, leaves, a) : distance;
}

void sm_labels_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row,
                        double *scratch) {
    const summary *made = leaves->summary;
    (void)scratch;
    for (size_t l = 0; l < leaves->n; l++) row[l] = 1;
    for (size_t i = made->first[leaf]; i < made->first[leaf + 1]; i++) {
        uint32_t label = made->label[i];
        double fraction = made->fraction[i];
        for (size_t h = made->first_holder[label]; h < made->first_holder[label + 1]; h++)
            row[made->holder[h]] -= fraction * made->holder_fraction[h];
    }
    row[leaf] += own_part(target, leaves, leaf);
}

/* Puts the fractions of each leaf's classes side by side, or takes them out again.   fraction_of  [classes][SM_BLOCK_ROWS] */
static void lay_out_labels(const summary *made, const uint32_t *leaf, bool in, double *fraction_of) {
    for (size_t r = 0; r < SM_BLOCK_ROWS; r++)
        for (size_t i = made->first[leaf[r]]; i < made->first[leaf[r] + 1]; i++)
            fraction_of[made->label[i] * SM_BLOCK_ROWS + r] = in ? made->fraction[i] : 0;
}

size_t sm_labels_n_block_numbers(const smerf_target *target) {
    return sm_size(sm_labels_of(target)->classes->n, SM_BLOCK_ROWS, 0);
}

void sm_labels_leaf_block(const smerf_target *target, const sm_leaves *leaves, const sm_leaf_block *block,
                          double *table) {
    const summary *made = leaves->summary;
    const uint32_t *leaf = block->leaf;
    lay_out_labels(made, leaf, true, block->scratch);
    block->kernels->label_distances(made->first, made->label, made->fraction, leaves->n, block->scratch, table);
    lay_out_labels(made, leaf, false, block->scratch);
    for (size_t r = 0; r < SM_BLOCK_ROWS; r++) table[leaf[r] * SM_BLOCK_ROWS + r] += own_part(target, leaves, leaf[r]);
}

/* 1 - sum p p' = 1/2 sum (p - p')^2 + (1 - sum p^2) / 2 + (1 - sum p'^2) / 2: the fractions, times the root of 1/2. */
size_t sm_labels_n_coordinates(const smerf_target *target) { return sm_labels_of(target)->classes->n; }

void sm_labels_leaf_point(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *point,
                          double *term) {
    const summary *made = leaves->summary;
    double squares = 0;
    memset(point, 0, sm_labels_of(target)->classes->n * sizeof *point);
    for (size_t i = made->first[leaf]; i < made->first[leaf + 1]; i++) {
        squares += made->fraction[i] * made->fraction[i];
        point[made->label[i]] = sqrt(0.5) * made->fraction[i];
    }
    *term = (1 - squares) / 2;
}

bool sm_labels_leaf_codes(const smerf_target *target, const sm_leaves *leaves, uint8_t *code) {
    const sm_labels *labels = sm_labels_of(target);
    if (sm_one_column_of(target)->diagonal != 0 || labels->classes->n > UINT8_MAX + 1) return false;
    for (size_t l = 0; l < leaves->n; l++) {
        uint32_t label = labels->class_of[leaves->item[leaves->first[l]]];
        for (size_t m = leaves->first[l] + 1; m < leaves->first[l + 1]; m++)
            if (labels->class_of[leaves->item[m]] != label) return false;
        code[l] = (uint8_t)label;
    }
    return true;
}

/* Few members: pair by pair. */
static double mean_of_labels_pairs(const uint32_t *class_of, const sm_leaves *leaves, size_t first, size_t end) {
    double sum = 0, weight = 0;
    for (size_t i = first; i < end; i++)
        for (size_t j = first; j < i; j++) {
            double pair = leaves->weight[i] * leaves->weight[j];
            if (class_of[leaves->item[i]] != class_of[leaves->item[j]]) sum += pair;
            weight += pair;
        }
    return sum / weight;
}

/* Many members: class by class, passing over the members of the tree that are not meant. */
static double mean_of_classes(const uint32_t *class_of, const sm_leaves *leaves, size_t first, size_t end) {
    const summary *made = leaves->summary;
    size_t n_members = leaves->first[leaves->n];
    double sum = 0, weight = 0, before = 0, now = 0; /* the weights of the classes before this one, and of this one */
    uint32_t label = SMERF_MISSING;
    for (size_t p = 0; p < n_members; p++) {
        uint32_t member = made->by_class[p];
        if (member < first || member >= end) continue;
        if (class_of[leaves->item[member]] != label) {
            label = class_of[leaves->item[member]];
            before += now;
            now = 0;
        }
        sum += leaves->weight[member] * before;
        weight += leaves->weight[member] * (before + now);
        now += leaves->weight[member];
    }
    return sum / weight;
}

double sm_labels_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end) {
    const uint32_t *class_of = sm_labels_of(target)->class_of;
    if (end - first < 2) return NAN;
    bool is_few = (end - first) * (end - first) <= leaves->first[leaves->n];
    return is_few ? mean_of_labels_pairs(class_of, leaves, first, end) : mean_of_classes(class_of, leaves, first, end);
}

void sm_labels_leaf_values(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *values) {
    const summary *made = leaves->summary;
    memset(values, 0, sm_labels_of(target)->classes->n * sizeof *values);
    for (size_t i = made->first[leaf]; i < made->first[leaf + 1]; i++) values[made->label[i]] = made->fraction[i];
}

/* ---- nodes: the classes that each has, as of leaves ---- */

typedef struct node_summary {
    sm_arena arena;
    size_t *first; /* [n_nodes + 1] capacity in the two below, for as many classes as a node can have */
    uint32_t *n;   /* [n_nodes] how many it has */
    uint32_t *label;
    double *fraction;
} node_summary;

static size_t most_classes(const sm_labels *labels, const sm_leaves *leaves, size_t node) {
    size_t n_members = leaves->first[leaves->end_leaf[node]] - leaves->first[leaves->first_leaf[node]];
    return n_members < labels->classes->n ? n_members : labels->classes->n;
}

size_t sm_labels_node_bytes(const smerf_target *target, const sm_leaves *leaves) {
    size_t n = 0;
    for (size_t node = 0; node < leaves->n_nodes; node++) n += most_classes(sm_labels_of(target), leaves, node);
    return sm_size(leaves->n_nodes, sizeof(size_t) + sizeof(uint32_t),
                   sm_size(n, sizeof(uint32_t) + sizeof(double), 0));
}

void sm_labels_nodes_free(void *made) {
    node_summary *old = made;
    if (old == NULL) return;
    sm_arena_free(&old->arena);
    sm_free(old);
}

/* The leaves that hold a class give it to all nodes above them. Classes come in order, so each node has them in order. */
static void give_labels_upwards(const sm_labels *labels, const sm_nodes *nodes, node_summary *made) {
    const sm_leaves *leaves = nodes->leaves;
    const summary *below = leaves->summary;
    for (uint32_t c = 0; c < labels->classes->n; c++)
        for (size_t h = below->first_holder[c]; h < below->first_holder[c + 1]; h++) {
            uint32_t leaf = below->holder[h];
            double weight = below->holder_fraction[h] * leaves->total[leaf];
            for (uint32_t node = leaves->node[leaf];; node = leaves->parent[node]) {
                size_t last = made->first[node] + made->n[node];
                if (made->n[node] > 0 && made->label[last - 1] == c) {
                    made->fraction[last - 1] += weight / nodes->total[node];
                } else {
                    made->label[last] = c;
                    made->fraction[last] = weight / nodes->total[node];
                    made->n[node]++;
                }
                if (node == 0) break;
            }
        }
}

void *sm_labels_summarise_nodes(const smerf_target *target, const sm_nodes *nodes) {
    const sm_labels *labels = sm_labels_of(target);
    const sm_leaves *leaves = nodes->leaves;
    node_summary *made = sm_zeros(1, sizeof *made);
    if (made == NULL) return NULL;
    made->first = sm_arena_take(&made->arena, leaves->n_nodes + 1, sizeof *made->first);
    made->n = sm_arena_take_zeros(&made->arena, leaves->n_nodes, sizeof *made->n);
    size_t n = 0;
    for (size_t node = 0; node < leaves->n_nodes && !made->arena.has_failed; node++) {
        made->first[node] = n;
        n += most_classes(labels, leaves, node);
    }
    made->label = sm_arena_take(&made->arena, n, sizeof *made->label);
    made->fraction = sm_arena_take(&made->arena, n, sizeof *made->fraction);
    if (made->arena.has_failed) {
        sm_labels_nodes_free(made);
        return NULL;
    }
    give_labels_upwards(labels, nodes, made);
    return made;
}

/* The fraction of a class in a node. */
static double fraction_in(const node_summary *made, size_t node, uint32_t label) {
    const uint32_t *labels = made->label + made->first[node];
    size_t from = 0, end = made->n[node];
    while (from < end) {
        size_t middle = from + (end - from) / 2;
        if (labels[middle] < label)
            from = middle + 1;
        else
            end = middle;
    }
    return from < made->n[node] && labels[from] == label ? made->fraction[made->first[node] + from] : 0;
}

void sm_labels_path_means(const smerf_target *target, const sm_nodes *nodes, size_t leaf, const uint32_t *path,
                          size_t n, double *mean, double *scratch) {
    const sm_leaves *leaves = nodes->leaves;
    const summary *below = leaves->summary;
    double own = own_part(target, leaves, leaf) * leaves->total[leaf];
    (void)scratch;
    for (size_t k = 0; k < n; k++) {
        mean[k] = sm_node_holds(leaves, path[k], leaf) ? 1 + own / nodes->total[path[k]] : 1;
        for (size_t i = below->first[leaf]; i < below->first[leaf + 1]; i++)
            mean[k] -= below->fraction[i] * fraction_in(nodes->summary, path[k], below->label[i]);
    }
    size_t last = leaves->first_leaf[path[n - 1]];
    if (leaves->node[last] == path[n - 1]) mean[n - 1] = sm_labels_leaf_pair(target, leaves, leaf, last);
}
