/* vectors_leaves.c - how far apart two leaves are, or a leaf and a node, from their mean vectors. See vectors.h.
 *
 * In deviations from the two leaves' own means m and m', Eq. (2) is
 *     h(l, l') = (mean of b_i in l) + (mean of b_j in l') + <m - m', m - m'>,
 * the same to the last bit for (l, l') and (l', l). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/vectors/vectors.h"

static size_t n_leaf_numbers(const sm_vectors *vectors, size_t n_leaves) {
    return sm_size(n_leaves, vectors->rank + 1 + (vectors->self != NULL), 0);
}

size_t sm_vector_summary_bytes(const sm_vectors *vectors, size_t n_leaves) {
    return sm_size(n_leaf_numbers(vectors, n_leaves), sizeof(double), sizeof(sm_vector_summary));
}

/* The mean vector of members first .. end-1. */
static double find_mean(const sm_vectors *vectors, const sm_leaves *leaves, size_t first, size_t end, double *mean) {
    size_t rank = vectors->rank;
    double total = 0;
    memset(mean, 0, rank * sizeof *mean);
    for (size_t member = first; member < end; member++) {
        const double *u = vectors->u + leaves->item[member] * rank;
        total += leaves->weight[member];
        for (size_t r = 0; r < rank; r++) mean[r] += leaves->weight[member] * u[r];
    }
    for (size_t r = 0; r < rank; r++) mean[r] /= total;
    return total;
}

/* b_i in deviations from a mean. */
static double part_of(const sm_vectors *vectors, size_t item, const double *mean) {
    const double *u = vectors->u + item * vectors->rank, *scale = vectors->scale;
    double sum = 0;
    if (vectors->a == NULL) {
        for (size_t r = 0; r < vectors->rank; r++) sum += scale[r] * (u[r] - mean[r]) * (u[r] - mean[r]);
        return sum;
    }
    for (size_t r = 0; r < vectors->rank; r++) sum += scale[r] * mean[r] * (2 * (u[r] - mean[r]) + mean[r]);
    return vectors->a[item] - sum;
}

static void summarise_leaf(const sm_vectors *vectors, const sm_leaves *leaves, size_t leaf,
                           sm_vector_summary *summary) {
    size_t first = leaves->first[leaf], end = leaves->first[leaf + 1];
    double *mean = summary->mean + leaf * vectors->rank, spread = 0, own = 0;
    double total = find_mean(vectors, leaves, first, end, mean);
    for (size_t member = first; member < end; member++) {
        size_t item = leaves->item[member];
        double fraction = leaves->weight[member] / total;
        spread += fraction * part_of(vectors, item, mean);
        if (vectors->self != NULL)
            own += fraction * fraction * (vectors->self[item] - sm_vectors_pair(vectors, item, item));
    }
    bool is_one = end - first == 1; /* then nothing needs to be rounded */
    summary->spread[leaf] = spread;
    if (summary->itself != NULL) summary->itself[leaf] = is_one ? vectors->self[leaves->item[first]] : 2 * spread + own;
}

sm_vector_summary *sm_vector_summarise(const sm_vectors *vectors, const sm_leaves *leaves) {
    sm_vector_summary *summary = sm_zeros(1, sizeof *summary);
    double *numbers = sm_array(n_leaf_numbers(vectors, leaves->n), sizeof *numbers);
    if (summary == NULL || numbers == NULL) {
        sm_free(summary);
        sm_free(numbers);
        return NULL;
    }
    summary->mean = numbers;
    summary->spread = numbers + leaves->n * vectors->rank;
    if (vectors->self != NULL) summary->itself = summary->spread + leaves->n;
    for (size_t leaf = 0; leaf < leaves->n; leaf++) summarise_leaf(vectors, leaves, leaf, summary);
    return summary;
}

void sm_vector_summary_free(sm_vector_summary *summary) {
    if (summary == NULL) return;
    sm_free(summary->mean);
    sm_free(summary);
}

double sm_vector_leaf_pair(const sm_vectors *vectors, const sm_vector_summary *summary, size_t a, size_t b) {
    if (a == b && summary->itself != NULL) return summary->itself[a];
    const double *left = summary->mean + a * vectors->rank, *right = summary->mean + b * vectors->rank;
    double square = 0;
    for (size_t r = 0; r < vectors->rank; r++)
        square += vectors->scale[r] * ((left[r] - right[r]) * (left[r] - right[r]));
    return summary->spread[a] + summary->spread[b] + square;
}

