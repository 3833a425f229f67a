/* gibbs_factors.c - what belongs to the factors.
 * T_kl is the exposure of lambda_kl: what it is multiplied with in the rates of all observed pairs. lambda is integrated
 * out while its hyperparameters r, gamma0, c0 and xi are drawn, through n_kl ~ Poisson(lambda_kl T_kl) and tables. */
#include <float.h>
#include <math.h>

#include "method/gibbs/gibbs.h"

/* ln 0 would be too much of a good thing: tiny shapes underflow. */
static double floored_log(double x) { return log(x > DBL_MIN ? x : DBL_MIN); }

static double log_gamma(double x) {
    int sign; /* lgamma would set a global */
    return lgamma_r(x, &sign);
}

/* ---- exposure ---- */

/* T_kl = sum over i of phi_ik (sum over the observed partners j of phi_jl); four nodes at a time. */
static void gather_exposure(sm_chain *chain) {
    size_t width = chain->width;
    const double *phi = chain->phi;
    double *partners = chain->rows, *left = chain->four_rows;
    for (size_t k = 0; k < width; k++) sm_row_clear(chain->exposure + k * width, width);
    sm_rows_total(phi, chain->n_nodes, width, chain->total);
    for (size_t first = 0; first < chain->n_nodes; first += 4) {
        for (size_t u = 0; u < 4; u++) {
            double *own = left + u * width;
            sm_row_clear(own, width);
            sm_row_clear(partners + u * width, width);
            if (first + u >= chain->n_nodes) continue;
            sm_row_add(own, phi + (first + u) * width, width);
            sm_rows_of_partners(chain->network, first + u, phi, chain->total, width, partners + u * width);
        }
        chain->kernels->outer(left, partners, width, chain->exposure);
    }
}

/* Mirrors the upper triangle, halves the diagonal (where each pair came in twice), and takes logarithms. */
static void finish_exposure(sm_chain *chain) {
    size_t width = chain->width;
    for (size_t k = 0; k < chain->n_factors; k++) {
        chain->exposure[k * width + k] /= 2;
        for (size_t l = k; l < chain->n_factors; l++) {
            double exposure = chain->exposure[k * width + l];
            chain->exposure[l * width + k] = exposure;
            chain->log_fraction[k * width + l] = chain->log_fraction[l * width + k] = -log1p(exposure / chain->beta);
        }
    }
}

/* ---- hyperparameters ---- */

/* R_l: what r_k is multiplied with in the shape of lambda_kl. */
static double other_fraction(const sm_chain *chain, size_t k, size_t l) { return k == l ? chain->xi : chain->r[l]; }

/* L_k = sum_l tables(n_kl, r_k R_l) and w_k = -sum_l R_l ln(beta / (beta + T_kl)), with r as it stands. */
static void seat_units(sm_chain *chain, size_t k) {
    const uint32_t *units = chain->factor_units + k * chain->width;
    const double *log_fraction = chain->log_fraction + k * chain->width;
    uint32_t n_tables = 0;
    double cost = 0;
    for (size_t l = 0; l < chain->n_factors; l++) {
        double other = other_fraction(chain, k, l);
        cost -= other * log_fraction[l];
        if (units[l] > 0) n_tables += sm_draw_tables(&chain->draws, units[l], chain->r[k] * other);
    }
    chain->tables[k] = n_tables;
    chain->cost[k] = cost;
}

/* r_k ~ Gamma(gamma0 / K + L_k, rate c0 + w_k), in random order. */
static void draw_strengths(sm_chain *chain) {
    sm_random_shuffle(&chain->shuffles, chain->factor_order, chain->n_factors);
    for (size_t n = 0; n < chain->n_factors; n++) {
        size_t k = chain->factor_order[n];
        seat_units(chain, k);
        double shape = chain->gamma0 / (double)chain->n_factors + chain->tables[k];
        chain->r[k] = sm_draw_gamma(&chain->draws, shape) / (chain->c0 + chain->cost[k]);
    }
}

/* gamma0, by a Metropolis step: g' ~ Gamma(prior + ell, rate prior + s) with ell = sum_k tables(L_k, gamma0 / K) and
 * s = sum_k ln((c0 + w_k) / c0) / K. The prior and ell cancel against the proposal, and the log of the ratio is
 *     sum_k [ (g' - g)/K (ln c0 + ln r_k) - lnGamma(g'/K + L_k) + lnGamma(g/K + L_k) ] - s (g - g')
 * L and w are drawn anew: those that r was drawn with knew the old r of the factors after them, and through these
 * gamma0, of which a proposal must know nothing but r. */
static void draw_gamma0(sm_chain *chain) {
    double n_factors = (double)chain->n_factors, old = chain->gamma0, s = 0, log_ratio = 0;
    uint32_t ell = 0;
    for (size_t k = 0; k < chain->n_factors; k++) {
        seat_units(chain, k);
        ell += sm_draw_tables(&chain->draws, chain->tables[k], old / n_factors);
        s += log1p(chain->cost[k] / chain->c0) / n_factors;
    }
    double proposed = sm_chain_gamma(chain, chain->priors->gamma0, ell, s);
    for (size_t k = 0; k < chain->n_factors; k++) {
        double logs = floored_log(chain->c0) + floored_log(chain->r[k]), n_tables = chain->tables[k];
        log_ratio += (proposed - old) / n_factors * logs - log_gamma(proposed / n_factors + n_tables) +
                     log_gamma(old / n_factors + n_tables);
    }
    log_ratio -= s * (old - proposed);
    if (!(proposed > 0) || !(log(1 - sm_draw_uniform(&chain->draws)) < log_ratio)) return;
    chain->gamma0 = proposed;
    chain->n_accepted++;
}

static void draw_xi(sm_chain *chain) {
    double rate = 0;
    uint32_t n_tables = 0;
    for (size_t k = 0; k < chain->n_factors; k++) {
        size_t diagonal = k * chain->width + k;
        rate -= chain->r[k] * chain->log_fraction[diagonal];
        n_tables += sm_draw_tables(&chain->draws, chain->factor_units[diagonal], chain->xi * chain->r[k]);
    }
    chain->xi = sm_chain_gamma(chain, chain->priors->xi, n_tables, rate);
}

/* lambda, and with its sums beta. */
static void draw_lambda(sm_chain *chain) {
    size_t width = chain->width;
    double shapes = 0, sum = 0;
    for (size_t k = 0; k < chain->n_factors; k++)
        for (size_t l = k; l < chain->n_factors; l++) {
            double shape = chain->r[k] * other_fraction(chain, k, l), units = chain->factor_units[k * width + l];
            double rate = chain->beta + chain->exposure[k * width + l];
            double drawn = sm_draw_gamma(&chain->draws, shape + units) / rate;
            chain->lambda[k * width + l] = chain->lambda[l * width + k] = drawn;
            shapes += shape;
            sum += drawn;
        }
    chain->beta = sm_chain_gamma(chain, chain->priors->beta, shapes, sum);
}

void sm_chain_draw_factors(sm_chain *chain) {
    gather_exposure(chain);
    finish_exposure(chain);
    draw_strengths(chain);
    draw_gamma0(chain);
    chain->c0 = sm_chain_gamma(chain, chain->priors->c0, chain->gamma0, sm_row_sum(chain->r, chain->width));
    draw_xi(chain);
    draw_lambda(chain);
}
