/* grid.h - the settings that tuning tries, in order. */
#ifndef SM_STUDY_GRID_H
#define SM_STUDY_GRID_H

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

#endif
