/* hash.c - see hash.h. A sm_checksum is the state of xxhash under our name: no other file includes it. */
#include "base/hash.h"

#include <stdio.h>
#include <xxhash.h>

uint64_t sm_hash(const void *bytes, size_t n, uint64_t seed) { return XXH3_64bits_withSeed(bytes, n, seed); }

sm_checksum *sm_checksum_new(void) {
    XXH3_state_t *state = XXH3_createState();
    if (state != NULL) XXH3_128bits_reset(state);
    return (sm_checksum *)state;
}

void sm_checksum_add(sm_checksum *checksum, const void *bytes, size_t n) {
    XXH3_128bits_update((XXH3_state_t *)checksum, bytes, n);
}

void sm_checksum_finish(sm_checksum *checksum, char digits[33]) {
    XXH128_hash_t hash = XXH3_128bits_digest((XXH3_state_t *)checksum);
    snprintf(digits, 33, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
    XXH3_freeState((XXH3_state_t *)checksum);
}
