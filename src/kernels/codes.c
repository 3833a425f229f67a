/* codes.c - the counting of equal codes in plain C, and the choice between it and its twin. */
#include "kernels/codes_loops.h"

const sm_code_kernels sm_code_kernels_scalar = {.count_same = count_same};

const sm_code_kernels *sm_code_kernels_select(smerf_kernels choice) {
    if (choice == SMERF_KERNELS_PLAIN) return &sm_code_kernels_scalar;
#if defined(__x86_64__) && !defined(SMERF_PLAIN_ONLY)
    if (__builtin_cpu_supports("avx2")) return &sm_code_kernels_avx2;
#endif
    return &sm_code_kernels_scalar;
}
