/* ranks.c - numbers become ranks once, so that nodes sort small integers, or need not sort at all. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "train/grow/problem.h"

/* A thread's room for sorting one column. */
typedef struct sort_room {
    sm_arena arena;
    uint64_t *keys, *spare_keys;
    uint32_t *places, *spare_places; /* [n_items] */
} sort_room;

typedef struct rank_job {
    sm_problem *problem;
    sort_room *rooms; /* [n_threads] made when a thread takes its first column */
} rank_job;

static bool make_room(sort_room *room, size_t n) {
    if (room->keys != NULL) return true;
    room->keys = sm_arena_take(&room->arena, n, sizeof *room->keys);
    room->spare_keys = sm_arena_take(&room->arena, n, sizeof *room->spare_keys);
    room->places = sm_arena_take(&room->arena, n, sizeof *room->places);
    room->spare_places = sm_arena_take(&room->arena, n, sizeof *room->spare_places);
    return !room->arena.has_failed;
}

/* Leaves all items in order in room->places, missing ones last. */
static sm_column_facts sort(const sm_numbers *numbers, size_t n_items, sort_room *room) {
    size_t n = 0, n_all = 0, n_alike = 1, most_alike = 1;
    for (size_t i = 0; i < n_items; i++) {
        double value = sm_number_at(numbers, i);
        if (isnan(value)) continue;
        room->keys[n] = sm_sort_key(value);
        room->places[n++] = (uint32_t)i;
    }
    sm_sort(room->keys, room->places, n, room->spare_keys, room->spare_places);
    for (size_t r = 1; r < n; r++) {
        n_alike = room->keys[r] == room->keys[r - 1] ? n_alike + 1 : 1;
        most_alike = n_alike > most_alike ? n_alike : most_alike;
    }
    n_all = n;
    for (size_t i = 0; n_all < n_items; i++)
        if (isnan(sm_number_at(numbers, i))) room->places[n_all++] = (uint32_t)i;
    return (sm_column_facts){.most_alike = most_alike > n_items - n ? most_alike : n_items - n,
                             .has_repeats = most_alike > 1,
                             .n_missing = n_items - n};
}

/* One more byte may be read, and is written, after the last one. */
static uint8_t *pack_order(const uint32_t *places, size_t n, size_t width) {
    uint8_t *order = sm_array(sm_size(n, width, 0) + sizeof *places - width, 1);
    for (size_t r = 0; r < n && order != NULL; r++) memcpy(order + r * width, &places[r], sizeof *places);
    return order;
}

/* room  as sorting the column has left it */
static void rank(const sort_room *room, size_t n_items, size_t n_missing, uint32_t *ranks) {
    size_t n = n_items - n_missing;
    uint32_t next = 0;
    for (size_t r = 0; r < n; r++) {
        next += r > 0 && room->keys[r] != room->keys[r - 1];
        ranks[room->places[r]] = next;
    }
    for (size_t r = n; r < n_items; r++) ranks[room->places[r]] = SMERF_MISSING;
}

/* Threads rank columns, and these share items. */
static void note(uint64_t *shares, uint64_t bit) { __atomic_fetch_or(shares, bit, __ATOMIC_RELAXED); }

/* Notes which items have a number that another has too, or none.   room  as sorting the column has left it */
static void note_shared(sm_problem *problem, size_t f, const sort_room *room) {
    size_t n = problem->n_items - problem->facts[f].n_missing;
    uint64_t *shares = problem->shares, bit = sm_column_bit(f);
    for (size_t r = 1; r < n; r++) {
        if (room->keys[r] != room->keys[r - 1]) continue;
        note(&shares[room->places[r - 1]], bit);
        note(&shares[room->places[r]], bit);
    }
    for (size_t r = n; r < problem->n_items; r++) note(&shares[room->places[r]], bit);
}

static size_t count_missing(const uint32_t *codes, size_t n_items) {
    size_t n = 0;
    for (size_t i = 0; i < n_items; i++) n += codes[i] == SMERF_MISSING;
    return n;
}

/* Sorts a column of numbers; of a category it finds out what is missing. */
static smerf_status rank_one(void *job, size_t f, size_t thread, smerf_error *error) {
    sm_problem *problem = ((rank_job *)job)->problem;
    sort_room *room = &((rank_job *)job)->rooms[thread];
    const sm_numbers *numbers = &problem->view->numbers[f];
    sm_column_facts *facts = &problem->facts[f];
    size_t n = problem->n_items;
    if (!sm_are_numbers(numbers)) {
        facts->n_missing = count_missing(problem->view->codes[f], n);
        return SMERF_OK;
    }
    if (!make_room(room, n)) return sm_no_memory(error, "ranking the features");
    *facts = sort(numbers, n, room);
    bool are_alike = facts->has_repeats || facts->n_missing > 0, has_orders = problem->orders != NULL;
    if (are_alike) note_shared(problem, f, room);
    if (has_orders) problem->orders[f] = pack_order(room->places, n, problem->order_width);
    if (are_alike || !has_orders) problem->ranks[f] = sm_array(n, sizeof **problem->ranks);
    if ((has_orders && problem->orders[f] == NULL) || ((are_alike || !has_orders) && problem->ranks[f] == NULL))
        return sm_no_memory(error, "ranking the features");
    if (problem->ranks[f] != NULL) rank(room, n, facts->n_missing, problem->ranks[f]);
    return SMERF_OK;
}

smerf_status sm_problem_rank(sm_problem *problem, sm_pool *pool, smerf_error *error) {
    rank_job job = {.problem = problem, .rooms = sm_zeros(pool->n_threads, sizeof *job.rooms)};
    if (job.rooms == NULL) return sm_no_memory(error, "ranking the features");
    smerf_status status = sm_pool_run(pool, problem->n_features, rank_one, &job, error);
    for (size_t t = 0; t < pool->n_threads; t++) sm_arena_free(&job.rooms[t].arena);
    sm_free(job.rooms);
    return status;
}
