/* progress_part.c - see range.h. */
#include "base/progress_part.h"

static int report(void *context, double fraction_done) {
    const sm_progress_part *part = context;
    return part->run->progress(part->run->context, part->from + fraction_done * (part->to - part->from));
}

smerf_run sm_progress_part_run(sm_progress_part *part) {
    const smerf_run nothing = {0};
    smerf_run own = part->run != NULL ? *part->run : nothing;
    if (own.progress != NULL) {
        own.progress = report;
        own.context = part;
    }
    return own;
}
