/* linear_bags.h - mahalanobis and bilinear without some of the items: what predicts these, for choosing a ridge and for out of bag. */
#ifndef SM_METHOD_LINEAR_BAGS_H
#define SM_METHOD_LINEAR_BAGS_H

#include "method/linear/fit/linear_problem.h"

/* Of some ridges the one that predicts pairs of held-out items best: over a few bags, from a sample of the pairs where there are
 * many. Of fewer than 4 items 1. */
smerf_status sm_linear_choose_ridge(const sm_training_set *training, const sm_learned *learned, double *ridge,
                                    smerf_error *error);

/* Reserves memory for bags, if there are to be any, and deals out the items. */
smerf_status sm_linear_deal_groups(const sm_training_set *training, sm_learned *learned, smerf_error *error);

/* Learns each bag. */
smerf_status sm_linear_learn_bags(const sm_training_set *training, sm_learned *learned, double ridge,
                                  smerf_error *error);

#endif
