/* dispatch.c - which kernels this processor can run. No other file asks for the processor. */
#include "kernels/kernels.h"

const sm_kernels *sm_kernels_select(smerf_kernels choice) {
    if (choice == SMERF_KERNELS_PLAIN) return &sm_kernels_scalar;
#if defined(__x86_64__) && !defined(SMERF_PLAIN_ONLY)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &sm_kernels_avx2;
#endif
    return &sm_kernels_scalar;
}
