/* memory.h - arrays whose size cannot overflow, arenas, and how much memory there is.
 *
 * Every allocation of the library goes through here, which is how tests let any of them fail. */
#ifndef SM_BASE_MEMORY_H
#define SM_BASE_MEMORY_H

#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

/* Arrays for vector kernels start on a cache line. */
#define SM_ALIGNMENT ((size_t)64)

/* An uninitialised array of count elements, or NULL. Never NULL for count 0. */
void *sm_array(size_t count, size_t size);

/* The same, filled with zero bytes. */
void *sm_zeros(size_t count, size_t size);

/* The same as sm_array, starting on a cache line. Freed with sm_free like the others. */
void *sm_aligned(size_t count, size_t size);

/* The same, aligned to blocks of a disk, as direct I/O wants its buffers. */
#define SM_DISK_BLOCK ((size_t)4096)
void *sm_in_disk_blocks(size_t count, size_t size);

/* The same as sm_aligned, for an array that will be written from end to end: a large one is laid into huge pages where the system
 * has them. That takes one page fault for 2 MB instead of 512, and fewer TLB misses down its columns; but an array that is never
 * filled would take more memory than it needs. */
void *sm_aligned_whole(size_t count, size_t size);

/* A copy of count elements, or NULL. */
void *sm_copy(const void *source, size_t count, size_t size);
char *sm_copy_string(const char *source);

/* Reserves a capacity of `needed` elements for *array, which has *capacity; contents are kept. False: no memory, and
 * *array is as it was. */
bool sm_grow(void **array, size_t *capacity, size_t needed, size_t size);

/* Cuts an array to its first `count` elements: the same array, or one that was moved; never NULL. */
void *sm_shrink(void *array, size_t count, size_t size);

void sm_free(void *array);

/* Refuses a need that is larger than what the machine can give now, with its size, before asking for it. */
smerf_status sm_check_memory(double bytes, const char *what, smerf_error *error);

/* a * b + c, or SIZE_MAX if that does not fit. */
size_t sm_size(size_t a, size_t b, size_t c);

/* ---- an arena: arrays that are freed together, such as a thread's scratch.
 *
 * Take them one after the other, and look once, at the end, whether all of them are there (has_failed). ---- */

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
