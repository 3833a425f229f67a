/* train_method.h - learning with a method other than the forest. */
#ifndef SM_FIT_TRAIN_METHOD_H
#define SM_FIT_TRAIN_METHOD_H

#include "method/trainer.h"
#include "model/model.h"
#include "train/grow/forest_builder.h"

/* Options as a caller gives them, made full: what an older caller does not have, and baselines or boost that are
 * NULL, is as the defaults say. options.baselines and options.boost point to these, so that a copy of the whole is of no use. */
typedef struct sm_full_options {
    smerf_options options;
    smerf_baseline_options baselines;
    smerf_boost_options boost;
} sm_full_options;

smerf_status sm_options_read(const smerf_options *given, sm_full_options *full, smerf_error *error);

/* As smerf_fit, for a method other than the forest. */
smerf_status sm_method_fit(const smerf_items *items, smerf_target *target, const smerf_options *options,
                           const smerf_run *run, smerf_model **out, smerf_error *error);

/* The checks of it alone. */
smerf_status sm_method_check(const smerf_items *items, smerf_target *target, const smerf_options *options,
                             smerf_error *error);

/* ---- whether the missing pairs of a target are filled in before a forest is grown on it. ---- */

/* The rank to which missing pairs are completed, where the options leave it open: *complete is off or a rank. Refuses a
 * rank for a target that has nothing to complete. */
smerf_status sm_choose_completion(const smerf_items *items, smerf_target *target, const smerf_options *options,
                                  const smerf_run *run, size_t *complete, smerf_error *error);

#endif
