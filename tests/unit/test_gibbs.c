/* test_gibbs.c - the sampler of epm and narm draws from the distribution that it says.
 *
 * Geweke's test (2004, "Getting it right"): parameters and data can be drawn together in two ways. Forward: parameters
 * from the prior, data from the model. Successively: one iteration of the sampler given the data, then new data given the
 * parameters, again and again. Both have the same joint distribution if, and only if, every draw of the sampler is right.
 * The priors are light here: the authors' Gamma(0.01, 0.01) has tails in which means do not settle. That of gamma0 keeps
 * off 0, where r underflows and ln r is floored, which shifts gamma0 a little (by 1 % with Gamma(1, 1)). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "method/gibbs/gibbs.h"

enum { N_NODES = 4, N_FACTORS = 3, N_PAIRS = N_NODES * (N_NODES - 1) / 2 };

static const sm_gibbs_priors light = {
    .a = {1, 1}, .c = {2, 1}, .h = {1, 1}, .gamma0 = {3, 2}, .c0 = {3, 2}, .xi = {1, 1}, .beta = {2, 1}};

/* ---- a network whose links change ---- */

typedef struct small_network {
    sm_network network;
    uint32_t left[N_PAIRS], right[N_PAIRS]; /* those that are observed */
    size_t n;
    size_t first[N_NODES + 1];
    uint32_t partner[N_NODES * N_NODES];
    uint32_t link_left[N_PAIRS], link_right[N_PAIRS];
} small_network;

/* How the pairs that are (not) observed are told. */
typedef enum telling_of_pairs { ALL_PAIRS, LIST_OF_OBSERVED, LIST_OF_OTHERS } telling_of_pairs;

/* All pairs, or all but (0, 1) and (1, 3). */
static void start_pairs(small_network *pairs, telling_of_pairs telling) {
    memset(pairs, 0, sizeof *pairs);
    size_t n_listed = 0;
    for (uint32_t i = 0; i < N_NODES; i++) {
        pairs->first[i] = n_listed;
        for (uint32_t j = 0; j < N_NODES; j++) {
            if (i == j) continue;
            bool is_observed = telling == ALL_PAIRS || (i + j != 1 && i + j != 4);
            if (is_observed == (telling == LIST_OF_OBSERVED)) pairs->partner[n_listed++] = j;
            if (!is_observed || j < i) continue;
            pairs->left[pairs->n] = i;
            pairs->right[pairs->n++] = j;
        }
    }
    pairs->first[N_NODES] = n_listed;
    pairs->network = (sm_network){.n_nodes = N_NODES,
                                  .left = pairs->link_left,
                                  .right = pairs->link_right,
                                  .lists_observed = telling == LIST_OF_OBSERVED,
                                  .first = pairs->first,
                                  .partner = pairs->partner};
}

static void draw_links(small_network *pairs, const sm_chain *chain, sm_draws *draws) {
    sm_network *network = &pairs->network;
    network->n_links = 0;
    for (size_t p = 0; p < pairs->n; p++) {
        size_t i = pairs->left[p], j = pairs->right[p], width = chain->width;
        double rate = chain->kernels->dot(chain->phi + i * width, chain->pull + j * width, width);
        if (sm_draw_uniform(draws) >= -expm1(-rate)) continue;
        network->left[network->n_links] = (uint32_t)i;
        network->right[network->n_links++] = (uint32_t)j;
    }
}

/* ---- forward ---- */

static double draw_prior(sm_draws *draws, sm_gamma_prior prior) {
    return sm_draw_gamma(draws, prior.shape) / prior.rate;
}

static void draw_nodes_forward(sm_chain *chain, sm_draws *draws) {
    for (size_t i = 0; i < N_NODES; i++) {
        chain->c[i] = draw_prior(draws, light.c);
        if (chain->a != NULL) chain->a[i] = draw_prior(draws, light.a);
        for (size_t k = 0; k < N_FACTORS; k++) {
            double shape = chain->a != NULL ? chain->a[i] : chain->g[i * chain->width + k];
            chain->phi[i * chain->width + k] = sm_draw_gamma(draws, shape) / chain->c[i];
        }
    }
}

