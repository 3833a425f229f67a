/* sorted.c - keeps the items of a node in order along every column of numbers: see sorted.h. */
#include "train/order/sorted.h"

#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

/* Lists of so many items are parted no more: as many as a word has bits. A node with less than one in so many of all items is
 * sorted, not looked for among them. */
enum { FEW = 64, WALK_FRACTION = 16 };

smerf_status sm_sorted_start(sm_sorted *sorted, const sm_problem *problem, size_t n_slots, uint32_t *by_item,
                             smerf_kernels kernels, smerf_error *error) {
    size_t n_lists = problem->n_numbers, n_few = problem->n_items / WALK_FRACTION + 1;
    *sorted = (sm_sorted){.problem = problem, .capacity = problem->most_sorted, .slot_of = by_item};
    sorted->part = sm_kernels_select(kernels)->part;
    sm_part_table_fill(sorted->part_table);
    if (sorted->capacity == 0) return SMERF_OK;
    sm_arena *arena = &sorted->arena;
    sorted->list_of = sm_arena_take(arena, problem->n_features, sizeof *sorted->list_of);
    sorted->lists = sm_arena_take(arena, sm_size(n_lists + 1, sorted->capacity, 0), sizeof *sorted->lists);
    sorted->is_wanted = sm_arena_take(arena, problem->n_items / 64 + 1, sizeof *sorted->is_wanted);
    sorted->values = sm_arena_take(arena, n_few, sizeof *sorted->values);
    sorted->spare = sm_arena_take(arena, n_few, sizeof *sorted->spare);
    sorted->spare_slots = sm_arena_take(arena, n_few, sizeof *sorted->spare_slots);
    sorted->few_index = sm_arena_take(arena, n_slots, sizeof *sorted->few_index);
    sorted->node_indices = sm_arena_take(arena, FEW, sizeof *sorted->node_indices);
    sorted->few_rank = sm_arena_take(arena, sm_size(n_lists, FEW, 0), sizeof *sorted->few_rank);
    sorted->few_number = sm_arena_take_zeros(arena, n_lists, sizeof *sorted->few_number);
    if (arena->has_failed) {
        sm_sorted_free(sorted);
        return sm_no_memory(error, "preparing to sort items");
    }
    for (size_t f = 0; f < problem->n_features; f++)
        if (problem->orders[f] != NULL) sorted->list_of[f] = sorted->n_lists++;
    return SMERF_OK;
}

void sm_sorted_free(sm_sorted *sorted) { sm_arena_free(&sorted->arena); }

void sm_sorted_clear(sm_sorted *sorted) {
    sorted->first = sorted->end = sorted->node_n = sorted->few_n = 0;
    sorted->large = NULL;
}

/* ---- out of all items ---- */

/* Whether a walk through all items is quicker than sorting these. */
static bool is_walked_for(const sm_sorted *sorted, size_t n) { return n * WALK_FRACTION > sorted->problem->n_items; }

static void mark_items(sm_sorted *sorted, const sm_node *node) {
    if (!is_walked_for(sorted, node->n)) return;
    memset(sorted->is_wanted, 0, (sorted->problem->n_items / 64 + 1) * sizeof *sorted->is_wanted);
    for (size_t k = 0; k < node->n; k++) {
        uint32_t item = node->items[k];
        sorted->is_wanted[item / 64] |= (uint64_t)1 << item % 64;
        sorted->slot_of[item] = node->slots[k];
    }
}

/* Each item is written, and stays if it is marked: there is nothing to guess. */
static void walk(const sm_sorted *sorted, const uint8_t *order, size_t width, size_t n, uint32_t *list) {
    const uint32_t *slot_of = sorted->slot_of;
    const uint64_t *is_wanted = sorted->is_wanted;
    size_t n_found = 0;
    for (size_t r = 0; n_found < n; r++) {
        uint32_t item = sm_ordered_item(order, width, r);
        list[n_found] = item;
        n_found += is_wanted[item / 64] >> item % 64 & 1;
    }
    for (size_t k = 0; k < n; k++) list[k] = slot_of[list[k]];
}

static void sort_few(const sm_sorted *sorted, const sm_node *node, const sm_numbers *numbers, uint32_t *list) {
    for (size_t k = 0; k < node->n; k++) sorted->values[k] = sm_number_at(numbers, node->items[k]);
    memcpy(list, node->slots, node->n * sizeof *list);
    sm_sort_numbers(sorted->values, list, node->n, sorted->spare, sorted->spare_slots);
}

