/* simulate.c - the three data sets of the paper's section 5.1 ("Simulations for Distance Learning"): 20 features, of
 * which the first two make the distance. */
#include <math.h>

#include "base/random.h"
#include "base/versioned.h"
#include "smerf_study.h"

enum { P = SMERF_SIMULATED_FEATURES };

/* Uniform in the unit ball: a random direction, at a distance whose P-th power is uniform. */
static void draw_in_ball(sm_random *random, double *x) {
    double squares = 0;
    for (size_t f = 0; f < P; f++) {
        x[f] = sm_random_normal(random);
        squares += x[f] * x[f];
    }
    double scale = pow(sm_random_uniform(random), 1.0 / P) / sqrt(squares);
    for (size_t f = 0; f < P; f++) x[f] *= scale;
}

static void draw_in_cube(sm_random *random, double from, double to, double *x) {
    for (size_t f = 0; f < P; f++) x[f] = from + (to - from) * sm_random_uniform(random);
}

/* The one number that an item's distances depend on. */
static double draw_item(smerf_simulation_kind kind, sm_random *random, double *x) {
    switch (kind) {
    case SMERF_REGRESSION:
        draw_in_cube(random, 0.1, 0.9, x);
        return (x[0] + x[1]) / 2 + (0.2 * sm_random_uniform(random) - 0.1);
    case SMERF_BILINEAR: draw_in_cube(random, 0, 1, x); return (x[0] + x[1]) / 2;
    case SMERF_RADIAL: draw_in_ball(random, x); return hypot(x[0], x[1]);
    }
    return 0;
}

double smerf_simulated_distance(smerf_simulation_kind kind, double y, double other) {
    return kind == SMERF_BILINEAR ? 1 - y * other : (y - other) * (y - other);
}

smerf_status smerf_simulate(const smerf_simulation *simulation, double *x, double *y, smerf_error *error) {
    SM_READ(smerf_simulation, simulation, error);
    if (simulation->kind > SMERF_RADIAL) return sm_fail(error, SMERF_BAD_INPUT, "simulate: unknown data set");
    if (simulation->seed > INT64_MAX)
        return sm_fail(error, SMERF_BAD_INPUT, "simulate: the seed is not in 0 ... 2^63 - 1");
    const uint64_t stream = SM_STREAM_SIMULATE + ((uint64_t)simulation->kind << 8);
    for (size_t i = 0; i < simulation->n_items; i++) {
        sm_random random; /* one for each item, so that it does not depend on how many come before */
        uint64_t item = simulation->first_item + i;
        sm_random_start(&random, simulation->seed, simulation->part, stream + (item << 16));
        y[i] = draw_item(simulation->kind, &random, x + i * P);
    }
    return SMERF_OK;
}
