/* vectors_kind.h - what kinds share that are vectors and nothing else: they differ in what is pure, and in their files. */
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
size_t sm_vector_kind_enter(sm_search *search, const sm_node *node, size_t view);
double sm_vector_kind_price(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups);
void sm_vector_kind_levels(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                           double *mean);
size_t sm_vector_kind_summary_bytes(const smerf_target *target, size_t n_leaves);
void *sm_vector_kind_summarise(const smerf_target *target, const sm_leaves *leaves);
void sm_vector_kind_summary_free(void *summary);
size_t sm_vector_kind_n_strip_numbers(const smerf_target *target);
void sm_vector_kind_leaf_strip(const smerf_target *target, const sm_leaves *leaves, const uint32_t *leaf,
                               const sm_block_kernels *kernels, double *scratch, double *table);
bool sm_vector_kind_add_strip(const smerf_target *target, const sm_leaves *leaves, const uint32_t *leaf,
                              const sm_block_kernels *kernels, double *scratch, const uint32_t *column_leaf, size_t n,
                              double *sums);
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

#define SM_VECTOR_KIND                                                                                                 \
    .search_new = sm_vector_kind_search_new, .search_free = sm_vector_kind_search_free, .enter = sm_vector_kind_enter, \
    .price = sm_vector_kind_price, .level_distances = sm_vector_kind_levels,                                           \
    .summary_bytes = sm_vector_kind_summary_bytes, .summarise = sm_vector_kind_summarise,                              \
    .summary_free = sm_vector_kind_summary_free, .leaf_row = sm_vector_kind_leaf_row,                                  \
    .n_strip_numbers = sm_vector_kind_n_strip_numbers, .leaf_strip = sm_vector_kind_leaf_strip,                        \
    .add_strip = sm_vector_kind_add_strip, .leaf_pair = sm_vector_kind_leaf_pair,                                      \
    .mean_apart = sm_vector_kind_mean_apart, .n_coordinates = sm_vector_kind_n_coordinates,                            \
    .leaf_point = sm_vector_kind_leaf_point, .node_bytes = sm_vector_kind_node_bytes,                                  \
    .summarise_nodes = sm_vector_kind_summarise_nodes, .nodes_free = sm_vector_kind_nodes_free,                        \
    .path_means = sm_vector_kind_path_means, .true_row = sm_vector_kind_true_row

#endif