/* Lists a node's items, which are marked, along a column. */
static void list_column(const sm_sorted *sorted, const sm_node *node, size_t f, uint32_t *list) {
    const sm_problem *problem = sorted->problem;
    if (!is_walked_for(sorted, node->n))
        sort_few(sorted, node, &problem->view->numbers[f], list);
    else if (problem->order_width == 3) /* said once more for the compiler */
        walk(sorted, problem->orders[f], 3, node->n, list);
    else
        walk(sorted, problem->orders[f], problem->order_width, node->n, list);
}

static void make_lists(sm_sorted *sorted, const sm_node *node, size_t first) {
    sorted->first = first;
    sorted->end = first + node->n;
    sorted->few_n = 0;
    for (size_t f = 0; f < sorted->problem->n_features; f++)
        if (sorted->problem->orders[f] != NULL)
            list_column(sorted, node, f, sorted->lists + sorted->list_of[f] * sorted->capacity);
}

/* ---- out of lists ---- */

static void turn_to_few(sm_sorted *sorted, const sm_node *node) {
    sorted->is_part = sorted->node_first - sorted->few_first < sorted->few_n; /* false also if it lies before */
    if (sorted->is_part) {
        for (size_t k = 0; k < node->n; k++) sorted->node_indices[k] = sorted->few_index[node->slots[k]];
        return;
    }
    sorted->few_first = sorted->node_first;
    sorted->few_n = node->n;
    sorted->n_few++;
    for (size_t k = 0; k < node->n; k++) sorted->few_index[node->slots[k]] = (uint8_t)k;
}

void sm_sorted_turn(sm_sorted *sorted, const sm_node *node, size_t first) {
    if (!sm_sorted_is_used(sorted)) return;
    bool has_lists = sm_sorted_holds(sorted, first);
    sorted->large = !has_lists && node->n > sorted->capacity ? node : NULL;
    sorted->is_part = false;
    sorted->node_n = node->n;
    if (!has_lists) mark_items(sorted, node);
    if (sorted->large != NULL) return;
    if (!has_lists) make_lists(sorted, node, first);
    sorted->node_first = first - sorted->first;
    if (node->n <= FEW) turn_to_few(sorted, node);
}

/* Where each of the few stands in a list. */
static const uint8_t *few_ranks(sm_sorted *sorted, size_t l, const uint32_t *few) {
    uint8_t *ranks = sorted->few_rank + l * FEW;
    const uint8_t *index = sorted->few_index;
    size_t n = sorted->few_n;
    if (sorted->few_number[l] == sorted->n_few) return ranks;
    for (size_t r = 0; r < n; r++) ranks[index[few[r]]] = (uint8_t)r;
    sorted->few_number[l] = sorted->n_few;
    return ranks;
}

const uint32_t *sm_sorted_line(sm_sorted *sorted, size_t feature, uint32_t *scratch) {
    size_t l = sorted->list_of[feature], n = sorted->node_n;
    if (sorted->large != NULL) {
        list_column(sorted, sorted->large, feature, scratch);
        return scratch;
    }
    const uint32_t *list = sorted->lists + l * sorted->capacity;
    if (!sorted->is_part) return list + sorted->node_first;
    const uint32_t *few = list + sorted->few_first;
    const uint8_t *ranks = few_ranks(sorted, l, few);
    uint64_t marks = 0;
    for (size_t k = 0; k < n; k++) marks |= (uint64_t)1 << ranks[sorted->node_indices[k]];
    for (size_t k = 0; k < n; k++, marks &= marks - 1) scratch[k] = few[__builtin_ctzll(marks)];
    return scratch;
}

void sm_sorted_renumber(sm_sorted *sorted, size_t first, size_t n, const uint32_t *new_of) {
    for (size_t l = 0; l < sorted->n_lists; l++) {
        uint32_t *list = sorted->lists + l * sorted->capacity + (first - sorted->first);
        for (size_t k = 0; k < n; k++) list[k] = new_of[list[k]];
    }
}

size_t sm_part_slots(const sm_sorted *sorted, uint32_t *slots, size_t n, const bool *goes_left, uint32_t *spare) {
    return sorted->part(sorted->part_table, slots, n, goes_left, spare);
}

void sm_sorted_part(sm_sorted *sorted, const bool *goes_left) {
    if (!sm_sorted_is_used(sorted) || sorted->large != NULL || sorted->node_n <= FEW) return;
    uint32_t *spare = sorted->lists + sorted->n_lists * sorted->capacity;
    for (size_t l = 0; l < sorted->n_lists; l++)
        sm_part_slots(sorted, sorted->lists + l * sorted->capacity + sorted->node_first, sorted->node_n, goes_left,
                      spare);
}
