/* fit.c - the front door of learning: what is automatic is chosen, then the method is asked. */
#include "fit/fill_in.h"
#include "fit/train_method.h"

smerf_status smerf_fit(const smerf_items *items, smerf_target *target, const smerf_options *options,
                       const smerf_run *run, smerf_model **out, smerf_error *error) {
    if (options->method >= SMERF_N_METHODS) return sm_fail(error, SMERF_BAD_INPUT, "method: there is no such method");
    if (options->method != SMERF_METHOD_FOREST) return sm_method_fit(items, target, options, run, out, error);
    smerf_options chosen = *options;
    smerf_status status = sm_choose_completion(items, target, options, run, &chosen.complete, error);
    return status == SMERF_OK ? sm_fit(items, target, &chosen, run, out, error) : status;
}
