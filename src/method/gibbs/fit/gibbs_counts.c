/* gibbs_counts.c - units of attraction behind the links.
 *   1. how many a link has: Poisson with mean phi_i' Lambda phi_j, given that it is not 0
 *   2. for each, the factors that it joins: k at the link's left node with probability ~ phi_ik (Lambda phi_j)_k, then l
 *      at the right node with probability ~ lambda_kl phi_jl, which together is ~ phi_ik lambda_kl phi_jl
 * O(K) a unit. */
#include <string.h>

#include "method/gibbs/fit/gibbs_rows.h"

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
