/* explain.h - smerf_explain_pairs with limits of one's own, which change no bit of the result. */
#ifndef SM_EXPLORE_EXPLAIN_H
#define SM_EXPLORE_EXPLAIN_H

#include "predict/limits.h"

smerf_status sm_explain_pairs(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                              const uint32_t *left, const uint32_t *right, size_t n_pairs, const smerf_run *run,
                              double *baseline, double *shares, double *distance, smerf_error *error);

#endif
