/* clock.h - the monotonic clock, for how long something took. */
#ifndef SM_BASE_CLOCK_H
#define SM_BASE_CLOCK_H

#include <time.h>

static inline double sm_seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
