/* memory.c - checked sizes, aligned arrays, huge pages, the memory that is free, arenas: see memory.h. */
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

size_t sm_size(size_t a, size_t b, size_t c) {
    size_t product, sum;
    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(product, c, &sum)) return SIZE_MAX;
    return sum;
}

void *sm_array(size_t count, size_t size) {
    size_t bytes = sm_size(count, size, 0);
    if (bytes > PTRDIFF_MAX) return NULL;
    return malloc(bytes == 0 ? 1 : bytes);
}

void *sm_zeros(size_t count, size_t size) { return count == 0 || size == 0 ? calloc(1, 1) : calloc(count, size); }

/* In one unit at least: aligned_alloc wants whole ones. */
static void *in_units(size_t count, size_t size, size_t unit) {
    size_t bytes = sm_size(count, size, unit);
    return bytes > PTRDIFF_MAX ? NULL : aligned_alloc(unit, bytes / unit * unit);
}

void *sm_aligned(size_t count, size_t size) { return in_units(count, size, SM_ALIGNMENT); }

void *sm_in_disk_blocks(size_t count, size_t size) { return in_units(count, size, SM_DISK_BLOCK); }

/* glibc maps arrays from here on by themselves, so that what is said of their pages is said of nothing else. */
static const size_t large_array = (size_t)32 << 20, huge_page = (size_t)2 << 20;

void *sm_aligned_whole(size_t count, size_t size) {
    size_t bytes = sm_size(count, size, huge_page);
    if (bytes < large_array) return sm_aligned(count, size);
    if (bytes > PTRDIFF_MAX) return NULL;
    size_t n_pages = bytes / huge_page; /* one more than the array fills, of which it may need a part */
    char *array = aligned_alloc(huge_page, n_pages * huge_page);
#ifdef MADV_HUGEPAGE
    /* Its last part stays in small pages, so that it takes no more memory than it needs. A hint: nothing depends on it. */
    if (array != NULL) (void)madvise(array, (n_pages - 1) * huge_page, MADV_HUGEPAGE);
#endif
    return array;
}

void *sm_copy(const void *source, size_t count, size_t size) {
    void *copy = sm_array(count, size);
    if (copy != NULL && count > 0) memcpy(copy, source, count * size);
    return copy;
}

char *sm_copy_string(const char *source) { return sm_copy(source, strlen(source) + 1, 1); }

bool sm_grow(void **array, size_t *capacity, size_t needed, size_t size) {
    if (needed <= *capacity) return true;
    size_t wanted = *capacity < 16 ? 16 : *capacity;
    while (wanted < needed) {
        if (wanted > SIZE_MAX / 2) return false;
        wanted *= 2;
    }
    size_t bytes = sm_size(wanted, size, 0);
    if (bytes > PTRDIFF_MAX) return false;
    void *larger = realloc(*array, bytes);
    if (larger == NULL) return false;
    *array = larger;
    *capacity = wanted;
    return true;
}

void *sm_shrink(void *array, size_t count, size_t size) {
    size_t bytes = sm_size(count, size, 0);
    void *smaller = realloc(array, bytes > 0 ? bytes : 1);
    if (smaller != NULL) array = smaller; /* else it stays as large as it was */
    return array;
}

void sm_free(void *array) { free(array); }

/* What the kernel would give without swapping; the physical memory where it does not say. */
static double available_bytes(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    double bytes = -1;
    if (file != NULL) {
        char line[128];
        double kilobytes;
        while (fgets(line, sizeof line, file) != NULL)
            if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) == 1) bytes = kilobytes * 1024;
        fclose(file);
    }
    if (bytes < 0) bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return bytes;
}

smerf_status sm_check_memory(double bytes, const char *what, smerf_error *error) {
    if (bytes < 64e6) return SMERF_OK; /* not worth reading /proc */
    double available = available_bytes();
    if (bytes <= available) return SMERF_OK;
    return sm_fail(error, SMERF_NO_MEMORY, "%s needs %.1f GB of memory, and %.1f GB are free", what, bytes / 1e9,
                   available / 1e9);
}

/* ---- arenas ---- */

static void *take_with(sm_arena *arena, size_t count, size_t size, void *(*make)(size_t, size_t)) {
    void *array = NULL;
    if (!arena->has_failed && sm_grow((void **)&arena->arrays, &arena->capacity, arena->n + 1, sizeof *arena->arrays))
        array = make(count, size);
    if (array != NULL)
        arena->arrays[arena->n++] = array;
    else
        arena->has_failed = true;
    return array;
}

void *sm_arena_take(sm_arena *arena, size_t count, size_t size) { return take_with(arena, count, size, sm_aligned); }

void *sm_arena_take_whole(sm_arena *arena, size_t count, size_t size) {
    return take_with(arena, count, size, sm_aligned_whole);
}

static void *aligned_zeros(size_t count, size_t size) {
    void *array = sm_aligned(count, size);
    if (array != NULL) memset(array, 0, count * size);
    return array;
}

void *sm_arena_take_zeros(sm_arena *arena, size_t count, size_t size) {
    return take_with(arena, count, size, aligned_zeros);
}

void sm_arena_free(sm_arena *arena) {
    for (size_t i = 0; i < arena->n; i++) sm_free(arena->arrays[i]);
    sm_free(arena->arrays);
    *arena = (sm_arena){0};
}
