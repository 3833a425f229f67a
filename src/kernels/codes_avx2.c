/* codes_avx2.c - the counting of equal codes for x86-64 processors with AVX2: the same source, compiled with -mavx2. */
#include "kernels/codes_loops.h"

#if defined(__AVX2__)
const sm_code_kernels sm_code_kernels_avx2 = {.count_same = count_same};
#endif
