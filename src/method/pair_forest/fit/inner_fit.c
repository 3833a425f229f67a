/* inner_fit.c - see inner_fit.h. */
#include "method/pair_forest/fit/inner_fit.h"

smerf_options sm_inner_options(const smerf_options *options) {
    smerf_options inner = *options;
    inner.method = SMERF_METHOD_FOREST;
    inner.self_distance = SMERF_SELF_GIVEN;
    inner.complete = SMERF_COMPLETE_OFF;
    inner.rank = 0;
    return inner;
}

typedef struct part {
    sm_pool *pool;
    double from, to;
} part;

static int report(void *context, double fraction_done) {
    const part *whole = context;
    double share = whole->from + fraction_done * (whole->to - whole->from);
    return sm_pool_report(whole->pool, share, NULL) != SMERF_OK;
}

smerf_status sm_inner_fit(const smerf_items *items, smerf_target *target, const smerf_options *options, sm_pool *pool,
                          const double *shares, smerf_model **out, smerf_error *error) {
    part whole = {.pool = pool, .from = shares[0], .to = shares[1]};
    const smerf_run run = {
        .n_threads = pool->n_threads, .progress = pool->progress != NULL ? report : NULL, .context = &whole};
    return sm_fit(items, target, options, &run, out, error);
}
