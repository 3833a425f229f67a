/* strings.h - an owned list of names. */
#ifndef SM_BASE_STRINGS_H
#define SM_BASE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sm_strings {
    size_t n;
    char **text; /* [n], each ended by NUL */
} sm_strings;

/* A copy of n names. False: no memory, and *strings is empty. */
bool sm_strings_copy(sm_strings *strings, const char *const *text, size_t n);

/* The names read from one block in which each is ended by NUL. False: no memory, or the block does not hold n. */
bool sm_strings_unpack(sm_strings *strings, const char *block, size_t n_bytes, size_t n);

/* That block, or NULL. */
char *sm_strings_pack(const sm_strings *strings, size_t *n_bytes);

void sm_strings_free(sm_strings *strings);

/* How many of n bytes are well-formed UTF-8, from the start. Names go into JSON, which knows nothing else. */
size_t sm_utf8_length(const char *text, size_t n);
bool sm_is_utf8(const char *text);

bool sm_strings_equal(const sm_strings *a, const sm_strings *b);

#endif
