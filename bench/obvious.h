/* obvious.h - the split search that everybody writes first: sort, then gather in sorted order. Kept to compare with. */
#ifndef BENCH_OBVIOUS_H
#define BENCH_OBVIOUS_H

#include "target/target.h"

/* The same costs as sm_pricing.price, up to rounding, for all n items of a dense matrix with weights w. */
double obvious_price(const float *z, size_t n, const double *w, const sm_line_up *line_ups, size_t n_line_ups);

#endif
