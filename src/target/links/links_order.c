/* links_order.c - an order of all items in which linked ones stand near each other.
 *
 * Whoever goes through the links of a node jumps from an item to its partners, and where these lie all over a large node it
 * waits for memory at every jump. Breadth first over the links, an item stands in the neighbourhood of its partners. */
#include "base/memory.h"
#include "target/links/links.h"

/* The ranks of fewer items along four line-ups fit into a second-level cache, wherever they lie. */
enum { LEAST_ITEMS = 1 << 16 };

/* Puts what is linked to the items order[first] and after behind them, and what is linked to that; returns where they end. */
static size_t reach(const sm_links *links, uint32_t *order, size_t first, size_t end, uint64_t *reached) {
    for (size_t at = first; at < end; at++) {
        sm_links_call_for(links, order, at, end);
        for (size_t e = links->first[order[at]]; e < links->first[order[at] + 1]; e++) {
            uint32_t partner = links->partner[e];
            order[end] = partner; /* kept only if it is new: no branch that nobody could foresee */
            end += ~reached[partner / 64] >> partner % 64 & 1;
            reached[partner / 64] |= (uint64_t)1 << partner % 64;
        }
    }
    return end;
}

bool sm_links_order(const sm_links *links, uint32_t *order) {
    uint64_t *reached = sm_zeros(links->n_items / 64 + 1, sizeof *reached); /* a bit for each: they stay in a cache */
    if (reached == NULL) return false;
    for (size_t i = 0, n = 0; i < links->n_items; i++) {
        if (reached[i / 64] >> i % 64 & 1) continue;
        reached[i / 64] |= (uint64_t)1 << i % 64;
        order[n] = (uint32_t)i;
        n = reach(links, order, n, n + 1, reached);
    }
    sm_free(reached);
    return true;
}

smerf_status sm_links_near_order(const sm_links *links, uint32_t **order, smerf_error *error) {
    *order = NULL;
    if (links->n_items < LEAST_ITEMS || links->n == 0) return SMERF_OK;
    smerf_status status = sm_check_memory((double)links->n_items * 5, "putting items in order", error);
    if (status != SMERF_OK) return status;
    *order = sm_array(links->n_items + 1, sizeof **order); /* one more is written and not kept */
    if (*order != NULL && sm_links_order(links, *order)) return SMERF_OK;
    sm_free(*order);
    *order = NULL;
    return sm_no_memory(error, "putting items in order");
}
