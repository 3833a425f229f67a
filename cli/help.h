/* help.h - what a command's --help shows, and the options that several commands share, which are told once. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"

/* Its own options, the names of those that it shares with other commands, and examples. */
void cli_print_help(const cli_command *command);

/* One of the shared lists: "smerf help targets". False: there is none of that name. */
bool cli_print_topic(const char *name);

/* The names of the lists, for those who ask for help at all. */
void cli_print_topics(void);

#endif
