/* rfd.h - what "rfd" has learned: a forest on pairs. */
#ifndef SM_METHOD_RFD_H
#define SM_METHOD_RFD_H

#include "method/pair_forest/value_forest.h"
#include "model/method.h"

struct sm_learned {
    sm_value_forest forest;
};

void sm_rfd_free(sm_learned *learned);

#endif
