/* part.h - parts a list in two, keeping the order on both sides: what a forest that is kept in order does most. */
#ifndef SM_KERNELS_PART_H
#define SM_KERNELS_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "smerf.h"

typedef struct sm_parting {
    /* Puts the numbers of a list that go left first; returns how many do.
     *   goes_left  by number
     *   spare      [n] */
    size_t (*part)(const struct sm_parting *parting, uint32_t *list, size_t n, const bool *goes_left, uint32_t *spare);

    uint64_t places[256]; /* by which of eight neighbours go, a bit for each: their places, a byte for each */
} sm_parting;

size_t sm_part_scalar(const sm_parting *parting, uint32_t *list, size_t n, const bool *goes_left, uint32_t *spare);
size_t sm_part_avx2(const sm_parting *parting, uint32_t *list, size_t n, const bool *goes_left,
                    uint32_t *spare); /* x86-64 only */

/* The fastest that this processor can run, or the scalar one. */
void sm_parting_start(sm_parting *parting, smerf_kernels choice);

#endif
