/* euclidean.h - what the Euclidean distance needs of the training items: means, which stand for missing values. */
#ifndef SM_METHOD_EUCLIDEAN_H
#define SM_METHOD_EUCLIDEAN_H

#include "method/linear/design.h"
#include "model/method.h"

struct sm_learned {
    sm_design design;
};

void sm_euclidean_free(sm_learned *learned);

#endif
