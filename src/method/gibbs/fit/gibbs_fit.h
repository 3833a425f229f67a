/* gibbs_fit.h - runs the chains of epm and narm. */
#ifndef SM_METHOD_GIBBS_FIT_H
#define SM_METHOD_GIBBS_FIT_H

#include "method/gibbs/gibbs_learned.h"
#include "method/trainer.h"

/* gibbs_fit.c: runs the chains.
 *   learned  its attributes are learned, if it has any; all else is filled in
 *   members  NULL: epm */
smerf_status sm_gibbs_fit(const sm_training_set *training, const sm_attribute_members *members, sm_learned *learned,
                          sm_diagnostics *diagnostics, smerf_error *error);

/* What both refuse: other targets than graphs, weights of items. */
smerf_status sm_gibbs_check(const sm_training_set *training, const char *method, smerf_error *error);

#endif
