/* graph.h - an undirected graph: z = 1 - the edge's value, 1 where there is no edge. Shared by the files that make one,
 * grow on one and predict from one. */
#ifndef SM_TARGET_GRAPH_H
#define SM_TARGET_GRAPH_H

#include "target/links/links.h"

typedef struct sm_graph {
    smerf_target head;
    const sm_links *links; /* the edges, with their distances 1 - a: other than 1 */
    sm_links own;          /* these, if they are ours */
    double self;           /* z_ii of every node */
    double least;          /* no distance is smaller */
    smerf_pair_facts facts;
    smerf_target *shared; /* the target that the edges belong to, if they are not ours */
} sm_graph;

static inline const sm_graph *sm_graph_of(const smerf_target *target) { return (const sm_graph *)target; }

/* sm_list_sort for edges: refuses one from a node to itself, and one that is given again with another value. */
smerf_status sm_edges_sort(const smerf_pair_list *edges, size_t n_items, uint32_t **order, smerf_error *error);

/* From the distances of linked nodes, other than 1, which may be of any size that sums of weighted ones bear. */
smerf_status sm_graph_new(sm_upper *linked, size_t n_items, smerf_target **out, smerf_error *error);

/* Whether a distance is that of two linked nodes. */
bool sm_graph_is_link(double distance);

/* graph_search.c */
extern const sm_engine sm_graph_engine;

/* graph_leaves.c */
size_t sm_graph_summary_bytes(const smerf_target *target, size_t n_leaves);
void *sm_graph_summarise(const smerf_target *target, const sm_leaves *leaves);
void sm_graph_summary_free(void *summary);
void sm_graph_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row, double *scratch);
double sm_graph_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b);
double sm_graph_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end);
void sm_graph_path_means(const smerf_target *target, const sm_nodes *nodes, size_t leaf, const uint32_t *path, size_t n,
                         double *mean, double *scratch);

#endif
