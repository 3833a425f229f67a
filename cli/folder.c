/* folder.c - writes results that are several files in one folder: see folder.h. */
#include "folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "interrupt.h"

static smerf_status check_disk(const char *folder, double bytes, const char *what, smerf_error *error) {
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0) return SMERF_OK; /* writing will tell */
    double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    if (bytes <= free_bytes) return SMERF_OK;
    snprintf(error->message, sizeof error->message, "%.200s take %.1f GB, and %.1f GB are free on the disk", what,
             bytes / 1e9, free_bytes / 1e9);
    return SMERF_IO;
}

/* Kept outputs, and the folder that was made for them; NULL: it was there. */
enum { MOST_KEPT = 32 };
static sm_output *kept[MOST_KEPT];
static size_t n_kept;
static const char *folder_made;

smerf_status cli_make_folder(const char *path, double bytes, const char *what, smerf_error *error) {
    bool is_new = mkdir(path, 0777) == 0;
    if (!is_new && errno != EEXIST) {
        snprintf(error->message, sizeof error->message, "%.300s: cannot be made: %s", path, strerror(errno));
        return SMERF_IO;
    }
    smerf_status status = check_disk(path, bytes, what, error);
    if (status != SMERF_OK && is_new) rmdir(path);
    folder_made = status == SMERF_OK && is_new ? path : NULL;
    cli_remove_when_interrupted(folder_made);
    return status;
}

/* NULL: no memory. */
static char *join(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL) snprintf(path, size, "%s/%s", folder, name);
    return path;
}

smerf_status cli_open_in(const char *folder, const char *name, sm_output **output, smerf_error *error) {
    char *path = join(folder, name);
    if (path == NULL) {
        strcpy(error->message, "out of memory while writing files");
        return SMERF_NO_MEMORY;
    }
    smerf_status status = sm_output_open(path, output, error);
    free(path);
    return status;
}

void cli_keep_in(sm_output *output) { kept[n_kept++] = output; }

smerf_status cli_finish_kept(smerf_status status, smerf_error *error) {
    for (size_t k = 0; k < n_kept; k++)
        if (status == SMERF_OK)
            status = sm_output_finish(kept[k], error);
        else
            sm_output_abandon(kept[k]);
    n_kept = 0;
    if (status != SMERF_OK && folder_made != NULL) rmdir(folder_made); /* fails where there is something in it */
    return status;
}
