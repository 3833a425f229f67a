/* sort.c - see sort.h. */
#include "base/sort.h"

#include <string.h>

enum { FEW = 32, BYTES = 8, BUCKETS = 256 };

/* The bits of a double order like those of a whole number with a sign, except that negative ones run backwards. */
uint64_t sm_sort_key(double number) {
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t bits;
    number += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

static void insert(uint64_t *keys, uint32_t *places, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        uint32_t place = places[i];
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) {
            keys[j] = keys[j - 1];
            places[j] = places[j - 1];
        }
        keys[j] = key;
        places[j] = place;
    }
}

static void pass(const uint64_t *keys, const uint32_t *places, size_t n, unsigned shift, size_t *counts,
                 uint64_t *out_keys, uint32_t *out_places) {
    size_t next = 0;
    for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
        size_t count = counts[bucket];
        counts[bucket] = next;
        next += count;
    }
    for (size_t i = 0; i < n; i++) {
        size_t to = counts[keys[i] >> shift & (BUCKETS - 1)]++;
        out_keys[to] = keys[i];
        out_places[to] = places[i];
    }
}

void sm_sort(uint64_t *keys, uint32_t *places, size_t n, uint64_t *spare_keys, uint32_t *spare_places) {
    if (n <= FEW) {
        insert(keys, places, n);
        return;
    }
    uint64_t all_and = UINT64_MAX, all_or = 0;
    for (size_t i = 0; i < n; i++) {
        all_and &= keys[i];
        all_or |= keys[i];
    }
    uint64_t *from_keys = keys, *to_keys = spare_keys;
    uint32_t *from_places = places, *to_places = spare_places;
    for (unsigned byte = 0; byte < BYTES; byte++) {
        unsigned shift = byte * 8;
        if (((all_and ^ all_or) >> shift & (BUCKETS - 1)) == 0) continue;
        size_t counts[BUCKETS] = {0};
        for (size_t i = 0; i < n; i++) counts[from_keys[i] >> shift & (BUCKETS - 1)]++;
        pass(from_keys, from_places, n, shift, counts, to_keys, to_places);
        uint64_t *keys_now = to_keys;
        uint32_t *places_now = to_places;
        to_keys = from_keys;
        to_places = from_places;
        from_keys = keys_now;
        from_places = places_now;
    }
    if (from_keys != keys) {
        memcpy(keys, from_keys, n * sizeof *keys);
        memcpy(places, from_places, n * sizeof *places);
    }
}
