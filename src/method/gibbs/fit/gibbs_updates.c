/* gibbs_updates.c - one sweep of a chain: what belongs to nodes, counts, and attributes.
 *
 * What belongs to a node, node by node in random order, each with the newest phi of the others.
 * With S_k the sum over its observed partners j of (Lambda phi_j)_k, and m_k its units at factor k:
 *     epm:  a ~ Gamma(prior + sum_k tables(m_k, a), rate prior + sum_k ln((c + S_k) / c))     phi integrated out
 *     phi_k ~ Gamma(a or g_k + m_k, rate c + S_k)
 *     c     ~ Gamma(prior + sum_k (a or g_k), rate prior + sum_k phi_k) */
#include <math.h>
#include <string.h>

#include "method/gibbs/gibbs.h"

/* Logarithms of products of four: fewer of them, and far from overflow unless one ratio is beyond 1e75. */
static double sum_of_logs(const double *exposure, double c, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k += 4) { /* beyond n exposure is 0 */
        double x = 1 + exposure[k] / c, y = 1 + exposure[k + 1] / c, z = 1 + exposure[k + 2] / c,
               w = 1 + exposure[k + 3] / c, product = x * y * z * w;
        sum += product < INFINITY ? log(product) : log(x) + log(y) + log(z) + log(w);
    }
    return sum;
}

static void draw_shape(sm_chain *chain, size_t node, const double *exposure) {
    const uint32_t *units = chain->node_units + node * chain->width;
    uint32_t n_tables = 0;
    for (size_t k = 0; k < chain->n_factors; k++)
        if (units[k] > 0) n_tables += sm_draw_tables(&chain->draws, units[k], chain->a[node]);
    double rate = sum_of_logs(exposure, chain->c[node], chain->n_factors);
    chain->a[node] = sm_chain_gamma(chain, chain->priors->a, n_tables, rate);
}

static void draw_phi(sm_chain *chain, size_t node, const double *exposure) {
    size_t width = chain->width;
    const uint32_t *units = chain->node_units + node * width;
    double *phi = chain->phi + node * width, c = chain->c[node];
    const double *g = chain->g != NULL ? chain->g + node * width : NULL;
    for (size_t k = 0; k < chain->n_factors; k++) {
        double shape = (g != NULL ? g[k] : chain->a[node]) + units[k];
        phi[k] = sm_draw_gamma(&chain->draws, shape) / (c + exposure[k]);
    }
}

static void draw_rate(sm_chain *chain, size_t node) {
    size_t width = chain->width;
    double shapes =
        chain->g != NULL ? sm_row_sum(chain->g + node * width, width) : (double)chain->n_factors * chain->a[node];
    chain->c[node] = sm_chain_gamma(chain, chain->priors->c, shapes, sm_row_sum(chain->phi + node * width, width));
}

void sm_chain_draw_nodes(sm_chain *chain) {
    size_t width = chain->width;
    double *exposure = chain->row;
    sm_rows_total(chain->pull, chain->n_nodes, width, chain->total);
    sm_random_shuffle(&chain->shuffles, chain->node_order, chain->n_nodes);
    for (size_t n = 0; n < chain->n_nodes; n++) {
        size_t node = chain->node_order[n];
        double *pull = chain->pull + node * width;
        sm_rows_of_partners(chain->network, node, chain->pull, chain->total, width, exposure);
        if (chain->a != NULL) draw_shape(chain, node, exposure);
        draw_phi(chain, node, exposure);
        draw_rate(chain, node);
        sm_row_subtract(chain->total, pull, width);
        chain->kernels->times(chain->phi + node * width, chain->lambda, width, pull);
        sm_row_add(chain->total, pull, width);
    }
}

/* ---- counts ---- */

/* Units of attraction behind the links.
 *   1. how many a link has: Poisson with mean phi_i' Lambda phi_j, given that it is not 0
 *   2. for each, the factors that it joins: k at the link's left node with probability ~ phi_ik (Lambda phi_j)_k, then l
 *      at the right node with probability ~ lambda_kl phi_jl, which together is ~ phi_ik lambda_kl phi_jl
 * O(K) a unit. */

/* A link of that rate is certain whatever the number of its units; a chain that strays beyond must not stop there. */
static const double largest_rate = 1e4;

/* A factor drawn with probabilities ~ product. Where all have vanished (none does for a link that has had its units in the
 * iteration before, unless numbers underflow) all are alike. */
static size_t draw_factor(sm_chain *chain, const double *product, const double *part, double sum) {
    double u = sm_draw_uniform(&chain->draws);
    if (!(sum > 0)) return (size_t)(u * (double)chain->n_factors);
    return sm_row_find(product, part, chain->width, u * sum);
}

