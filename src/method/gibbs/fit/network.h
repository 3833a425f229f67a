/* network.h - a graph as the samplers of epm and narm want it: the links, and which pairs were looked at. */
#ifndef SM_METHOD_NETWORK_H
#define SM_METHOD_NETWORK_H

#include "target/target.h"

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

#endif