static void draw_factors_forward(sm_chain *chain, sm_draws *draws) {
    chain->gamma0 = draw_prior(draws, light.gamma0);
    chain->c0 = draw_prior(draws, light.c0);
    chain->xi = draw_prior(draws, light.xi);
    chain->beta = draw_prior(draws, light.beta);
    for (size_t k = 0; k < N_FACTORS; k++) chain->r[k] = sm_draw_gamma(draws, chain->gamma0 / N_FACTORS) / chain->c0;
    for (size_t k = 0; k < N_FACTORS; k++)
        for (size_t l = k; l < N_FACTORS; l++) {
            double shape = chain->r[k] * (k == l ? chain->xi : chain->r[l]);
            double drawn = sm_draw_gamma(draws, shape) / chain->beta;
            chain->lambda[k * chain->width + l] = chain->lambda[l * chain->width + k] = drawn;
        }
}

/* ---- what is compared ---- */

enum { N_FUNCTIONS = 15 };

static const char *const function_names[N_FUNCTIONS] = {"a",
                                                        "c",
                                                        "phi",
                                                        "phi squared",
                                                        "small gamma0",
                                                        "gamma0",
                                                        "c0",
                                                        "xi",
                                                        "beta",
                                                        "r",
                                                        "r squared",
                                                        "lambda diagonal",
                                                        "lambda other",
                                                        "links",
                                                        "links with phi"};

/* Bounded or light-tailed functions of parameters and data: x / (1 + x) where tails are long. */
static double tame(double x) { return x / (1 + x); }

static void evaluate(const sm_chain *chain, const small_network *pairs, double *f) {
    size_t width = chain->width;
    const double *phi = chain->phi, *lambda = chain->lambda, *r = chain->r;
    double other = lambda[1] + lambda[2] + lambda[width + 2], sum_phi = sm_row_sum(phi, width);
    double n_links = (double)pairs->network.n_links;
    const double values[N_FUNCTIONS] = {chain->a != NULL ? tame(chain->a[0]) : 0,
                                        tame(chain->c[0]),
                                        tame(phi[0]),
                                        tame(phi[0]) * tame(phi[0]),
                                        chain->gamma0 < 0.3,
                                        tame(chain->gamma0),
                                        tame(chain->c0),
                                        tame(chain->xi),
                                        tame(chain->beta),
                                        tame(r[0] + r[1] + r[2]),
                                        tame(r[0]) * tame(r[1]),
                                        tame(lambda[0]),
                                        tame(other),
                                        n_links,
                                        n_links * tame(sum_phi)};
    memcpy(f, values, sizeof values);
}

/* Means over batches, so that draws that depend on each other are counted as what they are worth. */
enum { N_BATCHES = 60, BATCH = 1500 };

typedef struct means {
    double mean[N_FUNCTIONS], error[N_FUNCTIONS];
} means;

static void add_batches(double batch[N_BATCHES][N_FUNCTIONS], means *out) {
    for (size_t f = 0; f < N_FUNCTIONS; f++) {
        double sum = 0, squares = 0;
        for (size_t b = 0; b < N_BATCHES; b++) sum += batch[b][f] /= BATCH;
        out->mean[f] = sum / N_BATCHES;
        for (size_t b = 0; b < N_BATCHES; b++) squares += pow(batch[b][f] - out->mean[f], 2);
        out->error[f] = sqrt(squares / (N_BATCHES - 1) / N_BATCHES);
    }
}

/* A broken sampler may run away, and would take for ever over its units; a right one has some millions of them. */
static size_t count_units(const sm_chain *chain) {
    size_t n_units = 0;
    for (size_t k = 0; k < N_NODES * chain->width; k++) n_units += chain->node_units[k];
    return n_units;
}

