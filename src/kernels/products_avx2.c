/* products_avx2.c - products of doubles for x86-64 processors with AVX2: the same source, compiled with -mavx2. Contraction is
 * off, so the bits are those of the plain ones. */
#include "kernels/products_loops.h"

#if defined(__AVX2__)
const sm_product_kernels sm_product_kernels_avx2 = {
    .add_product = add_product, .dot = dot, .add_apart = add_apart, .add = add};
#endif
