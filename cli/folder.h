/* folder.h - results that are several files in one folder. */
#ifndef CLI_FOLDER_H
#define CLI_FOLDER_H

#include "io/text/text.h"

/* Makes the folder where it is not there yet (a file of that name fails when written into), and refuses what the disk
 * cannot hold before it is full.
 *   what  the content, for the message: "the distances of 5 items" */
smerf_status cli_make_folder(const char *path, double bytes, const char *what, smerf_error *error);

/* Opens a file in it. */
smerf_status cli_open_in(const char *folder, const char *name, sm_output **output, smerf_error *error);

/* Whether a file in it is the one that a path names. */
bool cli_is_in(const char *folder, const char *name, const char *path);

#endif
