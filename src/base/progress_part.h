/* progress_part.h - one piece of work among several, as far as the caller's progress goes. */
#ifndef SM_BASE_PROGRESS_PART_H
#define SM_BASE_PROGRESS_PART_H

#include "smerf.h"

typedef struct sm_progress_part {
    const smerf_run *run; /* the caller's, or NULL */
    double from, to;      /* the part of the whole that the piece is */
} sm_progress_part;

/* The caller's run for one piece: what is done of that is told as done of the whole. The stretch must outlive it, and may
 * move on. */
smerf_run sm_progress_part_run(sm_progress_part *part);

#endif
