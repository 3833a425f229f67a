/* grow_part.c - see grow_part.h. */
#include "method/fit/grow_part.h"

typedef struct job_part {
    sm_pool *pool;
    double from, to;
} job_part;

static int report_part(void *context, double fraction_done) {
    const job_part *whole = context;
    double fraction = whole->from + fraction_done * (whole->to - whole->from);
    return sm_pool_report(whole->pool, fraction, NULL) != SMERF_OK;
}

smerf_status sm_grow_part(const smerf_items *items, smerf_target *target, const smerf_options *options, sm_pool *pool,
                          const double *fractions, smerf_model **out, smerf_error *error) {
    job_part whole = {.pool = pool, .from = fractions[0], .to = fractions[1]};
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = pool->n_threads,
                                     .progress = pool->progress != NULL ? report_part : NULL, .context = &whole);
    return sm_fit(items, target, options, &run, out, error);
}
