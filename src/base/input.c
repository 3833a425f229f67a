/* input.c - files memory-mapped or read: see input.h.
 *
 * A file that another program cuts short while it is mapped ends this one with SIGBUS; that is the price of looking at
 * files larger than memory without copying them. Reading one (sm_input_read) has no such price. */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

const char *sm_input_name(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

/* Reads until the end comes; a pipe without end is stopped by the size of the machine. */
static smerf_status read_all(int file, const char *name, sm_input *input, smerf_error *error) {
    char *bytes = NULL;
    size_t n = 0, capacity = 0;
    smerf_status status = SMERF_OK;
    while (status == SMERF_OK) {
        if (n == capacity) {
            status = sm_check_memory(2 * (double)capacity, name, error);
            if (status == SMERF_OK && !sm_grow((void **)&bytes, &capacity, capacity == 0 ? 1 << 16 : capacity + 1, 1))
                status = sm_no_memory(error, "reading a file");
            if (status != SMERF_OK) break;
        }
        ssize_t n_read = read(file, bytes + n, capacity - n);
        if (n_read < 0 && errno == EINTR) continue;
        if (n_read < 0) status = sm_fail(error, SMERF_IO, "%s: cannot be read: %s", name, strerror(errno));
        if (n_read <= 0) break;
        n += (size_t)n_read;
    }
    *input = (sm_input){.bytes = bytes, .n_bytes = n};
    if (status != SMERF_OK) sm_input_close(input);
    return status;
}

static bool map_file(int file, const struct stat *facts, sm_input *input) {
    /* Some files of the system (/proc) claim to be empty and are not: those are read. */
    if (!S_ISREG(facts->st_mode) || facts->st_size <= 0) return false;
    size_t n_bytes = (size_t)facts->st_size;
    void *bytes = mmap(NULL, n_bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) return false;
    (void)madvise(bytes, n_bytes, MADV_SEQUENTIAL); /* a hint: read ahead */
    *input = (sm_input){.bytes = bytes, .n_bytes = n_bytes, .is_mapped = true, .file = file};
    return true;
}

smerf_status sm_input_open(const char *path, sm_input *input, smerf_error *error) {
    *input = (sm_input){0};
    bool is_standard = strcmp(path, "-") == 0;
    const char *name = sm_input_name(path);
    smerf_status status = SMERF_OK;
    struct stat facts;
    int file = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &facts) != 0)
        status = sm_fail(error, SMERF_IO, "%s: cannot be opened: %s", name, strerror(errno));
    else if (S_ISDIR(facts.st_mode))
        status = sm_fail(error, SMERF_IO, "%s: is a folder, and a file is needed", name);
    else if (is_standard || !map_file(file, &facts, input)) /* standard input may have been read in part */
        status = read_all(file, name, input, error);
    if (file >= 0 && !is_standard && !input->is_mapped) close(file);
    return status;
}

bool sm_input_read(const sm_input *input, size_t from, size_t n, void *to) {
    if (!input->is_mapped) {
        memcpy(to, input->bytes + from, n);
        return true;
    }
    for (size_t n_read = 0; n_read < n;) {
        ssize_t n_now = pread(input->file, (char *)to + n_read, n - n_read, (off_t)(from + n_read));
        if (n_now < 0 && errno == EINTR) continue;
        if (n_now == 0) errno = 0;
        if (n_now <= 0) return false;
        n_read += (size_t)n_now;
    }
    return true;
}

bool sm_input_can_repeat(const char *path) {
    struct stat facts;
    return strcmp(path, "-") != 0 && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

void sm_input_let_go(const sm_input *input, size_t from, size_t to) {
    if (!input->is_mapped) return; /* what was read has no file to come back from */
    size_t page = (size_t)sysconf(_SC_PAGESIZE), first = from / page * page, end = to / page * page;
    if (end > first) (void)madvise((void *)(input->bytes + first), end - first, MADV_DONTNEED);
}

void sm_input_close(sm_input *input) {
    if (input->is_mapped) {
        munmap((void *)input->bytes, input->n_bytes);
        close(input->file);
    } else {
        sm_free((void *)input->bytes);
    }
    *input = (sm_input){0};
}
