/* deviations_avx2.c - the loops over deviations for x86-64 processors with AVX2: the same source, compiled with -mavx2. */
#include "kernels/deviations_loops.h"

#if defined(__AVX2__)
const sm_deviation_kernels sm_deviation_kernels_avx2 = {DEVIATION_LOOPS};
#endif
