/* fetch.c - see fetch.h. */
#include "io/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

/* Whole blocks go straight from the file to memory. */
static size_t block_of(size_t place) { return place / SM_BLOCK * SM_BLOCK; }

/* A disk is slow if it has let threads wait longer than this, in nanoseconds, for n bytes, so many times in a row: once may be
 * because the processor was busy. */
static double patience(size_t n) { return 5e6 + 4 * (double)n; }
enum { TIMES_IN_A_ROW = 8 };

void sm_fetch_start(sm_fetch *fetch, const sm_source *source) {
    *fetch = (sm_fetch){.source = source, .straight = -1};
    atomic_init(&fetch->n_slow, 0);
#ifdef O_DIRECT
    char path[64]; /* by its number, so that it is the same file whatever has been done to its name */
    snprintf(path, sizeof path, "/proc/self/fd/%d", source->input.file);
    if (source->input.is_mapped) fetch->straight = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
#endif
}

void sm_fetch_end(sm_fetch *fetch) {
    if (fetch->straight >= 0) close(fetch->straight);
    fetch->straight = -1;
}

char *sm_fetch_room(size_t n) { return sm_in_blocks(sm_size(1, n, 2 * SM_BLOCK), 1); }

bool sm_fetch_is_straight(const sm_fetch *fetch, size_t from, size_t n) {
    if (fetch->straight < 0 || n == 0 || atomic_load(&fetch->n_slow) >= TIMES_IN_A_ROW) return false;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), first = from / page * page;
    unsigned char is_held[1024]; /* by page */
    for (size_t part; first < from + n; first += part) {
        part = from + n - first < sizeof is_held * page ? from + n - first : sizeof is_held * page;
        if (mincore((void *)(fetch->source->bytes + first), part, is_held) != 0) return false;
        for (size_t p = 0; p * page < part; p++)
            if ((is_held[p] & 1) == 0) return true;
    }
    return false;
}

static double read_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* Reads the blocks that hold the bytes. False: it cannot, or it is not said to be there. */
static bool read_straight(sm_fetch *fetch, size_t from, size_t n, char *room) {
    size_t first = block_of(from), needed = from + n - first, n_read = 0;
    size_t wanted = block_of(needed + SM_BLOCK - 1);
    double start = read_clock();
    while (n_read < needed) {
        ssize_t n_now = pread(fetch->straight, room + n_read, wanted - n_read, (off_t)(first + n_read));
        if (n_now < 0 && errno == EINTR) continue;
        if (n_now <= 0) return false;
        n_read += (size_t)n_now;
        if (n_read < needed && n_read % SM_BLOCK != 0) return false;
    }
    if (read_clock() - start > patience(n))
        atomic_fetch_add(&fetch->n_slow, 1);
    else if (atomic_load(&fetch->n_slow) < TIMES_IN_A_ROW)
        atomic_store(&fetch->n_slow, 0);
    return true;
}

smerf_status sm_fetch_read(sm_fetch *fetch, size_t from, size_t n, bool is_straight, char *room, const char **bytes,
                           smerf_error *error) {
    const sm_source *source = fetch->source;
    char *to = room + (from - block_of(from));
    *bytes = to;
    if (is_straight && read_straight(fetch, from, n, room)) return SMERF_OK;
    if (sm_input_read(&source->input, from, n, to)) return SMERF_OK;
    if (errno == 0) return sm_fail(error, SMERF_IO, "%s: has become shorter while it was read", source->name);
    return sm_fail(error, SMERF_IO, "%s: cannot be read: %s", source->name, strerror(errno));
}
