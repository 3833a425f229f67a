/* products.c - products of doubles in plain C, and the choice between them and their twins. */
#include "kernels/products_loops.h"

const sm_product_kernels sm_product_kernels_scalar = {
    .add_product = add_product, .dot = dot, .add_apart = add_apart, .add = add};

const sm_product_kernels *sm_product_kernels_select(smerf_kernels choice) {
    if (choice == SMERF_KERNELS_PLAIN) return &sm_product_kernels_scalar;
#if defined(__x86_64__) && !defined(SMERF_PLAIN_ONLY)
    if (__builtin_cpu_supports("avx2")) return &sm_product_kernels_avx2;
#endif
    return &sm_product_kernels_scalar;
}
