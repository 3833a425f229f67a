/* random.h - random numbers that depend only on where they are used.
 *
 * A counter-based generator (Philox 4x32 with ten rounds: Salmon, Moraes, Dror & Shaw 2011) turns
 * (seed, tree, stream, block) into four random words. Every node of every tree therefore has a stream of its own,
 * and neither threads nor the order of the work can change what it holds. */
#ifndef SM_BASE_RANDOM_H
#define SM_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct sm_random {
    uint64_t seed;   /* the key */
    uint32_t tree;   /* which tree, or which part of a data set */
    uint64_t stream; /* which node of the tree, or what the numbers are for: SM_STREAM_* */
    uint32_t block;  /* how many blocks of four words have been made */
    uint32_t words[4];
    unsigned n_left; /* words not yet handed out */
} sm_random;

/* The generator itself: four words from a counter and a key. */
void sm_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

void sm_random_start(sm_random *random, uint64_t seed, uint32_t tree, uint64_t stream);

uint32_t sm_random_word(sm_random *random);

/* A whole number in 0 ... bound - 1, each equally likely; bound > 0. */
uint32_t sm_random_below(sm_random *random, uint32_t bound);

/* The same for large bounds; bounds below 2^32 give the numbers that sm_random_below gives. */
uint64_t sm_random_below_64(sm_random *random, uint64_t bound);

/* Uniform in [0, 1), a multiple of 2^-53. */
double sm_random_uniform(sm_random *random);

/* Standard normal. */
double sm_random_normal(sm_random *random);

/* Shuffles values[0 .. n). */
void sm_random_shuffle(sm_random *random, uint32_t *values, size_t n);

/* The stream of a child node, from its parent's: a mix of 64 bits, so that paths do not collide. */
uint64_t sm_random_child(uint64_t stream, unsigned side);

/* Streams that are not nodes. Those of nodes start from SM_STREAM_ROOT and are mixed, hence far from these. */
enum {
    SM_STREAM_SAMPLE = 1,
    SM_STREAM_ROOT = 2,
    SM_STREAM_SIMULATE = 3,
    SM_STREAM_PERMUTE = 4,
    SM_STREAM_SPLIT = 5,
    SM_STREAM_COMPLETE = 6,
    SM_STREAM_CHAIN = 7,
    SM_STREAM_SHUFFLE = 8,
    SM_STREAM_NEW_NODE = 9,
    SM_STREAM_WATCHED = 10,
    SM_STREAM_PAIRS = 11,
    SM_STREAM_LANDMARKS = 13,
    SM_STREAM_MEDOIDS = 14,
    SM_STREAM_MEANS = 15,
    SM_STREAM_JUDGES = 16,
    SM_STREAM_MANTEL = 17,
    SM_STREAM_FOLDS = 18,
    SM_STREAM_GROUPS = 19,
    SM_STREAM_ROUND = 20,
    SM_STREAM_SHRINKAGE = 21
};

#endif
