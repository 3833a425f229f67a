/* status.h - how a failure is reported: a code, a sentence, and where it applies a cell. */
#ifndef SM_BASE_STATUS_H
#define SM_BASE_STATUS_H

#include "smerf.h"

/* Fills *error (which may be NULL) and returns status, so that `return sm_fail(...)` reads as one thought.
 *
 * A sentence names an option in braces, by the command's name with _ for -: "{min_parent}: %zu is below 2", or with a value,
 * "fitted with {sample none}". The message has it without braces, and a mention says where it stands: the command makes
 * --min-parent of it, Python min_parent. (Decision 36.) */
smerf_status sm_fail(smerf_error *error, smerf_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, pointing at a cell of a matrix. */
smerf_status sm_fail_at(smerf_error *error, size_t row, size_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The sentence of another error, with its mentions, behind the words of the format.
 *   skip  so many of its first bytes are left out */
smerf_status sm_fail_within(smerf_error *error, const smerf_error *inner, size_t skip, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Memory ran out while doing `what`. */
smerf_status sm_no_memory(smerf_error *error, const char *what);

#endif
