/* booster.h - one sum of trees in the making: its pairs, their scores, and the rounds so far. */
#ifndef SM_BOOST_BOOSTER_H
#define SM_BOOST_BOOSTER_H

#include "method/boost/fit/pair_tree.h"
#include "method/fit/pair_source.h"

/* What all boosters of a fit have in common. */
typedef struct sm_boosting {
    const sm_pair_source *source;
    const sm_binned *binned;
    const smerf_boost_options *options; /* loss and pair features as resolved */
    sm_tree_plan plan;
    const sm_learned *learned; /* to score pairs that are drawn later, and with the base */
    const sm_view *view;
} sm_boosting;

typedef struct sm_booster {
    const sm_boosting *boosting;
    sm_pair_choice choice; /* of what it learns from */
    bool is_drawn;         /* some of the pairs: others are drawn every few rounds */
    sm_drawn_pairs pairs, held;
    uint8_t *base_bin, *held_base_bin; /* of both, in the column of the base; NULL: there is none */
    double *held_reversed;             /* [held.n] scores of (j, i), if trees tell them apart */
    sm_gradients gradients;
    double first_unit; /* of the gradients of the first round: when there is nothing left of it, that is all */
    sm_pair_tree tree;
    sm_pool alone; /* one thread, for what is too little for several */
    sm_boost made;
    size_t split_capacity, tree_capacity, value_capacity, set_capacity;
    size_t gain_capacity, mean_capacity;
    double *curve; /* [most rounds + 1] what is lost on the pairs that are held out, summed by weight */
    double held_weight;
    bool is_done; /* no tree gains anything any more */
} sm_booster;

/* Chooses its pairs, and those that are held out if there is a bag.   held  two groups, or SM_NO_GROUP twice
 *   number  of the booster, for what it draws */
smerf_status sm_booster_start(sm_booster *booster, const sm_boosting *boosting, const size_t held[2], size_t number,
                              size_t n_threads, smerf_error *error);
void sm_booster_free(sm_booster *booster); /* fine on one filled with zeros */

/* Up to so many trees more, until there are `most` or nothing is gained. */
smerf_status sm_booster_run(sm_booster *booster, size_t n_rounds, size_t most, sm_pool *pool, smerf_error *error);

/* What it lost after some rounds; it may have been done before. */
static inline double sm_booster_loss(const sm_booster *booster, size_t round) {
    return booster->curve[round < booster->made.n_trees ? round : booster->made.n_trees];
}

/* Leaves its first trees only, and hands them over. */
void sm_booster_take(sm_booster *booster, size_t n_trees, sm_boost *out);

#endif
