/* explain.h - smerf_explain_pairs with limits of one's own, which change no bit of the result. */
#ifndef SM_EXPLORE_EXPLAIN_H
#define SM_EXPLORE_EXPLAIN_H

#include "predict/limits.h"

smerf_status sm_explain_pairs(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                              const smerf_pair_list *pairs, const smerf_run *run, const smerf_explanation *result,
                              smerf_error *error);

#endif
