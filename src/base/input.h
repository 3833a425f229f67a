/* input.h - a whole file as bytes: memory-mapped where possible, read where not ("-", pipes). Large pieces of a mapped file are
 * faster to read (pread), which causes no page faults. */
#ifndef SM_BASE_INPUT_H
#define SM_BASE_INPUT_H

#include "base/status.h"

typedef struct sm_input {
    const char *bytes;
    size_t n_bytes;
    bool is_mapped;
    int file; /* where it is mapped */
} sm_input;

/* SMERF_IO for a folder or a file that cannot be opened or read. The message starts with the path. */
smerf_status sm_input_open(const char *path, sm_input *input, smerf_error *error);
void sm_input_close(sm_input *input); /* fine on one filled with zeros */

/* Copies n bytes from `from` on, which the input has. False: the file cannot be read (errno says why), or has become shorter
 * meanwhile (errno is 0). Threads may read from one input at the same time. */
bool sm_input_read(const sm_input *input, size_t from, size_t n, void *to);

/* The bytes from `from` to `to` have been read: a mapped file's pages are given back, so that a pass over a large file
 * needs little memory. The bytes stay where they are, and come back from the file if they are read again. */
void sm_input_let_go(const sm_input *input, size_t from, size_t to);

/* Whether opening the path again would give the same bytes: not for "-" and pipes, which have gone by. */
bool sm_input_can_repeat(const char *path);

/* How messages call a path: "-" is "standard input". */
const char *sm_input_name(const char *path);

#endif
