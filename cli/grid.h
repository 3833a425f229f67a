/* grid.h - the settings that tune tries, as a user writes them: "candidates=p^0.5,p;min-parent=2,8". */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "command.h"
#include "smerf_study.h"

enum { CLI_MOST_VALUES = 64 }; /* of an option */

typedef struct cli_grid {
    smerf_grid grid; /* points into what follows */
    smerf_candidate_count candidates[CLI_MOST_VALUES];
    size_t min_parents[CLI_MOST_VALUES];
    smerf_splits splits[CLI_MOST_VALUES];
    double densities[CLI_MOST_VALUES];
    smerf_self_setting selves[CLI_MOST_VALUES];
} cli_grid;

/* Reads --grid; without it, and for options that it leaves out, the lists are empty. An option that is given itself does not vary. */
smerf_status cli_read_grid(const cli_args *args, cli_grid *grid, smerf_error *error);

#endif
