/* hash.h - fast hashes of bytes (XXH3). */
#ifndef SM_BASE_HASH_H
#define SM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t sm_hash(const void *bytes, size_t n, uint64_t seed);

/* A 128-bit hash of bytes that come in pieces, written as 32 lower-case hexadecimal digits. */
typedef struct sm_checksum sm_checksum;

sm_checksum *sm_checksum_new(void); /* NULL: no memory */
void sm_checksum_add(sm_checksum *checksum, const void *bytes, size_t n);
void sm_checksum_finish(sm_checksum *checksum, char digits[33]); /* frees checksum */

#endif
