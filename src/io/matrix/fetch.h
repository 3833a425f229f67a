/* fetch.h - large pieces of a source.
 *
 * The system keeps what it reads from a disk in memory, and copies it from there. A disk that gives gigabytes a second may wait for
 * that copy: so what the system does not hold yet is read straight into our room, if that is clearly quicker, which is tried. From a slow disk
 * it goes through the system's memory, where it is found the next time, and the copy is made while the disk is at work. */
#ifndef SM_IO_FETCH_H
#define SM_IO_FETCH_H

#include <stdatomic.h>

#include "io/text/source.h"

typedef struct sm_fetch {
    const sm_source *source;
    int straight;       /* the file, opened once more for that; -1: it cannot be, or need not */
    atomic_uint n_slow; /* times in a row that its disk was slow */

    /* For sm_fetch_choose: one thread at a time. */
    size_t n_tried;           /* pieces, from the first on that the system did not hold */
    double since, seconds[2]; /* when a trial began; how long each took: straight, and not */
} sm_fetch;

/* Pieces will be asked for of n bytes from `from` on, which the source has. */
void sm_fetch_start(sm_fetch *fetch, const sm_source *source, size_t from, size_t n);
void sm_fetch_end(sm_fetch *fetch);

/* Whether some of them are not in the system's memory: whoever reads them may wait. */
static inline bool sm_fetch_may_wait(const sm_fetch *fetch) { return fetch->straight >= 0; }

/* Room for pieces of n bytes, or NULL. Freed with sm_free. */
char *sm_fetch_buffer(size_t n);

/* Whether n bytes from `from` on are best read straight from the disk. Then several threads may wait for it at once; else one
 * after the other, so that the system reads ahead. */
bool sm_fetch_is_straight(const sm_fetch *fetch, size_t from, size_t n);

/* The same for the next of many pieces, which are asked for in order, by one thread at a time, as fast as they are read: both ways
 * are tried for a while, and then the straight one is kept to if it was clearly quicker, else the other. */
bool sm_fetch_choose(sm_fetch *fetch, size_t from, size_t n);

/* Reads n bytes from `from` on, which the source has, into room for as many; *bytes is where they start there. SMERF_IO if
 * the file gives them no more. */
smerf_status sm_fetch_read(sm_fetch *fetch, size_t from, size_t n, bool is_straight, char *room, const char **bytes,
                           smerf_error *error);

#endif
