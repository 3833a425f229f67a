/* metrics.h - scores of one row of predicted distances against the true ones. */
#ifndef SM_QUERY_METRICS_H
#define SM_QUERY_METRICS_H

#include "base/memory.h"
#include "base/status.h"

/* What one row adds to the scores. */
typedef struct sm_row_score {
    double squares;                           /* sum of squared errors */
    size_t n_pairs;                           /* over so many pairs */
    double mean, deviations;                  /* of their true distances; sum of squared deviations from that */
    size_t n_unknown, n_unpredicted;          /* pairs that do not count */
    size_t n_partners;                        /* of the row's item, all that count for what follows */
    double spearman, precision, recall, ndcg; /* NaN: the row does not count */
    double precision_by_chance, recall_by_chance, ndcg_by_chance;
} sm_row_score;

/* A thread's memory for scoring rows of n pairs. */
typedef struct sm_scorer {
    sm_arena arena;
    size_t n, n_nearest;
    double *predicted, *truth, *rank_predicted, *rank_truth;
    double *harmonic; /* [n + 1] 1 + 1/2 + ... */
    double *discount; /* [n_nearest] 1 / log2(rank + 1), ranks from 1 */
    uint32_t *true_rank;
    uint64_t *keys, *spare_keys;
    uint32_t *order, *spare_order;
    bool *is_relevant;
} sm_scorer;

/*   n_nearest  k of recall and nDCG; 0: they are not wanted */
bool sm_scorer_start(sm_scorer *scorer, size_t n, size_t n_nearest);
void sm_scorer_free(sm_scorer *scorer);

/* Scores one row.
 *   self      the row's own index among the columns, which is left out, and pairs before which are counted elsewhere;
 *             SIZE_MAX: rows and columns are different items
 *   predicted, truth  [n]; a NaN in either leaves the pair out */
sm_row_score sm_scorer_row(sm_scorer *scorer, size_t self, const double *predicted, const double *truth,
                           unsigned metrics);

/* Ranks of sorted values, equal ones sharing their mean, minus the mean of all ranks; returns the sum of squares. */
double sm_centred_ranks(const uint64_t *keys, const uint32_t *order, size_t n, double *ranks);

/* Refuses a truth that is not about the pairs of the request. */
smerf_status sm_truth_check(const smerf_model *model, const smerf_request *request, const smerf_target *truth,
                            smerf_error *error);

/* Adds rows up to scores, of which n_nearest says whether recall and nDCG are wanted. */
void sm_scores_sum(const sm_row_score *rows, size_t n_rows, unsigned metrics, smerf_scores *scores);

#endif
