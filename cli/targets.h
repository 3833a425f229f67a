/* targets.h - what the files that read targets share: targets.c has the options, matrices and columns, lists.c has lists of
 * pairs and of edges. */
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

#include "common.h"

/* The items on both sides; columns is NULL where the target is about pairs of rows. */
typedef struct cli_sides {
    const cli_items *rows, *columns;
} cli_sides;

/* The items of both sides. */
size_t cli_n_both(const cli_sides *of);

smerf_status cli_target_no_memory(smerf_error *error);

/* Adds to the facts of a target. */
void cli_add_fact(cli_target *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A number as it is shown in messages. */
const char *cli_show_number(double number, char text[SM_NUMBER_SPACE]);

/* What similarities are taken from, or weights of a graph are divided by: what --similarity-max says, else what the model says
 * that the items were read for, if it was trained on the like; else NaN.
 *   is_graph  weights of a graph */
smerf_status cli_choose_largest(const cli_args *args, const cli_sides *of, bool is_graph, double *largest,
                                smerf_error *error);

/* Notes what it came to, and says where it came from.   "read as 7 - q, as for the model" */
void cli_note_largest(const cli_args *args, const cli_sides *of, double largest, cli_target *target);

/* How many pairs a target has, if it is a graph or a list of pairs.
 *   has_judges  repeats are what is wanted */
void cli_note_counts(const cli_args *args, const cli_sides *of, bool has_judges, cli_target *target);

/* The readers of --pairs, --edges and --triplets. */
smerf_status cli_read_rated_pairs(const cli_args *args, const char *path, const cli_sides *of, cli_target *target,
                                  smerf_error *error);
smerf_status cli_read_edges(const cli_args *args, const char *path, const cli_sides *of, cli_target *target,
                            smerf_error *error);
smerf_status cli_read_triplets(const cli_args *args, const char *path, const cli_sides *of, cli_target *target,
                               smerf_error *error);

#endif
