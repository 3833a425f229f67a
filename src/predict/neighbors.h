/* neighbors.h - the search for the nearest items of many queries: queries come in panels, the catalogue in blocks.
 *
 * However they are cut up, each query is offered the items in their order, at the distances that predict gives. */
#ifndef SM_QUERY_NEIGHBORS_H
#define SM_QUERY_NEIGHBORS_H

#include "predict/codes.h"
#include "predict/query.h"

/* ---- the nearest of the items that come by, for one query ----
 *
 * Items are offered in their order, so that of two at the same distance the one that came first stays. */

typedef struct sm_nearest {
    smerf_neighbor *kept; /* [n], with memory for more; a heap, the farthest first, where their number has an end */
    size_t n, capacity;
    size_t most;   /* SIZE_MAX: as many as there are */
    double radius; /* the farthest that counts */
} sm_nearest;      /* filled with zeros, it holds nothing and wants nothing */

/* Whether an item at this distance would be kept. A distance that is not known is none. */
static inline bool sm_nearest_wants(const sm_nearest *nearest, double distance) {
    return distance <= nearest->radius && (nearest->n < nearest->most || distance < nearest->kept[0].distance);
}

/* The same where items do not come in their order. */
static inline bool sm_nearest_wants_item(const sm_nearest *nearest, size_t item, double distance) {
    if (!(distance <= nearest->radius)) return false;
    const smerf_neighbor *farthest = nearest->kept;
    return nearest->n < nearest->most || distance < farthest->distance ||
           (distance == farthest->distance && item < farthest->item);
}

/* Keeps an item that is wanted, and drops another if there are too many. False: no memory. */
bool sm_nearest_keep(sm_nearest *nearest, size_t item, double distance);

/* From near to far, and in the order of the items: it can take no more. */
void sm_nearest_sort(sm_nearest *nearest);

/* ---- the search ---- */

typedef struct sm_neighbor_search {
    sm_query *query; /* its rows are the queries, its columns the catalogue */
    sm_pool *pool;
    size_t most;             /* neighbours of a query; SIZE_MAX: no limit */
    double radius;           /* INFINITY: no limit */
    size_t most_queries;     /* a panel has */
    size_t first, end;       /* the panel */
    sm_nearest *nearest;     /* [most_queries] of the panel's queries */
    sm_leaf_codes codes;     /* of the model, if it has some and they will do; freed with the search */
    const uint32_t *item_at; /* which item a column of the query is, where these are no query rows; NULL: the same */
    smerf_neighbor_sink sink;
    void *context;
} sm_neighbor_search;

/* Room for panels of so many queries, or fewer if their lists would take too much. */
smerf_status sm_search_start(sm_neighbor_search *search, size_t most_queries, smerf_error *error);
void sm_search_free(sm_neighbor_search *search);

/* Turns to the panel that starts with a query, with empty lists. */
void sm_search_turn(sm_neighbor_search *search, size_t first);

/* The part of the work that comes next: from one share of a panel to another. */
void sm_search_fraction(const sm_neighbor_search *search, double from, double to);

/* Offers an item to a query. False: no memory. */
static inline bool sm_search_offer(const sm_neighbor_search *search, size_t query, size_t item, double distance) {
    sm_nearest *nearest = &search->nearest[query - search->first];
    if (search->item_at != NULL) {
        item = search->item_at[item];
        return !sm_nearest_wants_item(nearest, item, distance) || sm_nearest_keep(nearest, item, distance);
    }
    if (!sm_nearest_wants(nearest, distance) || (search->query->is_square && query == item)) return true;
    return sm_nearest_keep(nearest, item, distance);
}

/* Sorts the panel's lists, and tells the sink. */
smerf_status sm_search_hand_over(sm_neighbor_search *search, smerf_error *error);

/* Refuses one that says neither how many nor how far. */
smerf_status sm_neighborhood_check(const smerf_neighborhood *wanted, smerf_error *error);

/* neighbors.c: from predicted distances, whatever the model. */
smerf_status sm_search_by_rows(sm_neighbor_search *search, smerf_error *error);

/* neighbors_codes.c: for forests that have codes (search->codes), where all trees speak: not out of bag. */
smerf_status sm_search_by_codes(sm_neighbor_search *search, smerf_error *error);

#endif
