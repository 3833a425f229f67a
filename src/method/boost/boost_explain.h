/* boost_explain.h - what each feature has in a score, and what its splits have gained. */
#ifndef SM_BOOST_EXPLAIN_H
#define SM_BOOST_EXPLAIN_H

#include "method/boost/score.h"

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
