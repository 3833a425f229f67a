/* sorted.c - see sorted.h. */
#include "train/sorted.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

/* Lists of so many items are parted no more: as many as a word has bits. */
enum { FEW = 64 };

smerf_status sm_sorted_start(sm_sorted *sorted, const sm_problem *problem, size_t n_slots, smerf_kernels kernels,
                             smerf_error *error) {
    size_t n_lists = problem->n_numbers;
    *sorted = (sm_sorted){.problem = problem, .room = problem->most_sorted};
    sm_parting_start(&sorted->parting, kernels);
    if (sorted->room == 0) return SMERF_OK;
    sm_arena *arena = &sorted->arena;
    sorted->list_of = sm_arena_take(arena, problem->n_features, sizeof *sorted->list_of);
    sorted->lists = sm_arena_take(arena, sm_size(n_lists + 1, sorted->room, 0), sizeof *sorted->lists);
    sorted->slot_of = sm_arena_take(arena, problem->orders != NULL ? problem->n_items : 0, sizeof *sorted->slot_of);
    sorted->few_place = sm_arena_take(arena, n_slots, sizeof *sorted->few_place);
    sorted->node_places = sm_arena_take(arena, FEW, sizeof *sorted->node_places);
    sorted->few_rank = sm_arena_take(arena, sm_size(n_lists, FEW, 0), sizeof *sorted->few_rank);
    sorted->few_number = sm_arena_take_zeros(arena, n_lists, sizeof *sorted->few_number);
    size_t n_keys = problem->orders == NULL ? sorted->room : 0;
    sorted->keys = sm_arena_take(arena, n_keys, sizeof *sorted->keys);
    sorted->spare_keys = sm_arena_take(arena, n_keys, sizeof *sorted->spare_keys);
    if (arena->has_failed) {
        sm_sorted_free(sorted);
        return sm_no_memory(error, "preparing to sort items");
    }
    for (size_t f = 0; f < problem->n_features; f++)
        if (problem->ranks[f] != NULL) sorted->list_of[f] = sorted->n_lists++;
    return SMERF_OK;
}

void sm_sorted_free(sm_sorted *sorted) { sm_arena_free(&sorted->arena); }

void sm_sorted_clear(sm_sorted *sorted) { sorted->first = sorted->end = sorted->node_n = sorted->few_n = 0; }

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

static void turn_to_few(sm_sorted *sorted, const sm_node *node) {
    sorted->is_part = sorted->node_first - sorted->few_first < sorted->few_n; /* false also if it lies before */
    if (sorted->is_part) {
        for (size_t k = 0; k < node->n; k++) sorted->node_places[k] = sorted->few_place[node->slots[k]];
        return;
    }
    sorted->few_first = sorted->node_first;
    sorted->few_n = node->n;
    sorted->n_few++;
    for (size_t k = 0; k < node->n; k++) sorted->few_place[node->slots[k]] = (uint8_t)k;
}

void sm_sorted_turn(sm_sorted *sorted, const sm_node *node, size_t first) {
    bool is_inside = sm_sorted_holds(sorted, first);
    sorted->node_n = 0;
    sorted->is_part = false;
    if (!is_inside && node->n > sorted->room) return;
    if (!is_inside) {
        sorted->first = first;
        sorted->end = first + node->n;
        sorted->few_n = 0;
        take_columns(sorted, node);
    }
    sorted->node_first = first - sorted->first;
    sorted->node_n = node->n;
    if (node->n <= FEW) turn_to_few(sorted, node);
}

/* Where each of the few stands in a list. */
static const uint8_t *few_ranks(sm_sorted *sorted, size_t l, const uint32_t *few) {
    uint8_t *ranks = sorted->few_rank + l * FEW;
    const uint8_t *place = sorted->few_place;
    size_t n = sorted->few_n;
    if (sorted->few_number[l] == sorted->n_few) return ranks;
    for (size_t r = 0; r < n; r++) ranks[place[few[r]]] = (uint8_t)r;
    sorted->few_number[l] = sorted->n_few;
    return ranks;
}

const uint32_t *sm_sorted_line(sm_sorted *sorted, size_t feature, uint32_t *room) {
    size_t l = sorted->list_of[feature], n = sorted->node_n;
    const uint32_t *list = sorted->lists + l * sorted->room;
    if (!sorted->is_part) return list + sorted->node_first;
    const uint32_t *few = list + sorted->few_first;
    const uint8_t *ranks = few_ranks(sorted, l, few);
    uint64_t marks = 0;
    for (size_t k = 0; k < n; k++) marks |= (uint64_t)1 << ranks[sorted->node_places[k]];
    for (size_t k = 0; k < n; k++, marks &= marks - 1) room[k] = few[__builtin_ctzll(marks)];
    return room;
}

void sm_sorted_renumber(sm_sorted *sorted, size_t first, size_t n, const uint32_t *new_of) {
    for (size_t l = 0; l < sorted->n_lists; l++) {
        uint32_t *list = sorted->lists + l * sorted->room + (first - sorted->first);
        for (size_t k = 0; k < n; k++) list[k] = new_of[list[k]];
    }
}

size_t sm_part_slots(const sm_sorted *sorted, uint32_t *slots, size_t n, const bool *goes_left, uint32_t *spare) {
    return sorted->parting.part(&sorted->parting, slots, n, goes_left, spare);
}

void sm_sorted_part(sm_sorted *sorted, const bool *goes_left) {
    if (sorted->node_n <= FEW) return;
    uint32_t *spare = sorted->lists + sorted->n_lists * sorted->room;
    for (size_t l = 0; l < sorted->n_lists; l++)
        sm_part_slots(sorted, sorted->lists + l * sorted->room + sorted->node_first, sorted->node_n, goes_left, spare);
}
