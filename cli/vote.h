/* vote.h - smerf neighbors --vote COLUMN: what neighbours say of a label or a number, and how often they are right. */
#ifndef CLI_VOTE_H
#define CLI_VOTE_H

#include "common.h"

/* The file of the items among which is searched: ITEMS, or --items. */
const char *cli_catalogue(const cli_args *args);

/* Reads the items and the queries, if there are any, with the column that is voted on.
 *   queries  stays empty without --queries */
smerf_status cli_read_voters(const cli_args *args, const smerf_model *model, cli_items *items, cli_items *queries,
                             smerf_error *error);

/* Takes the votes, writes them, and says how good they are. */
smerf_status cli_vote(const cli_args *args, const smerf_model *model, const smerf_neighborhood *wanted,
                      const cli_items *items, const cli_items *queries, smerf_error *error);

#endif
