/* arena.h - several arrays that are made together and freed together: a thread's room for its work.
 *
 * Take them one after the other and ask once, at the end, whether all of them are there. */
#ifndef SM_BASE_ARENA_H
#define SM_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sm_arena {
    void **arrays;
    size_t n, capacity;
    bool has_failed;
} sm_arena; /* filled with zeros, it is empty and ready */

/* An uninitialised array on a cache line; NULL if memory ran out, now or before. */
void *sm_arena_take(sm_arena *arena, size_t count, size_t size);

/* The same for what may be large and will be filled: in huge pages where there are any, see sm_aligned_whole. */
void *sm_arena_take_whole(sm_arena *arena, size_t count, size_t size);

/* An array filled with zero bytes. */
void *sm_arena_take_zeros(sm_arena *arena, size_t count, size_t size);

void sm_arena_free(sm_arena *arena);

#endif
