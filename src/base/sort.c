/* sort.c - insertion sort, radix sort by the digits that differ, and bucket sort for doubles that are spread evenly: see sort.h. */
#include "base/sort.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { FEW = 32, MANY = 1 << 14, MOST_DIGIT_BITS = 11, MOST_BUCKETS = 1 << MOST_DIGIT_BITS };

int sm_by_index(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The bits of a double order like those of a whole number with a sign, except that negative ones run backwards. */
uint64_t sm_sort_key(double number) {
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t bits;
    number += 0.0; /* -0 becomes 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

/* Keys and their indices, moved together; `spare` is where a pass writes to. */
typedef struct key_run {
    uint64_t *keys, *spare_keys;
    uint32_t *indices, *spare_indices;
    size_t n;
} key_run;

/* Insertion sort, which is quick on what is nearly sorted. Gives up after so many moves: false. */
static bool insert_keys(key_run *sorted, size_t most_moves) {
    uint64_t *keys = sorted->keys;
    uint32_t *indices = sorted->indices;
    for (size_t i = 1; i < sorted->n; i++) {
        uint64_t key = keys[i];
        uint32_t index = indices[i];
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) {
            keys[j] = keys[j - 1];
            indices[j] = indices[j - 1];
        }
        keys[j] = key;
        indices[j] = index;
        if (i - j > most_moves) return false;
        most_moves -= i - j;
    }
    return true;
}

/* One pass of the radix sort: by one digit, keeping the order of equal ones. */
static void radix_pass(key_run *sorted, unsigned shift, unsigned bits) {
    uint32_t counts[MOST_BUCKETS], next = 0;
    size_t n_buckets = (size_t)1 << bits;
    uint64_t mask = n_buckets - 1;
    const uint64_t *keys = sorted->keys;
    memset(counts, 0, n_buckets * sizeof *counts);
    for (size_t i = 0; i < sorted->n; i++) counts[keys[i] >> shift & mask]++;
    for (size_t bucket = 0; bucket < n_buckets; bucket++) {
        uint32_t count = counts[bucket];
        counts[bucket] = next;
        next += count;
    }
    for (size_t i = 0; i < sorted->n; i++) {
        uint32_t to = counts[keys[i] >> shift & mask]++;
        sorted->spare_keys[to] = keys[i];
        sorted->spare_indices[to] = sorted->indices[i];
    }
    *sorted = (key_run){.keys = sorted->spare_keys,
                        .spare_keys = sorted->keys,
                        .indices = sorted->spare_indices,
                        .spare_indices = sorted->indices,
                        .n = sorted->n};
}

/* The bits in which not all keys agree lie in [*low, *high). */
static void find_bits(const uint64_t *keys, size_t n, unsigned *low, unsigned *high) {
    uint64_t differing = 0;
    for (size_t i = 1; i < n; i++) differing |= keys[i] ^ keys[0];
    *low = differing != 0 ? (unsigned)__builtin_ctzll(differing) : 0;
    *high = differing != 0 ? 64 - (unsigned)__builtin_clzll(differing) : 0;
}

void sm_sort(uint64_t *keys, uint32_t *indices, size_t n, uint64_t *spare_keys, uint32_t *spare_indices) {
    key_run sorted = {
        .keys = keys, .spare_keys = spare_keys, .indices = indices, .spare_indices = spare_indices, .n = n};
    if (n <= FEW) {
        insert_keys(&sorted, SIZE_MAX);
        return;
    }
    unsigned low, high, bits = n < MOST_BUCKETS ? 8 : MOST_DIGIT_BITS;
    unsigned top = (n < MANY ? 2 : 3) * bits; /* of a double: its sign, its exponent, and enough of its fraction */
    find_bits(keys, n, &low, &high);
    bool is_sorted = false;
    if (high - low > top) { /* the leading bits nearly sort numbers; insertion sort does the rest, as a rule */
        for (unsigned shift = high - top; shift < high; shift += bits) radix_pass(&sorted, shift, bits);
        is_sorted = insert_keys(&sorted, 4 * n);
    }
    for (unsigned shift = low; shift < high && !is_sorted; shift += bits) radix_pass(&sorted, shift, bits);
    if (sorted.keys != keys) {
        memcpy(keys, sorted.keys, n * sizeof *keys);
        memcpy(indices, sorted.indices, n * sizeof *indices);
    }
}

/* ---- numbers that are spread evenly ---- */

enum { MOST_SPREAD_BUCKETS = 1 << 14, MOST_SPREAD = 1 << 17, MOVES_A_NUMBER = 4 };

/* Takes numbers from the spare arrays one after the other and puts each where it belongs. Gives up after so many moves:
 * false. */
static bool insert_numbers(double *numbers, uint32_t *indices, size_t n, const double *from,
                           const uint32_t *from_indices, size_t most_moves) {
    for (size_t i = 0; i < n; i++) {
        double number = from[i];
        size_t j = i;
        for (; j > 0 && numbers[j - 1] > number; j--) {
            numbers[j] = numbers[j - 1];
            indices[j] = indices[j - 1];
        }
        numbers[j] = number;
        indices[j] = from_indices[i];
        if (i - j > most_moves) return false;
        most_moves -= i - j;
    }
    return true;
}

/* Bucket sort: numbers to buckets of equal width, in their order. False: their range is too wide or too narrow. */
static bool spread_numbers(const double *numbers, const uint32_t *indices, size_t n, double *to, uint32_t *to_indices) {
    uint32_t next[MOST_SPREAD_BUCKETS], sum = 0;
    double low = numbers[0], high = numbers[0];
    for (size_t i = 1; i < n; i++) {
        low = numbers[i] < low ? numbers[i] : low;
        high = numbers[i] > high ? numbers[i] : high;
    }
    size_t n_buckets = FEW;
    while (n_buckets < n && n_buckets < MOST_SPREAD_BUCKETS) n_buckets *= 2;
    double a_bucket = (double)(n_buckets - 1) / (high - low);
    if (!(high - low <= DBL_MAX && a_bucket <= DBL_MAX)) return false;
    memset(next, 0, n_buckets * sizeof *next);
    for (size_t i = 0; i < n; i++) next[(size_t)((numbers[i] - low) * a_bucket)]++;
    for (size_t bucket = 0; bucket < n_buckets; bucket++) {
        uint32_t count = next[bucket];
        next[bucket] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t at = next[(size_t)((numbers[i] - low) * a_bucket)]++;
        to[at] = numbers[i];
        to_indices[at] = indices[i];
    }
    return true;
}

static void sort_by_keys(double *numbers, uint32_t *indices, size_t n, double *spare, uint32_t *spare_indices) {
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t *keys = (uint64_t *)(void *)numbers; /* the same bytes, never read as both */
    for (size_t i = 0; i < n; i++) keys[i] = sm_sort_key(numbers[i]);
    sm_sort(keys, indices, n, (uint64_t *)(void *)spare, spare_indices);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = keys[i] & sign ? keys[i] & ~sign : ~keys[i];
        memcpy(&numbers[i], &bits, sizeof bits);
    }
}

