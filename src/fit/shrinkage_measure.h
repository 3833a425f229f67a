/* shrinkage_measure.h - how far a grown forest's distances are to be drawn towards the mean: see model/shrinkage.h. */
#ifndef SM_FIT_SHRINKAGE_MEASURE_H
#define SM_FIT_SHRINKAGE_MEASURE_H

#include "model/model.h"

/* Does what the model's options say of shrinkage; anew, if it was done before.
 *   items   the training items
 *   target  that the fit was given, before anything was filled in or lowered in rank */
smerf_status sm_measure_shrinkage(smerf_model *model, const smerf_items *items, const smerf_target *target,
                                  const smerf_run *run, smerf_error *error);

#endif
