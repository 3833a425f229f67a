/* inner_fit.h - a forest that is grown on the way to something else, as a part of the whole job. */
#ifndef SM_METHOD_INNER_FIT_H
#define SM_METHOD_INNER_FIT_H

#include "model/method.h"
#include "train/grow/forest_builder.h"

/* The options that are about growing; the target is taken as it is. */
smerf_options sm_inner_options(const smerf_options *options);

/* As sm_fit, with the crew's threads; progress and cancelling are the crew's, too.
 *   shares  [2] the part of the whole job that this is */
smerf_status sm_inner_fit(const smerf_items *items, smerf_target *target, const smerf_options *options, sm_pool *pool,
                          const double *shares, smerf_model **out, smerf_error *error);

#endif
