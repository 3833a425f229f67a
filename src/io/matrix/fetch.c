/* fetch.c - see fetch.h. */
#include "io/matrix/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

/* Whole blocks go straight from the file to memory. */
static size_t block_of(size_t place) { return place / SM_DISK_BLOCK * SM_DISK_BLOCK; }

/* A disk is slow if it has let threads wait longer than this, in seconds, for n bytes, so many times in a row: once may be
 * because the processor was busy. */
static double patience(size_t n) { return 0.005 + 4e-9 * (double)n; }
enum { TIMES_IN_A_ROW = 8 };

void sm_fetch_start(sm_fetch *fetch, const sm_source *source, size_t from, size_t n) {
    *fetch = (sm_fetch){.source = source, .straight = -1};
    atomic_init(&fetch->n_slow, 0);
#ifdef O_DIRECT
    char path[64]; /* by its number, so that it is the same file whatever has been done to its name */
    snprintf(path, sizeof path, "/proc/self/fd/%d", source->input.file);
    if (source->input.is_mapped) fetch->straight = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    if (!sm_fetch_is_straight(fetch, from, n)) sm_fetch_end(fetch);
#else
    (void)from;
    (void)n;
#endif
}

void sm_fetch_end(sm_fetch *fetch) {
    if (fetch->straight >= 0) close(fetch->straight);
    fetch->straight = -1;
}

char *sm_fetch_buffer(size_t n) { return sm_in_disk_blocks(sm_size(1, n, 2 * SM_DISK_BLOCK), 1); }

/* One page stands for its neighbours: the system keeps and forgets many together, and a wrong guess costs time only. */
enum { A_PAGE_OF = 1 << 18 };

bool sm_fetch_is_straight(const sm_fetch *fetch, size_t from, size_t n) {
    if (fetch->straight < 0 || atomic_load(&fetch->n_slow) >= TIMES_IN_A_ROW) return false;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char is_held = 1;
    for (size_t place = from / page * page; place < from + n && (is_held & 1) != 0; place += A_PAGE_OF)
        if (mincore((void *)(fetch->source->bytes + place), 1, &is_held) != 0) return false;
    return (is_held & 1) == 0;
}

/* Either way begins with pieces that do not count: until all threads are at work, and until the system reads far ahead. */
enum { WARM_UP = 8, TRIAL = 16, SWITCH = WARM_UP + TRIAL };

/* A trial is short, and other programs are at work: the straight way must be so much quicker in it. */
static const double clearly = 0.8;

/* What the system has read ahead meanwhile counts, too: that is why its way may be the quicker one. */
bool sm_fetch_choose(sm_fetch *fetch, size_t from, size_t n) {
    bool may_be_straight = sm_fetch_is_straight(fetch, from, n);
    if (fetch->n_tried == 0 && !may_be_straight) return false;
    size_t piece = fetch->n_tried, way = piece / SWITCH; /* straight first */
    if (piece <= 2 * SWITCH) {
        double now = sm_seconds_now();
        if (piece > 0 && piece % SWITCH == 0) fetch->seconds[way - 1] = now - fetch->since;
        if (piece % SWITCH == WARM_UP) fetch->since = now;
        fetch->n_tried++;
    }
    return may_be_straight && (way < 2 ? way == 0 : fetch->seconds[0] < clearly * fetch->seconds[1]);
}

/* Reads the blocks that hold the bytes. False: this way they cannot be had; plain reading will say why. */
static bool read_straight(sm_fetch *fetch, size_t from, size_t n, char *room) {
    size_t first = block_of(from), needed = from + n - first, n_read = 0;
    size_t wanted = block_of(needed + SM_DISK_BLOCK - 1);
    double start = sm_seconds_now();
    while (n_read < needed) {
        ssize_t n_now = pread(fetch->straight, room + n_read, wanted - n_read, (off_t)(first + n_read));
        if (n_now < 0 && errno == EINTR) continue;
        if (n_now <= 0) return false;
        n_read += (size_t)n_now;
        if (n_read < needed && n_read % SM_DISK_BLOCK != 0) return false;
    }
    if (sm_seconds_now() - start > patience(n))
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
