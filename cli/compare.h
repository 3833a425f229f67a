/* compare.h - what the files of smerf compare share: cmd_compare.c is the command, compare_result.c writes what came of
 * it. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "common.h"
#include "smerf_study.h"

/* Which items stay together, by the values of a column. */
typedef struct cli_groups {
    const char *column; /* NULL: there are none */
    sm_table table;     /* with that column only */
    size_t n;           /* different values */
} cli_groups;

/* Scores of a comparison: metrics by their numbers, and of triplets the fraction that is in order. */
enum { CLI_IN_ORDER = SMERF_N_METRICS, CLI_N_COMPARED };

const char *cli_compared_name(unsigned score);
const smerf_mean_score *cli_compared_mean(const smerf_method_scores *of, unsigned score);
const smerf_mean_score *cli_compared_difference(const smerf_method_scores *of, unsigned score);

typedef struct cli_comparison {
    smerf_comparison plan; /* points to the options */
    smerf_options options;
    smerf_baseline_options baselines;
    smerf_boost_options boost;
    unsigned metrics; /* of the target, and CLI_IN_ORDER of triplets: a sum of SMERF_HAS(score) */
    unsigned main;    /* the score by which methods are told apart */
    cli_groups groups;
    size_t n_rounds;        /* repeats, or folds of all repeats */
    bool repeats_are_given; /* else small data are repeated until the methods can be told apart */
    smerf_method_scores scores[SMERF_N_METHODS];
} cli_comparison;

/* Reads the column of --groups, which the items leave out; *groups is empty without it. */
smerf_status cli_read_groups(const cli_args *args, const char *path, cli_groups *groups, smerf_error *error);
void cli_free_groups(cli_groups *groups);

/* What was repeated how often, and whether the methods can be told apart. */
void cli_tell_comparison(const cli_args *args, const cli_comparison *done, double seconds);

/* A line for each method that takes part: the best of each metric with a star, those within a standard error of it with a tilde. */
void cli_put_comparison(sm_output *output, const cli_comparison *done);

/* Without the seconds: the same bytes for the same data, options and seed. */
void cli_put_json_comparison(sm_output *output, const cli_comparison *done);

#endif
