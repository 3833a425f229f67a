/* learn.c - smerf_fit: settles what is automatic about the target, then grows the forest. */
#include "train/fit.h"

smerf_status smerf_fit(const smerf_items *items, smerf_target *target, const smerf_options *options,
                       const smerf_run *run, smerf_model **out, smerf_error *error) {
    smerf_options settled = *options;
    settled.complete = SMERF_COMPLETE_OFF;
    return sm_fit(items, target, &settled, run, out, error);
}
