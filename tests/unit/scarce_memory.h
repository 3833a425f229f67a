/* scarce_memory.h - calls for memory that fail, one after the other. To be included before anything else.
 *
 * The library asks for memory in one place, src/base/memory.c. A program with this header brings a copy of that file in
 * which every call can be made to fail, and the linker takes it instead of the library's. */
#ifndef TESTS_UNIT_SCARCE_MEMORY_H
#define TESTS_UNIT_SCARCE_MEMORY_H

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_long n_calls, n_live; /* calls so far; arrays that are in use */
static long failing_call;           /* from 1; 0: none fails */
static bool is_drought;             /* all that follow fail, too */
static bool always_shrinks;         /* to make an array smaller never fails */

static bool must_fail(void) {
    long call = atomic_fetch_add(&n_calls, 1) + 1;
    if (failing_call == 0 || call < failing_call || (call > failing_call && !is_drought)) return false;
    errno = ENOMEM;
    return true;
}

static void *counted(void *array) {
    if (array != NULL) atomic_fetch_add(&n_live, 1);
    return array;
}

static void *try_malloc(size_t n) { return must_fail() ? NULL : counted(malloc(n)); }
static void *try_calloc(size_t n, size_t size) { return must_fail() ? NULL : counted(calloc(n, size)); }
static void *try_aligned_alloc(size_t to, size_t n) { return must_fail() ? NULL : counted(aligned_alloc(to, n)); }
static void *try_realloc(void *array, size_t n) {
    if (always_shrinks && array != NULL && malloc_usable_size(array) >= n) return realloc(array, n);
    if (must_fail()) return NULL;
    return array == NULL ? counted(malloc(n)) : realloc(array, n);
}
static void counted_free(void *array) {
    if (array != NULL) atomic_fetch_sub(&n_live, 1);
    free(array);
}

#define malloc try_malloc
#define calloc try_calloc
#define aligned_alloc try_aligned_alloc
#define realloc try_realloc
#define free counted_free
#include "base/memory.c"
#undef malloc
#undef calloc
#undef aligned_alloc
#undef realloc
#undef free

#include "tests/unit/files.h"

/* From now on.   call  from 1; 0: none fails any more   and_all_after  those that follow fail, too */
static inline void let_fail(long call, bool and_all_after) {
    n_calls = 0;
    failing_call = call;
    is_drought = and_all_after;
}

/* ---- every call in turn ---- */

/* What may come of a failed call, besides SMERF_NO_MEMORY. */
enum { NOTHING_ELSE = 0, BAD_FILE = 1, SUCCESS = 2 };

/* A loop in which the first call fails, then the second, and so on; and then once more, with all that follow the failing
 * call failing, too:
 *
 *     for (shortage lack = {.of = "fitting"}; shortage_starts(&lack, &error);)
 *         shortage_ends(&lack, smerf_fit(..., &error), &error);
 */
typedef struct shortage {
    const char *of;   /* what is done */
    unsigned may_be;  /* what may come of it, besides SMERF_NO_MEMORY */
    long step;        /* from one failing call to the next; 0 is 1 */
    long call;        /* the one that fails */
    long n_before;    /* arrays in use before */
    bool is_over;     /* there were no more calls to fail */
    bool is_second;   /* time around */
    size_t n_refused; /* how often memory was said to be short */
} shortage;

/*   error  emptied; may be NULL */
static inline bool shortage_starts(shortage *lack, smerf_error *error) {
    if (lack->is_over && lack->is_second) return false;
    if (lack->is_over) {
        lack->is_over = false;
        lack->is_second = true;
        lack->call = 0;
    }
    lack->call += lack->call == 0 || lack->step == 0 ? 1 : lack->step;
    lack->n_before = n_live;
    if (error != NULL) *error = (smerf_error){0};
    let_fail(lack->call, lack->is_second);
    return true;
}

static inline bool is_expected(const shortage *lack, smerf_status status) {
    if (status == SMERF_OK) return lack->is_over || (lack->may_be & SUCCESS);
    bool is_fine = status == SMERF_NO_MEMORY || (status == SMERF_BAD_FILE && (lack->may_be & BAD_FILE));
    return is_fine && !lack->is_over;
}

/* Nothing was leaked, and what failed has said so.   error  may be NULL */
static inline void shortage_ends(shortage *lack, smerf_status status, const smerf_error *error) {
    const char *message = error != NULL ? error->message : "";
    lack->is_over = n_calls < lack->call;
    let_fail(0, false);
    if (n_live != lack->n_before) fail_msg("%s leaks when call %ld for memory fails", lack->of, lack->call);
    if (!is_expected(lack, status))
        fail_msg("%s, call %ld: status %d, \"%s\"", lack->of, lack->call, (int)status, message);
    if (error != NULL) assert_true(error->status == status && (message[0] != '\0') == (status != SMERF_OK));
    lack->n_refused += status == SMERF_NO_MEMORY;
}

#endif
