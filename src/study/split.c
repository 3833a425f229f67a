/* split.c - what to train on, drawn at random. */
#include <math.h>

#include "base/random.h"
#include "base/status.h"
#include "smerf_study.h"

/* One thing after the other is taken with the chance that it is among those still wanted, given how many are left. */
smerf_status smerf_split(size_t n, size_t n_train, uint64_t seed, bool *is_train, smerf_error *error) {
    if (n_train > n) return sm_fail(error, SMERF_BAD_INPUT, "split: %zu of %zu cannot be drawn", n_train, n);
    if (seed > INT64_MAX) return sm_fail(error, SMERF_BAD_INPUT, "split: the seed is not in 0 ... 2^63 - 1");
    sm_random random;
    sm_random_start(&random, seed, 0, SM_STREAM_SPLIT);
    size_t n_wanted = n_train;
    for (size_t k = 0; k < n; k++) {
        is_train[k] = sm_random_below_64(&random, n - k) < n_wanted;
        n_wanted -= is_train[k];
    }
    return SMERF_OK;
}

size_t smerf_split_n_pairs(size_t n_known, size_t n_items, double train_fraction) {
    double n = (double)n_items, of_items = round(train_fraction * n);
    double n_train = n_items > 1 ? round((double)n_known * of_items * (of_items - 1) / (n * (n - 1))) : 0;
    return n_train > 0 ? (size_t)n_train : 0;
}
