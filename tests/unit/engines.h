/* engines.h - the engine of a kind that fits any target of it. */
#ifndef TESTS_UNIT_ENGINES_H
#define TESTS_UNIT_ENGINES_H

#include "target/target.h"

static inline const sm_engine *plain_engine(const sm_target_kind *kind) {
    return kind->engines[1] != NULL ? kind->engines[1] : kind->engines[0];
}

#endif
