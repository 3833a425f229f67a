/* inner_fit.c - see inner_fit.h. */
#include "method/pair_forest/inner_fit.h"

smerf_options sm_inner_options(const smerf_options *options) {
    smerf_options inner = *options;
    inner.method = SMERF_METHOD_FOREST;
    inner.self_distance = SMERF_SELF_GIVEN;
    inner.complete = SMERF_COMPLETE_OFF;
    inner.rank = 0;
    return inner;
}

typedef struct part {
    sm_crew *crew;
    double from, to;
} part;

static int report(void *context, double share_done) {
    const part *whole = context;
    double share = whole->from + share_done * (whole->to - whole->from);
    return sm_crew_report(whole->crew, share, NULL) != SMERF_OK;
}

smerf_status sm_inner_fit(const smerf_items *items, smerf_target *target, const smerf_options *options, sm_crew *crew,
                          const double *shares, smerf_model **out, smerf_error *error) {
    part whole = {.crew = crew, .from = shares[0], .to = shares[1]};
    const smerf_run run = {
        .n_threads = crew->n_threads, .progress = crew->progress != NULL ? report : NULL, .context = &whole};
    return sm_fit(items, target, options, &run, out, error);
}
