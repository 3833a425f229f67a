/* vectors_kind.h - what kinds have in common that are vectors and nothing else: they differ in what is pure, and in their files. */
#ifndef SM_TARGET_VECTORS_KIND_H
#define SM_TARGET_VECTORS_KIND_H

#include "target/vectors/vectors.h"

/* Each kind's own struct starts with this. */
typedef struct sm_vector_target {
    smerf_target head;
    sm_vectors vectors;
} sm_vector_target;

struct sm_search {
    sm_vector_search *vectors;
    const smerf_target *target;
};

static inline const sm_vectors *sm_vectors_of(const smerf_target *target) {
    return &((const sm_vector_target *)target)->vectors;
}

sm_search *sm_vector_kind_search_new(const smerf_target *target, const sm_search_size *size, smerf_error *error);
void sm_vector_kind_search_free(sm_search *search);
size_t sm_vector_kind_enter(sm_search *search, sm_node *node, size_t view);
void sm_vector_kind_levels(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                           double *mean);
double sm_vector_kind_level_start(sm_search *search, const sm_node *node, const sm_node_levels *levels);
void sm_vector_kind_level_product(sm_search *search, const sm_node *node, const sm_node_levels *levels, const double *x,
                                  double *y);
size_t sm_vector_kind_summary_bytes(const smerf_target *target, size_t n_leaves);
void *sm_vector_kind_summarise(const smerf_target *target, const sm_leaves *leaves);
void sm_vector_kind_summary_free(void *summary);
size_t sm_vector_kind_n_block_numbers(const smerf_target *target);
void sm_vector_kind_leaf_block(const smerf_target *target, const sm_leaves *leaves, const sm_leaf_block *block,
                               double *table);
bool sm_vector_kind_add_block(const smerf_target *target, const sm_leaves *leaves, const sm_leaf_block *block,
                              const uint32_t *column_leaf, size_t n, double *sums);
void sm_vector_kind_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row,
                             double *scratch);
double sm_vector_kind_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b);
size_t sm_vector_kind_n_coordinates(const smerf_target *target);
void sm_vector_kind_leaf_point(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *point,
                               double *term);
double sm_vector_kind_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end);
size_t sm_vector_kind_node_bytes(const smerf_target *target, const sm_leaves *leaves);
void *sm_vector_kind_summarise_nodes(const smerf_target *target, const sm_nodes *nodes);
void sm_vector_kind_nodes_free(void *summary);
void sm_vector_kind_path_means(const smerf_target *target, const sm_nodes *nodes, size_t leaf, const uint32_t *path,
                               size_t n, double *mean, double *scratch);
void sm_vector_kind_true_row(const smerf_target *target, size_t row, double *out);

extern const sm_pricing sm_vector_kind_pricing;

/* An engine that needs is_pure to be complete; and a kind, but for data that differ. */
#define SM_VECTOR_ENGINE                                                                                               \
    .search_new = sm_vector_kind_search_new, .search_free = sm_vector_kind_search_free, .enter = sm_vector_kind_enter, \
    .best_cut = sm_best_by_costs, .pricing = &sm_vector_kind_pricing, .level_distances = sm_vector_kind_levels,        \
    .level_start = sm_vector_kind_level_start, .level_product = sm_vector_kind_level_product

#define SM_VECTOR_KIND                                                                                                 \
    .predicting.summary_bytes = sm_vector_kind_summary_bytes, .predicting.summarise = sm_vector_kind_summarise,        \
    .predicting.summary_free = sm_vector_kind_summary_free, .predicting.leaf_row = sm_vector_kind_leaf_row,            \
    .predicting.n_block_numbers = sm_vector_kind_n_block_numbers, .predicting.leaf_block = sm_vector_kind_leaf_block,  \
    .predicting.add_block = sm_vector_kind_add_block, .predicting.leaf_pair = sm_vector_kind_leaf_pair,                \
    .predicting.mean_apart = sm_vector_kind_mean_apart, .values.n_coordinates = sm_vector_kind_n_coordinates,          \
    .values.leaf_point = sm_vector_kind_leaf_point, .explaining.node_bytes = sm_vector_kind_node_bytes,                \
    .explaining.summarise_nodes = sm_vector_kind_summarise_nodes, .explaining.nodes_free = sm_vector_kind_nodes_free,  \
    .explaining.path_means = sm_vector_kind_path_means, .data.true_row = sm_vector_kind_true_row

#endif
