/* shrinkage.h - how far predicted distances are drawn towards the mean: z' = m + s (z - m), m the mean of the known training
 * distances, s in (0, 1].
 *
 * A forest learns some noise; where there is little else, its distances are worse than their mean. The slope of the true
 * distances on what a forest says of pairs that it has not seen tells by how much. Trees are seen one at a time, and parts of a
 * forest are merged, so what is kept of each of some training pairs is how many trees were out of bag for it, the sum of what
 * these said, and the sum of its squares: whole numbers, which add up to the same in any order. The squares are there since
 * few trees are out of bag for a pair, and their mean is noisier than the forest's: from both sums follows, without bias, the
 * square of what a forest of any size says (docs/decisions/0033-shrinkage.md). */
#ifndef SM_MODEL_SHRINKAGE_H
#define SM_MODEL_SHRINKAGE_H

#include "base/tensors.h"
#include <stdbool.h>
#include <stdint.h>

/* Pairs are all of up to 45 items, else as many as here. */
enum { SM_MOST_SHRINKAGE_PAIRS = 1000, SM_FEWEST_SHRINKAGE_PAIRS = 20 };

/* What a tree says of a pair is counted in units from the mean, up to +- SM_MOST_UNITS; 2^20 units are the largest true deviation
 * of the pairs. So that no sum can overflow, the trees that count are fewer than 2^15. */
#define SM_MOST_UNITS ((int64_t)1 << 24)
#define SM_UNITS_A_DEVIATION 1048576.0

typedef struct sm_shrinkage {
    double scale; /* s; 1: distances are as the trees say */
    double mean;  /* m */

    /* Where s is estimated: the slope, its standard error, and what they come from. */
    double slope, error;
    double unit;
    size_t n_pairs;
    uint32_t *left, *right; /* [n_pairs] rows of training items, left < right, ascending */
    double *truth;          /* [n_pairs] */
    uint32_t *n_trees;      /* [n_pairs] that were out of bag, and of them */
    uint64_t *sum;          /* [n_pairs] the sum of units + SM_MOST_UNITS, so that none is negative */
    uint64_t *squares;      /* [n_pairs] the sum of squared units */
} sm_shrinkage;

/* z' of z; not a number stays that. */
static inline double sm_shrunk(const sm_shrinkage *shrinkage, double distance) {
    return shrinkage->scale < 1 ? shrinkage->mean + shrinkage->scale * (distance - shrinkage->mean) : distance;
}

/* Whether a tree of that number counts: the first ones, and few of the others, since that is enough to know s, and a fit shall
 * take no longer. Few items have few pairs, which want more trees, and these are quick. */
static inline bool sm_tree_counts_for_shrinkage(size_t number, size_t n_items) {
    size_t all_of = n_items <= 64 ? 64 : 32, one_of = n_items <= 64 ? 8 : 16;
    return number < all_of || (number % one_of == 0 && number < (size_t)1 << 17);
}

/* No shrinkage. */
void sm_shrinkage_start(sm_shrinkage *shrinkage);
void sm_shrinkage_free(sm_shrinkage *shrinkage);

/* Memory for sums over so many pairs, which are 0. False: no memory. */
bool sm_shrinkage_reserve(sm_shrinkage *shrinkage, size_t n_pairs);

/* Notes what a tree says of a pair. */
void sm_shrinkage_add(sm_shrinkage *shrinkage, size_t pair, double distance);

/* Adds the sums of another, over the same pairs. */
void sm_shrinkage_join(sm_shrinkage *shrinkage, const sm_shrinkage *other);

/* The scale, as the option `shrink` has it: a number, or from the sums for a forest of so many trees, and then 1 unless the slope
 * is clearly below that. False: no memory. */
bool sm_shrinkage_choose(sm_shrinkage *shrinkage, double option, size_t n_trees, size_t n_items);

bool sm_shrinkage_copy(sm_shrinkage *copy, const sm_shrinkage *shrinkage); /* false: no memory */
bool sm_shrinkage_same_pairs(const sm_shrinkage *a, const sm_shrinkage *b);

/* ---- files: what the options of a model say is estimated has the arrays shrink.*; mean and unit are facts ---- */

smerf_status sm_shrinkage_save(const sm_shrinkage *shrinkage, sm_tensors *tensors, smerf_error *error);
smerf_status sm_shrinkage_load(sm_shrinkage *shrinkage, const sm_tensors *tensors, size_t n_items, smerf_error *error);

#endif
