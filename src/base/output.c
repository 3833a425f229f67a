/* output.c - a temporary file that is renamed when it is complete: see output.h. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

struct sm_output {
    FILE *stream;
    char *path;       /* where the bytes shall be in the end */
    bool is_direct;   /* written where they shall be */
    bool is_nameless; /* the temporary file has no name yet */
    char *temporary;  /* its name, else */
    int failure;      /* errno of the first failure, or 0 */
    sm_output_filter filter;
};

static void free_output(sm_output *output) {
    if (output == NULL) return;
    if (output->filter.free != NULL) output->filter.free(output->filter.state);
    sm_free(output->path);
    sm_free(output->temporary);
    sm_free(output);
}

static bool is_written_directly(const char *path) {
    struct stat status;
    if (strcmp(path, "-") == 0) return true;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* Where a link points to, as a path that can be opened from here; NULL: no memory, or no link. A link to nothing yet is
 * a way to say where the file shall be. */
static char *follow_link(const char *path) {
    char target[PATH_MAX];
    if (realpath(path, target) != NULL) return sm_copy_string(target);
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0) return NULL;
    target[n] = '\0';
    const char *slash = strrchr(path, '/');
    size_t n_folder = slash != NULL && target[0] != '/' ? (size_t)(slash - path) + 1 : 0;
    char *joined = sm_array(n_folder + (size_t)n + 1, 1);
    if (joined == NULL) return NULL;
    memcpy(joined, path, n_folder);
    memcpy(joined + n_folder, target, (size_t)n + 1);
    return joined;
}

static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* The wanted file's folder with a short name of our own in it, which cannot be too long where the wanted one is not. */
static bool name_temporary(sm_output *output, unsigned attempt) {
    size_t n_folder = folder_length(output->path), size = n_folder + 48;
    sm_free(output->temporary);
    output->temporary = sm_array(size, 1);
    if (output->temporary == NULL) return false;
    memcpy(output->temporary, output->path, n_folder);
    snprintf(output->temporary + n_folder, size - n_folder, ".smerf-%ld-%u.tmp", (long)getpid(), attempt);
    return true;
}

