/* scale.h - the scale of an axis: from numbers to positions along it, and the round numbers beside it. */
#ifndef SM_CHART_SCALE_H
#define SM_CHART_SCALE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sm_scale {
    double from, to; /* from < to; both > 0 if is_log */
    bool is_log;
} sm_scale;

/* A scale that holds what lies between the two, with round numbers at its ends (1, 2 or 5 times a power of ten for a
 * logarithm). One number alone gets a margin on both sides. */
sm_scale sm_scale_around(double lowest, double highest, bool is_log);

/* 0 at the start of the scale, 1 at its end; more or less outside. */
double sm_scale_fraction(const sm_scale *scale, double value);

#define SM_MOST_TICKS 16

/* Round numbers on the scale in rising order, `most` of them at most.
 *   most  from 2 to SM_MOST_TICKS
 * Returns how many. */
size_t sm_scale_ticks(const sm_scale *scale, size_t most, double ticks[SM_MOST_TICKS]);

#define SM_TICK_SPACE 32

/* What stands beside a tick: on a linear scale all have as many decimals as one of them needs. Returns `label`. */
const char *sm_scale_label(const sm_scale *scale, const double *ticks, size_t n_ticks, size_t which,
                           char label[SM_TICK_SPACE]);

#endif
