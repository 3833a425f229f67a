/* input.c - see input.h. */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

const char *sm_input_name(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

static smerf_status read_all(int file, const char *path, sm_input *input, smerf_error *error) {
    char *bytes = NULL;
    size_t n = 0, capacity = 0;
    for (;;) {
        if (!sm_grow((void **)&bytes, &capacity, n + 65536, 1)) {
            sm_free(bytes);
            return sm_fail(error, SMERF_NO_MEMORY, "%s: does not fit into memory", sm_input_name(path));
        }
        ssize_t n_read = read(file, bytes + n, capacity - n);
        if (n_read < 0 && errno == EINTR) continue;
        if (n_read < 0) {
            sm_free(bytes);
            return sm_fail(error, SMERF_IO, "%s: cannot be read: %s", sm_input_name(path), strerror(errno));
        }
        if (n_read == 0) break;
        n += (size_t)n_read;
    }
    *input = (sm_input){.bytes = bytes, .n_bytes = n};
    return SMERF_OK;
}

static smerf_status take(int file, const char *path, sm_input *input, smerf_error *error) {
    struct stat status;
    if (fstat(file, &status) != 0)
        return sm_fail(error, SMERF_IO, "%s: cannot be read: %s", sm_input_name(path), strerror(errno));
    if (S_ISDIR(status.st_mode)) return sm_fail(error, SMERF_IO, "%s: is a folder, not a file", path);
    if (!S_ISREG(status.st_mode) || status.st_size == 0) return read_all(file, path, input, error);
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) return read_all(file, path, input, error);
    *input = (sm_input){.bytes = bytes, .n_bytes = (size_t)status.st_size, .is_mapped = true};
    return SMERF_OK;
}

smerf_status sm_input_open(const char *path, sm_input *input, smerf_error *error) {
    *input = (sm_input){0};
    bool is_standard = strcmp(path, "-") == 0;
    int file = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return sm_fail(error, SMERF_IO, "%s: cannot be opened: %s", path, strerror(errno));
    smerf_status status = take(file, path, input, error);
    if (!is_standard) close(file);
    return status;
}

void sm_input_close(sm_input *input) {
    if (input->is_mapped)
        munmap((void *)input->bytes, input->n_bytes);
    else
        sm_free((void *)input->bytes);
    *input = (sm_input){0};
}
