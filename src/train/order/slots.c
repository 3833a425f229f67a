/* slots.c - numbers the items of a tree, and keeps those of a node together: see slots.h. */
#include "train/order/slots.h"

#include "base/memory.h"

/* What is read of so many items fits into a first-level cache, and into a second-level one. Subtrees that are listed have slots
 * of their own too, so that those of several threads fit into the cache that they share. */
enum { SMALL_BLOCK = 2048, LARGE_BLOCK = 1 << 16 };

static size_t make_blocks(const sm_problem *problem, sm_block *block) {
    size_t n = 0, first_slot = problem->most_in_bag;
    if (!problem->engine->lists_slots || problem->most_sorted == 0) return 0;
    const size_t most[SM_SLOT_BLOCKS] = {SMALL_BLOCK, LARGE_BLOCK, problem->most_sorted};
    for (size_t b = 0; b < SM_SLOT_BLOCKS; b++) {
        bool is_larger = n == 0 || most[b] > block[n - 1].most;
        if (!is_larger || most[b] >= problem->most_in_bag) continue;
        block[n++] = (sm_block){.most = most[b], .first_slot = first_slot};
        first_slot += most[b];
    }
    return n;
}

size_t sm_slots_needed(const sm_problem *problem) {
    sm_block block[SM_SLOT_BLOCKS];
    size_t n_blocks = make_blocks(problem, block), n = problem->most_in_bag;
    for (size_t b = 0; b < n_blocks; b++) n += block[b].most;
    return n;
}

smerf_status sm_slots_start(sm_slots *slots, const sm_problem *problem, sm_search *search, uint32_t *by_slot,
                            smerf_error *error) {
    size_t n = sm_slots_needed(problem);
    *slots = (sm_slots){.problem = problem, .search = search, .n_all = n, .new_of = by_slot};
    slots->n_blocks = make_blocks(problem, slots->block);
    sm_arena *arena = &slots->arena;
    slots->items = sm_arena_take(arena, n, sizeof *slots->items);
    slots->draws = sm_arena_take(arena, n, sizeof *slots->draws);
    if (problem->most_alike > 1) slots->tie_bits = sm_arena_take(arena, n, sizeof *slots->tie_bits);
    slots->weight =
        sm_arena_take(arena, problem->engine->lists_slots ? 0 : problem->most_in_bag, sizeof *slots->weight);
    slots->order = sm_arena_take(arena, problem->most_in_bag, sizeof *slots->order);
    if (!arena->has_failed) return SMERF_OK;
    sm_slots_free(slots);
    return sm_no_memory(error, "preparing to grow trees");
}

void sm_slots_free(sm_slots *slots) { sm_arena_free(&slots->arena); }

static void put_in_slot(sm_slots *slots, size_t slot, uint32_t item, uint8_t draws) {
    const sm_problem *problem = slots->problem;
    slots->items[slot] = item;
    slots->draws[slot] = draws;
    if (slots->tie_bits != NULL) slots->tie_bits[slot] = problem->tie_bits[item];
    slots->order[slot] = (uint32_t)slot;
    if (!problem->engine->lists_slots)
        slots->weight[slot] = draws * (problem->item_weights != NULL ? problem->item_weights[item] : 1);
}

static void turn_to_tree(sm_slots *slots, size_t n) {
    slots->n_in_bag = n;
    for (size_t b = 0; b < slots->n_blocks; b++) slots->block[b].first = slots->block[b].end = 0;
    const sm_engine *engine = slots->problem->engine;
    if (engine->start != NULL) engine->start(slots->search, slots->items, slots->draws, n);
}

/* That a bootstrap draws one of n items more than 255 times has a chance of less than n / 256!. */
bool sm_slots_fill(sm_slots *slots, const uint32_t *draws) {
    const sm_problem *problem = slots->problem;
    size_t n = 0;
    for (size_t k = 0; k < problem->n_items; k++) {
        size_t i = problem->near_order != NULL ? problem->near_order[k] : k;
        if (draws[i] == 0) continue;
        if (n == problem->most_in_bag || draws[i] > SM_MOST_DRAWS) return false;
        put_in_slot(slots, n++, (uint32_t)i, (uint8_t)draws[i]);
    }
    turn_to_tree(slots, n);
    return true;
}

void sm_slots_take(sm_slots *slots, const uint32_t *items, const uint8_t *draws, size_t n) {
    for (size_t k = 0; k < n; k++) put_in_slot(slots, k, items[k], draws[k]);
    turn_to_tree(slots, n);
}

uint64_t sm_slots_alike(const sm_slots *slots, size_t first, size_t n) {
    if (n > slots->problem->most_alike) return 0;
    uint64_t alike = UINT64_MAX;
    for (size_t k = first; k < first + n; k++) alike &= slots->tie_bits[slots->order[k]];
    return alike;
}

static void move_to_block(sm_slots *slots, sm_block *to, size_t first, size_t n, sm_sorted *sorted) {
    uint32_t *order = slots->order + first;
    slots->problem->engine->move(slots->search, order, n, to->first_slot);
    for (size_t k = 0; k < n; k++) {
        uint32_t old_slot = order[k], new_slot = (uint32_t)(to->first_slot + k);
        slots->items[new_slot] = slots->items[old_slot];
        slots->draws[new_slot] = slots->draws[old_slot];
        if (slots->tie_bits != NULL) slots->tie_bits[new_slot] = slots->tie_bits[old_slot];
        slots->new_of[old_slot] = order[k] = new_slot;
    }
    to->first = first;
    to->end = first + n;
    if (sm_sorted_holds(sorted, first)) sm_sorted_renumber(sorted, first, n, slots->new_of);
}

void sm_slots_turn(sm_slots *slots, size_t first, size_t n, sm_sorted *sorted) {
    size_t b = 0;
    while (b < slots->n_blocks && n > slots->block[b].most) b++;
    if (b == slots->n_blocks) return;
    bool is_there = first >= slots->block[b].first && first < slots->block[b].end;
    if (!is_there) move_to_block(slots, &slots->block[b], first, n, sorted);
}