void sm_vector_leaf_row(const sm_vectors *vectors, const sm_vector_summary *summary, size_t n_leaves, size_t leaf,
                        double *row) {
    for (size_t l = 0; l < n_leaves; l++) row[l] = sm_vector_leaf_pair(vectors, summary, leaf, l);
}

/* Means and spreads of several leaves side by side.   row_spread  [SM_BLOCK_ROWS] scratch */
static sm_block_vectors lay_out_vectors(const sm_vectors *vectors, const sm_vector_summary *summary,
                                        const sm_leaf_block *block, double *row_spread) {
    double *row_mean = block->scratch;
    for (size_t r = 0; r < SM_BLOCK_ROWS; r++) {
        size_t leaf = block->leaf[r];
        row_spread[r] = summary->spread[leaf];
        for (size_t k = 0; k < vectors->rank; k++)
            row_mean[k * SM_BLOCK_ROWS + r] = summary->mean[leaf * vectors->rank + k];
    }
    return (sm_block_vectors){.mean = summary->mean,
                              .spread = summary->spread,
                              .scale = vectors->scale,
                              .rank = vectors->rank,
                              .row_mean = row_mean,
                              .row_spread = row_spread};
}

void sm_vector_leaf_block(const sm_vectors *vectors, const sm_vector_summary *summary, size_t n_leaves,
                          const sm_leaf_block *block, double *table) {
    double row_spread[SM_BLOCK_ROWS];
    const sm_block_vectors squares = lay_out_vectors(vectors, summary, block, row_spread);
    block->kernels->squares(&squares, n_leaves, table);
    for (size_t r = 0; r < SM_BLOCK_ROWS && summary->itself != NULL; r++)
        table[block->leaf[r] * SM_BLOCK_ROWS + r] = summary->itself[block->leaf[r]];
}

bool sm_vector_add_block(const sm_vectors *vectors, const sm_vector_summary *summary, const sm_leaf_block *block,
                         const uint32_t *column_leaf, size_t n, double *sums) {
    double row_spread[SM_BLOCK_ROWS];
    if (summary->itself != NULL) return false;
    const sm_block_vectors squares = lay_out_vectors(vectors, summary, block, row_spread);
    block->kernels->add_squares(&squares, column_leaf, n, sums);
    return true;
}

/* A negative scale has no root: such distances are none between points. */
size_t sm_vector_n_coordinates(const sm_vectors *vectors) {
    for (size_t r = 0; r < vectors->rank; r++)
        if (vectors->scale[r] < 0) return 0;
    return vectors->rank;
}

void sm_vector_leaf_point(const sm_vectors *vectors, const sm_vector_summary *summary, size_t leaf, double *point,
                          double *term) {
    for (size_t r = 0; r < vectors->rank; r++)
        point[r] = sqrt(vectors->scale[r]) * summary->mean[leaf * vectors->rank + r];
    *term = summary->spread[leaf];
}

/* The sum over j before i of w_j z_ij is W b_i + B - 2 <s, d_i>, with W, B and s added up over those before. */
double sm_vector_mean_apart(const sm_vectors *vectors, const sm_leaves *leaves, size_t first, size_t end) {
    size_t rank = vectors->rank;
    if (end - first < 2) return NAN;
    double few[2 * 16], *mean = rank <= 16 ? few : sm_array(rank, 2 * sizeof *mean);
    if (mean == NULL) return NAN;
    double *sums = mean + rank, weight = 0, parts = 0, sum = 0, pairs = 0;
    find_mean(vectors, leaves, first, end, mean);
    memset(sums, 0, rank * sizeof *sums);
    for (size_t member = first; member < end; member++) {
        size_t item = leaves->item[member];
        const double *u = vectors->u + item * rank;
        double w = leaves->weight[member], part = part_of(vectors, item, mean), inner = 0;
        for (size_t r = 0; r < rank; r++) {
            inner += vectors->scale[r] * sums[r] * (u[r] - mean[r]);
            sums[r] += w * (u[r] - mean[r]);
        }
        sum += w * (weight * part + parts - 2 * inner);
        pairs += w * weight;
        weight += w;
        parts += w * part;
    }
    if (mean != few) sm_free(mean);
    return sum / pairs;
}

