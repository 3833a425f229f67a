/* effort.h - how much is tried.
 *
 * A sanitizer makes a program several times slower, and sees a mistake in the first case of its kind. Under one there are
 * fewer repetitions, and smaller sizes, of the same kinds of case; a plain build tries everything. */
#ifndef TESTS_UNIT_EFFORT_H
#define TESTS_UNIT_EFFORT_H

#include <stdbool.h>
#include <stddef.h>

#ifndef __has_feature /* clang's way to tell; gcc defines a macro */
#define __has_feature(name) 0
#endif

#if defined __SANITIZE_THREAD__ || __has_feature(thread_sanitizer)
enum { IS_SANITIZED = 1, HAS_THREAD_SANITIZER = 1, TIMES_LESS = 16 };
#elif defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
enum { IS_SANITIZED = 1, HAS_THREAD_SANITIZER = 0, TIMES_LESS = 3 };
#else
enum { IS_SANITIZED = 0, HAS_THREAD_SANITIZER = 0, TIMES_LESS = 1 };
#endif

/* Of n repetitions, as many as there is time for.   least  as many as there are kinds of case that take turns */
static inline size_t repetitions(size_t n, size_t least) {
    size_t fewer = n / TIMES_LESS;
    return fewer > least ? fewer : least;
}

/* One that is large enough for the claim, where there is no time for the usual one. */
static inline size_t usual_or(size_t usual, size_t large_enough) { return IS_SANITIZED ? large_enough : usual; }

#endif