/* A file without a name in that folder; -1 where there is no such thing, or no way to name it later. */
static int open_nameless(const char *path) {
    if (access("/proc/self/fd", X_OK) != 0) return -1;
    char *folder = sm_copy_string(path);
    if (folder == NULL) return -1;
    size_t n_folder = folder_length(path);
    folder[n_folder > 1 ? n_folder - 1 : n_folder] = '\0'; /* "/" stays what it is */
    int file = open(n_folder > 0 ? folder : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    sm_free(folder);
    return file;
}

/* Opens a new file in the folder of the wanted one, with the rights of the one that it will replace. */
static int open_temporary(sm_output *output) {
    char *real = follow_link(output->path);
    if (real != NULL) {
        sm_free(output->path);
        output->path = real;
    }
    struct stat facts;
    bool exists = stat(output->path, &facts) == 0;
    if (exists && S_ISDIR(facts.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (exists && access(output->path, W_OK) != 0) return -1; /* renaming over a read-only file would surprise */
    int file = open_nameless(output->path);
    output->is_nameless = file >= 0;
    for (unsigned attempt = 0; file < 0 && attempt < 100 && name_temporary(output, attempt); attempt++) {
        file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST) return -1;
    }
    if (file >= 0 && exists) (void)fchmod(file, facts.st_mode & 07777);
    return file;
}

static smerf_status fail_to_write(smerf_error *error, const char *path, int why) {
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    return sm_fail(error, why == ENOMEM ? SMERF_NO_MEMORY : SMERF_IO, "%s: cannot be written: %s", name, strerror(why));
}

smerf_status sm_output_open(const char *path, sm_output **out, smerf_error *error) {
    if (path[0] == '\0') return sm_fail(error, SMERF_IO, "the name of the output file is empty");
    sm_output *output = sm_zeros(1, sizeof *output);
    if (output == NULL || (output->path = sm_copy_string(path)) == NULL) {
        free_output(output);
        return sm_no_memory(error, "opening a file");
    }
    errno = 0;
    int file;
    output->is_direct = is_written_directly(path);
    if (strcmp(path, "-") == 0)
        file = dup(STDOUT_FILENO);
    else if (output->is_direct)
        file = open(path, O_WRONLY | O_CLOEXEC);
    else
        file = open_temporary(output);
    if (file >= 0) output->stream = fdopen(file, "wb");
    if (output->stream == NULL) {
        smerf_status status = fail_to_write(error, path, errno);
        if (file >= 0) close(file);
        free_output(output);
        return status;
    }
    *out = output;
    return SMERF_OK;
}

smerf_status sm_output_check(const char *path, smerf_error *error) {
    if (is_written_directly(path)) return SMERF_OK; /* opening a pipe would be noticed at its other end */
    sm_output *output;
    smerf_status status = sm_output_open(path, &output, error);
    if (status == SMERF_OK) sm_output_abandon(output);
    return status;
}

static void note_write_failure(sm_output *output) {
    if (output->failure == 0) output->failure = errno != 0 ? errno : EIO;
}

void sm_output_pass_on(sm_output *output, const void *bytes, size_t n_bytes) {
    if (n_bytes == 0) return; /* the bytes may be nowhere */
    if (output->failure == 0 && fwrite(bytes, 1, n_bytes, output->stream) != n_bytes) note_write_failure(output);
}

void sm_output_set_filter(sm_output *output, const sm_output_filter *filter) { output->filter = *filter; }

/* A filter that cannot go on lacks memory, unless writing has failed, which has been noted. */
static void note_filter_failure(sm_output *output, bool has_worked) {
    if (!has_worked && output->failure == 0) output->failure = ENOMEM;
}

void sm_output_write(sm_output *output, const void *bytes, size_t n_bytes) {
    const sm_output_filter *filter = &output->filter;
    if (filter->write == NULL)
        sm_output_pass_on(output, bytes, n_bytes);
    else if (n_bytes > 0 && output->failure == 0)
        note_filter_failure(output, filter->write(filter->state, output, bytes, n_bytes));
}

static void print_through_filter(sm_output *output, const char *format, va_list arguments) {
    char *text = NULL;
    int n = vasprintf(&text, format, arguments);
    if (n >= 0) sm_output_write(output, text, (size_t)n);
    if (n >= 0) free(text);
    note_filter_failure(output, n >= 0);
}

void sm_output_print(sm_output *output, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (output->filter.write != NULL)
        print_through_filter(output, format, arguments);
    else if (output->failure == 0 && vfprintf(output->stream, format, arguments) < 0)
        note_write_failure(output);
    va_end(arguments);
}

bool sm_output_has_failed(const sm_output *output) { return output->failure != 0; }

/* So that the new name survives a crash of the machine; some file systems cannot sync a folder, which is fine. */
static void sync_folder(const char *path) {
    char *folder = sm_copy_string(path);
    if (folder == NULL) return;
    char *slash = strrchr(folder, '/');
    if (slash != NULL) slash[slash == folder ? 1 : 0] = '\0';
    int file = open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
    sm_free(folder);
}

/* Gives a nameless file the name of a temporary one: a file can only be replaced by one that has a name. */
static void give_name(sm_output *output) {
    char self[40];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(output->stream));
    errno = EEXIST;
    for (unsigned attempt = 0; attempt < 100 && errno == EEXIST && name_temporary(output, attempt); attempt++)
        if (linkat(AT_FDCWD, self, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0) {
            output->is_nameless = false;
            return;
        }
    note_write_failure(output);
}

smerf_status sm_output_finish(sm_output *output, smerf_error *error) {
    errno = 0;
    if (output->filter.finish != NULL && output->failure == 0)
        note_filter_failure(output, output->filter.finish(output->filter.state, output));
    if (fflush(output->stream) != 0) note_write_failure(output);
    if (!output->is_direct && output->failure == 0 && fsync(fileno(output->stream)) != 0) note_write_failure(output);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a program that a signal ends now would leave the temporary name */
    if (output->is_nameless && output->failure == 0) give_name(output);
    if (fclose(output->stream) != 0) note_write_failure(output);
    if (!output->is_direct && output->failure == 0 && rename(output->temporary, output->path) != 0)
        note_write_failure(output);
    if (!output->is_direct && output->failure != 0 && !output->is_nameless) unlink(output->temporary);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!output->is_direct && output->failure == 0) sync_folder(output->path);
    smerf_status status = SMERF_OK;
    if (output->failure != 0) status = fail_to_write(error, output->path, output->failure);
    free_output(output);
    return status;
}

void sm_output_abandon(sm_output *output) {
    if (output == NULL) return;
    fclose(output->stream);
    if (output->temporary != NULL) unlink(output->temporary);
    free_output(output);
}
