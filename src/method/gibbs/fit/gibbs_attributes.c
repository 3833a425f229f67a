/* gibbs_attributes.c - narm only: how much each attribute speaks for each factor.
 * With S_ik as in gibbs_nodes.c, t_ik = tables(m_ik, g_ik) and u_ik = ln((c_i + S_ik) / c_i), attribute after attribute
 * and with the newest g,
 *     h_lk ~ Gamma(prior + sum_i t_ik, rate prior + sum_i (g_ik / h_lk) u_ik)      over the nodes i that have attribute l
 * and g_ik of these nodes changes by the same factor as h_lk.
 * All phi are integrated out at once while S holds those of the others fixed: this is the authors' approximation, not an
 * exact conditional, and is kept so that results compare. */
#include <math.h>

#include "method/gibbs/fit/gibbs_rows.h"

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

static void add_member(const double *restrict g, const double *restrict u, const uint32_t *restrict tables,
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

static void multiply(double *restrict g, const double *restrict ratio, size_t width) {
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
            add_member(chain->g + *i * width, chain->node_exposure + *i * width, chain->node_tables + *i * width, width,
                       ratio, weight);
        draw_ratios(chain, chain->h + l * width, weight, ratio);
        for (const uint32_t *i = first; i < end; i++) multiply(chain->g + *i * width, ratio, width);
    }
}
