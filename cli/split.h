/* split.h - what the files of smerf split fraction. cmd_split.c is the command, split_nodes.c and split_pairs.c are its two
 * ways to divide, split_triplets.c has what is different of triplets, split_files.c reads and writes for both. */
#ifndef CLI_SPLIT_H
#define CLI_SPLIT_H

#include "common.h"
#include "io/pairs/pairs.h"

typedef struct cli_splitting {
    const cli_args *args;
    const char *folder, *items_path;
    double fraction;       /* of the items to train on; by pairs: as many pairs as these have */
    double pairs_fraction; /* or of the pairs themselves; 0: not given */
    size_t seed;
    cli_items items;
    cli_target target;
    size_t n; /* items */
} cli_splitting;

/* Which part of the pairs goes into a file. */
typedef enum cli_part { CLI_TRAIN, CLI_TEST, CLI_CROSS } cli_part;

/* Makes the folder and writes the files, or fails before there is anything. */
smerf_status cli_split_by_nodes(const cli_splitting *split, smerf_error *error);
smerf_status cli_split_by_pairs(const cli_splitting *split, smerf_error *error);

/* ---- split_pairs.c, split_triplets.c ---- */

/* Which of the known pairs, or of the comparisons that triplets answer, are to train on. */
typedef struct cli_drawing {
    size_t n_pairs, n_train;
    bool *is_train; /* [n_pairs] owned */
} cli_drawing;

/* Draws some of drawn->n_pairs, makes the folder and writes the items. */
smerf_status cli_draw_pairs(const cli_splitting *split, cli_drawing *drawn, smerf_error *error);

/* Writes the triplets of each part: those among its items, or those of the comparisons that are drawn. */
smerf_status cli_cut_triplets(const cli_splitting *split, const bool *is_train, smerf_error *error);
smerf_status cli_divide_triplets(const cli_splitting *split, cli_drawing *drawn, smerf_error *error);

/* ---- split_files.c ---- */

smerf_status cli_split_no_memory(smerf_error *error);
const char *cli_part_name(cli_part part);

/* The items of which is_chosen says so; NULL: all of them. */
smerf_status cli_write_items(const cli_splitting *split, const char *name, const bool *is_chosen, smerf_error *error);

/* The pairs or edges of the target once more, as they are listed. */
smerf_status cli_read_listed_pairs(const cli_splitting *split, sm_pairs *pairs, smerf_error *error);
smerf_status cli_read_listed_edges(const cli_splitting *split, sm_pairs *edges, smerf_error *error);
smerf_status cli_read_listed_observed(const cli_splitting *split, sm_pairs *observed, smerf_error *error);

#define CLI_PAIR_HEADER "i,j,distance"
#define CLI_OBSERVED_HEADER "i,j"
const char *cli_edge_header(const sm_pairs *edges);

/* The two names of a pair, as cells. */
void cli_put_pair(const cli_splitting *split, size_t i, size_t j, sm_output *output);

/* Writes the pairs of one part.   part_of  [n]; NULL: all of them */
smerf_status cli_write_list(const cli_splitting *split, const char *name, const char *header, const sm_pairs *pairs,
                            const unsigned char *part_of, cli_part wanted, smerf_error *error);

/* train-WHAT.csv, test-WHAT.csv and so on, up to the last part. */
smerf_status cli_write_parts(const cli_splitting *split, const char *what, const char *header, const sm_pairs *pairs,
                             const unsigned char *part_of, cli_part last, smerf_error *error);

#endif
