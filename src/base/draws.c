/* draws.c - gamma, Poisson and Chinese restaurant draws, by the methods that are named at each: see draws.h. */
#include "base/draws.h"

#include <math.h>

void sm_draws_start(sm_draws *draws, uint64_t seed, uint32_t tree, uint64_t stream) {
    sm_random_start(&draws->random, seed, tree, stream);
    draws->n_left = draws->has_spare = 0;
}

/* Blocks do not depend on each other: a superscalar processor works on several at a time. */
static void refill(sm_draws *draws) {
    sm_random *random = &draws->random;
    const uint32_t key[2] = {(uint32_t)random->seed, (uint32_t)(random->seed >> 32)};
    for (unsigned at = 0; at < SM_DRAWS_WORDS; at += 4) {
        const uint32_t counter[4] = {random->block++, random->tree, (uint32_t)random->stream,
                                     (uint32_t)(random->stream >> 32)};
        sm_philox(counter, key, draws->word + at);
    }
    draws->n_left = SM_DRAWS_WORDS;
}

double sm_draw_uniform(sm_draws *draws) {
    if (draws->n_left == 0) refill(draws);
    const uint32_t *word = draws->word + (SM_DRAWS_WORDS - draws->n_left);
    draws->n_left -= 2;
    return (double)((uint64_t)(word[0] >> 5) << 26 | word[1] >> 6) * 0x1p-53;
}

/* Marsaglia's polar method: a point of the disc gives two normals with one logarithm. */
double sm_draw_normal(sm_draws *draws) {
    if (draws->has_spare) {
        draws->has_spare = 0;
        return draws->spare_normal;
    }
    double x, y, square;
    do {
        x = 2 * sm_draw_uniform(draws) - 1;
        y = 2 * sm_draw_uniform(draws) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double scale = sqrt(-2 * log(square) / square);
    draws->spare_normal = y * scale;
    draws->has_spare = 1;
    return x * scale;
}

/* ---- gamma ---- */

/* Marsaglia & Tsang 2000, for shapes from 1. */
static double large_gamma(sm_draws *draws, double shape) {
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = sm_draw_normal(draws), root = 1 + c * x;
        if (root <= 0) continue;
        double cube = root * root * root, u = 1 - sm_draw_uniform(draws), square = x * x;
        if (u < 1 - 0.0331 * square * square) return d * cube;
        if (log(u) < 0.5 * square + d * (1 - cube + log(cube))) return d * cube;
    }
}

/* Below 1: a draw with shape + 1, times u^(1/shape). Where that power is smaller than any double, the first factor,
 * which is below e^20, does not matter. */
double sm_draw_gamma(sm_draws *draws, double shape) {
    static const double hopeless = 770;
    if (!(shape > 0)) return 0;
    if (shape >= 1) return large_gamma(draws, shape);
    double exponent = -log(1 - sm_draw_uniform(draws)) / shape;
    if (!(exponent < hopeless)) return 0;
    return large_gamma(draws, shape + 1) * exp(-exponent);
}

/* ---- Poisson ---- */

/* One uniform, and the probabilities summed up to it. */
static uint32_t small_poisson(sm_draws *draws, double mean) {
    double left = sm_draw_uniform(draws), probability = exp(-mean);
    uint32_t n = 0;
    while (left >= probability && n < 200) { /* beyond, only rounding is left */
        left -= probability;
        probability *= mean / ++n;
    }
    return n;
}

/* Hoermann 1993, "The transformed rejection method for generating Poisson random variables", algorithm PTRS. */
static uint32_t large_poisson(sm_draws *draws, double mean) {
    double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), sure = 0.9277 - 3.6224 / (b - 2), log_mean = log(mean);
    for (;;) {
        double u = sm_draw_uniform(draws) - 0.5, v = 1 - sm_draw_uniform(draws), edge = 0.5 - fabs(u);
        double n = floor((2 * a / edge + b) * u + mean + 0.43);
        if (edge >= 0.07 && v <= sure) return (uint32_t)n;
        if (!(n >= 0 && n < 4e9) || (edge < 0.013 && v > edge)) continue;
        int sign; /* lgamma would set a global */
        double log_probability = n * log_mean - mean - lgamma_r(n + 1, &sign);
        if (log(v) + log(inverse_alpha) - log(a / (edge * edge) + b) <= log_probability) return (uint32_t)n;
    }
}

uint32_t sm_draw_poisson(sm_draws *draws, double mean) {
    if (!(mean > 0)) return 0;
    if (mean < 10) return small_poisson(draws, mean);
    return large_poisson(draws, mean < SM_LARGEST_POISSON ? mean : SM_LARGEST_POISSON);
}

/* Up to 1, one plus a Poisson number x is kept with probability 1/x: P(x) is then mean^(x-1)/(x-1)! / x. */
uint32_t sm_draw_positive_poisson(sm_draws *draws, double mean) {
    for (;;) {
        if (mean > 1) {
            uint32_t n = sm_draw_poisson(draws, mean);
            if (n > 0) return n;
        } else {
            uint32_t n = 1 + sm_draw_poisson(draws, mean);
            if (n == 1 || sm_draw_uniform(draws) * n < 1) return n;
        }
    }
}

uint32_t sm_draw_tables(sm_draws *draws, uint32_t n_customers, double concentration) {
    if (n_customers == 0) return 0;
    uint32_t n_tables = 1;
    for (uint32_t before = 1; before < n_customers; before++)
        n_tables += sm_draw_uniform(draws) * (concentration + before) < concentration;
    return n_tables;
}
