/* pair_source.h - the pairs of a training set that a round of boosting learns from, or that boosting and the linear methods hold out:
 * all of them, or where they are too many, some drawn at random, row by row. */
#ifndef SM_METHOD_PAIR_SOURCE_H
#define SM_METHOD_PAIR_SOURCE_H

#include "method/trainer.h"
#include "target/links/links.h"

/* The pairs that are learned from, or scored. */
typedef struct sm_drawn_pairs {
    size_t n;
    uint32_t *left, *right; /* [n] by left, then by right */
    double *z;              /* [n] */
    double *weight;         /* [n] or NULL: all 1 */
    double *base;           /* [n] what boosting starts from; NULL: a number; NaN: that number */
    double *score;          /* [n] F */
} sm_drawn_pairs;

typedef struct sm_pair_source {
    const sm_training_set *training;
    const sm_links *links;   /* the only pairs that are known; NULL: all are */
    bool keeps_links;        /* where pairs are drawn from all: those of a graph that are linked are all taken, */
    const double *weight;    /* [n_items] of the items, the largest 1, or NULL */
    const uint8_t *group_of; /* [n_items] see method/groups.h */
    size_t n_groups;
    bool is_directed; /* every pair in both orders */
} sm_pair_source;

/* No group is held out. */
enum { SM_NO_GROUP = 255 };

/* Which pairs, and how many of them. */
typedef struct sm_pair_choice {
    size_t held[2]; /* groups, or SM_NO_GROUP */
    bool are_held;  /* pairs of two held-out items, in one order; else pairs of two others */
    size_t most;    /* where there are more, about so many are drawn, and no more than that */
    uint32_t draw;  /* the number of the draw: others have other pairs */
} sm_pair_choice;

/* Chooses. Weights have the mean 1: of what is drawn in place of others, that of all of them; and a pair of two items of one group,
 * which several bags hold out, counts once in all. Scores are not filled in. */
smerf_status sm_pairs_choose(const sm_pair_source *source, const sm_pair_choice *choice, sm_drawn_pairs *pairs,
                             bool *is_drawn, smerf_error *error);
void sm_drawn_pairs_free(sm_drawn_pairs *pairs); /* fine on one filled with zeros */

#endif
