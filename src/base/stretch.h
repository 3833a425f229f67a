/* stretch.h - one piece of work among several, as far as the caller's progress goes. */
#ifndef SM_BASE_STRETCH_H
#define SM_BASE_STRETCH_H

#include "smerf.h"

typedef struct sm_stretch {
    const smerf_run *run; /* the caller's, or NULL */
    double from, to;      /* the part of the whole that the piece is */
} sm_stretch;

/* The caller's run for one piece: what is done of that is told as done of the whole. The stretch must outlive it, and may
 * move on. */
smerf_run sm_stretch_run(sm_stretch *stretch);

#endif
