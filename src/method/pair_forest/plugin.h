/* plugin.h - what "plugin" has learned: a regression forest and its residual variance. */
#ifndef SM_METHOD_PLUGIN_H
#define SM_METHOD_PLUGIN_H

#include "method/pair_forest/value_forest.h"
#include "model/method.h"

struct sm_learned {
    sm_value_forest forest;
    double residual; /* s */
};

void sm_plugin_free(sm_learned *learned);

#endif
