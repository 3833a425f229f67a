/* score.h - the score of a pair, from the real values of its items, and what each feature has in it. */
#ifndef SM_BOOST_SCORE_H
#define SM_BOOST_SCORE_H

#include "method/boost/boost.h"

typedef struct sm_score_side {
    const sm_view *rows, *columns;
} sm_score_side;

/* Which child of a split a pair goes to.   base  what the model predicts that boosting starts from; NaN: nothing */
bool sm_boost_goes_left(const sm_boost *boost, const sm_boost_split *split, const sm_learned *learned,
                        const sm_score_side *side, size_t row, size_t column, double base);

/* The leaf of a tree that it comes to. */
size_t sm_boost_leaf(const sm_boost *boost, size_t tree, const sm_learned *learned, const sm_score_side *side,
                     size_t row, size_t column, double base);

/* F(row, column): plainly, tree by tree; of one order, if trees tell them apart. */
double sm_boost_score(const sm_boost *boost, const sm_learned *learned, const sm_score_side *side, size_t row,
                      size_t column, double base);

/* Where the parts of a score go. */
typedef struct sm_boost_account {
    double base;           /* what the model predicts that boosting starts from; NaN: nothing */
    double scale;          /* that they are multiplied by */
    double *contributions; /* [n_features] added to; or NULL */
    double of_base;        /* likewise: of splits on the base */
} sm_boost_account;

/* Adds the contributions to one sum's score of (row, column); returns the baseline, not multiplied. */
double sm_boost_explain(const sm_boost *boost, const sm_learned *learned, const sm_score_side *side, size_t row,
                        size_t column, sm_boost_account *account);

/* By how much a step from one score to another is to be multiplied to become one of distances. */
double sm_boost_slope(const sm_learned *learned, double from, double to);

void sm_boost_importance(const sm_learned *learned, double *importance);

#endif
