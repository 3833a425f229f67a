/* problem.c - see problem.h. Numbers become ranks once, so that a node sorts small integers. */
#include "train/problem.h"

#include <math.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/sort.h"

/* Room for sorting one column. */
typedef struct sort_room {
    sm_arena arena;
    uint64_t *keys, *spare_keys;
    uint32_t *places, *spare_places;
} sort_room;

static bool make_room(sort_room *room, size_t n) {
    *room = (sort_room){0};
    room->keys = sm_arena_take(&room->arena, n, sizeof *room->keys);
    room->spare_keys = sm_arena_take(&room->arena, n, sizeof *room->spare_keys);
    room->places = sm_arena_take(&room->arena, n, sizeof *room->places);
    room->spare_places = sm_arena_take(&room->arena, n, sizeof *room->spare_places);
    return !room->arena.has_failed;
}

static sm_column_facts rank(const double *values, size_t n_items, sort_room *room, uint32_t *ranks) {
    size_t n = 0;
    for (size_t i = 0; i < n_items; i++) {
        ranks[i] = SMERF_MISSING;
        if (isnan(values[i])) continue;
        room->keys[n] = sm_sort_key(values[i]);
        room->places[n++] = (uint32_t)i;
    }
    sm_sort(room->keys, room->places, n, room->spare_keys, room->spare_places);
    uint32_t next = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && room->keys[i] != room->keys[i - 1]) next++;
        ranks[room->places[i]] = next;
    }
    size_t n_ranks = n > 0 ? next + (size_t)1 : 0;
    return (sm_column_facts){.n_ranks = n_ranks, .has_repeats = n_ranks < n, .has_missing = n < n_items};
}

static bool is_code_missing(const uint32_t *codes, size_t n_items) {
    for (size_t i = 0; i < n_items; i++)
        if (codes[i] == SMERF_MISSING) return true;
    return false;
}

/* Ranks a column of numbers; of a category it finds out what is missing. False: no memory. */
static bool take_feature(sm_problem *problem, size_t f, sort_room *room) {
    const double *values = problem->view->values[f];
    size_t n = problem->n_items;
    if (values == NULL) {
        problem->facts[f].has_missing = is_code_missing(problem->view->codes[f], n);
        return true;
    }
    problem->ranks[f] = sm_array(n, sizeof **problem->ranks);
    if (problem->ranks[f] == NULL) return false;
    problem->facts[f] = rank(values, n, room, problem->ranks[f]);
    return true;
}

/* How many different items a tree may hold. A bootstrap draws about 0.632 n different ones of n, give or take
 * 0.312 sqrt(n): that it draws 20 times as many more has a chance of less than 1e-80. */
static size_t most_in_bag(smerf_sample sample, size_t n_draws, size_t n_items) {
    size_t most = n_draws < n_items ? n_draws : n_items;
    if (sample != SMERF_BOOTSTRAP) return most;
    double likely = 0.6322 * (double)n_items + 20 * 0.312 * sqrt((double)n_items) + 8;
    return likely < (double)most ? (size_t)likely : most;
}

smerf_status sm_problem_start(sm_problem *problem, const sm_view *view, const sm_features *features,
                              const smerf_target *target, const double *item_weights, const smerf_options *options,
                              smerf_error *error) {
    *problem = (sm_problem){.n_items = view->n_items,
                            .n_features = view->n_features,
                            .view = view,
                            .features = features,
                            .target = target,
                            .item_weights = item_weights,
                            .options = options};
    problem->n_draws = sm_options_draws(options, view->n_items);
    problem->most_in_bag = most_in_bag(options->sample, problem->n_draws, view->n_items);
    problem->ranks = sm_zeros(view->n_features, sizeof *problem->ranks);
    problem->facts = sm_zeros(view->n_features, sizeof *problem->facts);
    sort_room room;
    bool has_room = make_room(&room, view->n_items) && problem->ranks != NULL && problem->facts != NULL;
    bool is_any_missing = false;
    for (size_t f = 0; f < view->n_features && has_room; f++) {
        has_room = take_feature(problem, f, &room);
        is_any_missing = is_any_missing || problem->facts[f].has_missing;
    }
    sm_arena_free(&room.arena);
    problem->most_line_ups = options->candidates * (is_any_missing ? 2 : 1);
    if (has_room) return SMERF_OK;
    sm_problem_free(problem);
    return sm_no_memory(error, "ranking the features");
}

void sm_problem_free(sm_problem *problem) {
    for (size_t f = 0; f < problem->n_features && problem->ranks != NULL; f++) sm_free(problem->ranks[f]);
    sm_free(problem->ranks);
    sm_free(problem->facts);
    *problem = (sm_problem){0};
}

size_t sm_problem_most_levels(const sm_problem *problem) {
    size_t most = 0;
    for (size_t f = 0; f < problem->n_features; f++)
        if (problem->features->feature[f].levels.n > most) most = problem->features->feature[f].levels.n;
    return most;
}
