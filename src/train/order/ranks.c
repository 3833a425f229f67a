/* ranks.c - numbers become ranks once, so that nodes sort small integers, or need not sort at all. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "train/grow/problem.h"

/* A thread's scratch for sorting one column. */
typedef struct sort_scratch {
    sm_arena arena;
    uint64_t *keys, *spare_keys;
    uint32_t *order, *spare_order; /* [n_items] */
} sort_scratch;

typedef struct rank_job {
    sm_problem *problem;
    sort_scratch *scratch; /* [n_threads] made when a thread takes its first column */
} rank_job;

static bool reserve_scratch(sort_scratch *scratch, size_t n) {
    if (scratch->keys != NULL) return true;
    scratch->keys = sm_arena_take(&scratch->arena, n, sizeof *scratch->keys);
    scratch->spare_keys = sm_arena_take(&scratch->arena, n, sizeof *scratch->spare_keys);
    scratch->order = sm_arena_take(&scratch->arena, n, sizeof *scratch->order);
    scratch->spare_order = sm_arena_take(&scratch->arena, n, sizeof *scratch->spare_order);
    return !scratch->arena.has_failed;
}

/* Leaves all items in order in scratch->order, missing ones last. */
static sm_column_facts sort_column(const sm_numbers *numbers, size_t n_items, sort_scratch *scratch) {
    size_t n = 0, n_all = 0, n_alike = 1, most_alike = 1;
    for (size_t i = 0; i < n_items; i++) {
        double value = sm_number_at(numbers, i);
        if (isnan(value)) continue;
        scratch->keys[n] = sm_sort_key(value);
        scratch->order[n++] = (uint32_t)i;
    }
    sm_sort(scratch->keys, scratch->order, n, scratch->spare_keys, scratch->spare_order);
    for (size_t r = 1; r < n; r++) {
        n_alike = scratch->keys[r] == scratch->keys[r - 1] ? n_alike + 1 : 1;
        most_alike = n_alike > most_alike ? n_alike : most_alike;
    }
    n_all = n;
    for (size_t i = 0; n_all < n_items; i++)
        if (isnan(sm_number_at(numbers, i))) scratch->order[n_all++] = (uint32_t)i;
    return (sm_column_facts){.most_alike = most_alike > n_items - n ? most_alike : n_items - n,
                             .has_repeats = most_alike > 1,
                             .n_missing = n_items - n};
}

/* One more byte may be read, and is written, after the last one. */
static uint8_t *pack_order(const uint32_t *items, size_t n, size_t width) {
    uint8_t *order = sm_array(sm_size(n, width, 0) + sizeof *items - width, 1);
    for (size_t r = 0; r < n && order != NULL; r++) memcpy(order + r * width, &items[r], sizeof *items);
    return order;
}

/* scratch  as sorting the column has left it */
static void rank_column(const sort_scratch *scratch, size_t n_items, size_t n_missing, uint32_t *ranks) {
    size_t n = n_items - n_missing;
    uint32_t next = 0;
    for (size_t r = 0; r < n; r++) {
        next += r > 0 && scratch->keys[r] != scratch->keys[r - 1];
        ranks[scratch->order[r]] = next;
    }
    for (size_t r = n; r < n_items; r++) ranks[scratch->order[r]] = SMERF_MISSING;
}

/* Threads rank columns, and these have items in common. */
static void note_tie(uint64_t *tie_bits, uint64_t bit) { __atomic_fetch_or(tie_bits, bit, __ATOMIC_RELAXED); }

/* Notes which items have a number that another has too, or none.   scratch  as sorting the column has left it */
static void note_ties(sm_problem *problem, size_t f, const sort_scratch *scratch) {
    size_t n = problem->n_items - problem->facts[f].n_missing;
    uint64_t *tie_bits = problem->tie_bits, bit = sm_column_bit(f);
    for (size_t r = 1; r < n; r++) {
        if (scratch->keys[r] != scratch->keys[r - 1]) continue;
        note_tie(&tie_bits[scratch->order[r - 1]], bit);
        note_tie(&tie_bits[scratch->order[r]], bit);
    }
    for (size_t r = n; r < problem->n_items; r++) note_tie(&tie_bits[scratch->order[r]], bit);
}

static size_t count_missing_numbers(const uint32_t *codes, size_t n_items) {
    size_t n = 0;
    for (size_t i = 0; i < n_items; i++) n += codes[i] == SMERF_MISSING;
    return n;
}

/* Sorts a column of numbers; of a category it finds out what is missing. */
static smerf_status rank_one(void *job, size_t f, size_t thread, smerf_error *error) {
    sm_problem *problem = ((rank_job *)job)->problem;
    sort_scratch *scratch = &((rank_job *)job)->scratch[thread];
    const sm_numbers *numbers = &problem->view->numbers[f];
    sm_column_facts *facts = &problem->facts[f];
    size_t n = problem->n_items;
    if (!sm_are_numbers(numbers)) {
        facts->n_missing = count_missing_numbers(problem->view->codes[f], n);
        return SMERF_OK;
    }
    if (!reserve_scratch(scratch, n)) return sm_no_memory(error, "ranking the features");
    *facts = sort_column(numbers, n, scratch);
    bool are_alike = facts->has_repeats || facts->n_missing > 0, has_orders = problem->orders != NULL;
    if (are_alike) note_ties(problem, f, scratch);
    if (has_orders) problem->orders[f] = pack_order(scratch->order, n, problem->order_width);
    if (are_alike || !has_orders) problem->ranks[f] = sm_array(n, sizeof **problem->ranks);
    if ((has_orders && problem->orders[f] == NULL) || ((are_alike || !has_orders) && problem->ranks[f] == NULL))
        return sm_no_memory(error, "ranking the features");
    if (problem->ranks[f] != NULL) rank_column(scratch, n, facts->n_missing, problem->ranks[f]);
    return SMERF_OK;
}

smerf_status sm_problem_rank(sm_problem *problem, sm_pool *pool, smerf_error *error) {
    rank_job job = {.problem = problem, .scratch = sm_zeros(pool->n_threads, sizeof *job.scratch)};
    if (job.scratch == NULL) return sm_no_memory(error, "ranking the features");
    smerf_status status = sm_pool_run(pool, problem->n_features, rank_one, &job, error);
    for (size_t t = 0; t < pool->n_threads; t++) sm_arena_free(&job.scratch[t].arena);
    sm_free(job.scratch);
    return status;
}
