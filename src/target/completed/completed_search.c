/* completed_search.c - prices every cut of a node from pairs of which the missing ones were filled in: what cuts cost, and how far
 * levels are from each other, is the sum of what the two parts say (completed.c). */
#include <math.h>

#include "base/memory.h"
#include "target/completed/completed.h"
#include "target/links/graph.h"
#include "target/links/pairs.h"

/* All distances of a pure node are the same up to this fraction of the largest: a completion is no exact thing. */
static const double same_distance = 1e-9;

struct sm_search {
    sm_arena arena; /* holds the arrays below */
    const sm_completed *completed;
    sm_vector_search *vectors;
    sm_search *rest;
    double *costs; /* [2][n_items] of the rest */
    double *means; /* [few levels][few levels], or [n_levels] likewise */
    size_t n_items;
};

static void free_completed_search(sm_search *search) {
    if (search == NULL) return;
    sm_vector_search_free(search->vectors);
    sm_graph_engine.search_free(search->rest);
    sm_arena_free(&search->arena);
    sm_free(search);
}

static smerf_status completed_near_order(const smerf_target *target, uint32_t **order, smerf_error *error) {
    return sm_graph_engine.near_order(sm_completed_of(target)->rest, order, error);
}

static sm_search *new_completed_search(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    const sm_completed *completed = sm_completed_of(target);
    sm_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    size_t n_means = size->n_levels > 0 ? sm_size(SM_FEW_LEVELS, SM_FEW_LEVELS, size->n_levels) : 0;
    search->completed = completed;
    search->n_items = size->n_items;
    search->costs = sm_arena_take(&search->arena, sm_size(size->n_items, 2, 0), sizeof *search->costs);
    search->means = sm_arena_take(&search->arena, n_means, sizeof *search->means);
    if (search->arena.has_failed)
        sm_no_memory(error, "preparing to grow trees");
    else
        search->vectors = sm_vector_search_new(&completed->vectors, size, error);
    if (search->vectors != NULL) search->rest = sm_graph_engine.search_new(completed->rest, size, error);
    if (search->rest != NULL) return search;
    free_completed_search(search);
    return NULL;
}

static size_t enter_completed_node(sm_search *search, sm_node *node, size_t view) {
    sm_vector_enter(search->vectors, node);
    return sm_graph_engine.enter(search->rest, node, view);
}

static double price_completed_cuts(sm_search *search, const sm_node *node, const sm_line_up *line_ups,
                                   size_t n_line_ups) {
    double cost = sm_vector_price(search->vectors, node, line_ups, n_line_ups), more = 0;
    for (size_t u = 0; u < n_line_ups; u++) {
        const sm_line_up own = {
            .order = line_ups[u].order, .left = search->costs, .right = search->costs + search->n_items};
        more = sm_price(sm_graph_engine.pricing, search->rest, node, &own, 1);
        for (size_t r = 0; r + 1 < node->n; r++) {
            line_ups[u].left[r] += own.left[r];
            line_ups[u].right[r] += own.right[r];
        }
    }
    return cost + more;
}

static void completed_level_distances(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                                      double *mean) {
    sm_vector_levels(search->vectors, node, level, n_levels, mean);
    sm_graph_engine.level_distances(search->rest, node, level, n_levels, search->means);
    for (size_t k = 0; k < n_levels * n_levels; k++) mean[k] += search->means[k];
}

static double start_completed_levels(sm_search *search, const sm_node *node, const sm_node_levels *levels) {
    return sm_vector_level_start(search->vectors, levels) + sm_graph_engine.level_start(search->rest, node, levels);
}

static void multiply_completed_levels(sm_search *search, const sm_node *node, const sm_node_levels *levels,
                                      const double *x, double *y) {
    sm_vector_level_product(search->vectors, levels, x, y);
    sm_graph_engine.level_product(search->rest, node, levels, x, search->means);
    for (size_t a = 0; a < levels->n_levels; a++) y[a] += search->means[a];
}

/* The distance of two different items: known, or filled in. */
static double pair_of(const sm_completed *completed, uint32_t i, uint32_t j) {
    const sm_links *links = sm_known_pairs_of(completed->pairs)->links;
    size_t entry = sm_links_find(links, i, j);
    bool is_known = entry < links->first[i + 1];
    return is_known ? sm_links_value(links, entry) : sm_completion_pair(&completed->form, i, j);
}

static bool completed_is_pure(sm_search *search, const sm_node *node) {
    const sm_completed *completed = search->completed;
    double first = completed->self[node->items[0]];
    double slack = same_distance * sm_known_pairs_of(completed->pairs)->largest;
    for (size_t k = 1; k < node->n; k++)
        if (!(fabs(completed->self[node->items[k]] - first) <= slack)) return false;
    for (size_t k = 1; k < node->n; k++) /* pure nodes are rare: this ends at the first pair, nearly always */
        for (size_t j = 0; j < k; j++)
            if (!(fabs(pair_of(completed, node->items[k], node->items[j]) - first) <= slack)) return false;
    return true;
}

static const sm_pricing pricing = {.price = price_completed_cuts};

const sm_engine sm_completed_engine = {
    .search_new = new_completed_search,
    .search_free = free_completed_search,
    .enter = enter_completed_node,
    .is_pure = completed_is_pure,
    .best_cut = sm_best_by_costs,
    .pricing = &pricing,
    .level_distances = completed_level_distances,
    .level_start = start_completed_levels,
    .level_product = multiply_completed_levels,
    .near_order = completed_near_order,
};
