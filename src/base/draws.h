/* draws.h - random numbers of other shapes than the uniform and the normal: gamma, Poisson, and the tables of a Chinese restaurant process.
 *
 * A sampler draws millions of these, so the words of a stream are made many at a time: they are the words that
 * sm_random_word gives for the same seed, tree and stream, in the same order. */
#ifndef SM_BASE_DRAWS_H
#define SM_BASE_DRAWS_H

#include "base/random.h"

enum { SM_DRAWS_WORDS = 64 };

typedef struct sm_draws {
    sm_random random; /* where the stream stands */
    uint32_t word[SM_DRAWS_WORDS];
    unsigned n_left;     /* words not yet handed out */
    double spare_normal; /* they come in pairs */
    unsigned has_spare;
} sm_draws;

void sm_draws_start(sm_draws *draws, uint64_t seed, uint32_t tree, uint64_t stream);

/* Uniform in [0, 1), a multiple of 2^-53; and standard normal. */
double sm_draw_uniform(sm_draws *draws);
double sm_draw_normal(sm_draws *draws);

/* Gamma with this shape and rate 1 (mean = shape). A shape of 0 gives 0, and so do, nearly always, tiny shapes: most of
 * what they draw is smaller than any double. Never NaN. */
double sm_draw_gamma(sm_draws *draws, double shape);

/* Poisson with this mean, 0 to SM_LARGEST_POISSON; and the same given that it is not 0 (which is 1 for a mean of 0). */
#define SM_LARGEST_POISSON 1e9
uint32_t sm_draw_poisson(sm_draws *draws, double mean);
uint32_t sm_draw_positive_poisson(sm_draws *draws, double mean);

/* Chinese restaurant process (CRT): how many tables n customers open who come one after the other, each opening one with probability
 * concentration / (concentration + customers before). The first always does. */
uint32_t sm_draw_tables(sm_draws *draws, uint32_t n_customers, double concentration);

#endif
