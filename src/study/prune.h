/* prune.h - the forest for a larger min-parent, from one that was grown further. */
#ifndef SM_STUDY_PRUNE_H
#define SM_STUDY_PRUNE_H

#include "model/model.h"

/* Exactly the model that fitting with this min_parent gives, which must not be smaller than the model's own: what a
 * node draws depends on the path to it only (docs/decisions/0003-random-streams.md), so a larger min_parent just stops
 * earlier. Takes a small part of the time of growing. */
smerf_status sm_prune(const smerf_model *model, size_t min_parent, smerf_model **out, smerf_error *error);

#endif
