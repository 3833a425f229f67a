/* sorted.c - see sorted.h. */
#include "train/sorted.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

/* Larger subtrees would need much memory for a few levels; with more columns a candidate than this, sorting is quicker. */
enum { MOST_ITEMS = 1 << 17, MOST_COLUMNS_A_CANDIDATE = 8, MOST_COUNTS_AN_ITEM = 2, FEW = 16 };

static size_t count_numbers(const sm_problem *problem) {
    size_t n = 0;
    for (size_t f = 0; f < problem->n_features; f++) n += problem->ranks[f] != NULL;
    return n;
}

smerf_status sm_sorted_start(sm_sorted *sorted, const sm_problem *problem, smerf_error *error) {
    size_t n = problem->most_in_bag, n_lists = count_numbers(problem);
    *sorted = (sm_sorted){.problem = problem};
    if (problem->options->splits == SMERF_OBLIQUE || n_lists == 0 ||
        n_lists > problem->options->candidates * MOST_COLUMNS_A_CANDIDATE)
        return SMERF_OK;
    sorted->room = n < MOST_ITEMS ? n : MOST_ITEMS;
    sm_arena *arena = &sorted->arena;
    sorted->list_of = sm_arena_take(arena, problem->n_features, sizeof *sorted->list_of);
    sorted->lists = sm_arena_take(arena, sm_size(n_lists + 1, sorted->room, 0), sizeof *sorted->lists);
    sorted->counts = sm_arena_take(arena, MOST_COUNTS_AN_ITEM * sorted->room, sizeof *sorted->counts);
    sorted->keys = sm_arena_take(arena, sorted->room, sizeof *sorted->keys);
    sorted->spare_keys = sm_arena_take(arena, sorted->room, sizeof *sorted->spare_keys);
    if (arena->has_failed) {
        sm_sorted_free(sorted);
        return sm_no_memory(error, "preparing to sort items");
    }
    for (size_t f = 0; f < problem->n_features; f++)
        if (problem->ranks[f] != NULL) sorted->list_of[f] = sorted->n_lists++;
    return SMERF_OK;
}

void sm_sorted_free(sm_sorted *sorted) { sm_arena_free(&sorted->arena); }

void sm_sorted_clear(sm_sorted *sorted) { sorted->first = sorted->end = sorted->node_n = 0; }

/* By counting how many items have each rank. A missing value has the rank after the last. */
static void count_column(sm_sorted *sorted, const sm_node *node, const uint32_t *ranks, size_t n_ranks,
                         uint32_t *list) {
    uint32_t *next = sorted->counts, sum = 0;
    memset(next, 0, (n_ranks + 1) * sizeof *next);
    for (size_t k = 0; k < node->n; k++) {
        uint32_t rank = ranks[node->items[k]];
        next[rank < n_ranks ? rank : n_ranks]++;
    }
    for (size_t rank = 0; rank <= n_ranks; rank++) {
        uint32_t count = next[rank];
        next[rank] = sum;
        sum += count;
    }
    for (size_t k = 0; k < node->n; k++) {
        uint32_t rank = ranks[node->items[k]];
        list[next[rank < n_ranks ? rank : n_ranks]++] = node->slots[k];
    }
}

/* By sorting, where ranks are many. A missing value has the largest rank there is. */
static void sort_column(sm_sorted *sorted, const sm_node *node, const uint32_t *ranks, uint32_t *list) {
    for (size_t k = 0; k < node->n; k++) sorted->keys[k] = sm_pack_rank(ranks[node->items[k]], node->slots[k]);
    sm_sort_packed(sorted->keys, node->n, sorted->spare_keys);
    for (size_t k = 0; k < node->n; k++) list[k] = sm_packed_place(sorted->keys[k]);
}

static void take_columns(sm_sorted *sorted, const sm_node *node) {
    const sm_problem *problem = sorted->problem;
    for (size_t f = 0; f < problem->n_features; f++) {
        if (problem->ranks[f] == NULL) continue;
        uint32_t *list = sorted->lists + sorted->list_of[f] * sorted->room;
        size_t n_ranks = problem->facts[f].n_ranks;
        if (n_ranks + 1 <= MOST_COUNTS_AN_ITEM * node->n)
            count_column(sorted, node, problem->ranks[f], n_ranks, list);
        else
            sort_column(sorted, node, problem->ranks[f], list);
    }
}

void sm_sorted_turn(sm_sorted *sorted, const sm_node *node, size_t first) {
    bool is_inside = first >= sorted->first && first < sorted->end;
    sorted->node_n = 0;
    if (!is_inside && node->n > sorted->room) return;
    if (!is_inside) {
        sorted->first = first;
        sorted->end = first + node->n;
        take_columns(sorted, node);
    }
    sorted->node_first = first - sorted->first;
    sorted->node_n = node->n;
}

/* Slots that go right wait in the spare list. Which of the two a slot is written to is chosen without a jump: there is
 * nothing to guess.
 *   spare  counted from the list */
static void part_list(uint32_t *list, size_t n, const bool *goes_left, size_t spare) {
    size_t left = 0, right = spare;
    for (size_t r = 0; r < n; r++) {
        uint32_t slot = list[r];
        size_t is_left = goes_left[slot];
        list[is_left ? left : right] = slot;
        left += is_left;
        right += 1 - is_left;
    }
    if (right - spare >= FEW)
        memcpy(list + left, list + spare, (right - spare) * sizeof *list);
    else
        for (size_t r = spare; r < right; r++) list[left++] = list[r];
}

void sm_sorted_part(sm_sorted *sorted, const bool *goes_left) {
    for (size_t l = 0; l < sorted->n_lists; l++) {
        size_t at = l * sorted->room + sorted->node_first;
        part_list(sorted->lists + at, sorted->node_n, goes_left, sorted->n_lists * sorted->room - at);
    }
}
