/* gibbs.h - the sampler of epm and narm: one Markov chain over everything that the two models do not observe.
 *
 * Nodes belong to K factors to different degrees phi, factors attract each other by lambda, and units m of attraction
 * make a link where there is one at least (docs/methods/links.md has the formulas and their sources):
 *
 *     link(i, j) = 1(m_ij >= 1),   m_ij ~ Poisson(phi_i' Lambda phi_j)
 *     phi_ik ~ Gamma(a_i, rate c_i)                epm: each node has a shape of its own
 *     phi_ik ~ Gamma(g_ik, rate c_i)               narm: it is the product of h_lk over the node's attributes l
 *
 * One iteration draws, each given all the rest:
 *     units of the links                           gibbs_updates.c
 *     h and g (narm only)                          gibbs_updates.c
 *     a, phi and c of the nodes                    gibbs_updates.c
 *     r, gamma0, c0, xi, lambda, beta              gibbs_factors.c
 * Only links cost time there; pairs without one come in through sums over the observed partners (gibbs_rows.c). */
#ifndef SM_METHOD_GIBBS_H
#define SM_METHOD_GIBBS_H

#include "base/draws.h"
#include "kernels/matrices.h"
#include "method/gibbs/attributes.h"
#include "target/target.h"

/* ---- network.c: a graph as the samplers want it, links and which pairs were observed ---- */

/* Of the pairs, either the observed ones are listed or the others, whichever are fewer: sums over the partners of a node
 * are then sums over its list, or all minus that. Of a graph whose every pair is known nothing is listed. */
typedef struct sm_network {
    size_t n_nodes, n_links;
    uint32_t *left, *right; /* [n_links] left < right */
    double n_observed;      /* pairs */
    bool lists_observed;    /* else the pairs that are not observed */
    size_t *first;          /* [n_nodes + 1] */
    uint32_t *partner;      /* ascending for each node; each pair stands with both its nodes */
} sm_network;

/* Refuses targets other than graphs, and weighted ones, in the name of the method. */
smerf_status sm_network_check(const smerf_target *target, const char *method, smerf_error *error);

/*   target  one that passed the check */
smerf_status sm_network_new(sm_network *network, const smerf_target *target, smerf_error *error);
void sm_network_free(sm_network *network);

/* ---- the chain ---- */

/* Gamma priors of what stands at the top. */
typedef struct sm_gamma_prior {
    double shape, rate;
} sm_gamma_prior;

typedef struct sm_gibbs_priors {
    sm_gamma_prior a, c, h, gamma0, c0, xi, beta;
} sm_gibbs_priors;

/* Those of the authors. */
extern const sm_gibbs_priors sm_gibbs_their_priors;

/* Rows of K numbers are padded with zeros to `width`, a multiple of eight. */
typedef struct sm_chain {
    const sm_network *network;
    const sm_attribute_members *attributes; /* NULL: epm */
    const sm_gibbs_priors *priors;
    const sm_row_kernels *kernels;
    size_t n_nodes, n_factors, width;

    double *phi;    /* [n_nodes][width] */
    double *pull;   /* [n_nodes][width] phi_i' Lambda: kept in step with both */
    double *a, *c;  /* [n_nodes]; a: epm only */
    double *g;      /* [n_nodes][width] narm only, and */
    double *h;      /* [n_attributes][width] */
    double *lambda; /* [width][width] symmetric */
    double *r;      /* [width] */
    double gamma0, c0, xi, beta;

    uint32_t *node_units;   /* [n_nodes][width] m_ik: units of node i at factor k */
    uint32_t *factor_units; /* [width][width] n_kl, symmetric */

    uint64_t seed;
    uint32_t number;    /* of the chain: chains with different numbers start apart and go their own ways */
    uint64_t iteration; /* how many are done; each has random streams of its own */
    sm_draws draws;
    sm_random shuffles;
    size_t n_accepted; /* proposals of gamma0 */

    uint32_t *node_order, *factor_order; /* scratch from here on */
    double *row, *other_row;             /* [width] */
    double *rows, *four_rows;            /* [4][width] */
    double *total;                       /* [width] */
    double *exposure;                    /* [width][width] T_kl, what lambda_kl is multiplied with */
    double *log_fraction;                /* [width][width] ln(beta / (beta + T_kl)) */
    double *cost;                        /* [width] w_k */
    uint32_t *tables;                    /* [width] L_k */
    double *node_exposure;               /* [n_nodes][width] narm only: u_ik, and */
    uint32_t *node_tables;               /* [n_nodes][width] t_ik */
} sm_chain;

/* How a chain is set up; the pointers must outlive it. */
typedef struct sm_chain_plan {
    const sm_network *network;
    const sm_attribute_members *attributes; /* NULL: epm */
    const sm_gibbs_priors *priors;
    size_t n_factors;
    uint64_t seed;
    smerf_kernels kernels;
} sm_chain_plan;

/* What a chain takes, in bytes. */
double sm_chain_bytes(const sm_chain_plan *plan);

smerf_status sm_chain_new(const sm_chain_plan *plan, uint32_t number, sm_chain **out, smerf_error *error);
void sm_chain_free(sm_chain *chain);

void sm_chain_iterate(sm_chain *chain);

/* How many factors have a unit. */
size_t sm_chain_factors_used(const sm_chain *chain);

/* Probability of a link whose rate is phi_i' Lambda phi_j. The second form keeps the digits of small ones. */
double sm_link_probability(double rate);

/* ---- the parts of an iteration ---- */

void sm_chain_draw_counts(sm_chain *chain);
void sm_chain_draw_attributes(sm_chain *chain);
void sm_chain_draw_nodes(sm_chain *chain);
void sm_chain_draw_factors(sm_chain *chain);

/* Brings `pull` in step with phi and lambda. */
void sm_chain_pull(sm_chain *chain);

/* Gamma(prior + shape, rate prior + rate). */
double sm_chain_gamma(sm_chain *chain, sm_gamma_prior prior, double shape, double rate);

/* ---- gibbs_rows.c: arithmetic on rows that takes little time, or knows of networks; the rest is kernels/matrices.h ---- */

static inline size_t sm_row_width(size_t n) { return (n + SM_ROW_LANES - 1) / SM_ROW_LANES * SM_ROW_LANES; }

double sm_row_sum(const double *row, size_t width);

/* The k at which the running sum of products, as sm_row_kernels gives them, passes `target`, 0 <= target < the sum; of a k whose product is 0 only
 * if all are. */
size_t sm_row_find(const double *product, const double *part, size_t width, double target);

void sm_row_clear(double *row, size_t width);
void sm_row_add(double *row, const double *other, size_t width);
void sm_row_subtract(double *row, const double *other, size_t width);

/* total = the sum of all rows.   rows  [n][width] */
void sm_rows_total(const double *rows, size_t n, size_t width, double *total);

/* out = the sum of the rows of a node's observed partners.   total  the sum of all rows */
void sm_rows_of_partners(const sm_network *network, size_t node, const double *rows, const double *total, size_t width,
                         double *out);

#endif