static void run(sm_chain *chain, small_network *pairs, bool is_forward, bool skips_attributes, means *out) {
    static double batch[N_BATCHES][N_FUNCTIONS];
    double values[N_FUNCTIONS];
    size_t n_units = 0;
    sm_draws draws;
    sm_draws_start(&draws, 99, is_forward, 0);
    memset(batch, 0, sizeof batch);
    for (size_t step = 0; step < (size_t)N_BATCHES * BATCH; step++) {
        if (is_forward || step == 0) {
            draw_nodes_forward(chain, &draws);
            draw_factors_forward(chain, &draws);
            sm_chain_pull(chain);
        } else {
            sm_chain_draw_counts(chain);
            n_units += count_units(chain);
            if (n_units > 30000000) fail_msg("the sampler has run away in step %zu", step);
            if (chain->attributes != NULL && !skips_attributes) sm_chain_draw_attributes(chain);
            sm_chain_draw_nodes(chain);
            sm_chain_draw_factors(chain);
            sm_chain_pull(chain);
        }
        draw_links(pairs, chain, &draws);
        evaluate(chain, pairs, values);
        for (size_t f = 0; f < N_FUNCTIONS; f++) batch[step / BATCH][f] += values[f];
    }
    if (getenv("VERBOSE") != NULL) print_message("%zu units\n", n_units);
    add_batches(batch, out);
}

/* With 15 functions and fixed seeds, a z-score of 4.5 does not happen by chance; broken updates are at tens. */
static void compare(const means *forward, const means *successive) {
    for (size_t f = 0; f < N_FUNCTIONS; f++) {
        double off = successive->mean[f] - forward->mean[f];
        double error = hypot(forward->error[f], successive->error[f]), z = error > 0 ? off / error : 0;
        if (getenv("VERBOSE") != NULL)
            print_message("%-16s %8.5f %8.5f  z %6.2f\n", function_names[f], forward->mean[f], successive->mean[f], z);
        if (getenv("VERBOSE") == NULL && !(fabs(z) < 4.5))
            fail_msg("%s: %g forward, %g successively: %g errors apart", function_names[f], forward->mean[f],
                     successive->mean[f], z);
    }
}

static sm_chain *new_chain(const sm_network *network, const sm_attribute_members *attributes, uint32_t number) {
    const sm_chain_plan plan = {
        .network = network, .attributes = attributes, .priors = &light, .n_factors = N_FACTORS, .seed = 7};
    sm_chain *chain = NULL;
    smerf_error error;
    if (sm_chain_new(&plan, number, &chain, &error) != SMERF_OK) fail_msg("%s", error.message);
    return chain;
}

static void geweke(telling_of_pairs telling, const sm_attribute_members *attributes) {
    small_network pairs;
    means forward, successive;
    start_pairs(&pairs, telling);
    sm_chain *chain = new_chain(&pairs.network, attributes, (uint32_t)telling);
    for (size_t k = 0; attributes != NULL && k < N_NODES * chain->width; k++) /* shapes of all sorts, which stay */
        chain->g[k] = k % chain->width < N_FACTORS ? 0.3 + 0.4 * (double)(k % 5) : 0;
    run(chain, &pairs, true, true, &forward);
    run(chain, &pairs, false, true, &successive);
    compare(&forward, &successive);
    sm_chain_free(chain);
}

static void epm_is_right_when_all_pairs_are_observed(void **state) {
    (void)state;
    geweke(ALL_PAIRS, NULL);
}

static void epm_is_right_when_some_pairs_are_observed(void **state) {
    (void)state;
    geweke(LIST_OF_OBSERVED, NULL);
    geweke(LIST_OF_OTHERS, NULL);
}

