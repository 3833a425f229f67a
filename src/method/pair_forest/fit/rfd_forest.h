/* rfd_forest.h - grows a regression forest on pairs: our own, for which the pairs are items and z is the response. */
#ifndef SM_METHOD_RFD_FOREST_H
#define SM_METHOD_RFD_FOREST_H

#include "method/pair_forest/fit/rfd_pairs.h"
#include "method/pair_forest/value_forest.h"
#include "method/trainer.h"

/* Fills the forest, which is to be freed also on failure. */
smerf_status sm_rfd_grow(const sm_training_set *training, const sm_rfd_pairs *pairs, sm_value_forest *forest,
                         smerf_error *error);

#endif
