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

/* Files that belong together: one that is complete is kept, and all get their names at the end, so that an interrupt, a full disk or
 * an error in a later one leaves none of them. */
void cli_keep_in(sm_output *output);

/* status  SMERF_OK: they become real. Else they are abandoned, with a folder that was made for them; it is returned */
smerf_status cli_finish_kept(smerf_status status, smerf_error *error);

#endif
