/* prepared.h - all trees of a forest made ready once, for the requests that follow: one distance is then a walk down each tree
 * and a few numbers, where making ready reads all members of all leaves.
 *
 * A model keeps them if it was asked to (smerf_model_prepare), and an index that searches leaves does. They are never changed, so
 * that any number of threads may read them. */
#ifndef SM_QUERY_PREPARED_H
#define SM_QUERY_PREPARED_H

#include "base/parallel.h"
#include "predict/limits.h"
#include "predict/ready.h"

typedef struct sm_prepared_trees {
    sm_prepared head; /* what the model knows of them */
    size_t n_trees;
    sm_ready *ready; /* [n_trees] */
} sm_prepared_trees;

/*   *out  NULL, without an error: the model is no forest, or they would take more than a group of trees may */
smerf_status sm_prepared_new(const smerf_model *model, const sm_limits *limits, sm_pool *pool, sm_prepared_trees **out,
                             smerf_error *error);
void sm_prepared_free(sm_prepared_trees *prepared, const smerf_model *model); /* NULL is fine */

/* [n_trees] those that the model keeps; NULL: none. */
const sm_ready *sm_prepared_of(const smerf_model *model);

#endif
