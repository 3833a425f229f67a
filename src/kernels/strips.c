/* strips.c - the loops over strips in plain C, and the choice between them and their twins. */
#include "kernels/strips_loops.h"

static void pack(const float *const *rows, size_t n, float *strip) { pack_from(rows, 0, n, strip); }

const sm_strip_kernels sm_strip_kernels_scalar = {.pack = pack, SHARED_LOOPS};

const sm_strip_kernels *sm_strip_kernels_select(smerf_kernels choice) {
    if (choice == SMERF_KERNELS_PLAIN) return &sm_strip_kernels_scalar;
#if defined(__x86_64__) && !defined(SMERF_PLAIN_ONLY)
    if (__builtin_cpu_supports("avx2")) return &sm_strip_kernels_avx2;
#endif
    return &sm_strip_kernels_scalar;
}
