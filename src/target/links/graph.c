/* graph.c - the target that is an undirected graph: making, checking, saving and loading one.
 * Growing on it is graph_search.c, predicting from it graph_leaves.c. */
#include "target/links/graph.h"

#include <math.h>

#include "base/memory.h"
#include "target/links/pairs.h"

static void free_graph(smerf_target *target) {
    sm_graph *graph = (sm_graph *)target;
    sm_links_free(&graph->own);
    smerf_target_free(graph->shared);
    sm_free(graph);
}

/* Takes the links, also on failure.   links  its own ones, or NULL: those of `shared` */
static smerf_status new_graph(sm_links *links, const sm_graph *shared, double self, sm_graph **out,
                              smerf_error *error) {
    sm_graph *graph = sm_zeros(1, sizeof *graph);
    if (graph == NULL) {
        if (links != NULL) sm_links_free(links);
        return sm_no_memory(error, "making a target");
    }
    if (links != NULL) graph->own = *links;
    graph->links = links != NULL ? &graph->own : shared->links;
    size_t n_items = graph->links->n_items;
    sm_target_start(&graph->head, &sm_target_graph, n_items, n_items);
    graph->self = self;
    graph->least = fmin(1, self);
    for (size_t e = 0; e < graph->links->n; e++) graph->least = fmin(graph->least, sm_links_value(graph->links, e));
    graph->facts = (smerf_pair_facts){.n_pairs = graph->links->n / 2, .n_unobserved = sm_links_n_lonely(graph->links)};
    *out = graph;
    return SMERF_OK;
}

/* ---- from a list ---- */

/* The first entry, in the order of the list, whose pair stands before it with another value; n: none. */
static size_t find_conflict(const smerf_pair_list *edges, const uint32_t *order, size_t *before) {
    size_t found = edges->n;
    for (size_t first = 0, end; first < edges->n; first = end) {
        end = sm_list_run(edges, order, first);
        for (size_t k = first + 1; k < end && order[k] < found; k++) {
            if (sm_list_value(edges, order[k]) == sm_list_value(edges, order[first])) continue;
            found = order[k];
            *before = order[first];
        }
    }
    return found;
}

smerf_status sm_edges_sort(const smerf_pair_list *edges, size_t n_items, uint32_t **order, smerf_error *error) {
    smerf_status status = sm_list_sort(edges, n_items, order, error);
    for (size_t p = 0; p < edges->n && status == SMERF_OK; p++)
        if (edges->left[p] == edges->right[p])
            status = sm_fail_at(error, p, SMERF_NOWHERE, SM_AT_ENTRY "an edge from item %u to itself; a graph has none",
                                p, edges->left[p]);
    size_t before = 0, conflict = status == SMERF_OK ? find_conflict(edges, *order, &before) : edges->n;
    if (conflict < edges->n)
        status = sm_fail_at(error, conflict, SMERF_NOWHERE,
                            SM_AT_ENTRY "this edge has the value %.9g here and %.9g before; an edge has one value",
                            conflict, sm_list_value(edges, conflict), sm_list_value(edges, before));
    if (status != SMERF_OK) {
        sm_free(*order);
        *order = NULL;
    }
    return status;
}

/* An edge that leaves its nodes at distance 1 is none. */
static void gather_edges(const smerf_pair_list *edges, const uint32_t *order, sm_upper *upper, size_t *n_repeated) {
    for (size_t first = 0, end; first < edges->n; first = end) {
        end = sm_list_run(edges, order, first);
        double distance = 1 - sm_list_value(edges, order[first]);
        if (!sm_graph_is_link(distance)) continue;
        upper->n_partners[sm_list_smaller(edges, order[first])]++;
        upper->partner[upper->n] = sm_list_larger(edges, order[first]);
        upper->value[upper->n++] = distance;
        *n_repeated += end - first > 1;
    }
}

smerf_status sm_graph_new(sm_upper *linked, size_t n_items, smerf_target **out, smerf_error *error) {
    sm_links links = {0};
    sm_graph *graph = NULL;
    sm_upper_trim(linked, 0);
    smerf_status status = sm_links_mirror(&links, linked, n_items, 0, error);
    if (status == SMERF_OK) status = new_graph(&links, NULL, 0, &graph, error);
    if (status == SMERF_OK) *out = &graph->head;
    return status;
}

smerf_status smerf_target_new_graph(const smerf_pair_list *edges, const smerf_pair_list *observed, size_t n_items,
                                    smerf_target **out, smerf_error *error) {
    smerf_pair_list list = *edges;
    list.weight = NULL; /* which edges do not have */
    if (observed != NULL) return sm_observed_new(&list, observed, n_items, out, error);
    uint32_t *order = NULL;
    sm_upper upper = {0};
    size_t n_repeated = 0;
    smerf_status status = sm_edges_sort(&list, n_items, &order, error);
    if (status != SMERF_OK) return status;
    if (sm_upper_start(&upper, n_items, list.n, false)) {
        gather_edges(&list, order, &upper, &n_repeated);
        status = sm_graph_new(&upper, n_items, out, error);
    } else {
        status = sm_no_memory(error, "listing edges");
    }
    sm_free(order);
    sm_upper_free(&upper);
    if (status != SMERF_OK) return status;
    ((sm_graph *)*out)->facts.n_repeated = n_repeated;
    (*out)->has_no_diagonal = true;
    return SMERF_OK;
}

