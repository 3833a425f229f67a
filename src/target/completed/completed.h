/* completed.h - pairs of which the missing ones were filled in. */
#ifndef SM_TARGET_COMPLETED_H
#define SM_TARGET_COMPLETED_H

#include "target/completed/completion.h"
#include "target/target.h"
#include "target/vectors/vectors.h"

extern const sm_target_kind sm_target_completed;

/* Known pairs as they are, the others as the completion says, z_ii as the pairs say.
 *   pairs       of the kind pairs or observed; shared
 *   completion  taken over, also on failure */
smerf_status sm_completed_new(smerf_target *pairs, sm_completion *completion, smerf_target **out, smerf_error *error);

/* The pairs that it was made from; NULL: it is no completed target. */
const smerf_target *sm_completed_pairs(const smerf_target *target);

/* ---- inside: completed.c, completed_search.c ---- */

typedef struct sm_completed {
    smerf_target head;
    smerf_target *pairs; /* shared */
    sm_completion form;
    double *lowered; /* [n_items] the a of the form, less 1/2 */
    double *self;    /* [n_items] z_ii */
    sm_vectors vectors;
    smerf_target *rest; /* a graph: known distances less what the form says */
} sm_completed;

static inline const sm_completed *sm_completed_of(const smerf_target *target) { return (const sm_completed *)target; }

extern const sm_engine sm_completed_engine;

#endif
