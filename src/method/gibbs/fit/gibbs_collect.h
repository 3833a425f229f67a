/* gibbs_collect.h - what is kept of a chain's draws while it runs. */
#ifndef SM_METHOD_GIBBS_COLLECT_H
#define SM_METHOD_GIBBS_COLLECT_H

#include "method/gibbs/gibbs_learned.h"

/* The pairs whose link probabilities are averaged: all up to SM_MOST_NODES_IN_PAIRS nodes, else some, which only tell how
 * far the chains agree. */
typedef struct sm_watched {
    size_t n;
    uint32_t *left, *right; /* [n] or NULL: all pairs in their order */
} sm_watched;

smerf_status sm_watched_new(sm_watched *watched, size_t n_nodes, uint64_t seed, smerf_error *error);
void sm_watched_free(sm_watched *watched);

/* One draw of everything that predictions need, without the factors that bear next to nothing. */
typedef struct sm_state {
    uint32_t n_factors; /* padded */
    float *phi;         /* [n_nodes][n_factors] */
    float *lambda;      /* [n_factors][n_factors] */
    float *h;           /* [n_attributes][n_factors], NULL: epm */
} sm_state;

typedef struct sm_collected {
    double *sum; /* [watched.n] of probabilities */
    sm_state *state;
    size_t n_states, n_draws;
    double n_factors_used; /* summed over draws */
} sm_collected;

smerf_status sm_collected_start(sm_collected *collected, const sm_watched *watched, size_t n_states,
                                smerf_error *error);
void sm_collected_free(sm_collected *collected, size_t n_states);

/* Takes in the chain as it stands. */
void sm_collect(sm_collected *collected, const sm_chain *chain, const sm_watched *watched);
smerf_status sm_collect_state(sm_collected *collected, const sm_chain *chain, smerf_error *error);

#endif
