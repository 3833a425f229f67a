/* pairs.h - distances of some pairs, and nothing about the others: rated pairs, and graphs of which only some pairs were
 * looked at. Shared by the files that make such a target, grow on it, predict from it and complete it. */
#ifndef SM_TARGET_PAIRS_H
#define SM_TARGET_PAIRS_H

#include "target/links/links.h"

typedef struct sm_known_pairs {
    smerf_target head;
    const sm_links *links; /* the observed pairs of different items */
    sm_links own;          /* these, if they are ours */
    double *diagonal;      /* [n_items] z_ii; NULL: all are `self` */
    double self;
    double *self_weight;              /* [n_items] of (i, i) where that was listed, else 0; NULL: none was */
    double mean;                      /* of all observed distances, by weight; of the diagonal if there are none */
    double largest;                   /* no distance is larger in size */
    double least_weight, most_weight; /* of observed pairs; an item and itself have 1 */
    smerf_pair_facts facts;
    smerf_target *shared; /* the target that the links belong to, if they are not ours */
} sm_known_pairs;

/* The same pairs as rated ones, or as those of a graph that were looked at: a kind of its own, since it has links. */
extern const sm_target_kind sm_target_observed;

static inline const sm_known_pairs *sm_known_pairs_of(const smerf_target *target) {
    return (const sm_known_pairs *)target;
}

static inline double sm_known_self(const sm_known_pairs *pairs, size_t item) {
    return pairs->diagonal != NULL ? pairs->diagonal[item] : pairs->self;
}

/* smerf_target_new_graph with a list of observed pairs; the edges have no weights of pairs. */
smerf_status sm_observed_new(const smerf_pair_list *edges, const smerf_pair_list *observed, size_t n_items,
                             smerf_target **out, smerf_error *error);

/* pairs_search.c */
extern const sm_engine sm_pairs_engine;

/* pairs_leaves.c */
size_t sm_pairs_summary_bytes(const smerf_target *target, size_t n_leaves);
void *sm_pairs_summarise(const smerf_target *target, const sm_leaves *leaves);
void sm_pairs_summary_free(void *summary);
void sm_pairs_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row, double *scratch);
double sm_pairs_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b);
double sm_pairs_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end);
bool sm_pairs_root_means(const smerf_target *target, const sm_nodes *nodes, double *mean);
void sm_pairs_path_means(const smerf_target *target, const sm_nodes *nodes, size_t leaf, const uint32_t *path, size_t n,
                         double *mean, double *scratch);

#endif