static void narm_is_right_but_for_its_attributes(void **state) {
    (void)state;
    size_t first[2] = {0, 0};
    uint32_t nobody[1] = {0};
    const sm_attribute_members attributes = {.n_attributes = 1, .first = first, .item = nobody};
    geweke(ALL_PAIRS, &attributes);
    geweke(LIST_OF_OTHERS, &attributes);
}

/* ---- the step that is not exact, against its own formula ---- */

/* Units 0 and 1 have that many tables for certain. */
static void set_up_attributes(sm_chain *chain) {
    size_t width = chain->width;
    for (size_t i = 0; i < N_NODES; i++) {
        chain->c[i] = 0.5 + 0.25 * (double)i;
        for (size_t k = 0; k < N_FACTORS; k++) {
            chain->node_units[i * width + k] = (uint32_t)(i + k) % 2;
            chain->phi[i * width + k] = 0.2 + 0.1 * (double)((3 * i + k) % 7);
        }
    }
    for (size_t k = 0; k < N_FACTORS; k++) {
        chain->h[k] = 2 + (double)k;
        chain->h[width + k] = 0.5;
        for (size_t i = 0; i < N_NODES; i++) chain->g[i * width + k] = (i < 2 ? chain->h[k] : 1) * chain->h[width + k];
    }
    sm_chain_pull(chain);
}

/* The mean of h_0k as the formula gives it, by plain sums. */
static double expected_weight(const sm_chain *chain, size_t k) {
    size_t width = chain->width;
    double shape = light.h.shape, rate = light.h.rate;
    for (size_t i = 0; i < 2; i++) {
        double exposure = 0;
        for (size_t j = 0; j < N_NODES; j++)
            for (size_t l = 0; l < N_FACTORS && j != i; l++)
                exposure += chain->phi[j * width + l] * chain->lambda[l * width + k];
        shape += chain->node_units[i * width + k];
        rate += chain->h[width + k] * log((chain->c[i] + exposure) / chain->c[i]);
    }
    return shape / rate;
}

/* Attribute 0 belongs to nodes 0 and 1, attribute 1 to all. */
static void attributes_are_drawn_by_their_formula(void **state) {
    (void)state;
    enum { N_DRAWS = 40000 };
    size_t first[3] = {0, 2, 2 + N_NODES};
    uint32_t item[2 + N_NODES] = {0, 1, 0, 1, 2, 3};
    const sm_attribute_members attributes = {.n_attributes = 2, .first = first, .item = item};
    small_network pairs;
    start_pairs(&pairs, ALL_PAIRS);
    sm_chain *chain = new_chain(&pairs.network, &attributes, 0);
    double sum[N_FACTORS] = {0}, squares[N_FACTORS] = {0};
    for (size_t d = 0; d < N_DRAWS; d++) {
        set_up_attributes(chain);
        sm_chain_draw_attributes(chain);
        for (size_t k = 0; k < N_FACTORS; k++) {
            double own = chain->h[k], all = chain->h[chain->width + k];
            sum[k] += own;
            squares[k] += own * own;
            assert_true(fabs(chain->g[k] - own * all) < 1e-12 * own * all); /* g has followed both */
            assert_true(fabs(chain->g[3 * chain->width + k] - all) < 1e-12 * all);
        }
    }
    set_up_attributes(chain);
    for (size_t k = 0; k < N_FACTORS; k++) {
        double mean = sum[k] / N_DRAWS, error = sqrt((squares[k] / N_DRAWS - mean * mean) / N_DRAWS);
        double z = (mean - expected_weight(chain, k)) / error;
        if (!(fabs(z) < 4.5)) fail_msg("h of factor %zu: %g errors from its mean", k, z);
    }
    sm_chain_free(chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(epm_is_right_when_all_pairs_are_observed),
        cmocka_unit_test(epm_is_right_when_some_pairs_are_observed),
        cmocka_unit_test(narm_is_right_but_for_its_attributes),
        cmocka_unit_test(attributes_are_drawn_by_their_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
