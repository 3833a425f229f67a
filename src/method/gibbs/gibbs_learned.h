/* gibbs_learned.h - what epm and narm have learned: states of their chains, and what came of all draws together.
 *
 * Probabilities of training pairs are means over *all* collected draws. Up to SM_MOST_NODES_IN_PAIRS nodes they are kept
 * as they are, one float32 a pair: that is smaller than a hundred states (8 MB at the most), and has less noise. With
 * more nodes, and for new nodes, which only narm knows, the states are used: a hundred at most, taken at even steps from all
 * chains, fewer where a hundred would take more than SM_STATES_BYTES. Neighbouring draws of a chain are alike, so a
 * hundred that lie apart are nearly as good as all.
 *
 * Numbers are float32: they are draws from wide distributions, and seven digits are many. Factors that bear less than a
 * millionth of a state's links are left out of it: most of the K are empty. What remains is padded with zeros to a
 * multiple of four. */
#ifndef SM_METHOD_GIBBS_LEARNED_H
#define SM_METHOD_GIBBS_LEARNED_H

#include "method/gibbs/gibbs.h"
#include "model/method.h"

enum { SM_MOST_NODES_IN_PAIRS = 2000, SM_MOST_STATES = 100, SM_FEWEST_STATES = 10, SM_STATE_LANES = 4 };
#define SM_STATES_BYTES 64e6

/* The factors of all states stand one after the other: a cell is a factor of a state. */
struct sm_learned {
    size_t n_nodes, n_states;
    uint64_t seed;
    float *probability;   /* [n_nodes (n_nodes - 1) / 2] pairs i < j, row by row; NULL: use the states */
    uint32_t *n_factors;  /* [n_states] */
    size_t *first_cell;   /* [n_states + 1] */
    size_t *first_lambda; /* [n_states + 1] */
    float *phi;           /* [n_nodes][n_cells] */
    float *lambda;        /* each state's [n_factors][n_factors] */
    float *h;             /* [n_attributes][n_cells]; NULL: epm */
    sm_attributes attributes;
};

static inline size_t sm_learned_n_cells(const sm_learned *learned) { return learned->first_cell[learned->n_states]; }

/* The index of the pair of two different nodes. */
static inline size_t sm_pair_index(size_t n_nodes, size_t i, size_t j) {
    size_t row = i < j ? i : j, column = i < j ? j : i;
    return row * (2 * n_nodes - row - 1) / 2 + (column - row - 1);
}

/* Reserves states of so many factors each, all zeros. False: no memory, and *learned is to be freed as it is. */
bool sm_learned_reserve(sm_learned *learned, const uint32_t *n_factors, size_t n_states);

/* The rest of what an sm_method does. */
void sm_learned_free(sm_learned *learned);
smerf_status sm_learned_save(const sm_learned *learned, sm_tensors *tensors, smerf_error *error);
smerf_status sm_learned_load(const sm_tensors *tensors, const sm_features *features, bool has_attributes,
                             size_t n_nodes, sm_learned **out, smerf_error *error);

/* gibbs_predictor.c */
smerf_status sm_gibbs_predictor_new(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
                                    sm_predictor **out, smerf_error *error);
void sm_gibbs_predictor_free(sm_predictor *predictor);
void sm_gibbs_predict_row(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n, size_t thread,
                          double *distances);

#endif
