/* lists.h - reads lists of pairs as the options say: --pairs, --edges and what goes with them. */
#ifndef CLI_LISTS_H
#define CLI_LISTS_H

#include "common.h"
#include "io/pairs/pairs.h"

/* What a list is read by, and the names that it borrows. */
typedef struct cli_list_spec {
    sm_pairs_spec spec;
    char **id_columns;
} cli_list_spec;

/* Fills in what --value, --value-is, --pair-columns and --judge say.
 *   columns  NULL: pairs of rows */
smerf_status cli_start_list(const cli_args *args, const cli_items *rows, const cli_items *columns, cli_list_spec *list,
                            smerf_error *error);
void cli_stop_list(cli_list_spec *list); /* after a failure, too */

/* The pairs of --pairs, of which only ids are wanted: the left ones are rows, the right ones columns. */
smerf_status cli_read_listed(const cli_args *args, const cli_items *rows, const cli_items *columns, sm_pairs *pairs,
                             smerf_error *error);

/* Says which columns of theirs were not used, if any. */
void cli_say_unused(const cli_args *args, const sm_pairs *pairs);

#endif
