/* tuning.h - what tuning is made of: the settings that are tried, in order, and forests that need not be grown again. */
#ifndef SM_STUDY_TUNING_H
#define SM_STUDY_TUNING_H

#include "model/model.h"
#include "smerf_study.h"

enum { SM_MOST_TRIALS = 512 };

typedef struct sm_setting {
    smerf_options options; /* resolved */
    bool is_pruned;        /* its trees are those of the one before, or parts of them */
    double growing;        /* how much work it is, roughly in nanoseconds: growing, and scoring */
    double scoring;
} sm_setting;

typedef struct sm_grid_list {
    sm_setting settings[SM_MOST_TRIALS];
    size_t n;
    sm_setting left_out[SM_MOST_TRIALS]; /* of the paper's grid: they would take too long */
    size_t n_left_out;
} sm_grid_list;

/* Lists the settings of a grid, and those that are left out, each once: several may come to the same, as small powers of few features do.
 *   options  what does not vary */
smerf_status sm_grid_make(sm_grid_list *list, const smerf_items *items, const smerf_target *target,
                          const smerf_options *options, const smerf_tuning *tuning, smerf_error *error);

/* ---- prune.c ---- */

/* Exactly the model that fitting with this min_parent gives, which must not be smaller than the model's own: what a
 * node draws depends on the path to it only (docs/decisions/0003-random-streams.md), so a larger min_parent just stops
 * earlier. Takes a small part of the time of growing. */
smerf_status sm_prune(const smerf_model *model, size_t min_parent, smerf_model **out, smerf_error *error);

#endif