/* ---- what is known ---- */

bool sm_graph_is_link(double distance) { return distance != 1; }

static void graph_true_row(const smerf_target *target, size_t row, double *out) {
    const sm_graph *graph = sm_graph_of(target);
    for (size_t j = 0; j < target->n_columns; j++) out[j] = 1;
    for (size_t e = graph->links->first[row]; e < graph->links->first[row + 1]; e++)
        out[graph->links->partner[e]] = sm_links_value(graph->links, e);
    out[row] = graph->self;
}

/* ---- variants and files ---- */

static smerf_status set_graph_diagonal(const smerf_target *target, double value, smerf_target **out,
                                       smerf_error *error) {
    const sm_graph *parent = sm_graph_of(target);
    sm_graph *graph = NULL;
    smerf_status status = new_graph(NULL, parent, value, &graph, error);
    if (status != SMERF_OK) return status;
    graph->facts = parent->facts;
    graph->head.from_similarities = target->from_similarities;
    graph->head.largest_similarity = target->largest_similarity;
    graph->shared = sm_target_retain((smerf_target *)target); /* counting owners does not change it */
    *out = &graph->head;
    return SMERF_OK;
}

static smerf_status take_graph(const smerf_target *target, const uint32_t *rows, size_t n, smerf_target **out,
                               smerf_error *error) {
    const sm_graph *parent = sm_graph_of(target);
    sm_links links;
    sm_graph *graph = NULL;
    smerf_status status = sm_links_take(parent->links, rows, n, &links, error);
    if (status == SMERF_OK) status = new_graph(&links, NULL, parent->self, &graph, error);
    if (status == SMERF_OK) *out = &graph->head;
    return status;
}

static bool graphs_are_equal(const smerf_target *a, const smerf_target *b) {
    if (a->from_similarities != b->from_similarities) return false;
    if (a->from_similarities && a->largest_similarity != b->largest_similarity) return false;
    return sm_graph_of(a)->self == sm_graph_of(b)->self && sm_links_equal(sm_graph_of(a)->links, sm_graph_of(b)->links);
}

static smerf_status save_graph(const smerf_target *target, sm_tensors *tensors, smerf_error *error) {
    const sm_graph *graph = sm_graph_of(target);
    smerf_status status = sm_links_save(graph->links, tensors, error);
    if (status != SMERF_OK || graph->self == 0) return status;
    return sm_tensors_add(tensors, "target.self", SM_F64, &graph->self, 1, error);
}

static smerf_status load_graph(const sm_tensors *tensors, size_t n_items, smerf_target **out, smerf_error *error) {
    double self = 0;
    if (sm_tensors_find(tensors, "target.self") != NULL) {
        const void *data = NULL;
        smerf_status status = sm_tensors_get(tensors, "target.self", SM_F64, 1, &data, error);
        if (status != SMERF_OK) return status;
        self = *(const double *)data;
        if (!(fabs(self) <= SM_LARGEST_DISTANCE))
            return sm_fail(error, SMERF_BAD_FILE, "the model's self-distance is not finite");
    }
    if (sm_tensors_find(tensors, "target.weight") != NULL)
        return sm_fail(error, SMERF_BAD_FILE, "the model's edges have weights of pairs");
    sm_links links;
    sm_graph *graph = NULL;
    smerf_status status = sm_links_load(&links, tensors, n_items, 0, error);
    if (status == SMERF_OK) status = new_graph(&links, NULL, self, &graph, error);
    if (status == SMERF_OK) *out = &graph->head;
    return status;
}

const sm_target_kind sm_target_graph = {
    .name = "graph",
    .metrics = SMERF_HAS(SMERF_RMSE) | SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10) | SMERF_HAS(SMERF_AUC_ROC) |
               SMERF_HAS(SMERF_AUC_PR),
    .data.free = free_graph,
    .engines = {&sm_graph_engine},
    .predicting.summary_bytes = sm_graph_summary_bytes,
    .predicting.summarise = sm_graph_summarise,
    .predicting.summary_free = sm_graph_summary_free,
    .predicting.leaf_row = sm_graph_leaf_row,
    .predicting.leaf_pair = sm_graph_leaf_pair,
    .predicting.mean_apart = sm_graph_mean_apart,
    .explaining.path_means = sm_graph_path_means,
    .data.true_row = graph_true_row,
    .data.is_link = sm_graph_is_link,
    .data.with_diagonal = set_graph_diagonal,
    .data.take = take_graph,
    .data.equal = graphs_are_equal,
    .data.save = save_graph,
    .data.load = load_graph,
};
