/* kernels.h - all inner loops for one kind of processor, and the choice between kinds: made once, here.
 *
 * Every kind of processor is a folder that fills one sm_kernels, and a line in dispatch.c. `scalar` is plain C and says what each
 * kernel means; any other must give its bits (tests compare them on random input). Loops that a compiler turns into vectors by
 * itself are written once, in loops/, and compiled for each kind. */
#ifndef SM_KERNELS_KERNELS_H
#define SM_KERNELS_KERNELS_H

#include "kernels/blocks.h"
#include "kernels/dense.h"
#include "kernels/deviations.h"
#include "kernels/matrices.h"
#include "kernels/part.h"
#include "smerf.h"

typedef struct sm_kernels {
    const char *name;
    const sm_dense_kernels *dense;          /* nodes of a matrix of distances */
    const sm_deviation_kernels *deviations; /* nodes of vectors */
    const sm_block_kernels *blocks;         /* blocks of predictions */
    const sm_code_kernels *codes;           /* neighbours by labels */
    const sm_product_kernels *products;     /* matrices of doubles */
    const sm_row_kernels *rows;             /* samplers */
    sm_panel_product panel;                 /* a matrix of distances times vectors */
    sm_part part;                           /* lists that are kept in order */
} sm_kernels;

extern const sm_kernels sm_kernels_scalar;
extern const sm_kernels sm_kernels_avx2; /* x86-64 only */

/* The fastest that this processor can run, or the scalar ones. */
const sm_kernels *sm_kernels_select(smerf_kernels choice);

#endif
