/* score.h - the score of a pair, from the real values of its items. */
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

#endif
