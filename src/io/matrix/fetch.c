/* fetch.c - large pieces of a file, through the page cache or by direct I/O: see matrix_reader.h. */
#include "io/matrix/matrix_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/parallel.h"

/* Direct I/O reads whole blocks. */
static size_t block_of(size_t position) { return position / SM_DISK_BLOCK * SM_DISK_BLOCK; }

/* A disk is slow if it has let threads wait longer than this, in seconds, for n bytes, so many times in a row: once may be
 * because the processor was busy. */
static double patience(size_t n) { return 0.005 + 4e-9 * (double)n; }
enum { TIMES_IN_A_ROW = 8 };

void sm_fetch_start(sm_fetch *fetch, const sm_source *source, size_t from, size_t n) {
    *fetch = (sm_fetch){.source = source, .direct = -1};
    atomic_init(&fetch->n_slow, 0);
#ifdef O_DIRECT
    char path[64]; /* by its number, so that it is the same file whatever has been done to its name */
    snprintf(path, sizeof path, "/proc/self/fd/%d", source->input.file);
    if (source->input.is_mapped) fetch->direct = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    if (!sm_fetch_is_direct(fetch, from, n)) sm_fetch_end(fetch);
#else
    (void)from;
    (void)n;
#endif
}

void sm_fetch_end(sm_fetch *fetch) {
    if (fetch->direct >= 0) close(fetch->direct);
    fetch->direct = -1;
}

char *sm_fetch_buffer(size_t n) { return sm_in_disk_blocks(sm_size(1, n, 2 * SM_DISK_BLOCK), 1); }

/* One page stands for its neighbours: the page cache keeps and drops many together, and a wrong guess costs time only. */
enum { A_PAGE_OF = 1 << 18 };

bool sm_fetch_is_direct(const sm_fetch *fetch, size_t from, size_t n) {
    if (fetch->direct < 0 || atomic_load(&fetch->n_slow) >= TIMES_IN_A_ROW) return false;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char is_held = 1;
    for (size_t position = from / page * page; position < from + n && (is_held & 1) != 0; position += A_PAGE_OF)
        if (mincore((void *)(fetch->source->bytes + position), 1, &is_held) != 0) return false;
    return (is_held & 1) == 0;
}

/* Either way begins with pieces that do not count: until all threads are at work, and until the readahead of the system is large. */
enum { WARM_UP = 8, TRIAL = 16, SWITCH = WARM_UP + TRIAL };

/* A trial is short, and other programs are at work: direct I/O must be so much faster in it. */
static const double clearly = 0.8;

/* The readahead of the page cache counts, too: that is why it may be the faster way. */
bool sm_fetch_choose(sm_fetch *fetch, size_t from, size_t n) {
    bool may_be_direct = sm_fetch_is_direct(fetch, from, n);
    if (fetch->n_tried == 0 && !may_be_direct) return false;
    size_t piece = fetch->n_tried, way = piece / SWITCH; /* direct I/O first */
    if (piece <= 2 * SWITCH) {
        double now = sm_seconds_now();
        if (piece > 0 && piece % SWITCH == 0) fetch->seconds[way - 1] = now - fetch->since;
        if (piece % SWITCH == WARM_UP) fetch->since = now;
        fetch->n_tried++;
    }
    return may_be_direct && (way < 2 ? way == 0 : fetch->seconds[0] < clearly * fetch->seconds[1]);
}

/* Reads the blocks that hold the bytes. False: direct I/O does not give them; plain reading will say why. */
static bool read_directly(sm_fetch *fetch, size_t from, size_t n, char *buffer) {
    size_t first = block_of(from), needed = from + n - first, n_read = 0;
    size_t wanted = block_of(needed + SM_DISK_BLOCK - 1);
    double start = sm_seconds_now();
    while (n_read < needed) {
        ssize_t n_now = pread(fetch->direct, buffer + n_read, wanted - n_read, (off_t)(first + n_read));
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

smerf_status sm_fetch_read(sm_fetch *fetch, size_t from, size_t n, bool is_direct, char *buffer, const char **bytes,
                           smerf_error *error) {
    const sm_source *source = fetch->source;
    char *to = buffer + (from - block_of(from));
    *bytes = to;
    if (is_direct && read_directly(fetch, from, n, buffer)) return SMERF_OK;
    if (sm_input_read(&source->input, from, n, to)) return SMERF_OK;
    if (errno == 0) return sm_fail(error, SMERF_IO, "%s: has become shorter while it was read", source->name);
    return sm_fail(error, SMERF_IO, "%s: cannot be read: %s", source->name, strerror(errno));
}
