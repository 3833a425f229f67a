/* ranks.c - numbers become ranks once, so that nodes sort small integers, or need not sort at all. */
#include <math.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/sort.h"
#include "train/problem.h"

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
static sm_column_facts rank(const sm_numbers *numbers, size_t n_items, sort_room *room, uint32_t *ranks) {
    size_t n = 0, n_missing = 0, n_alike = 0, most_alike = 0;
    for (size_t i = 0; i < n_items; i++) {
        double value = sm_number_at(numbers, i);
        ranks[i] = SMERF_MISSING;
        if (isnan(value)) continue;
        room->keys[n] = sm_sort_key(value);
        room->places[n++] = (uint32_t)i;
    }
    sm_sort(room->keys, room->places, n, room->spare_keys, room->spare_places);
    uint32_t next = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_new = i > 0 && room->keys[i] != room->keys[i - 1];
        next += is_new;
        n_alike = is_new ? 1 : n_alike + 1;
        most_alike = n_alike > most_alike ? n_alike : most_alike;
        ranks[room->places[i]] = next;
    }
    for (size_t i = 0; n + n_missing < n_items; i++)
        if (ranks[i] == SMERF_MISSING) room->places[n + n_missing++] = (uint32_t)i;
    return (sm_column_facts){.most_alike = most_alike > n_missing ? most_alike : n_missing,
                             .has_repeats = most_alike > 1,
                             .n_missing = n_missing};
}

/* Threads rank columns, and these share items. */
static void note(uint64_t *shares, uint64_t bit) { __atomic_fetch_or(shares, bit, __ATOMIC_RELAXED); }

/* Notes which items have a number that another has too, or none.   room  as ranking the column has left it */
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

/* Ranks a column of numbers; of a category it finds out what is missing. */
static smerf_status rank_one(void *job, size_t f, size_t thread, smerf_error *error) {
    sm_problem *problem = ((rank_job *)job)->problem;
    sort_room *room = &((rank_job *)job)->rooms[thread];
    const sm_numbers *numbers = &problem->view->numbers[f];
    size_t n = problem->n_items;
    if (!sm_are_numbers(numbers)) {
        problem->facts[f].n_missing = count_missing(problem->view->codes[f], n);
        return SMERF_OK;
    }
    problem->ranks[f] = sm_array(n, sizeof **problem->ranks);
    if (problem->orders != NULL) problem->orders[f] = sm_array(n, sizeof **problem->orders);
    if (problem->ranks[f] == NULL || (problem->orders != NULL && problem->orders[f] == NULL) || !make_room(room, n))
        return sm_no_memory(error, "ranking the features");
    problem->facts[f] = rank(numbers, n, room, problem->ranks[f]);
    if (problem->facts[f].most_alike > 1 || problem->facts[f].n_missing > 0) note_shared(problem, f, room);
    for (size_t r = 0; r < n && problem->orders != NULL; r++) problem->orders[f][r] = room->places[r];
    return SMERF_OK;
}

smerf_status sm_problem_rank(sm_problem *problem, sm_crew *crew, smerf_error *error) {
    rank_job job = {.problem = problem, .rooms = sm_zeros(crew->n_threads, sizeof *job.rooms)};
    if (job.rooms == NULL) return sm_no_memory(error, "ranking the features");
    smerf_status status = sm_crew_do(crew, problem->n_features, rank_one, &job, error);
    for (size_t t = 0; t < crew->n_threads; t++) sm_arena_free(&job.rooms[t].arena);
    sm_free(job.rooms);
    return status;
}
