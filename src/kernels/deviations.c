/* deviations.c - the loops over deviations in plain C, and the choice between them and their twins. */
#include "kernels/deviations_loops.h"

const sm_deviation_kernels sm_deviation_kernels_scalar = {DEVIATION_LOOPS};

const sm_deviation_kernels *sm_deviation_kernels_select(smerf_kernels choice) {
    if (choice == SMERF_KERNELS_PLAIN) return &sm_deviation_kernels_scalar;
#if defined(__x86_64__) && !defined(SMERF_PLAIN_ONLY)
    if (__builtin_cpu_supports("avx2")) return &sm_deviation_kernels_avx2;
#endif
    return &sm_deviation_kernels_scalar;
}