/* ---- a leaf and nodes ----
 * As of leaves, with one more term where z_ii is overruled and the node has the leaf:
 *     (mean of b_i in the leaf) + (mean of b_j in the node) + <m - m', m - m'> + own / (W W').
 * A node's numbers come from those of its children c: its spread is the mean of (spread of c + <m_c - m, m_c - m>). */

static size_t n_node_numbers(const sm_vectors *vectors, const sm_leaves *leaves) {
    return sm_size(leaves->n_nodes, vectors->rank + 1, vectors->self != NULL ? leaves->n : 0);
}

size_t sm_vector_node_bytes(const sm_vectors *vectors, const sm_leaves *leaves) {
    return sm_size(n_node_numbers(vectors, leaves), sizeof(double), sizeof(sm_vector_nodes));
}

void sm_vector_nodes_free(sm_vector_nodes *made) {
    if (made == NULL) return;
    sm_free(made->mean);
    sm_free(made);
}

static double square_between(const sm_vectors *vectors, const double *a, const double *b) {
    double square = 0;
    for (size_t r = 0; r < vectors->rank; r++) square += vectors->scale[r] * ((a[r] - b[r]) * (a[r] - b[r]));
    return square;
}

/* Children come after their parents, so that what a node gives to its parent is complete. */
static void give_vectors_upwards(const sm_vectors *vectors, const sm_nodes *nodes, sm_vector_nodes *made) {
    const uint32_t *parent = nodes->leaves->parent;
    size_t rank = vectors->rank;
    for (size_t node = nodes->leaves->n_nodes; node-- > 1;)
        for (size_t r = 0; r < rank; r++)
            made->mean[parent[node] * rank + r] += nodes->fraction[node] * made->mean[node * rank + r];
    for (size_t node = nodes->leaves->n_nodes; node-- > 1;) {
        double square = square_between(vectors, made->mean + node * rank, made->mean + parent[node] * rank);
        made->spread[parent[node]] += nodes->fraction[node] * (made->spread[node] + square);
    }
}

sm_vector_nodes *sm_vector_summarise_nodes(const sm_vectors *vectors, const sm_vector_summary *summary,
                                           const sm_nodes *nodes) {
    const sm_leaves *leaves = nodes->leaves;
    size_t rank = vectors->rank;
    sm_vector_nodes *made = sm_zeros(1, sizeof *made);
    double *numbers = sm_zeros(n_node_numbers(vectors, leaves), sizeof *numbers);
    if (made == NULL || numbers == NULL) {
        sm_free(made);
        sm_free(numbers);
        return NULL;
    }
    made->mean = numbers;
    made->spread = numbers + leaves->n_nodes * rank;
    if (vectors->self != NULL) made->own = made->spread + leaves->n_nodes;
    for (size_t l = 0; l < leaves->n; l++) {
        size_t node = leaves->node[l];
        memcpy(made->mean + node * rank, summary->mean + l * rank, rank * sizeof *made->mean);
        made->spread[node] = summary->spread[l];
        for (size_t m = leaves->first[l]; m < leaves->first[l + 1] && made->own != NULL; m++) {
            size_t item = leaves->item[m];
            double differs = vectors->self[item] - sm_vectors_pair(vectors, item, item);
            made->own[l] += leaves->weight[m] * leaves->weight[m] * differs;
        }
    }
    give_vectors_upwards(vectors, nodes, made);
    return made;
}

void sm_vector_path_means(const sm_vectors *vectors, const sm_vector_summary *summary, const sm_nodes *nodes,
                          size_t leaf, const uint32_t *path, size_t n, double *mean) {
    const sm_vector_nodes *made = nodes->summary;
    const sm_leaves *leaves = nodes->leaves;
    size_t rank = vectors->rank;
    const double *from = made->mean + leaves->node[leaf] * rank;
    for (size_t k = 0; k < n; k++) {
        mean[k] =
            summary->spread[leaf] + made->spread[path[k]] + square_between(vectors, from, made->mean + path[k] * rank);
        if (made->own != NULL && sm_node_holds(leaves, path[k], leaf))
            mean[k] += made->own[leaf] / (leaves->total[leaf] * nodes->total[path[k]]);
    }
    size_t last = leaves->first_leaf[path[n - 1]];
    if (leaves->node[last] == path[n - 1]) mean[n - 1] = sm_vector_leaf_pair(vectors, summary, leaf, last);
}