/* Returns how many are numbers. */
static size_t put_missing_last(double *numbers, uint32_t *indices, size_t n, uint32_t *missing) {
    size_t n_present = 0, n_missing = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t index = indices[i];
        if (isnan(numbers[i])) {
            missing[n_missing++] = index;
        } else {
            numbers[n_present] = numbers[i];
            indices[n_present++] = index;
        }
    }
    if (n_missing > 0) memcpy(indices + n_present, missing, n_missing * sizeof *indices);
    return n_present;
}

static void sort_present(double *numbers, uint32_t *indices, size_t n, double *spare, uint32_t *spare_indices) {
    if (n > FEW && (n > MOST_SPREAD || !spread_numbers(numbers, indices, n, spare, spare_indices))) {
        sort_by_keys(numbers, indices, n, spare, spare_indices);
        return;
    }
    if (n <= FEW) {
        memcpy(spare, numbers, n * sizeof *spare);
        memcpy(spare_indices, indices, n * sizeof *indices);
        insert_numbers(numbers, indices, n, spare, spare_indices, SIZE_MAX);
    } else if (!insert_numbers(numbers, indices, n, spare, spare_indices, MOVES_A_NUMBER * n)) {
        memcpy(numbers, spare, n * sizeof *numbers); /* where they are in their order, if equal */
        memcpy(indices, spare_indices, n * sizeof *indices);
        sort_by_keys(numbers, indices, n, spare, spare_indices);
    }
}

size_t sm_sort_numbers(double *numbers, uint32_t *indices, size_t n, double *spare, uint32_t *spare_indices) {
    size_t n_present = put_missing_last(numbers, indices, n, spare_indices);
    sort_present(numbers, indices, n_present, spare, spare_indices);
    return n_present;
}

/* ---- packed ranks ---- */

enum { WIDE_BITS = 11, WIDE_BUCKETS = 1 << WIDE_BITS, MOST_ONE_PASS = 4 * WIDE_BUCKETS };

/* Gives up after so many moves: false. */
static bool insert_packed(uint64_t *packed, size_t n, size_t most_moves) {
    for (size_t i = 1; i < n; i++) {
        uint64_t key = packed[i];
        size_t j = i;
        for (; j > 0 && packed[j - 1] > key; j--) packed[j] = packed[j - 1];
        packed[j] = key;
        if (i - j > most_moves) return false;
        most_moves -= i - j;
    }
    return true;
}

static void radix_pass_packed(const uint64_t *from, uint64_t *to, size_t n, unsigned shift, unsigned bits) {
    uint32_t next[WIDE_BUCKETS];
    size_t n_buckets = (size_t)1 << bits;
    uint64_t mask = n_buckets - 1;
    memset(next, 0, n_buckets * sizeof *next);
    for (size_t i = 0; i < n; i++) next[from[i] >> shift & mask]++;
    uint32_t start = 0;
    for (size_t bucket = 0; bucket < n_buckets; bucket++) {
        uint32_t count = next[bucket];
        next[bucket] = start;
        start += count;
    }
    for (size_t i = 0; i < n; i++) to[next[from[i] >> shift & mask]++] = from[i];
}

/* As many bits as number the keys, but no more than a pass can take. */
static unsigned bits_for(size_t n) {
    unsigned bits = 64 - (unsigned)__builtin_clzll(n);
    return bits < WIDE_BITS ? bits : WIDE_BITS;
}

void sm_sort_packed(uint64_t *packed, size_t n, uint64_t *spare) {
    if (n <= FEW) {
        insert_packed(packed, n, SIZE_MAX);
        return;
    }
    unsigned low, high, bits = bits_for(n);
    find_bits(packed, n, &low, &high);
    if (low < 32) low = 32; /* indices ascend already */
    if (high > low + bits &&
        n <= MOST_ONE_PASS) { /* the leading bits nearly sort ranks; insertion sort does the rest */
        radix_pass_packed(packed, spare, n, high - bits, bits);
        memcpy(packed, spare, n * sizeof *packed);
        if (insert_packed(packed, n, 4 * n)) return;
        low = 0; /* indices of equal ranks may have been moved past each other */
    }
    uint64_t *from = packed, *to = spare;
    for (unsigned shift = low; shift < high; shift += bits) {
        radix_pass_packed(from, to, n, shift, bits);
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != packed) memcpy(packed, from, n * sizeof *packed);
}
