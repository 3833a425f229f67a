/* finite.h - whether floats are finite, without a branch for each. */
#ifndef SM_BASE_FINITE_H
#define SM_BASE_FINITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One more in the exponent of an infinity or a NaN, which is all ones, carries into the place of the sign. */
static inline bool sm_are_finite(const float *values, size_t n) {
    uint32_t carried = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        carried |= (bits & 0x7FFFFFFF) + 0x00800000;
    }
    return carried >> 31 == 0;
}

#endif
