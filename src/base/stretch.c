/* stretch.c - see stretch.h. */
#include "base/stretch.h"

static int report(void *context, double share_done) {
    const sm_stretch *part = context;
    return part->run->progress(part->run->context, part->from + share_done * (part->to - part->from));
}

smerf_run sm_stretch_run(sm_stretch *stretch) {
    const smerf_run nothing = {0};
    smerf_run own = stretch->run != NULL ? *stretch->run : nothing;
    if (own.progress != NULL) {
        own.progress = report;
        own.context = stretch;
    }
    return own;
}
