/* fill_in.h - whether the missing pairs of a target are filled in before a forest is grown on it. */
#ifndef SM_STUDY_FILL_IN_H
#define SM_STUDY_FILL_IN_H

#include "train/grow/forest_builder.h"

/* The rank to which missing pairs are completed, where the options leave it open: *complete is off or a rank. Refuses a
 * rank for a target that has nothing to complete. */
smerf_status sm_choose_completion(const smerf_items *items, smerf_target *target, const smerf_options *options,
                                  const smerf_run *run, size_t *complete, smerf_error *error);

#endif
