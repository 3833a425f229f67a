/* metrics.h - scores of one row of predicted distances against the true ones. */
#ifndef SM_QUERY_METRICS_H
#define SM_QUERY_METRICS_H

#include "base/memory.h"
#include "base/status.h"

/* What one row adds to the scores. */
typedef struct sm_row_score {
    double squares;             /* sum of squared errors */
    size_t n_pairs;             /* over so many pairs */
    double spearman, precision; /* NaN: the row does not count */
} sm_row_score;

/* A thread's memory for scoring rows of n pairs. */
typedef struct sm_scorer {
    sm_arena arena;
    size_t n;
    double *predicted, *truth, *rank_predicted, *rank_truth;
    uint64_t *keys, *spare_keys;
    uint32_t *order, *spare_order;
    bool *is_relevant;
} sm_scorer;

bool sm_scorer_start(sm_scorer *scorer, size_t n);
void sm_scorer_free(sm_scorer *scorer);

/* Scores one row.
 *   self      the row's own index among the columns, which is left out, and pairs before which are counted elsewhere;
 *             SIZE_MAX: rows and columns are different items
 *   predicted, truth  [n]; a NaN in either leaves the pair out */
sm_row_score sm_scorer_row(sm_scorer *scorer, size_t self, const double *predicted, const double *truth,
                           unsigned metrics);

/* Adds rows up to scores. */
void sm_scores_sum(const sm_row_score *rows, size_t n_rows, unsigned metrics, smerf_scores *scores);

#endif
