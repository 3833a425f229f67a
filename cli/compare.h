/* compare.h - what the files of smerf compare share: cmd_compare.c is the command, compare_result.c writes what came of
 * it. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "common.h"
#include "smerf_study.h"

typedef struct cli_comparison {
    smerf_comparison plan; /* points to the options */
    smerf_options options;
    smerf_baseline_options baselines;
    unsigned metrics; /* of the target */
    smerf_method_scores scores[SMERF_N_METHODS];
} cli_comparison;

/* A line for each method that takes part, the best of each metric with a star. */
void cli_put_comparison(sm_output *output, const cli_comparison *done);

/* Without the seconds: the same bytes for the same data, options and seed. */
void cli_put_json_comparison(sm_output *output, const cli_comparison *done);

#endif
