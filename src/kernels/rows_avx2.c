/* rows_avx2.c - the loops over rows for x86-64 processors with AVX2: the same source, compiled with -mavx2. Contraction is
 * off, so the bits are those of the plain ones. */
#include "kernels/rows_loops.h"

#if defined(__AVX2__)
const sm_row_kernels sm_row_kernels_avx2 = {.dot = dot, .products = products, .times = times, .outer = outer};
#endif
