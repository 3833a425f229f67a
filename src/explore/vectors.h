/* vectors.h - the request of smerf_vectors with limits of one's own, which change no bit of the result. */
#ifndef SM_EXPLORE_VECTORS_H
#define SM_EXPLORE_VECTORS_H

#include "predict/limits.h"

smerf_status sm_make_vectors(const smerf_model *model, const smerf_items *items, bool is_query, const sm_limits *limits,
                             const smerf_run *run, const smerf_vector_result *result, smerf_error *error);

#endif
