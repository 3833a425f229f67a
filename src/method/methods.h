/* methods.h - the methods there are. */
#ifndef SM_METHOD_METHODS_H
#define SM_METHOD_METHODS_H

#include "model/model.h"

/* Each in a file of its name, but mean, standardized and gower in plain.c. */
extern const sm_method sm_method_euclidean, sm_method_mahalanobis, sm_method_bilinear, sm_method_rfd, sm_method_plugin,
    sm_method_epm, sm_method_narm, sm_method_mean, sm_method_standardized, sm_method_gower, sm_method_boost;

#endif
