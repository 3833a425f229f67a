/* training_pairs.h - the pairs of a training set with their weights, for methods that fit all of them at once by least squares.
 *
 * Either every pair of two items is known, with weight w_i w_j, and Z is known by what it does to vectors: a matrix, a
 * graph, labels and columns never become one. Or some pairs are listed, with weight w_i w_j times their own. Weights add up
 * to 1 over all ordered pairs (z_ij and z_ji both count), and an item and itself count where their distance was given. */
#ifndef SM_METHOD_TRAINING_PAIRS_H
#define SM_METHOD_TRAINING_PAIRS_H

#include "method/trainer.h"
#include "target/links/links.h"

typedef struct sm_training_pairs {
    const smerf_target *target;
    size_t n_items;
    const sm_links *links; /* the pairs of different items that are known; NULL: all are */
    double *weight;        /* [n_items] w_i; they add up to 1 if all pairs are known */
    double scale;          /* a listed pair weighs scale times its own weight times w_i w_j */
    double *self_weight;   /* [n_items] what (i, i) weighs in all; 0: z_ii was not given */
    double n_pairs;        /* pairs of two items that are known */
    double n_selves;       /* items whose z_ii was given */
} sm_training_pairs;

smerf_status sm_training_pairs_start(sm_training_pairs *pairs, const sm_training_set *training, smerf_error *error);

/* From here on no item counts with itself, whatever was given: then weights may add up to less than 1. */
void sm_training_pairs_drop_selves(sm_training_pairs *pairs);

/* What the pairs of different items weigh in all, and the mean of their distances. */
typedef struct sm_training_mean {
    double weight, distance;
} sm_training_mean;

smerf_status sm_training_pairs_mean(const sm_training_pairs *pairs, sm_pool *pool, sm_training_mean *mean,
                                    smerf_error *error);

void sm_training_pairs_free(sm_training_pairs *pairs);

/* What the entry of item i and its partner weighs. */
static inline double sm_listed_weight(const sm_training_pairs *pairs, size_t i, size_t entry) {
    return pairs->scale * sm_links_weight(pairs->links, entry) * pairs->weight[i] *
           pairs->weight[pairs->links->partner[entry]];
}

/* z_ii, also where it is a convention. */
double sm_training_self(const sm_training_pairs *pairs, size_t item);

/* out = Z X, where all pairs are known.   x, out  [n_items][m], m a multiple of SM_PANEL_COLUMNS */
smerf_status sm_training_times(const sm_training_pairs *pairs, sm_pool *pool, const double *x, size_t m, double *out,
                               smerf_error *error);

#endif
