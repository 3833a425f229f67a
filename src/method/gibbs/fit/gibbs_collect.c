/* gibbs_collect.c - means over a chain's draws, kept while it runs: see gibbs_collect.h. */
#include "method/gibbs/fit/gibbs_collect.h"

#include <float.h>

#include "base/memory.h"
#include "method/gibbs/gibbs.h"

/* ---- the pairs ---- */

enum { MOST_WATCHED = 10000 };

static void draw_pairs(sm_watched *watched, size_t n_nodes, uint64_t seed) {
    sm_random random;
    sm_random_start(&random, seed, 0, SM_STREAM_WATCHED);
    for (size_t p = 0; p < watched->n; p++) {
        watched->left[p] = sm_random_below(&random, (uint32_t)n_nodes);
        do watched->right[p] = sm_random_below(&random, (uint32_t)n_nodes);
        while (watched->right[p] == watched->left[p]);
    }
}

smerf_status sm_watched_new(sm_watched *watched, size_t n_nodes, uint64_t seed, smerf_error *error) {
    *watched = (sm_watched){.n = n_nodes * (n_nodes - 1) / 2};
    if (n_nodes <= SM_MOST_NODES_IN_PAIRS) return SMERF_OK;
    watched->n = MOST_WATCHED;
    watched->left = sm_array(watched->n, sizeof *watched->left);
    watched->right = sm_array(watched->n, sizeof *watched->right);
    if (watched->left == NULL || watched->right == NULL) {
        sm_watched_free(watched);
        return sm_no_memory(error, "drawing pairs");
    }
    draw_pairs(watched, n_nodes, seed);
    return SMERF_OK;
}

void sm_watched_free(sm_watched *watched) {
    sm_free(watched->left);
    sm_free(watched->right);
    *watched = (sm_watched){0};
}

/* ---- sums ---- */

smerf_status sm_collected_start(sm_collected *collected, const sm_watched *watched, size_t n_states,
                                smerf_error *error) {
    *collected = (sm_collected){.sum = sm_zeros(watched->n, sizeof *collected->sum),
                                .state = sm_zeros(n_states, sizeof *collected->state)};
    if (collected->sum != NULL && collected->state != NULL) return SMERF_OK;
    return sm_no_memory(error, "collecting draws");
}

void sm_collected_free(sm_collected *collected, size_t n_states) {
    for (size_t s = 0; collected->state != NULL && s < n_states; s++) {
        sm_free(collected->state[s].phi);
        sm_free(collected->state[s].lambda);
        sm_free(collected->state[s].h);
    }
    sm_free(collected->state);
    sm_free(collected->sum);
}

static double probability_of(const sm_chain *chain, size_t i, size_t j) {
    size_t width = chain->width;
    return sm_link_probability(chain->kernels->dot(chain->phi + i * width, chain->pull + j * width, width));
}

void sm_collect(sm_collected *collected, const sm_chain *chain, const sm_watched *watched) {
    double *sum = collected->sum;
    collected->n_draws++;
    collected->n_factors_used += (double)sm_chain_factors_used(chain);
    if (watched->left != NULL) {
        for (size_t p = 0; p < watched->n; p++) sum[p] += probability_of(chain, watched->left[p], watched->right[p]);
        return;
    }
    for (size_t i = 0; i < chain->n_nodes; i++)
        for (size_t j = i + 1; j < chain->n_nodes; j++) *sum++ += probability_of(chain, i, j);
}

/* ---- states ---- */

/* The factors that bear more than a millionth of all rates; returns how many.   kept  [n_factors] out */
static size_t find_kept(const sm_chain *chain, const double *total, const double *pull, uint32_t *kept) {
    static const double least_fraction = 1e-6;
    double all = chain->kernels->dot(total, pull, chain->width);
    size_t n = 0;
    for (size_t k = 0; k < chain->n_factors; k++)
        if (total[k] * pull[k] > least_fraction * all) kept[n++] = (uint32_t)k;
    return n;
}

static float to_float(double x) { return x < (double)FLT_MAX ? (float)x : FLT_MAX; }

/* The kept columns of some rows of doubles, padded with zeros. */
static float *pick_columns(const double *rows, const uint32_t *which, size_t n_rows, size_t width, const uint32_t *kept,
                           size_t n_kept, size_t n_padded) {
    float *picked = sm_zeros(sm_size(n_rows, n_padded, 0), sizeof *picked);
    for (size_t i = 0; picked != NULL && i < n_rows; i++) {
        const double *row = rows + (which != NULL ? which[i] : i) * width;
        for (size_t k = 0; k < n_kept; k++) picked[i * n_padded + k] = to_float(row[kept[k]]);
    }
    return picked;
}

/* Lambda has its rows picked, too. */
static float *pick_lambda(const sm_chain *chain, const uint32_t *kept, size_t n_kept, size_t n_padded) {
    float *picked = pick_columns(chain->lambda, kept, n_kept, chain->width, kept, n_kept, n_padded);
    float *square = sm_zeros(sm_size(n_padded, n_padded, 0), sizeof *square);
    for (size_t k = 0; picked != NULL && square != NULL && k < n_kept * n_padded; k++) square[k] = picked[k];
    if (picked == NULL) {
        sm_free(square);
        return NULL;
    }
    sm_free(picked);
    return square;
}

smerf_status sm_collect_state(sm_collected *collected, const sm_chain *chain, smerf_error *error) {
    size_t width = chain->width;
    sm_state *state = &collected->state[collected->n_states++];
    uint32_t *kept = sm_array(width, sizeof *kept);
    double *total = sm_aligned(2 * width, sizeof *total);
    if (kept != NULL && total != NULL) {
        sm_rows_total(chain->phi, chain->n_nodes, width, total);
        chain->kernels->times(total, chain->lambda, width, total + width);
        size_t n_kept = find_kept(chain, total, total + width, kept);
        size_t n_padded = (n_kept + SM_STATE_LANES - 1) / SM_STATE_LANES * SM_STATE_LANES;
        state->n_factors = (uint32_t)n_padded;
        state->phi = pick_columns(chain->phi, NULL, chain->n_nodes, width, kept, n_kept, n_padded);
        state->lambda = pick_lambda(chain, kept, n_kept, n_padded);
        if (chain->h != NULL)
            state->h = pick_columns(chain->h, NULL, chain->attributes->n_attributes, width, kept, n_kept, n_padded);
    }
    sm_free(kept);
    sm_free(total);
    if (state->phi != NULL && state->lambda != NULL && (state->h != NULL || chain->h == NULL)) return SMERF_OK;
    return sm_no_memory(error, "keeping a state");
}