static void draw_unit(sm_chain *chain, size_t i, size_t j, double rate) {
    size_t width = chain->width;
    double *part = chain->rows, *other_part = chain->rows + width;
    size_t k = draw_factor(chain, chain->row, part, rate);
    double sum = chain->kernels->products(chain->lambda + k * width, chain->phi + j * width, width, chain->other_row,
                                          other_part);
    size_t l = draw_factor(chain, chain->other_row, other_part, sum);
    chain->node_units[i * width + k]++;
    chain->node_units[j * width + l]++;
    chain->factor_units[k * width + l]++;
    if (k != l) chain->factor_units[l * width + k]++;
}

void sm_chain_draw_counts(sm_chain *chain) {
    const sm_network *network = chain->network;
    size_t width = chain->width;
    memset(chain->node_units, 0, chain->n_nodes * width * sizeof *chain->node_units);
    memset(chain->factor_units, 0, width * width * sizeof *chain->factor_units);
    for (size_t e = 0; e < network->n_links; e++) {
        size_t i = network->left[e], j = network->right[e];
        double rate =
            chain->kernels->products(chain->phi + i * width, chain->pull + j * width, width, chain->row, chain->rows);
        uint32_t n_units = sm_draw_positive_poisson(&chain->draws, rate < largest_rate ? rate : largest_rate);
        for (uint32_t u = 0; u < n_units; u++) draw_unit(chain, i, j, rate);
    }
}

size_t sm_chain_factors_used(const sm_chain *chain) {
    size_t n_used = 0;
    for (size_t k = 0; k < chain->n_factors; k++) {
        uint32_t any = 0;
        for (size_t l = 0; l < chain->n_factors; l++) any |= chain->factor_units[k * chain->width + l];
        n_used += any != 0;
    }
    return n_used;
}

/* ---- attributes ---- */

/* Narm only: how much each attribute adds to each factor.
 * With S_ik as for the nodes, t_ik = tables(m_ik, g_ik) and u_ik = ln((c_i + S_ik) / c_i), attribute after attribute
 * and with the newest g,
 *     h_lk ~ Gamma(prior + sum_i t_ik, rate prior + sum_i (g_ik / h_lk) u_ik)      over the nodes i that have attribute l
 * and g_ik of these nodes changes by the same factor as h_lk.
 * All phi are integrated out at once while S holds those of the others fixed: this is the authors' approximation, not an
 * exact conditional, and is kept so that results compare. */

/* t and u of all nodes, with the old phi. */
static void draw_tables(sm_chain *chain) {
    size_t width = chain->width;
    sm_rows_total(chain->pull, chain->n_nodes, width, chain->total);
    for (size_t i = 0; i < chain->n_nodes; i++) {
        const uint32_t *units = chain->node_units + i * width;
        const double *g = chain->g + i * width;
        double *u = chain->node_exposure + i * width, c = chain->c[i];
        uint32_t *tables = chain->node_tables + i * width;
        sm_rows_of_partners(chain->network, i, chain->pull, chain->total, width, u);
        for (size_t k = 0; k < chain->n_factors; k++) {
            u[k] = log(1 + u[k] / c);
            tables[k] = sm_draw_tables(&chain->draws, units[k], g[k]);
        }
    }
}

static void add_attribute_member(const double *restrict g, const double *restrict u, const uint32_t *restrict tables,
                                 size_t width, double *restrict n_tables, double *restrict weight) {
    for (size_t k = 0; k < width; k++) {
        n_tables[k] += (double)(int32_t)tables[k];
        weight[k] += g[k] * u[k];
    }
}

/* The ratio of new to old h is drawn, which needs no division by h:
 *     h' / h = Gamma(prior shape + sum t, 1) / (sum g u + prior rate h)
 *   ratio  [width] in: sum t; out */
static void draw_ratios(sm_chain *chain, double *h, const double *weight, double *ratio) {
    sm_gamma_prior prior = chain->priors->h;
    for (size_t k = 0; k < chain->n_factors; k++) {
        double drawn = sm_draw_gamma(&chain->draws, prior.shape + ratio[k]), rate = weight[k] + prior.rate * h[k];
        ratio[k] = rate > 0 ? drawn / rate : 1;
        h[k] *= ratio[k];
    }
}

static void multiply_row(double *restrict g, const double *restrict ratio, size_t width) {
    for (size_t k = 0; k < width; k++) g[k] *= ratio[k];
}

void sm_chain_draw_attributes(sm_chain *chain) {
    const sm_attribute_members *attributes = chain->attributes;
    size_t width = chain->width;
    double *ratio = chain->row, *weight = chain->other_row;
    draw_tables(chain);
    for (size_t l = 0; l < attributes->n_attributes; l++) {
        const uint32_t *first = attributes->item + attributes->first[l],
                       *end = attributes->item + attributes->first[l + 1];
        sm_row_clear(ratio, width);
        sm_row_clear(weight, width);
        for (const uint32_t *i = first; i < end; i++)
            add_attribute_member(chain->g + *i * width, chain->node_exposure + *i * width,
                                 chain->node_tables + *i * width, width, ratio, weight);
        draw_ratios(chain, chain->h + l * width, weight, ratio);
        for (const uint32_t *i = first; i < end; i++) multiply_row(chain->g + *i * width, ratio, width);
    }
}
