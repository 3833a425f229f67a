/* between.c - the pairs between two sets of items, seen through a target over both: its first items are the rows, the
 * others the columns. Only to evaluate against: it is never trained on, nor saved. */
#include <pthread.h>
#include <string.h>

#include "base/memory.h"
#include "target/completed/completed.h"

/* Room for a whole row of the target over both, of which a part is asked for. Threads take turns, for the short time
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

static void true_row(const smerf_target *target, size_t row, double *out) {
    const between *part = (const between *)target;
    pthread_mutex_lock(&part->turn->mutex);
    part->both->kind->data.true_row(part->both, row, part->turn->row);
    memcpy(out, part->turn->row + target->n_rows, target->n_columns * sizeof *out);
    pthread_mutex_unlock(&part->turn->mutex);
}

/* What the distances mean is the inner target's to say: see sm_target_inner. */
static const sm_target_kind kind = {.name = "between", .data.free = free_between, .data.true_row = true_row};

const smerf_target *sm_target_inner(const smerf_target *target) {
    if (target->kind == &kind) target = ((const between *)target)->both;
    const smerf_target *pairs = sm_completed_pairs(target);
    return pairs != NULL ? pairs : target;
}

smerf_status smerf_target_new_between(smerf_target *both, size_t n_rows, smerf_target **out, smerf_error *error) {
    size_t n = both->n_rows;
    if (both->is_block)
        return sm_fail(error, SMERF_BAD_INPUT, "distances between two sets of items cannot be cut once more");
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
