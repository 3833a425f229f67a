/* network.c - a graph as the samplers want it: links, and which pairs were observed: see gibbs.h. */
#include "method/gibbs/gibbs.h"

#include "base/memory.h"
#include "target/links/graph.h"
#include "target/links/pairs.h"

/* What is listed: the edges of a graph, or the observed pairs, each with its distance: 0 for a link, 1 for none. */
static const sm_links *network_links(const smerf_target *target) {
    return target->kind == &sm_target_graph ? sm_graph_of(target)->links : sm_known_pairs_of(target)->links;
}

static bool is_link(const sm_links *links, size_t entry) { return sm_links_value(links, entry) == 0; }

smerf_status sm_network_check(const smerf_target *target, const char *method, smerf_error *error) {
    if (target->kind != &sm_target_graph && target->kind != &sm_target_observed)
        return sm_fail(error, SMERF_BAD_INPUT, "%s learns from a graph ({edges}, perhaps with {observed}), not from %s",
                       method, sm_target_public_name(target));
    const sm_links *links = network_links(target);
    for (size_t e = 0; e < links->n; e++) {
        double value = 1 - sm_links_value(links, e);
        if (value != 0 && value != 1)
            return sm_fail(error, SMERF_BAD_INPUT,
                           "%s learns from links that are there or not, and an edge has the weight "
                           "%.9g; leave the weights out",
                           method, value);
    }
    if (target->kind == &sm_target_observed && links->n == 0)
        return sm_fail(error, SMERF_BAD_INPUT, "%s needs observed pairs of two different nodes, and there are none",
                       method);
    return SMERF_OK;
}

/* ---- making one ---- */

static void list_links(sm_network *network, const sm_links *links) {
    for (size_t i = 0; i < links->n_items; i++)
        for (size_t e = links->first[i]; e < links->first[i + 1]; e++) {
            if (links->partner[e] < i || !is_link(links, e)) continue;
            network->left[network->n_links] = (uint32_t)i;
            network->right[network->n_links++] = links->partner[e];
        }
}

static void list_observed(sm_network *network, const sm_links *links) {
    for (size_t i = 0; i <= links->n_items; i++) network->first[i] = links->first[i];
    for (size_t e = 0; e < links->n; e++) network->partner[e] = links->partner[e];
}

static void list_unobserved(sm_network *network, const sm_links *links) {
    size_t n = 0;
    for (size_t i = 0; i < links->n_items; i++) {
        network->first[i] = n;
        size_t e = links->first[i];
        for (size_t j = 0; j < links->n_items; j++) {
            bool is_observed = e < links->first[i + 1] && links->partner[e] == j;
            e += is_observed;
            if (!is_observed && j != i) network->partner[n++] = (uint32_t)j;
        }
    }
    network->first[links->n_items] = n;
}

smerf_status sm_network_new(sm_network *network, const smerf_target *target, smerf_error *error) {
    const sm_links *links = network_links(target);
    bool is_whole = target->kind == &sm_target_graph;
    double n_items = (double)links->n_items, n_pairs = n_items * (n_items - 1) / 2;
    *network = (sm_network){.n_nodes = links->n_items, .n_observed = is_whole ? n_pairs : (double)links->n / 2};
    network->lists_observed = network->n_observed <= n_pairs / 2;
    double n_listed = 2 * (network->lists_observed ? network->n_observed : n_pairs - network->n_observed);
    smerf_status status = sm_check_memory(4 * (n_listed + 2 * (double)links->n), "the list of pairs", error);
    if (status != SMERF_OK) return status;
    network->left = sm_array(links->n / 2, sizeof *network->left);
    network->right = sm_array(links->n / 2, sizeof *network->right);
    network->first = sm_zeros(links->n_items + 1, sizeof *network->first);
    network->partner = sm_array((size_t)n_listed, sizeof *network->partner);
    if (network->left == NULL || network->right == NULL || network->first == NULL || network->partner == NULL) {
        sm_network_free(network);
        return sm_no_memory(error, "listing pairs");
    }
    list_links(network, links);
    if (network->lists_observed)
        list_observed(network, links);
    else if (!is_whole)
        list_unobserved(network, links);
    return SMERF_OK;
}

void sm_network_free(sm_network *network) {
    sm_free(network->left);
    sm_free(network->right);
    sm_free(network->first);
    sm_free(network->partner);
    *network = (sm_network){0};
}
