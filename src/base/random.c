/* random.c - Philox, and uniform, normal and bounded numbers from its words: see random.h. */
#include "base/random.h"

#include <math.h>

void sm_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]) {
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t product0 = (uint64_t)0xD2511F53u * c0;
        uint64_t product1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(product1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)product1;
        c2 = (uint32_t)(product0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)product0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    words[0] = c0;
    words[1] = c1;
    words[2] = c2;
    words[3] = c3;
}

void sm_random_start(sm_random *random, uint64_t seed, uint32_t tree, uint64_t stream) {
    *random = (sm_random){.seed = seed, .tree = tree, .stream = stream};
}

uint32_t sm_random_word(sm_random *random) {
    if (random->n_left == 0) {
        const uint32_t counter[4] = {random->block++, random->tree, (uint32_t)random->stream,
                                     (uint32_t)(random->stream >> 32)};
        const uint32_t key[2] = {(uint32_t)random->seed, (uint32_t)(random->seed >> 32)};
        sm_philox(counter, key, random->words);
        random->n_left = 4;
    }
    return random->words[4 - random->n_left--];
}

/* Lemire's multiply-and-reject: the high word of word * bound, unless its low word falls into the short stretch
 * that would make small results likelier. */
uint32_t sm_random_below(sm_random *random, uint32_t bound) {
    uint64_t product = (uint64_t)sm_random_word(random) * bound;
    if ((uint32_t)product < bound) {
        uint32_t floor = (0u - bound) % bound;
        while ((uint32_t)product < floor) product = (uint64_t)sm_random_word(random) * bound;
    }
    return (uint32_t)(product >> 32);
}

uint64_t sm_random_below_64(sm_random *random, uint64_t bound) {
    if (bound <= UINT32_MAX) return sm_random_below(random, (uint32_t)bound);
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound; /* a multiple of bound */
    for (;;) {
        uint64_t high = sm_random_word(random);
        uint64_t value = high << 32 | sm_random_word(random);
        if (value < limit) return value % bound;
    }
}

double sm_random_uniform(sm_random *random) {
    uint64_t high = sm_random_word(random) >> 5;
    uint64_t low = sm_random_word(random) >> 6;
    return (double)(high << 26 | low) * 0x1p-53;
}

/* Box and Muller's transform; the second of the pair is not kept, so that a stream has no hidden state. */
double sm_random_normal(sm_random *random) {
    double radius = sqrt(-2 * log(1 - sm_random_uniform(random)));
    return radius * cos(6.283185307179586 * sm_random_uniform(random));
}

void sm_random_shuffle(sm_random *random, uint32_t *values, size_t n) {
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)sm_random_below_64(random, i);
        uint32_t value = values[i - 1];
        values[i - 1] = values[j];
        values[j] = value;
    }
}

/* The finaliser of SplitMix64, applied to the parent's stream and the side. */
uint64_t sm_random_child(uint64_t stream, unsigned side) {
    uint64_t mixed = stream * 2 + side + 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}
