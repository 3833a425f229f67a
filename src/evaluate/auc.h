/* auc.h - the areas under the ROC curve and under the precision-recall curve, over more pairs than can be kept.
 *
 * Two rounds over all pairs: first the predicted distances of the links are collected, equal ones as one number and a
 * count; then the other pairs are counted in the gaps between them. Counts are whole numbers, so that it does not matter
 * which thread takes which row. Room: a few numbers for each different distance of a link.
 *
 *     sm_auc_start, sm_auc_collect every row, sm_auc_sort, sm_auc_count every row, sm_auc_areas */
#ifndef SM_QUERY_AUC_H
#define SM_QUERY_AUC_H

#include <stdatomic.h>

#include "base/status.h"

/* One row of pairs: NaN in either array leaves a pair out. */
typedef struct sm_auc_row {
    const double *predicted, *truth;
    size_t first, end;                /* the columns that count */
    bool (*is_link)(double distance); /* of a true distance */
} sm_auc_row;

/* Different keys (see base/sort.h) and how many pairs have each. */
typedef struct sm_tally {
    uint64_t *keys, *counts;
    size_t n, capacity;
} sm_tally;

typedef struct sm_auc {
    size_t n_threads;
    sm_tally *links;            /* [n_threads]; sorted, the first holds all */
    size_t n_copies, n_bins;    /* bin 2 k: other pairs before key k; 2 k + 1: with key k */
    atomic_uint_fast64_t *bins; /* [n_copies][n_bins] */
} sm_auc;

smerf_status sm_auc_start(sm_auc *auc, size_t n_threads, smerf_error *error);
void sm_auc_free(sm_auc *auc); /* fine on one filled with zeros */

smerf_status sm_auc_collect(sm_auc *auc, const sm_auc_row *row, size_t thread, smerf_error *error);
smerf_status sm_auc_sort(sm_auc *auc, smerf_error *error);
void sm_auc_count(sm_auc *auc, const sm_auc_row *row, size_t thread);

/* Score = minus distance. ROC: ties count half. Precision-recall: average precision, ties grouped. Both are NaN if there
 * is no link, or nothing else. The fraction of the pairs that are links is what guessing gives of the second. */
void sm_auc_areas(const sm_auc *auc, double *roc, double *precision_recall, double *fraction_of_links);

#endif
