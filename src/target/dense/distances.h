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
extern const sm_engine sm_distances_engine;
double sm_distances_search_bytes(const smerf_target *target, const sm_search_size *size); /* that a search takes */

/* distances_leaves.c */
void sm_distances_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row,
                           double *scratch);
double sm_distances_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b);
bool sm_distances_item_block(const smerf_target *target, const sm_leaves *leaves, const sm_leaf_block *block,
                             float *table);
double sm_distances_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end);
bool sm_distances_root_means(const smerf_target *target, const sm_nodes *nodes, double *mean);

sm_operator sm_operator_distances(const sm_distances *distances);

#endif
