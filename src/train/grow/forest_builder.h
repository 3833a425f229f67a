/* forest_builder.h - grows a forest, when everything automatic about its target has been decided. */
#ifndef SM_TRAIN_FOREST_BUILDER_H
#define SM_TRAIN_FOREST_BUILDER_H

#include "model/model.h"

/* As smerf_fit, but options->complete is off or a rank. */
smerf_status sm_fit(const smerf_items *items, smerf_target *target, const smerf_options *options, const smerf_run *run,
                    smerf_model **out, smerf_error *error);

/* What can be refused before anything is done; the options with every automatic choice spelled out. */
smerf_status sm_fit_check(const smerf_items *items, const smerf_target *target, const smerf_options *options,
                          smerf_options *resolved, smerf_error *error);

#endif
