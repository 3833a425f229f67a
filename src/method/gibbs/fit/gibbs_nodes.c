/* gibbs_nodes.c - what belongs to a node, node by node in random order, each with the newest phi of the others.
 * With S_k the sum over its observed partners j of (Lambda phi_j)_k, and m_k its units at factor k:
 *     epm:  a ~ Gamma(prior + sum_k tables(m_k, a), rate prior + sum_k ln((c + S_k) / c))     phi integrated out
 *     phi_k ~ Gamma(a or g_k + m_k, rate c + S_k)
 *     c     ~ Gamma(prior + sum_k (a or g_k), rate prior + sum_k phi_k) */
#include <math.h>

#include "method/gibbs/fit/gibbs_rows.h"

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
