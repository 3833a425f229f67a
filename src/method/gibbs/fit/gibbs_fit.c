/* gibbs_fit.c - runs the chains of epm and narm, and puts together what was learned.
 *   1. the graph becomes a network                      network.c
 *   2. chains run side by side, each on streams of its own, in segments, for progress   gibbs.c
 *   3. after the burn-in each draw is collected         gibbs_collect.c
 *   4. means of all chains, and their states, are packed into what the model keeps */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/gibbs/fit/gibbs_collect.h"
#include "method/gibbs/gibbs_learned.h"
#include "method/trainer.h"

enum { N_SEGMENTS = 100 };

typedef struct gibbs_run {
    sm_chain_plan plan;
    const smerf_options *options;
    sm_pool *pool;
    sm_network network;
    sm_watched watched;
    size_t n_states; /* that a chain keeps */
    sm_chain **chain;
    sm_collected *collected; /* [n_chains] both */
    size_t first, end;       /* iterations of the segment */
} gibbs_run;

/* What both refuse: other targets than graphs, weights of items. */
static smerf_status check_links(const sm_training_set *training, const char *method, smerf_error *error) {
    smerf_status status = sm_network_check(training->target, method, error);
    if (status != SMERF_OK) return status;
    if (training->weights != NULL)
        return sm_fail(error, SMERF_BAD_INPUT, "%s knows no weights of items; leave {item_weights} out", method);
    return SMERF_OK;
}

/* ---- running ---- */

/* Whether the draw that was just collected is one of those that are kept: n_states at even steps. */
static bool is_state(const gibbs_run *run, size_t n_draws) {
    size_t all = run->options->baselines->n_draws;
    return n_draws * run->n_states / all > (n_draws - 1) * run->n_states / all;
}

static smerf_status run_segment(void *job, size_t task, size_t thread, smerf_error *error) {
    gibbs_run *run = job;
    sm_chain *chain = run->chain[task];
    sm_collected *collected = &run->collected[task];
    for (size_t t = run->first; t < run->end; t++) {
        if (sm_pool_is_stopped(run->pool, thread)) return sm_fail(error, SMERF_CANCELLED, "cancelled");
        sm_chain_iterate(chain);
        if (t < run->options->baselines->n_burn) continue;
        sm_collect(collected, chain, &run->watched);
        if (!is_state(run, collected->n_draws)) continue;
        smerf_status status = sm_collect_state(collected, chain, error);
        if (status != SMERF_OK) return status;
    }
    return SMERF_OK;
}

static smerf_status run_chains(gibbs_run *run, smerf_error *error) {
    sm_pool *pool = run->pool;
    size_t n_iterations = run->options->baselines->n_burn + run->options->baselines->n_draws;
    smerf_status status = SMERF_OK;
    for (size_t s = 0; s < N_SEGMENTS && status == SMERF_OK; s++) {
        run->first = n_iterations * s / N_SEGMENTS;
        run->end = n_iterations * (s + 1) / N_SEGMENTS;
        pool->fraction_from = (double)s / N_SEGMENTS;
        pool->fraction_to = (double)(s + 1) / N_SEGMENTS;
        if (run->first < run->end)
            status = sm_pool_run(pool, run->options->baselines->n_chains, run_segment, run, error);
    }
    return status;
}

/* ---- starting and ending ---- */

/* How many states a chain keeps: none where the means of pairs say it all. */
static size_t choose_n_states(const gibbs_run *run) {
    double n_nodes = (double)run->network.n_nodes, n_factors = (double)run->plan.n_factors;
    size_t n_chains = run->options->baselines->n_chains;
    if (run->watched.left == NULL && run->plan.attributes == NULL) return 0;
    double n_attributes = run->plan.attributes != NULL ? (double)run->plan.attributes->n_attributes : 0;
    double wanted = SM_STATES_BYTES / (4 * n_factors * (n_nodes + n_attributes + n_factors));
    wanted = fmin(fmax(wanted, SM_FEWEST_STATES), SM_MOST_STATES);
    size_t n_states = (size_t)(wanted / (double)n_chains);
    if (n_states > run->options->baselines->n_draws) n_states = run->options->baselines->n_draws;
    return n_states > 0 ? n_states : 1;
}

