/* output.h - a file that is either written whole or not at all.
 *
 * Bytes go to a temporary file in the folder of the wanted one, without a name (O_TMPFILE) where the file system can do that, so that
 * not even a kill leaves a trace; finishing flushes it to the disk and gives it the wanted name. Until then the old file,
 * if there is one, stays as it is. A path that exists and is not a regular file (/dev/null, a pipe)
 * and "-" (standard output) are written directly. */
#ifndef SM_BASE_OUTPUT_H
#define SM_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

typedef struct sm_output sm_output;

smerf_status sm_output_open(const char *path, sm_output **out, smerf_error *error);

/* Whether that would work, before hours of work are put into what shall be written. Leaves no trace. */
smerf_status sm_output_check(const char *path, smerf_error *error);

/* Buffered; a failure (a full disk, say) is kept and reported by sm_output_finish. */
void sm_output_write(sm_output *output, const void *bytes, size_t n_bytes);
void sm_output_print(sm_output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What the bytes go through on their way, such as compression: it takes them, and passes on what becomes of them. False: no memory.
 * `finish` passes on the rest. Set before the first byte; the output owns the state, and frees it. */
typedef struct sm_output_filter {
    void *state;
    bool (*write)(void *state, sm_output *output, const void *bytes, size_t n_bytes);
    bool (*finish)(void *state, sm_output *output);
    void (*free)(void *state);
} sm_output_filter;

void sm_output_set_filter(sm_output *output, const sm_output_filter *filter);
void sm_output_pass_on(sm_output *output, const void *bytes, size_t n_bytes); /* a filter's only */

/* Whether something has failed already, so that long writers can stop early. */
bool sm_output_has_failed(const sm_output *output);

/* Makes the file real, and frees output. On failure nothing is left behind. */
smerf_status sm_output_finish(sm_output *output, smerf_error *error);

/* Leaves no trace, and frees output; NULL is fine. */
void sm_output_abandon(sm_output *output);

#endif
