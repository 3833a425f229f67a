/* pair_feature.h - what boosting's trees see of a pair of items, made when it is wanted and never kept.
 *
 * Most of it is the same for (i, j) and (j, i). What each item has for itself is not: trees that see that learn from every pair in
 * both orders, and predict the mean of both (docs/decisions/0035-boosting.md). */
#ifndef SM_BOOST_PAIR_FEATURE_H
#define SM_BOOST_PAIR_FEATURE_H

#include <math.h>

#include "data/items.h"

typedef enum sm_pair_kind {
    /* Of a number; missing if it is missing in either item. */
    SM_PAIR_DIFFERENCE,
    SM_PAIR_MEAN,
    SM_PAIR_SMALLER,
    SM_PAIR_LARGER,
    SM_PAIR_FIRST,     /* of any feature: what the first item has; of a category the bin of its level, or missing */
    SM_PAIR_SECOND,    /* and the second */
    SM_PAIR_N_MISSING, /* of any feature: in how many of the two items it is missing */
    SM_PAIR_BOTH,      /* of a category: the bin of the level that both have, SM_BIN_DIFFERENT, or missing */
    SM_PAIR_BASE,      /* of no feature: what the model that boosting starts from predicts; missing if nothing */
    SM_N_PAIR_KINDS
} sm_pair_kind;

/* Bins of a category's levels: each of the commonest has its own, all others have the last one. */
enum { SM_BIN_DIFFERENT = 0, SM_BIN_MISSING = 255, SM_MOST_LEVEL_BINS = 254 };

/* Whether trees that see it tell (i, j) from (j, i). */
static inline bool sm_pair_is_directed(sm_pair_kind kind) { return kind == SM_PAIR_FIRST || kind == SM_PAIR_SECOND; }

/* Of two values of a number; but for the directed ones the same bits for (x, y) and (y, x). NaN: missing. */
static inline double sm_pair_value(sm_pair_kind kind, double x, double y) {
    switch (kind) {
    case SM_PAIR_DIFFERENCE: return fabs(x - y);
    case SM_PAIR_MEAN: return x / 2 + y / 2;
    case SM_PAIR_SMALLER: return isnan(x) || isnan(y) ? NAN : x < y ? x : y;
    case SM_PAIR_LARGER: return isnan(x) || isnan(y) ? NAN : x < y ? y : x;
    case SM_PAIR_FIRST: return x;
    case SM_PAIR_SECOND: return y;
    default: return (double)(isnan(x) + isnan(y)); /* SM_PAIR_N_MISSING */
    }
}

/* Of two codes of a category.   level_bin  [n_levels] */
static inline unsigned sm_pair_bin(sm_pair_kind kind, const uint8_t *level_bin, uint32_t x, uint32_t y) {
    if (sm_pair_is_directed(kind)) {
        uint32_t own = kind == SM_PAIR_FIRST ? x : y;
        return own == SMERF_MISSING ? SM_BIN_MISSING : level_bin[own];
    }
    if (x == SMERF_MISSING || y == SMERF_MISSING) return SM_BIN_MISSING;
    return x == y ? level_bin[x] : SM_BIN_DIFFERENT;
}

#endif