static smerf_status check_memory(const gibbs_run *run, smerf_error *error) {
    double n_attributes = run->plan.attributes != NULL ? (double)run->plan.attributes->n_attributes : 0;
    double state =
        4 * (double)run->plan.n_factors * ((double)run->network.n_nodes + n_attributes + (double)run->plan.n_factors);
    double chain = sm_chain_bytes(&run->plan) + 8 * (double)run->watched.n + 2 * state * (double)run->n_states;
    return sm_check_memory((double)run->options->baselines->n_chains * chain, "the chains", error);
}

static smerf_status start_gibbs_run(gibbs_run *run, smerf_error *error) {
    size_t n_chains = run->options->baselines->n_chains;
    run->n_states = choose_n_states(run);
    smerf_status status = check_memory(run, error);
    if (status != SMERF_OK) return status;
    run->chain = sm_zeros(n_chains, sizeof *run->chain);
    run->collected = sm_zeros(n_chains, sizeof *run->collected);
    if (run->chain == NULL || run->collected == NULL) return sm_no_memory(error, "starting chains");
    for (size_t c = 0; c < n_chains && status == SMERF_OK; c++) {
        status = sm_chain_new(&run->plan, (uint32_t)c, &run->chain[c], error);
        if (status == SMERF_OK) status = sm_collected_start(&run->collected[c], &run->watched, run->n_states, error);
    }
    return status;
}

static void end_gibbs_run(gibbs_run *run) {
    for (size_t c = 0; c < run->options->baselines->n_chains; c++) {
        if (run->chain != NULL) sm_chain_free(run->chain[c]);
        if (run->collected != NULL) sm_collected_free(&run->collected[c], run->n_states);
    }
    sm_free(run->chain);
    sm_free(run->collected);
    sm_watched_free(&run->watched);
    sm_network_free(&run->network);
}

/* ---- what was learned ---- */

static void copy_rows(float *to, size_t to_width, const float *from, size_t from_width, size_t n_rows) {
    for (size_t i = 0; i < n_rows && from_width > 0; i++)
        memcpy(to + i * to_width, from + i * from_width, from_width * sizeof *to);
}

static void pack_state(sm_learned *learned, size_t s, const sm_state *state) {
    size_t n_cells = sm_learned_n_cells(learned), first = learned->first_cell[s], n = state->n_factors;
    copy_rows(learned->phi + first, n_cells, state->phi, n, learned->n_nodes);
    copy_rows(learned->lambda + learned->first_lambda[s], n, state->lambda, n, n);
    if (learned->h != NULL) copy_rows(learned->h + first, n_cells, state->h, n, learned->attributes.n);
}

/* Chain after chain, each in the order of its draws. */
static smerf_status pack_states(const gibbs_run *run, sm_learned *learned, smerf_error *error) {
    size_t n_chains = run->options->baselines->n_chains, n_states = run->n_states;
    uint32_t *n_factors = sm_array(n_chains * n_states, sizeof *n_factors);
    if (n_factors == NULL) return sm_no_memory(error, "keeping states");
    for (size_t s = 0; s < n_chains * n_states; s++)
        n_factors[s] = run->collected[s / n_states].state[s % n_states].n_factors;
    bool has_memory = sm_learned_reserve(learned, n_factors, n_chains * n_states);
    sm_free(n_factors);
    if (!has_memory) return sm_no_memory(error, "keeping states");
    for (size_t s = 0; s < n_chains * n_states; s++)
        pack_state(learned, s, &run->collected[s / n_states].state[s % n_states]);
    return SMERF_OK;
}

static smerf_status pack_means(const gibbs_run *run, sm_learned *learned, smerf_error *error) {
    size_t n_chains = run->options->baselines->n_chains;
    if (run->watched.left != NULL) return SMERF_OK;
    learned->probability = sm_array(run->watched.n, sizeof *learned->probability);
    if (learned->probability == NULL) return sm_no_memory(error, "keeping probabilities");
    for (size_t p = 0; p < run->watched.n; p++) {
        double sum = 0;
        for (size_t c = 0; c < n_chains; c++) sum += run->collected[c].sum[p];
        learned->probability[p] = (float)(sum / ((double)n_chains * (double)run->options->baselines->n_draws));
    }
    return SMERF_OK;
}

