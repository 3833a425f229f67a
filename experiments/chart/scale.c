/* scale.c - round numbers, for the ends of a scale and for its ticks: see scale.h. */
#include "chart/scale.h"

#include <math.h>
#include <stdio.h>

enum { TICKS_OF_A_SCALE = 6, MOST_DECIMALS = 9 };

/* ---- round numbers ---- */

/* 1, 2 or 5 times a power of ten: counted in thirds of a power, so that the next one is one further. */
static double round_number(int thirds) {
    static const double digits[] = {1, 2, 5};
    int power = thirds >= 0 ? thirds / 3 : -((2 - thirds) / 3);
    double digit = digits[thirds - 3 * power];
    return power >= 0 ? digit * pow(10, power) : digit / pow(10, -power); /* so that 0.2 is the 0.2 of a program */
}

/* The first round number that is at least so large, as counted above. */
static int round_up(double value) {
    int thirds = 3 * (int)floor(log10(value)) - 1;
    while (round_number(thirds) < value * (1 - 1e-9)) thirds++;
    return thirds;
}

static int round_down(double value) {
    int thirds = round_up(value);
    return round_number(thirds) > value * (1 + 1e-9) ? thirds - 1 : thirds;
}

/* k times a round number, without the dust of 3 * 0.1. */
static double times(double k, int thirds) {
    double unit = round_number(thirds);
    return unit < 1 ? k / round(1 / unit) : k * unit;
}

/* ---- scales ---- */

static sm_scale linear_around(double lowest, double highest) {
    if (!(highest - lowest > 1e-12 * (fabs(lowest) + fabs(highest)))) { /* one number, or as good as one */
        double margin = lowest != 0 ? fabs(lowest) / 10 : 1;
        lowest -= margin;
        highest += margin;
    }
    const double slack = 1.1; /* a step more is better than steps of twice the size for a hair's breadth */
    int step = round_up((highest - lowest) / (TICKS_OF_A_SCALE - 1) / slack);
    double unit = round_number(step);
    return (sm_scale){.from = times(floor(lowest / unit + 1e-9), step), .to = times(ceil(highest / unit - 1e-9), step)};
}

static sm_scale log_around(double lowest, double highest) {
    int from = round_down(lowest), to = round_up(highest);
    if (from == to) {
        from--;
        to++;
    }
    return (sm_scale){.from = round_number(from), .to = round_number(to), .is_log = true};
}

sm_scale sm_scale_around(double lowest, double highest, bool is_log) {
    return is_log ? log_around(lowest, highest) : linear_around(lowest, highest);
}

double sm_scale_fraction(const sm_scale *scale, double value) {
    if (scale->is_log) return log(value / scale->from) / log(scale->to / scale->from);
    return (value - scale->from) / (scale->to - scale->from);
}

/* ---- ticks ---- */

static size_t linear_ticks(const sm_scale *scale, size_t most, double *ticks) {
    int step = round_up((scale->to - scale->from) / (double)most);
    double first, last;
    do { /* both ends may have a tick: one more than there are steps */
        double unit = round_number(step);
        first = ceil(scale->from / unit - 1e-9);
        last = floor(scale->to / unit + 1e-9);
    } while (last - first + 1 > (double)most && step++ < 3 * 400);
    size_t n = 0;
    for (double k = first; k <= last && n < most; k++) ticks[n++] = times(k, step);
    return n;
}

/* Every round number, or one in each power of ten, or in every second, third... as many as fit. */
static size_t log_ticks(const sm_scale *scale, size_t most, double *ticks) {
    int first = round_up(scale->from), last = round_down(scale->to), stride = 1;
    while (first <= last && (size_t)((last - first) / stride + 1) > most) {
        stride = stride == 1 ? 3 : stride + 3;
        while (first % 3 != 0) first++; /* powers of ten */
    }
    size_t n = 0;
    for (int thirds = first; thirds <= last && n < most; thirds += stride) ticks[n++] = round_number(thirds);
    return n;
}

size_t sm_scale_ticks(const sm_scale *scale, size_t most, double ticks[SM_MOST_TICKS]) {
    return scale->is_log ? log_ticks(scale, most, ticks) : linear_ticks(scale, most, ticks);
}

/* ---- labels ---- */

static int decimals_of(double value) {
    int decimals = 0;
    double scaled = fabs(value), unit = scaled;
    while (decimals < MOST_DECIMALS && fabs(scaled - round(scaled)) > 1e-6 * fmax(1, unit)) {
        scaled *= 10;
        decimals++;
    }
    return decimals;
}

const char *sm_scale_label(const sm_scale *scale, const double *ticks, size_t n_ticks, size_t which,
                           char label[SM_TICK_SPACE]) {
    int decimals = decimals_of(ticks[which]);
    for (size_t t = 0; t < n_ticks && !scale->is_log; t++)
        if (decimals_of(ticks[t]) > decimals) decimals = decimals_of(ticks[t]);
    double value = ticks[which];
    if (fabs(value) >= 1e9 || (value != 0 && fabs(value) < 1e-6)) {
        snprintf(label, SM_TICK_SPACE, "%.3g", value);
        return label;
    }
    const char *minus = value < 0 ? "\xe2\x88\x92" : ""; /* the sign, which is wider than a hyphen */
    snprintf(label, SM_TICK_SPACE, "%s%.*f", minus, decimals, fabs(value));
    return label;
}
