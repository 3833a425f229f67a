/* sample.c - bootstrap, subsample or everything; one random stream for each tree. */
#include "train/grow/sample.h"

#include <string.h>

#include "base/random.h"

/* Each set of n_draws items is equally likely: an item is taken with the probability that it is among those still
 * wanted, given how many are left. */
static void draw_without_replacement(sm_random *random, size_t n_items, size_t n_draws, uint32_t *draws) {
    size_t n_wanted = n_draws;
    for (size_t i = 0; i < n_items; i++) {
        draws[i] = sm_random_below(random, (uint32_t)(n_items - i)) < n_wanted;
        n_wanted -= draws[i];
    }
}

void sm_sample_draw(const sm_problem *problem, size_t number, uint32_t *draws) {
    size_t n = problem->n_items;
    sm_random random;
    sm_random_start(&random, problem->options->seed, (uint32_t)number, SM_STREAM_SAMPLE);
    switch (problem->options->sample) {
    case SMERF_BOOTSTRAP:
        memset(draws, 0, n * sizeof *draws);
        for (size_t i = 0; i < n; i++) draws[sm_random_below(&random, (uint32_t)n)]++;
        break;
    case SMERF_SUBSAMPLE: draw_without_replacement(&random, n, problem->n_draws, draws); break;
    case SMERF_NO_SAMPLE:
        for (size_t i = 0; i < n; i++) draws[i] = 1;
        break;
    }
}
