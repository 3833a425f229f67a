/* plain.h - what `mean`, `standardized` and `gower` have learned: the rows of a comparison that any learned distance should beat. */
#ifndef SM_METHOD_PLAIN_H
#define SM_METHOD_PLAIN_H

#include "model/method.h"

struct sm_learned {
    size_t n_features, n_used; /* those whose scale is not 0 */
    double
        *scale; /* [n_features] 1 / standard deviation or 1 / range of a number; 1 of a category; 0: it does not vary */
    double mean; /* of `mean`, which has no scales */
};

sm_learned *sm_plain_new(size_t n_features); /* NULL: no memory */
void sm_plain_free(sm_learned *learned);     /* takes NULL */
void sm_plain_count(sm_learned *learned);    /* n_used, of the scales */

#endif
