/* base.c - the forest that boosting starts from: grown first, with default options, and asked about pairs out of bag. */
#include "method/boost/fit/base.h"

#include <math.h>

#include "base/memory.h"
#include "method/boost/boost.h"
#include "method/fit/grow_part.h"

/* ---- growing ---- */

smerf_status sm_base_grow(const sm_training_set *training, const double fractions[2], smerf_model **out,
                          smerf_error *error) {
    smerf_options options;
    smerf_options_default(&options);
    options.seed = training->options->seed;
    options.complete = SMERF_COMPLETE_OFF;
    return sm_grow_part(training->items, training->target, &options, training->pool, fractions, out, error);
}

/* ---- its predictions ---- */

smerf_status sm_base_predict(const smerf_model *base, const smerf_items *items, sm_drawn_pairs *pairs,
                             smerf_error *error) {
    pairs->base = sm_array(pairs->n, sizeof *pairs->base);
    if (pairs->base == NULL) return sm_no_memory(error, "boosting on pairs");
    if (pairs->n == 0) return SMERF_OK;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1); /* boosters are started side by side */
    const smerf_request request = SMERF_INIT(smerf_request, .rows = items, .out_of_bag = true);
    const smerf_pair_list list = {.n = pairs->n, .left = pairs->left, .right = pairs->right};
    return smerf_predict_pairs(base, &request, &list, &run, &SMERF_INIT(smerf_pair_result, .distance = pairs->base),
                               error);
}

/* The bin of a value that is not missing: the first whose threshold is not below it. */
static uint8_t find_bin(const sm_pair_column *column, double value) {
    size_t low = 0, high = column->n_bins - 2; /* the last one is for what is missing */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (value <= column->threshold[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return (uint8_t)low;
}

/* NULL: no memory. */
static uint8_t *find_bins(const sm_binned *binned, const sm_drawn_pairs *pairs) {
    const sm_pair_column *column = &binned->columns[binned->n_columns - 1];
    uint8_t *bins = sm_array(pairs->n, sizeof *bins);
    for (size_t k = 0; k < pairs->n && bins != NULL; k++)
        bins[k] = isnan(pairs->base[k]) ? (uint8_t)(column->n_bins - 1) : find_bin(column, pairs->base[k]);
    return bins;
}

smerf_status sm_base_ask(const smerf_model *base, const smerf_items *items, const sm_binned *binned,
                         sm_drawn_pairs *pairs, uint8_t **bins, smerf_error *error) {
    if (base == NULL) return SMERF_OK;
    smerf_status status = sm_base_predict(base, items, pairs, error);
    if (status != SMERF_OK) return status;
    *bins = find_bins(binned, pairs);
    return *bins != NULL ? SMERF_OK : sm_no_memory(error, "boosting on pairs");
}
