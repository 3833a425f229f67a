/* rows.c - the loops over rows in plain C, and the choice between them and their twins. */
#include "kernels/rows_loops.h"

const sm_row_kernels sm_row_kernels_scalar = {.dot = dot, .products = products, .times = times, .outer = outer};

const sm_row_kernels *sm_row_kernels_select(smerf_kernels choice) {
    if (choice == SMERF_KERNELS_PLAIN) return &sm_row_kernels_scalar;
#if defined(__x86_64__) && !defined(SMERF_PLAIN_ONLY)
    if (__builtin_cpu_supports("avx2")) return &sm_row_kernels_avx2;
#endif
    return &sm_row_kernels_scalar;
}
