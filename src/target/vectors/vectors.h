/* vectors.h - distances that come from vectors: z_ij = a_i + a_j - 2 k_ij, k_ij = sum over r of scale_r u_ir u_jr.
 *
 * The scales may be negative (the "pseudo-Euclidean" identity of the design): a squared Euclidean distance has them all
 * positive, a response has a_i = k_ii, and any symmetric matrix has such a form if there are enough r. What the form
 * says of an item and itself may be overruled. The numbers are in a sm_vectors (factor/forms.h). A cut costs O(rank), and
 * so does the distance of two leaves.
 *
 * This is the engine of several kinds: response, product, rank, and completed pairs. Written in deviations from a mean
 * m (the node's, or a leaf's) everything is a sum of small terms: with d_i = u_i - m and <x, y> = sum scale x y,
 *     z_ij = b_i + b_j - 2 <d_i, d_j>,   b_i = a_i - 2 <m, d_i> - <m, m>. */
#ifndef SM_TARGET_VECTORS_H
#define SM_TARGET_VECTORS_H

#include "factor/forms.h"
#include "target/target.h"

/* z_ij for i != j, and z_ii. */
double sm_vectors_pair(const sm_vectors *vectors, size_t i, size_t j);
double sm_vectors_self(const sm_vectors *vectors, size_t i);
void sm_vectors_true_row(const sm_vectors *vectors, size_t row, double *out);

/* columns.c: the vectors of a response or a product. */
const sm_vectors *sm_columns_vectors(const smerf_target *target);

/* response_scan.c */
extern const sm_engine sm_response_scanner;

/* ---- growing: the parts of a kind's search ---- */

typedef struct sm_vector_search sm_vector_search;

sm_vector_search *sm_vector_search_new(const sm_vectors *vectors, const sm_search_size *size, smerf_error *error);
void sm_vector_search_free(sm_vector_search *search);
void sm_vector_enter(sm_vector_search *search, const sm_node *node);

/* Costs of all cuts, as sm_pricing.price. */
double sm_vector_price(sm_vector_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups);
void sm_vector_levels(sm_vector_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                      double *mean);

/* As sm_engine.level_start, level_product. */
double sm_vector_level_start(sm_vector_search *search, const sm_node_levels *levels);
void sm_vector_level_product(sm_vector_search *search, const sm_node_levels *levels, const double *x, double *y);

/* Whether all u_i of the node are the same. */
bool sm_vector_all_same(const sm_vector_search *search, const sm_node *node);

/* Whether all z_ij and z_ii of the node are within `slack` of each other; looks at pairs until two differ. */
bool sm_vector_all_equal(const sm_vector_search *search, const sm_node *node, double slack);

/* ---- predicting ---- */

/* Each leaf's mean vector and what it adds to the distance of any other leaf: a summary for sm_leaves. */
typedef struct sm_vector_summary {
    double *mean;   /* [n_leaves][rank] */
    double *spread; /* [n_leaves] the mean of b_i, in deviations from the leaf's mean */
    double *itself; /* [n_leaves] h(l, l), where z_ii is overruled; NULL: as for any two leaves */
} sm_vector_summary;

size_t sm_vector_summary_bytes(const sm_vectors *vectors, size_t n_leaves);
sm_vector_summary *sm_vector_summarise(const sm_vectors *vectors, const sm_leaves *leaves); /* NULL: no memory */
void sm_vector_summary_free(sm_vector_summary *summary);

double sm_vector_leaf_pair(const sm_vectors *vectors, const sm_vector_summary *summary, size_t a, size_t b);
void sm_vector_leaf_row(const sm_vectors *vectors, const sm_vector_summary *summary, size_t n_leaves, size_t leaf,
                        double *row);
void sm_vector_leaf_block(const sm_vectors *vectors, const sm_vector_summary *summary, size_t n_leaves,
                          const sm_leaf_block *block, double *table); /* scratch  [rank][SM_BLOCK_ROWS] */
bool sm_vector_add_block(const sm_vectors *vectors, const sm_vector_summary *summary, const sm_leaf_block *block,
                         const uint32_t *column_leaf, size_t n, double *sums);

/* Leaves as points, see sm_values.leaf_point. */
size_t sm_vector_n_coordinates(const sm_vectors *vectors);
void sm_vector_leaf_point(const sm_vectors *vectors, const sm_vector_summary *summary, size_t leaf, double *point,
                          double *term);
double sm_vector_mean_apart(const sm_vectors *vectors, const sm_leaves *leaves, size_t first, size_t end);

/* ---- explaining: vectors_leaves.c ---- */

/* The same for nodes. */
typedef struct sm_vector_nodes {
    double *mean;   /* [n_nodes][rank] */
    double *spread; /* [n_nodes] */
    double *own;    /* [leaves] where z_ii is overruled: sum of w_i^2 (z_ii - what the vectors say); else NULL */
} sm_vector_nodes;

size_t sm_vector_node_bytes(const sm_vectors *vectors, const sm_leaves *leaves);
sm_vector_nodes *sm_vector_summarise_nodes(const sm_vectors *vectors, const sm_vector_summary *summary,
                                           const sm_nodes *nodes); /* NULL: no memory */
void sm_vector_nodes_free(sm_vector_nodes *made);

/* As sm_explaining.path_means; summary is that of the leaves. */
void sm_vector_path_means(const sm_vectors *vectors, const sm_vector_summary *summary, const sm_nodes *nodes,
                          size_t leaf, const uint32_t *path, size_t n, double *mean);

#endif
