/* train_method.h - learning with a method other than the forest. */
#ifndef SM_FIT_TRAIN_METHOD_H
#define SM_FIT_TRAIN_METHOD_H

#include "method/trainer.h"
#include "model/model.h"
#include "train/grow/forest_builder.h"

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
