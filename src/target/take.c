/* take.c - a target cut to some of its items. What that means for each kind is its own function `take`. */
#include "base/memory.h"
#include "data/items.h"
#include "target/links/links.h"

smerf_status sm_target_check_cut(const smerf_target *target, smerf_error *error) {
    if (target->is_block)
        return sm_fail(error, SMERF_BAD_INPUT, "distances between two sets of items cannot be cut once more");
    if (target->kind->data.take == NULL)
        return sm_fail(error, SMERF_BAD_INPUT, "a target of kind '%s' was made from another one: cut that instead",
                       target->kind->name);
    return SMERF_OK;
}

smerf_status smerf_target_take(const smerf_target *target, const uint32_t *rows, size_t n, smerf_target **out,
                               smerf_error *error) {
    smerf_status status = sm_target_check_cut(target, error);
    if (status == SMERF_OK) status = sm_rows_check(rows, n, target->n_rows, error);
    if (status == SMERF_OK) status = target->kind->data.take(target, rows, n, out, error);
    if (status != SMERF_OK) return status;
    (*out)->has_no_diagonal = target->has_no_diagonal;
    (*out)->from_similarities = target->from_similarities;
    (*out)->largest_similarity = target->largest_similarity;
    return SMERF_OK;
}

/* ---- links ---- */

/* Each pair that stays is met in the row of its larger item, in ascending order of that: so the rows of the smaller ones
 * fill up in order, whatever order the items are taken in.
 *   place  [n_items] new places; SMERF_MISSING: not taken
 *   next   [n] where each row goes on; NULL: the pairs are only counted */
static void gather_taken(const sm_links *links, const uint32_t *rows, size_t n, const uint32_t *place, size_t *next,
                         sm_upper *upper) {
    for (uint32_t larger = 0; larger < n; larger++)
        for (size_t e = links->first[rows[larger]]; e < links->first[rows[larger] + 1]; e++) {
            uint32_t smaller = place[links->partner[e]];
            if (smaller == SMERF_MISSING || smaller > larger) continue;
            if (next == NULL) {
                upper->n_partners[smaller]++;
                continue;
            }
            size_t at = next[smaller]++;
            upper->partner[at] = larger;
            upper->value[at] = sm_links_value(links, e);
            if (upper->weight != NULL) upper->weight[at] = links->weight[e];
        }
}

/*   next   [n] scratch */
static smerf_status take_links(const sm_links *links, const uint32_t *rows, size_t n, const uint32_t *place,
                               size_t *next, sm_links *out, smerf_error *error) {
    sm_upper upper;
    size_t n_most = 0;
    for (size_t k = 0; k < n; k++) n_most += links->first[rows[k] + 1] - links->first[rows[k]];
    if (!sm_upper_start(&upper, n, n_most, links->weight != NULL)) return sm_no_memory(error, "taking pairs");
    gather_taken(links, rows, n, place, NULL, &upper);
    for (size_t i = 0; i < n; i++) {
        next[i] = upper.n;
        upper.n += upper.n_partners[i];
    }
    gather_taken(links, rows, n, place, next, &upper);
    sm_upper_trim(&upper, links->common);
    smerf_status status = sm_links_mirror(out, &upper, n, links->common, error);
    sm_upper_free(&upper);
    return status;
}

smerf_status sm_links_take(const sm_links *links, const uint32_t *rows, size_t n, sm_links *out, smerf_error *error) {
    uint32_t *place = sm_array(links->n_items, sizeof *place);
    size_t *next = sm_array(n, sizeof *next);
    smerf_status status = SMERF_OK;
    if (place != NULL && next != NULL) {
        for (size_t i = 0; i < links->n_items; i++) place[i] = SMERF_MISSING;
        for (size_t k = 0; k < n; k++) place[rows[k]] = (uint32_t)k;
        status = take_links(links, rows, n, place, next, out, error);
    } else {
        status = sm_no_memory(error, "taking pairs");
    }
    sm_free(place);
    sm_free(next);
    return status;
}
