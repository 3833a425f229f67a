/* methods.h - the methods there are, and learning with one of them. */
#ifndef SM_METHOD_METHODS_H
#define SM_METHOD_METHODS_H

#include "model/model.h"

/* Each in a file of its name. */
extern const sm_method sm_method_euclidean, sm_method_mahalanobis, sm_method_bilinear, sm_method_rfd, sm_method_plugin,
    sm_method_epm, sm_method_narm;

/* As smerf_fit, for a method other than the forest. */
smerf_status sm_method_fit(const smerf_items *items, smerf_target *target, const smerf_options *options,
                           const smerf_run *run, smerf_model **out, smerf_error *error);

/* The checks of it alone. */
smerf_status sm_method_check(const smerf_items *items, smerf_target *target, const smerf_options *options,
                             smerf_error *error);

#endif
