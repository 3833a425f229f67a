/* sorted.c - see sorted.h. */
#include "train/sorted.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

/* Lists of so many items are parted no more. */
enum { FEW = 16 };

smerf_status sm_sorted_start(sm_sorted *sorted, const sm_problem *problem, smerf_error *error) {
    size_t n = problem->most_in_bag, n_lists = problem->n_numbers;
    *sorted = (sm_sorted){.problem = problem, .room = problem->most_sorted};
    if (sorted->room == 0) return SMERF_OK;
    sm_arena *arena = &sorted->arena;
    sorted->list_of = sm_arena_take(arena, problem->n_features, sizeof *sorted->list_of);
    sorted->lists = sm_arena_take(arena, sm_size(n_lists + 1, sorted->room, 0), sizeof *sorted->lists);
    sorted->slot_of = sm_arena_take(arena, problem->orders != NULL ? problem->n_items : 0, sizeof *sorted->slot_of);
    sorted->owner = sm_arena_take_zeros(arena, n, sizeof *sorted->owner);
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

void sm_sorted_clear(sm_sorted *sorted) {
    sorted->first = sorted->end = sorted->node_n = sorted->whole_n = sorted->n_numbers = 0;
    if (sorted->room > 0) memset(sorted->owner, 0, sorted->problem->most_in_bag * sizeof *sorted->owner);
}

/* A missing value has the largest rank there is. */
static void sort_column(sm_sorted *sorted, const sm_node *node, const uint32_t *ranks, uint32_t *list) {
    for (size_t k = 0; k < node->n; k++) sorted->keys[k] = sm_pack_rank(ranks[node->items[k]], node->slots[k]);
    sm_sort_packed(sorted->keys, node->n, sorted->spare_keys);
    for (size_t k = 0; k < node->n; k++) list[k] = sm_packed_place(sorted->keys[k]);
}

/* The items of the root, out of all items in order. Each is written, and stays if it is in the tree. */
static void pick_column(const sm_sorted *sorted, const uint32_t *order, size_t n, uint32_t *list) {
    size_t n_picked = 0;
    for (size_t r = 0; n_picked < n; r++) {
        uint32_t slot = sorted->slot_of[order[r]];
        list[n_picked] = slot;
        n_picked += slot != SMERF_MISSING;
    }
}

static void take_columns(sm_sorted *sorted, const sm_node *node) {
    const sm_problem *problem = sorted->problem;
    bool is_root = problem->orders != NULL; /* where whole trees are kept in order */
    if (is_root) {
        memset(sorted->slot_of, 0xFF, problem->n_items * sizeof *sorted->slot_of);
        for (size_t k = 0; k < node->n; k++) sorted->slot_of[node->items[k]] = node->slots[k];
    }
    for (size_t f = 0; f < problem->n_features; f++) {
        if (problem->ranks[f] == NULL) continue;
        uint32_t *list = sorted->lists + sorted->list_of[f] * sorted->room;
        if (is_root)
            pick_column(sorted, problem->orders[f], node->n, list);
        else
            sort_column(sorted, node, problem->ranks[f], list);
    }
}

/* The items of a node that is one of a few are marked as its own. */
static void turn_to_few(sm_sorted *sorted, const sm_node *node) {
    bool is_inside = sorted->node_first - sorted->whole_first < sorted->whole_n; /* false also if it lies before */
    if (!is_inside) {
        sorted->whole_first = sorted->node_first;
        sorted->whole_n = node->n;
        return;
    }
    sorted->number = ++sorted->n_numbers;
    for (size_t k = 0; k < node->n; k++) sorted->owner[node->slots[k]] = sorted->number;
}

void sm_sorted_turn(sm_sorted *sorted, const sm_node *node, size_t first) {
    bool is_inside = sm_sorted_holds(sorted, first);
    sorted->node_n = sorted->number = 0;
    if (!is_inside && node->n > sorted->room) return;
    if (!is_inside) {
        sorted->first = first;
        sorted->end = first + node->n;
        sorted->whole_n = 0;
        take_columns(sorted, node);
    }
    sorted->node_first = first - sorted->first;
    sorted->node_n = node->n;
    if (node->n <= FEW) turn_to_few(sorted, node);
}

const uint32_t *sm_sorted_line(const sm_sorted *sorted, size_t feature, uint32_t *room) {
    const uint32_t *list = sorted->lists + sorted->list_of[feature] * sorted->room;
    if (sorted->number == 0) return list + sorted->node_first;
    size_t n = 0;
    for (size_t r = sorted->whole_first; n < sorted->node_n; r++) {
        room[n] = list[r];
        n += sorted->owner[list[r]] == sorted->number;
    }
    return room;
}

size_t sm_part_slots(uint32_t *slots, size_t n, const bool *goes_left, uint32_t *spare) {
    size_t n_left = 0, n_right = 0;
    for (size_t k = 0; k < n; k++) {
        /* Written to both sides, and kept on one: there is nothing to guess, and nothing that a compiler turns into a jump. */
        uint32_t slot = slots[k];
        size_t is_left = goes_left[slot];
        slots[n_left] = slot;
        spare[n_right] = slot;
        n_left += is_left;
        n_right += 1 - is_left;
    }
    memcpy(slots + n_left, spare, n_right * sizeof *slots);
    return n_left;
}

void sm_sorted_part(sm_sorted *sorted, const bool *goes_left) {
    if (sorted->node_n <= FEW) return;
    uint32_t *spare = sorted->lists + sorted->n_lists * sorted->room;
    for (size_t l = 0; l < sorted->n_lists; l++)
        sm_part_slots(sorted->lists + l * sorted->room + sorted->node_first, sorted->node_n, goes_left, spare);
}
