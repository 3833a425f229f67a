/* finite.h - how large floats are, and whether they are finite, without a branch for each. */
#ifndef SM_BASE_FINITE_H
#define SM_BASE_FINITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct sm_float_facts {
    float largest;     /* in size; not finite if one of them is not */
    bool has_negative; /* -0 is one */
} sm_float_facts;

/* Without signs, floats are in the order of their bits. */
static inline sm_float_facts sm_look_at_floats(const float *values, size_t n) {
    int32_t most = 0, signs = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        signs |= bits;
        bits &= 0x7FFFFFFF;
        most = bits > most ? bits : most;
    }
    sm_float_facts facts = {.has_negative = signs < 0};
    memcpy(&facts.largest, &most, sizeof facts.largest);
    return facts;
}

/* Sooner, if that is all one wants to know: one more in the exponent of an infinity or a NaN, which is all ones, carries into
 * the place of the sign. */
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
