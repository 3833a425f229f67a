/* arena.c - see memory.h; apart from memory.c, which tests compile with an allocator that fails. */
#include "base/memory.h"

#include <string.h>

static void *take(sm_arena *arena, size_t count, size_t size, void *(*make)(size_t, size_t)) {
    void *array = NULL;
    if (!arena->has_failed && sm_grow((void **)&arena->arrays, &arena->capacity, arena->n + 1, sizeof *arena->arrays))
        array = make(count, size);
    if (array != NULL)
        arena->arrays[arena->n++] = array;
    else
        arena->has_failed = true;
    return array;
}

void *sm_arena_take(sm_arena *arena, size_t count, size_t size) { return take(arena, count, size, sm_aligned); }

void *sm_arena_take_whole(sm_arena *arena, size_t count, size_t size) {
    return take(arena, count, size, sm_aligned_whole);
}

void *sm_arena_take_zeros(sm_arena *arena, size_t count, size_t size) {
    void *array = sm_arena_take(arena, count, size);
    if (array != NULL) memset(array, 0, count * size);
    return array;
}

void sm_arena_free(sm_arena *arena) {
    for (size_t i = 0; i < arena->n; i++) sm_free(arena->arrays[i]);
    sm_free(arena->arrays);
    *arena = (sm_arena){0};
}
