/* index_query.c - a search of an index: which way it goes, and the lists of what each thread finds: see index.h. */
#include <math.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "predict/index.h"

/* Queries of a task by codes; fewer than threads leave some of these without any, which then take parts of the items. */
static size_t n_parts_for(const sm_query *query, const sm_pool *pool) {
    size_t n_tasks = (query->rows.n + SM_FEW_QUERIES - 1) / SM_FEW_QUERIES;
    return n_tasks < pool->n_threads ? pool->n_threads : 1;
}

static smerf_status start_lists(sm_index_search *of, size_t most_queries, smerf_error *error) {
    sm_neighbor_search *search = &of->search;
    smerf_status status = sm_search_start(search, most_queries, error);
    if (status != SMERF_OK) return status;
    size_t n = (of->n_parts - 1) * search->most_queries;
    of->more = sm_zeros(n, sizeof *of->more);
    if (of->more == NULL) return sm_no_memory(error, "looking for neighbours");
    for (size_t l = 0; l < n; l++) of->more[l] = (sm_nearest){.most = search->most, .radius = search->radius};
    return SMERF_OK;
}

static void free_lists(sm_index_search *of) {
    size_t n = (of->n_parts - 1) * of->search.most_queries;
    for (size_t l = 0; l < n && of->more != NULL; l++) sm_free(of->more[l].kept);
    sm_free(of->more);
}

/* What the other parts have found joins that of the first. */
static smerf_status join_lists(sm_index_search *of, smerf_error *error) {
    for (size_t part = 1; part < of->n_parts; part++)
        for (size_t q = of->search.first; q < of->search.end; q++) {
            sm_nearest *list = sm_index_list(of, 0, q), *other = sm_index_list(of, part, q);
            for (size_t k = 0; k < other->n; k++)
                if (!sm_index_offer(list, other->kept[k].item, other->kept[k].distance))
                    return sm_no_memory(error, "looking for neighbours");
            other->n = 0;
        }
    return SMERF_OK;
}

static smerf_status search_panels(sm_index_search *of, smerf_status (*fill)(sm_index_search *of, smerf_error *error),
                                  smerf_error *error) {
    sm_neighbor_search *search = &of->search;
    smerf_status status = start_lists(of, search->query->rows.n, error);
    for (size_t first = 0; first < search->query->rows.n && status == SMERF_OK; first = search->end) {
        sm_search_turn(search, first);
        sm_search_fraction(search, 0, 1);
        status = fill(of, error);
        if (status == SMERF_OK) status = join_lists(of, error);
        if (status == SMERF_OK) status = sm_search_hand_over(search, error);
    }
    free_lists(of);
    return status;
}

/* One query after the other where tiles can be passed over, or queries are few; else blocks of them, as in any search. */
static smerf_status search_leaves(sm_index_search *of, smerf_error *error) {
    const sm_query *query = of->search.query;
    bool is_each = of->index->leaves.n_groups > 0 || query->rows.n < SM_FEW_QUERIES;
    if (is_each && query->prepared != NULL && sm_query_uses_all_trees(query))
        return search_panels(of, sm_index_add_leaves, error);
    of->search.item_at = of->index->leaves.item_at;
    return sm_search_by_rows(&of->search, error);
}

static smerf_status check_index_use(const smerf_neighborhood *wanted, smerf_error *error) {
    if (wanted->items != NULL)
        return sm_fail(error, SMERF_BAD_INPUT, "the items to look among are those of the index: there are no others");
    if (wanted->queries == NULL)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "an index does not keep its items, only their leaves: give the queries whose neighbours are "
                       "wanted");
    if (wanted->out_of_bag)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "an index does not know which trees have seen its items: out of bag "
                       "needs smerf_neighbors");
    return sm_neighborhood_check(wanted, error);
}

smerf_status sm_index_query(const smerf_index *index, const smerf_neighborhood *wanted, const sm_limits *limits,
                            const smerf_run *run, smerf_neighbor_sink sink, void *context, smerf_error *error) {
    sm_pool pool;
    sm_query query;
    smerf_status status = check_index_use(wanted, error);
    if (status != SMERF_OK) return status;
    const sm_kept_items kept = {.n = index->n_items,
                                .leaf = index->leaves.leaf,
                                .step = index->capacity,
                                .prepared = sm_index_has_codes(index) ? NULL : sm_index_ready(index)};
    sm_pool_start(&pool, run);
    status = sm_query_start_kept(&query, index->model, wanted->queries, &kept, limits, error);
    if (status != SMERF_OK) return status;
    sm_index_search of = {.index = index, .n_parts = n_parts_for(&query, &pool)};
    of.search = (sm_neighbor_search){.query = &query,
                                     .pool = &pool,
                                     .most = wanted->k > 0 ? wanted->k : SIZE_MAX,
                                     .radius = wanted->has_radius ? wanted->radius : INFINITY,
                                     .sink = sink,
                                     .context = context};
    status = sm_index_has_codes(index) ? search_panels(&of, sm_index_count_codes, error) : search_leaves(&of, error);
    sm_search_free(&of.search);
    sm_query_free(&query);
    return status;
}

smerf_status smerf_index_query(const smerf_index *index, const smerf_neighborhood *neighborhood, const smerf_run *run,
                               smerf_neighbor_sink sink, void *context, smerf_error *error) {
    SM_READ(smerf_neighborhood, neighborhood, error);
    SM_READ_RUN(run, error);
    return sm_index_query(index, neighborhood, &sm_usual_limits, run, sink, context, error);
}
