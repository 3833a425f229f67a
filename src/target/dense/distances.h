/* distances.h - a dense symmetric matrix, shared by the files that make one, grow on one and predict from one. */
#ifndef SM_TARGET_DISTANCES_H
#define SM_TARGET_DISTANCES_H

#include "base/square.h"
#include "factor/factor.h"
#include "target/target.h"

typedef struct sm_distances {
    smerf_target head;
    const float *z;       /* [n_rows][n_columns] */
    float *owned;         /* z, if it is ours */
    double *diagonal;     /* [n_rows] owned: in place of z_ii; NULL: as in z */
    smerf_target *shared; /* the target that z belongs to, if it is not ours */
    sm_float_facts facts; /* of all z_ij */
} sm_distances;

static inline const sm_distances *sm_distances_of(const smerf_target *target) { return (const sm_distances *)target; }

static inline double sm_distances_self(const sm_distances *distances, size_t item) {
    return distances->diagonal != NULL ? distances->diagonal[item]
                                       : (double)distances->z[item * distances->head.n_columns + item];
}

static inline double sm_distances_pair(const sm_distances *distances, size_t i, size_t j) {
    return i == j ? sm_distances_self(distances, i) : (double)distances->z[i * distances->head.n_columns + j];
}

/* distances_search.c */
sm_search *sm_distances_search_new(const smerf_target *target, const sm_search_size *size, smerf_error *error);
void sm_distances_search_free(sm_search *search);
size_t sm_distances_enter(sm_search *search, const sm_node *node, size_t view);
bool sm_distances_is_pure(sm_search *search, const sm_node *node);
double sm_distances_price(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups);
void sm_distances_costs(sm_search *search, const sm_node *node, size_t line_up, const sm_line_up *out);
size_t sm_distances_at_once(const smerf_target *target, const sm_search_size *size);
size_t sm_distances_most_threads(const smerf_target *target, const sm_search_size *size);
double sm_distances_search_bytes(const smerf_target *target, const sm_search_size *size); /* that a search takes */
void sm_distances_levels(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels, double *mean);

/* distances_rough.c */
bool sm_distances_is_rough_quicker(sm_search *search, const sm_node *node, size_t n_line_ups);
double sm_distances_price_roughly(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups,
                                  sm_error_bound *bound);
double sm_distances_cost(sm_search *search, const sm_node *node);
void sm_distances_move_cut(sm_search *search, const sm_node *node, const uint32_t *order, size_t from, size_t to,
                           double *left, double *right);
void sm_distances_settle(sm_search *search, const sm_node *node, const uint32_t *order, size_t n_left, double *left,
                         double *right);

/* distances_leaves.c */
void sm_distances_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row,
                           double *scratch);
double sm_distances_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b);
bool sm_distances_item_strip(const smerf_target *target, const sm_leaves *leaves, const uint32_t *leaf,
                             const sm_block_kernels *kernels, float *table);
double sm_distances_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end);
bool sm_distances_root_means(const smerf_target *target, const sm_nodes *nodes, double *mean);

/* distances_operator.c */
sm_operator sm_operator_distances(const sm_distances *distances);

#endif
