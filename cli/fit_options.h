/* fit_options.h - the options of fit and tune. */
#ifndef CLI_FIT_OPTIONS_H
#define CLI_FIT_OPTIONS_H

#include "command.h"

extern const cli_option cli_fit_options[];

/* The options as given, defaults elsewhere; options->baselines points to baselines, options->boost to boost. */
smerf_status cli_read_fit_options(const cli_args *args, smerf_options *options, smerf_baseline_options *baselines,
                                  smerf_boost_options *boost, smerf_error *error);

/* One value of --candidates, and of --self-distance; false: it is none. What a value says nothing of is left as it is. */
bool cli_parse_candidates(const char *text, size_t *candidates, double *power);
bool cli_parse_self(const char *text, smerf_self *kind, double *value);

/* --kernels */
smerf_status cli_read_kernels(const cli_args *args, smerf_run *run, smerf_error *error);

/* --oob-rule where a model has one already. */
/* --oob and --oob-rule, the second of which goes with the first. */
smerf_status cli_read_out_of_bag(const cli_args *args, bool *out_of_bag, smerf_oob_rule *rule, smerf_error *error);
smerf_status cli_read_oob_rule(const cli_args *args, smerf_oob_rule *rule, smerf_error *error);

/* Names as in the options. */
const char *cli_splits_name(smerf_splits splits);
const char *cli_self_name(const smerf_options *options, char space[32]); /* the space is for a number */

#endif
