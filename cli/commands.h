/* commands.h - the list of commands. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "command.h"

extern const cli_command cli_fit, cli_tune, cli_predict, cli_evaluate, cli_importance, cli_info, cli_export, cli_merge,
    cli_simulate, cli_split_command, cli_compare, cli_neighbors, cli_index, cli_embed, cli_cluster, cli_explain,
    cli_report;

#endif