/* Mean absolute difference between the means of two chains, over pairs of nodes and pairs of chains. */
static double spread_of_chains(const gibbs_run *run) {
    size_t n_chains = run->options->baselines->n_chains, n_compared = 0;
    double sum = 0;
    for (size_t a = 0; a < n_chains; a++)
        for (size_t b = a + 1; b < n_chains; b++, n_compared++)
            for (size_t p = 0; p < run->watched.n; p++)
                sum += fabs(run->collected[a].sum[p] - run->collected[b].sum[p]);
    if (n_compared == 0) return 0;
    return sum / ((double)n_compared * (double)run->watched.n * (double)run->options->baselines->n_draws);
}

static void add_gibbs_diagnostics(const gibbs_run *run, const sm_learned *learned, sm_diagnostics *diagnostics) {
    double n_chains = (double)run->options->baselines->n_chains, n_draws = (double)run->options->baselines->n_draws;
    double n_used = 0, n_accepted = 0;
    for (size_t c = 0; c < run->options->baselines->n_chains; c++) {
        n_used += run->collected[c].n_factors_used;
        n_accepted += (double)run->chain[c]->n_accepted;
    }
    sm_diagnostics_add(diagnostics, "link share", (double)run->network.n_links / run->network.n_observed);
    sm_diagnostics_add(diagnostics, "chains", n_chains);
    sm_diagnostics_add(diagnostics, "states kept", (double)learned->n_states);
    sm_diagnostics_add(diagnostics, "factors used", n_used / (n_chains * n_draws));
    sm_diagnostics_add(diagnostics, "gamma0 acceptance",
                       n_accepted / (n_chains * ((double)run->options->baselines->n_burn + n_draws)));
    if (n_chains > 1) sm_diagnostics_add(diagnostics, "spread between chains", spread_of_chains(run));
}

/*   learned  its attributes are learned, if it has any; all else is filled in
 *   members  NULL: epm */
static smerf_status fit_chains(const sm_training_set *training, const sm_attribute_members *members,
                               sm_learned *learned, sm_diagnostics *diagnostics, smerf_error *error) {
    gibbs_run run = {.options = training->options, .pool = training->pool};
    smerf_status status = sm_network_new(&run.network, training->target, error);
    if (status != SMERF_OK) return status;
    run.plan = (sm_chain_plan){.network = &run.network,
                               .attributes = members,
                               .priors = &sm_gibbs_their_priors,
                               .n_factors = training->options->baselines->n_factors,
                               .seed = training->options->seed};
    learned->n_nodes = run.network.n_nodes;
    learned->seed = training->options->seed;
    status = sm_watched_new(&run.watched, learned->n_nodes, learned->seed, error);
    if (status == SMERF_OK) status = start_gibbs_run(&run, error);
    if (status == SMERF_OK) status = run_chains(&run, error);
    if (status == SMERF_OK) status = pack_states(&run, learned, error);
    if (status == SMERF_OK) status = pack_means(&run, learned, error);
    if (status == SMERF_OK) add_gibbs_diagnostics(&run, learned, diagnostics);
    end_gibbs_run(&run);
    return status;
}

/* ---- epm ---- */

static smerf_status epm_check(const sm_training_set *training, smerf_error *error) {
    return check_links(training, "epm", error);
}

static smerf_status epm_fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                            smerf_error *error) {
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "learning");
    smerf_status status = fit_chains(training, NULL, learned, diagnostics, error);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_learned_free(learned);
    return status;
}

/* ---- narm ---- */

static smerf_status narm_check(const sm_training_set *training, smerf_error *error) {
    return check_links(training, "narm", error);
}

static smerf_status narm_fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                             smerf_error *error) {
    sm_attribute_members members = {0};
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "learning");
    smerf_status status = sm_attributes_learn(&learned->attributes, training->features, training->view, error);
    if (status == SMERF_OK) status = sm_attribute_members_new(&members, &learned->attributes, training->view, error);
    if (status == SMERF_OK) status = fit_chains(training, &members, learned, diagnostics, error);
    if (status == SMERF_OK) sm_diagnostics_add(diagnostics, "attributes", (double)learned->attributes.n);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_learned_free(learned);
    sm_attribute_members_free(&members);
    return status;
}

const sm_trainer sm_trainer_epm = {.check = epm_check, .fit = epm_fit};
const sm_trainer sm_trainer_narm = {.check = narm_check, .fit = narm_fit};
