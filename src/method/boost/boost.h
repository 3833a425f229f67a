/* boost.h - what boosting has learned: sums of regression trees on features of pairs.
 *
 *     F(i, j) = start + sum over the rounds of the leaf that (i, j) comes to
 *
 * One such sum is learned from all items, for new ones; and one for each bag, from the items that are in neither of two groups. A
 * pair of training items is out of bag for every bag that has left out both. With logistic loss the distance is 1 / (1 + exp(-F)). */
#ifndef SM_BOOST_BOOST_H
#define SM_BOOST_BOOST_H

#include "method/boost/pair_feature.h"
#include "method/groups.h"
#include "model/model.h"

/* A set of bins of a category, a bit for each. */
enum { SM_SET_WORDS = 8 };

static inline bool sm_set_has(const uint32_t *set, unsigned bin) { return set[bin / 32] >> bin % 32 & 1; }

/* A child that is a leaf: this and its leaf index. */
#define SM_BOOST_LEAF 0x80000000u

typedef struct sm_boost_split {
    double threshold; /* of a number: x <= threshold goes left */
    uint32_t feature; /* of no feature, and so n_features: SM_PAIR_BASE */
    uint32_t set;     /* of levels: which of the sets goes left; SMERF_MISSING: it is a number */
    uint32_t left, right;
    uint8_t kind; /* sm_pair_kind */
    bool missing_left;
} sm_boost_split;

typedef struct sm_boost {
    double start;
    size_t n_trees, n_splits, n_sets;
    uint32_t *first; /* [n_trees + 1] splits of each tree, of which there is one at least; the first is the root */
    sm_boost_split *splits; /* [n_splits] */
    double *gain, *mean;    /* [n_splits] what a split gained, and the mean of the leaves below by their pairs */
    double *value;          /* [n_splits + n_trees] of leaves; those of tree t are first[t] + t ... first[t + 1] + t */
    uint32_t *sets;         /* [n_sets][SM_SET_WORDS] */
} sm_boost;

void sm_boost_free(sm_boost *boost); /* fine on one filled with zeros */

static inline const double *sm_boost_leaves(const sm_boost *boost, size_t tree) {
    return boost->value + boost->first[tree] + tree;
}

struct sm_learned {
    size_t n_features, n_items;
    bool is_logistic;
    bool is_directed;    /* trees tell (i, j) from (j, i): the score is the mean of both */
    size_t n_levels;     /* of all categories */
    uint8_t *level_bin;  /* [n_levels] the bins of their levels, */
    size_t *first_level; /* [n_features] of which each has the next */
    size_t n_groups;     /* of items; 0: there are no bags */
    uint8_t *group_of;   /* [n_items] */
    sm_boost all, *bags; /* [n_groups (n_groups - 1) / 2] see sm_bag_of */
    smerf_model *base;   /* a forest that it starts from, or NULL */
};

sm_learned *sm_boost_learned_new(const sm_features *features, size_t n_items, size_t n_groups); /* NULL: no memory */
void sm_boost_learned_free(sm_learned *learned);                                                /* takes NULL */

/* From a score to a distance. */
static inline double sm_boost_distance(const sm_learned *learned, double score) {
    return learned->is_logistic ? 1 / (1 + exp(-score)) : score;
}

/* From a distance that another model predicts to a score, away from the ends where the score is infinite. */
static inline double sm_boost_score_of(const sm_learned *learned, double distance) {
    const double least = 1e-3;
    if (!learned->is_logistic) return distance;
    distance = distance < least ? least : distance > 1 - least ? 1 - least : distance;
    return log(distance / (1 - distance));
}

/* What a pair starts from.   base  NaN: no model says anything of it */
static inline double sm_boost_start(const sm_boost *boost, const sm_learned *learned, double base) {
    return isnan(base) ? boost->start : sm_boost_score_of(learned, base);
}

/* base_file.c: the forest that it starts from, in a model file; NULL: there is none. */
smerf_status sm_boost_base_save(const smerf_model *base, sm_tensors *tensors, smerf_error *error);
smerf_status sm_boost_base_load(const sm_tensors *tensors, const sm_features *features, size_t n_items,
                                smerf_model **out, smerf_error *error);

/* boost_file.c */
smerf_status sm_boost_save(const sm_learned *learned, sm_tensors *tensors, smerf_error *error);
smerf_status sm_boost_load(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                           smerf_error *error);

#endif
