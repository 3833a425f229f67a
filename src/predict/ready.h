/* ready.h - one tree made ready for requests: its leaves as the target wants them, and what the target made of them. */
#ifndef SM_QUERY_READY_H
#define SM_QUERY_READY_H

#include "base/memory.h"
#include "model/model.h"
#include "predict/descent.h"

typedef struct sm_ready {
    sm_arena arena; /* holds what the leaves point at */
    sm_leaves leaves;
    sm_descent descent;
    void *summary;
    const double *rows; /* [leaves][leaves] all their distances, while someone has them at hand; else NULL */
    double *self;       /* [leaves] where items' own distances are left out: h(l, l), NaN: no pair to ask; else NULL */
} sm_ready;             /* filled with zeros, it is not ready */

/* For so many items to be sent down the tree. False: no memory, and *ready is filled with zeros. */
bool sm_ready_start(sm_ready *ready, const smerf_model *model, size_t tree, size_t n_items);
void sm_ready_free(sm_ready *ready, const smerf_model *model);

/* About how many bytes that takes. */
size_t sm_ready_bytes(const smerf_model *model, size_t tree, size_t n_items);

#endif
