/* vectors_nodes.c - how far a leaf is from nodes, from their mean vectors. See vectors.h.
 *
 * As of leaves, with one more term where z_ii is overruled and the node has the leaf:
 *     (mean of b_i in the leaf) + (mean of b_j in the node) + <m - m', m - m'> + own / (W W').
 * A node's numbers come from those of its children c: its spread is the mean of (spread of c + <m_c - m, m_c - m>). */
#include <string.h>

#include "base/memory.h"
#include "target/vectors/vectors.h"

static size_t n_numbers(const sm_vectors *vectors, const sm_leaves *leaves) {
    return sm_size(leaves->n_nodes, vectors->rank + 1, vectors->self != NULL ? leaves->n : 0);
}

size_t sm_vector_node_bytes(const sm_vectors *vectors, const sm_leaves *leaves) {
    return sm_size(n_numbers(vectors, leaves), sizeof(double), sizeof(sm_vector_nodes));
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
static void give_upwards(const sm_vectors *vectors, const sm_nodes *nodes, sm_vector_nodes *made) {
    const uint32_t *parent = nodes->leaves->parent;
    size_t rank = vectors->rank;
    for (size_t node = nodes->leaves->n_nodes; node-- > 1;)
        for (size_t r = 0; r < rank; r++)
            made->mean[parent[node] * rank + r] += nodes->share[node] * made->mean[node * rank + r];
    for (size_t node = nodes->leaves->n_nodes; node-- > 1;) {
        double square = square_between(vectors, made->mean + node * rank, made->mean + parent[node] * rank);
        made->spread[parent[node]] += nodes->share[node] * (made->spread[node] + square);
    }
}

sm_vector_nodes *sm_vector_summarise_nodes(const sm_vectors *vectors, const sm_vector_summary *summary,
                                           const sm_nodes *nodes) {
    const sm_leaves *leaves = nodes->leaves;
    size_t rank = vectors->rank;
    sm_vector_nodes *made = sm_zeros(1, sizeof *made);
    double *numbers = sm_zeros(n_numbers(vectors, leaves), sizeof *numbers);
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
    give_upwards(vectors, nodes, made);
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
