/* take.c - parts of a target: cut to some of its items, for which each kind has a function `take`; and the pairs between two
 * sets of items. */
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "data/items.h"
#include "target/completed/completed.h"
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
    const smerf_target *pairs = sm_completed_pairs(target);
    if (pairs != NULL) target = pairs; /* what was filled in is not known */
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
 *   new_row  [n_items] new rows; SMERF_MISSING: not taken
 *   next   [n] where each row goes on; NULL: the pairs are only counted */
static void gather_taken(const sm_links *links, const uint32_t *rows, size_t n, const uint32_t *new_row, size_t *next,
                         sm_upper *upper) {
    for (uint32_t larger = 0; larger < n; larger++)
        for (size_t e = links->first[rows[larger]]; e < links->first[rows[larger] + 1]; e++) {
            uint32_t smaller = new_row[links->partner[e]];
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
static smerf_status take_links(const sm_links *links, const uint32_t *rows, size_t n, const uint32_t *new_row,
                               size_t *next, sm_links *out, smerf_error *error) {
    sm_upper upper;
    size_t n_most = 0;
    for (size_t k = 0; k < n; k++) n_most += links->first[rows[k] + 1] - links->first[rows[k]];
    if (!sm_upper_start(&upper, n, n_most, links->weight != NULL)) return sm_no_memory(error, "taking pairs");
    gather_taken(links, rows, n, new_row, NULL, &upper);
    for (size_t i = 0; i < n; i++) {
        next[i] = upper.n;
        upper.n += upper.n_partners[i];
    }
    gather_taken(links, rows, n, new_row, next, &upper);
    sm_upper_trim(&upper, links->common);
    smerf_status status = sm_links_mirror(out, &upper, n, links->common, error);
    sm_upper_free(&upper);
    return status;
}

smerf_status sm_links_take(const sm_links *links, const uint32_t *rows, size_t n, sm_links *out, smerf_error *error) {
    uint32_t *new_row = sm_array(links->n_items, sizeof *new_row);
    size_t *next = sm_array(n, sizeof *next);
    smerf_status status = SMERF_OK;
    if (new_row != NULL && next != NULL) {
        for (size_t i = 0; i < links->n_items; i++) new_row[i] = SMERF_MISSING;
        for (size_t k = 0; k < n; k++) new_row[rows[k]] = (uint32_t)k;
        status = take_links(links, rows, n, new_row, next, out, error);
    } else {
        status = sm_no_memory(error, "taking pairs");
    }
    sm_free(new_row);
    sm_free(next);
    return status;
}

/* ---- between two sets ----
 * The pairs between two sets of items, seen through a target over both: its first items are the rows, the others the columns.
 * Only to evaluate against: it is never trained on, nor saved. */

/* Scratch for a whole row of the target over both, of which a part is needed. Threads take turns, for the short time
 * that a row takes. */
typedef struct turn {
    pthread_mutex_t mutex;
    double row[]; /* [n_columns of both] */
} turn;

typedef struct between {
    smerf_target head;
    smerf_target *both; /* shared */
    turn *turn;
} between;

static void free_between(smerf_target *target) {
    between *part = (between *)target;
    if (part->turn != NULL) pthread_mutex_destroy(&part->turn->mutex);
    sm_free(part->turn);
    smerf_target_free(part->both);
    sm_free(part);
}

static void between_true_row(const smerf_target *target, size_t row, double *out) {
    const between *part = (const between *)target;
    pthread_mutex_lock(&part->turn->mutex);
    part->both->kind->data.true_row(part->both, row, part->turn->row);
    memcpy(out, part->turn->row + target->n_rows, target->n_columns * sizeof *out);
    pthread_mutex_unlock(&part->turn->mutex);
}

/* What the distances mean is the inner target's to say: see sm_target_inner. */
static const sm_target_kind kind = {.name = "between", .data.free = free_between, .data.true_row = between_true_row};

const smerf_target *sm_target_inner(const smerf_target *target) {
    if (target->kind == &kind) target = ((const between *)target)->both;
    const smerf_target *pairs = sm_completed_pairs(target);
    return pairs != NULL ? pairs : target;
}

smerf_status smerf_target_new_between(smerf_target *both, size_t n_rows, smerf_target **out, smerf_error *error) {
    size_t n = both->n_rows;
    if (both->is_block)
        return sm_fail(error, SMERF_BAD_INPUT, "distances between two sets of items cannot be cut once more");
    if (both->kind->data.has_no_distances)
        return sm_fail(error, SMERF_BAD_INPUT, "triplets are about the items of one set, and cannot be cut into two");
    if (n_rows == 0 || n_rows >= n)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "%zu of %zu items as rows: there must be at least one, and one left for the columns", n_rows, n);
    between *part = sm_zeros(1, sizeof *part);
    if (part == NULL) return sm_no_memory(error, "making a target");
    sm_target_start(&part->head, &kind, n_rows, n - n_rows);
    part->head.is_block = true;
    part->turn = sm_array(sm_size(n, sizeof *part->turn->row, sizeof *part->turn), 1);
    if (part->turn != NULL && pthread_mutex_init(&part->turn->mutex, NULL) != 0) {
        sm_free(part->turn);
        part->turn = NULL;
    }
    if (part->turn == NULL) {
        smerf_target_free(&part->head);
        return sm_no_memory(error, "making a target");
    }
    part->both = sm_target_retain(both);
    *out = &part->head;
    return SMERF_OK;
}
