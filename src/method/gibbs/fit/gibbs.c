/* gibbs.c - see gibbs.h: a chain's memory, its start, and an iteration. */
#include "method/gibbs/gibbs.h"

#include <float.h>
#include <math.h>

#include "base/memory.h"

const sm_gibbs_priors sm_gibbs_their_priors = {
    .a = {0.01, 0.01}, .c = {1, 1}, .h = {1, 1}, .gamma0 = {1, 1}, .c0 = {1, 1}, .xi = {0.01, 0.01}, .beta = {1, 1}};

/* ---- memory ---- */

double sm_chain_bytes(const sm_chain_plan *plan) {
    double width = (double)sm_row_width(plan->n_factors), n_nodes = (double)plan->network->n_nodes;
    double bytes = n_nodes * (width * 20 + 20) + width * (width * 28 + 150);
    if (plan->attributes != NULL) bytes += width * (n_nodes * 20 + (double)plan->attributes->n_attributes * 8);
    return bytes;
}

/* Rows of zeros that start on a cache line; *failed: there is no memory. */
static double *new_rows(size_t n, size_t width, bool *failed) {
    double *rows = sm_aligned(sm_size(n, width, 0), sizeof *rows);
    *failed = *failed || rows == NULL;
    for (size_t k = 0; rows != NULL && k < n * width; k++) rows[k] = 0;
    return rows;
}

static uint32_t *new_counts(size_t n, size_t width, bool *failed) {
    uint32_t *counts = sm_zeros(sm_size(n, width, 0), sizeof *counts);
    *failed = *failed || counts == NULL;
    return counts;
}

static bool reserve_chain(sm_chain *chain) {
    size_t n = chain->n_nodes, width = chain->width;
    bool failed = false;
    chain->phi = new_rows(n, width, &failed);
    chain->pull = new_rows(n, width, &failed);
    chain->c = new_rows(n, 1, &failed);
    chain->lambda = new_rows(width, width, &failed);
    chain->r = new_rows(1, width, &failed);
    chain->node_units = new_counts(n, width, &failed);
    chain->factor_units = new_counts(width, width, &failed);
    chain->node_order = new_counts(n, 1, &failed);
    chain->factor_order = new_counts(1, width, &failed);
    chain->row = new_rows(1, width, &failed);
    chain->other_row = new_rows(1, width, &failed);
    chain->rows = new_rows(4, width, &failed);
    chain->four_rows = new_rows(4, width, &failed);
    chain->total = new_rows(1, width, &failed);
    chain->exposure = new_rows(width, width, &failed);
    chain->log_fraction = new_rows(width, width, &failed);
    chain->cost = new_rows(1, width, &failed);
    chain->tables = new_counts(1, width, &failed);
    if (chain->attributes == NULL) {
        chain->a = new_rows(n, 1, &failed);
    } else {
        chain->g = new_rows(n, width, &failed);
        chain->h = new_rows(chain->attributes->n_attributes, width, &failed);
        chain->node_exposure = new_rows(n, width, &failed);
        chain->node_tables = new_counts(n, width, &failed);
    }
    return !failed;
}

void sm_chain_free(sm_chain *chain) {
    if (chain == NULL) return;
    void *const arrays[] = {chain->phi,
                            chain->pull,
                            chain->a,
                            chain->c,
                            chain->g,
                            chain->h,
                            chain->lambda,
                            chain->r,
                            chain->node_units,
                            chain->factor_units,
                            chain->node_order,
                            chain->factor_order,
                            chain->row,
                            chain->other_row,
                            chain->rows,
                            chain->four_rows,
                            chain->total,
                            chain->exposure,
                            chain->log_fraction,
                            chain->cost,
                            chain->tables,
                            chain->node_exposure,
                            chain->node_tables};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) sm_free(arrays[k]);
    sm_free(chain);
}

/* ---- the start ---- */

/* The streams of one iteration: nothing hangs on how much was drawn before it. */
static void start_streams(sm_chain *chain) {
    uint64_t stream = (chain->iteration + 1) << 8;
    sm_draws_start(&chain->draws, chain->seed, chain->number, stream | SM_STREAM_CHAIN);
    sm_random_start(&chain->shuffles, chain->seed, chain->number, stream | SM_STREAM_SHUFFLE);
}

static void fill_numbers(double *numbers, size_t n, double value) {
    for (size_t k = 0; k < n; k++) numbers[k] = value;
}

static void start_factors(sm_chain *chain) {
    size_t n_factors = chain->n_factors;
    double r = 1 / (double)n_factors;
    chain->gamma0 = chain->c0 = chain->xi = chain->beta = 1;
    fill_numbers(chain->r, n_factors, r);
    for (size_t k = 0; k < n_factors; k++) {
        chain->factor_order[k] = (uint32_t)k;
        fill_numbers(chain->lambda + k * chain->width, n_factors, r * r);
        chain->lambda[k * chain->width + k] = chain->xi * r;
    }
}

static void start_chain_nodes(sm_chain *chain) {
    size_t width = chain->width, n_factors = chain->n_factors;
    fill_numbers(chain->c, chain->n_nodes, 1);
    if (chain->a != NULL) fill_numbers(chain->a, chain->n_nodes, 0.01);
    for (size_t i = 0; i < chain->n_nodes; i++) {
        chain->node_order[i] = (uint32_t)i;
        for (size_t k = 0; k < n_factors; k++) chain->phi[i * width + k] = sm_draw_gamma(&chain->draws, 1);
        if (chain->g != NULL) fill_numbers(chain->g + i * width, n_factors, 1);
    }
    for (size_t l = 0; chain->h != NULL && l < chain->attributes->n_attributes; l++)
        fill_numbers(chain->h + l * width, n_factors, 1);
}

smerf_status sm_chain_new(const sm_chain_plan *plan, uint32_t number, sm_chain **out, smerf_error *error) {
    sm_chain *chain = sm_zeros(1, sizeof *chain);
    if (chain == NULL) return sm_no_memory(error, "starting a chain");
    chain->network = plan->network;
    chain->attributes = plan->attributes;
    chain->priors = plan->priors;
    chain->kernels = sm_kernels_select(plan->kernels)->rows;
    chain->n_nodes = plan->network->n_nodes;
    chain->n_factors = plan->n_factors;
    chain->width = sm_row_width(plan->n_factors);
    chain->seed = plan->seed;
    chain->number = number;
    if (!reserve_chain(chain)) {
        sm_chain_free(chain);
        return sm_no_memory(error, "starting a chain");
    }
    start_streams(chain);
    start_factors(chain);
    start_chain_nodes(chain);
    sm_chain_pull(chain);
    *out = chain;
    return SMERF_OK;
}

/* ---- an iteration ---- */

void sm_chain_pull(sm_chain *chain) {
    size_t width = chain->width;
    for (size_t i = 0; i < chain->n_nodes; i++)
        chain->kernels->times(chain->phi + i * width, chain->lambda, width, chain->pull + i * width);
}

double sm_chain_gamma(sm_chain *chain, sm_gamma_prior prior, double shape, double rate) {
    return sm_draw_gamma(&chain->draws, prior.shape + shape) / (prior.rate + rate);
}

void sm_chain_iterate(sm_chain *chain) {
    chain->iteration++;
    start_streams(chain);
    sm_chain_draw_counts(chain);
    if (chain->attributes != NULL) sm_chain_draw_attributes(chain);
    sm_chain_draw_nodes(chain);
    sm_chain_draw_factors(chain);
    sm_chain_pull(chain);
}

double sm_link_probability(double rate) { return rate < 1e-5 ? rate * (1 - rate / 2) : 1 - exp(-rate); }
