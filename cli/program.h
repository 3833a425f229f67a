/* program.h - what the command and smerf-reproduce have in common: one command is parsed and run, errors are printed in one
 * place, and the exit code says how it went. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "command.h"

enum { CLI_DONE = 0, CLI_COULD_NOT = 1, CLI_WRONG_USE = 2 };

/* Parses the words after the command's name and runs it; returns the exit code. */
int cli_run_command(const cli_command *command, int n, char **words);

/* Closes standard output before the program ends; the exit code says if that failed. */
int cli_close_output(const char *program, int code);

#endif
