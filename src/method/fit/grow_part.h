/* grow_part.h - a forest that another method grows on its way. */
#ifndef SM_METHOD_GROW_PART_H
#define SM_METHOD_GROW_PART_H

#include "base/parallel.h"
#include "train/grow/forest_builder.h"

/* As sm_fit, with the threads, progress and cancelling of a pool.   fractions  [2] the part of the whole job that this is */
smerf_status sm_grow_part(const smerf_items *items, smerf_target *target, const smerf_options *options, sm_pool *pool,
                          const double *fractions, smerf_model **out, smerf_error *error);

#endif
