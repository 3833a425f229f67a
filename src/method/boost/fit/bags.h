/* bags.h - a set of boosters that are run side by side, and the number of rounds that is best for pairs of held-out items. */
#ifndef SM_BOOST_BAGS_H
#define SM_BOOST_BAGS_H

#include "method/boost/fit/booster.h"

typedef struct sm_bags {
    const sm_boosting *boosting;
    size_t n;             /* boosters */
    sm_booster *boosters; /* [n] */
    size_t n_rounds;      /* that all have gone, but for those that were done before */
    size_t best_round;    /* by what is lost on held-out pairs, */
    double least_loss;    /* which is this there, on average by weight; NaN: nothing is held out */
    double loss_at_start; /* and this without a tree */
} sm_bags;

/* Boosters for some bags, and perhaps one more for all items, which is the last.
 *   bags  [n_bags] numbers as in boost.h */
smerf_status sm_bags_start(sm_bags *bags, const sm_boosting *boosting, const size_t *which, size_t n_bags, bool has_all,
                           sm_pool *pool, smerf_error *error);
void sm_bags_free(sm_bags *bags); /* fine on one filled with zeros */

/* Runs them until little more is gained on held-out pairs, or to the number that is given. */
smerf_status sm_bags_run(sm_bags *bags, sm_pool *pool, smerf_error *error);

#endif
