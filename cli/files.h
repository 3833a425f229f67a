/* files.h - the files that a call names: what an output is written as, by its name, and that no output replaces an input. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include "command.h"

/* Whether the value of an option names a file that is written (else it may name one that is read). */
bool cli_names_output(const cli_option *option);

/* Looks at all files of a call before any work is done. Wrong use is SMERF_BAD_INPUT.
 *   1. an output has a name that says how it is written: a name without a suffix says nothing, and will do
 *   2. no output is a file that is read, or another output: the same file by device and inode, whatever its name */
smerf_status cli_check_files(const cli_args *args, smerf_error *error);

#endif
