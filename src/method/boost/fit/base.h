/* base.h - the forest that boosting starts from. */
#ifndef SM_BOOST_BASE_H
#define SM_BOOST_BASE_H

#include "method/boost/fit/losses.h"
#include "method/trainer.h"

/* Grows it.   fractions  of the whole job */
smerf_status sm_base_grow(const sm_training_set *training, const double fractions[2], smerf_model **out,
                          smerf_error *error);

/* Fills pairs->base: what trees predict that have seen neither item; NaN where there is none. */
smerf_status sm_base_predict(const smerf_model *base, const smerf_items *items, sm_drawn_pairs *pairs,
                             smerf_error *error);

/* The same, and the bins of these in the column SM_PAIR_BASE, which is the last. Nothing happens without a base. */
smerf_status sm_base_ask(const smerf_model *base, const smerf_items *items, const sm_binned *binned,
                         sm_drawn_pairs *pairs, uint8_t **bins, smerf_error *error);

#endif
