/* held.c - see held.h. What one node has marked is unmarked by the next. */
#include "train/split/held.h"

#include "base/sort.h"

void sm_held_start(sm_held *held, sm_arena *arena, size_t most_levels, size_t n_items) {
    size_t most = most_levels < n_items ? most_levels : n_items;
    *held = (sm_held){.level = sm_arena_take(arena, most, sizeof *held->level),
                      .index_of = sm_arena_take(arena, most_levels, sizeof *held->index_of),
                      .keys = sm_arena_take(arena, most, sizeof *held->keys),
                      .spare = sm_arena_take(arena, most, sizeof *held->spare)};
    for (size_t level = 0; level < most_levels && held->index_of != NULL; level++)
        held->index_of[level] = SMERF_MISSING;
}

void sm_held_find(sm_held *held, const uint32_t *codes, const sm_node *node) {
    for (size_t i = 0; i < held->n; i++) held->index_of[held->level[i]] = SMERF_MISSING;
    held->n = 0;
    for (size_t k = 0; k < node->n; k++) {
        uint32_t code = codes[node->items[k]];
        if (code == SMERF_MISSING || held->index_of[code] != SMERF_MISSING) continue;
        held->index_of[code] = 0;
        held->keys[held->n] = sm_pack_rank(code, (uint32_t)held->n);
        held->n++;
    }
    sm_sort_packed(held->keys, held->n, held->spare);
    for (size_t i = 0; i < held->n; i++) {
        held->level[i] = sm_packed_rank(held->keys[i]);
        held->index_of[held->level[i]] = (uint32_t)i;
    }
}
