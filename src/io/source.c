/* source.c - see source.h.
 *
 * A file that another program cuts short while it is mapped ends this one with SIGBUS; that is the price of reading
 * files larger than memory without copying them. */
#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static bool map(sm_source *source, int file, const struct stat *status) {
    /* Some files of the system (/proc) claim to be empty and are not: those are read. */
    if (!S_ISREG(status->st_mode) || status->st_size <= 0 || (uintmax_t)status->st_size > PTRDIFF_MAX)
        return false;
    size_t n_bytes = (size_t)status->st_size;
    void *bytes = mmap(NULL, n_bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) return false;
    (void)madvise(bytes, n_bytes, MADV_SEQUENTIAL); /* a hint: read ahead */
    source->bytes = bytes;
    source->n_bytes = n_bytes;
    source->is_mapped = true;
    return true;
}

/* Reads until the end comes; a pipe without end is stopped by the size of the machine. */
static smerf_status read_all(sm_source *source, int file, smerf_error *error) {
    void *bytes = NULL;
    size_t capacity = 0, n_bytes = 0;
    smerf_status status = SMERF_OK;
    for (;;) {
        if (n_bytes == capacity) {
            status = sm_check_memory(2 * (double)capacity, source->name, error);
            if (status != SMERF_OK) break;
            if (!sm_grow(&bytes, &capacity, capacity == 0 ? 1 << 16 : capacity + 1, 1)) {
                status = sm_no_memory(error, "reading a file");
                break;
            }
        }
        ssize_t n_read = read(file, (char *)bytes + n_bytes, capacity - n_bytes);
        if (n_read < 0 && errno == EINTR) continue;
        if (n_read < 0)
            status = sm_fail(error, SMERF_IO, "%s: cannot be read: %s", source->name, strerror(errno));
        if (n_read <= 0) break;
        n_bytes += (size_t)n_read;
    }
    source->bytes = bytes; /* freed by sm_source_close, whatever happened */
    source->n_bytes = n_bytes;
    return status;
}

smerf_status sm_source_open(const char *path, sm_source *source, smerf_error *error) {
    bool is_standard = strcmp(path, "-") == 0;
    smerf_status status = SMERF_OK;
    int file = -1;
    *source = (sm_source){0};
    source->name = sm_copy_string(is_standard ? "standard input" : path);
    if (source->name == NULL) return sm_no_memory(error, "opening a file");

    struct stat facts;
    file = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &facts) != 0)
        status = sm_fail(error, SMERF_IO, "%s: cannot be opened: %s", source->name, strerror(errno));
    else if (S_ISDIR(facts.st_mode))
        status = sm_fail(error, SMERF_IO, "%s: is a folder, and a file is needed", source->name);
    else if (is_standard || !map(source, file, &facts)) /* standard input may have been read in part */
        status = read_all(source, file, error);

    if (file >= 0 && !is_standard) close(file);
    if (status != SMERF_OK) sm_source_close(source);
    return status;
}

void sm_source_close(sm_source *source) {
    if (source->is_mapped)
        munmap((void *)source->bytes, source->n_bytes);
    else
        sm_free((void *)source->bytes);
    sm_free((void *)source->name);
    *source = (sm_source){0};
}

/* Counted from the start each time: an error happens once, and cells need not remember where they stood. */
static void find_line(const sm_source *source, size_t place, size_t *line, size_t *column) {
    const char *bytes = source->bytes;
    size_t start =
        source->n_bytes >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* byte order mark */
    *line = 1;
    *column = 1;
    for (size_t i = start; i < place && i < source->n_bytes; i++) {
        bool is_pair = bytes[i] == '\r' && i + 1 < source->n_bytes && bytes[i + 1] == '\n';
        if (bytes[i] == '\n' || (bytes[i] == '\r' && !is_pair)) {
            ++*line;
            *column = 1;
        } else if (((unsigned char)bytes[i] & 0xC0) != 0x80) { /* no continuation byte of UTF-8 */
            ++*column;
        }
    }
}

static smerf_status fail(const sm_source *source, sm_spot spot, smerf_error *error, const char *format,
                         va_list arguments) {
    char what[sizeof error->message];
    vsnprintf(what, sizeof what, format, arguments);
    if (spot.place == SM_NO_PLACE)
        return sm_fail_at(error, spot.row, spot.column, "%s: row %zu, column %zu: %s", source->name, spot.row,
                          spot.column, what);
    size_t line, column;
    find_line(source, spot.place, &line, &column);
    return sm_fail(error, SMERF_BAD_INPUT, "%s:%zu:%zu: %s", source->name, line, column, what);
}

smerf_status sm_source_fail(const sm_source *source, size_t place, smerf_error *error, const char *format,
                            ...) {
    va_list arguments;
    va_start(arguments, format);
    smerf_status status = fail(source, (sm_spot){.place = place}, error, format, arguments);
    va_end(arguments);
    return status;
}

smerf_status sm_source_fail_spot(const sm_source *source, sm_spot spot, smerf_error *error,
                                 const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    smerf_status status = fail(source, spot, error, format, arguments);
    va_end(arguments);
    return status;
}

const char *sm_excerpt(const char *text, size_t n, char excerpt[SM_EXCERPT]) {
    const size_t room = SM_EXCERPT - sizeof "...";
    size_t kept = n;
    if (n > SM_EXCERPT - 1) {
        kept = room;
        while (kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80) kept--; /* whole characters */
    }
    for (size_t i = 0; i < kept; i++) {
        unsigned char byte = (unsigned char)text[i];
        excerpt[i] = byte < 0x20 || byte == 0x7F ? ' ' : text[i];
    }
    memcpy(excerpt + kept, kept < n ? "..." : "", kept < n ? 4 : 1);
    return excerpt;
}
