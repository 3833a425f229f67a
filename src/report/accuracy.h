/* accuracy.h - pictures of how well some distances were predicted, from two numbers a pair: a density, errors by distance, and
 * curves of pairs that are links. Nothing here knows of models. */
#ifndef SM_REPORT_ACCURACY_H
#define SM_REPORT_ACCURACY_H

#include "base/status.h"

/* Pairs of which both distances are known: no NaN. */
typedef struct sm_scored {
    size_t n;
    const double *truth, *predicted; /* [n] */
} sm_scored;

void sm_scored_moments(const sm_scored *pairs, double *mean, double *sd); /* of the true distances; NaN without pairs */

/* ---- density ---- */

enum { SM_DENSITY_BINS = 60 };

/* Equal bins; the last one holds its end, too. One bin where all values are the same. */
typedef struct sm_bins {
    double from, to;
    size_t n;
} sm_bins;

sm_bins sm_bins_of(const double *values, size_t n_values);
size_t sm_bin_of(const sm_bins *bins, double value);

/*   counts  [observed->n][predicted->n] out */
void sm_density_count(const sm_scored *pairs, const sm_bins *observed, const sm_bins *predicted, uint32_t *counts);

/* ---- errors by distance ---- */

enum { SM_ERROR_BINS = 20 };

typedef struct sm_error_bin {
    double from, to; /* the smallest and the largest true distance in it */
    size_t n;
    double bias, rmse; /* of predicted less true */
} sm_error_bin;

/* Bins of the true distance that hold about as many pairs each; equal distances stay together.
 *   bins  [SM_ERROR_BINS] out */
smerf_status sm_errors_by_distance(const sm_scored *pairs, sm_error_bin *bins, size_t *n_bins, smerf_error *error);

/* ---- curves ---- */

enum { SM_CURVE_POINTS = 2048 };

/* Points of the curves as the threshold rises; the nearest pairs are taken for links first, equal distances together. Points that
 * do not differ to the eye are left out. Without a link, or without a pair that is none, there is no curve: n is 0. */
typedef struct sm_curves {
    size_t n_roc, n_pr;
    double roc[SM_CURVE_POINTS][2]; /* fraction of others found, fraction of links found; from (0, 0) to (1, 1) */
    double pr[SM_CURVE_POINTS][2];  /* recall, precision; from (0, 1) to recall 1 */
    double fraction_of_links;
} sm_curves;

/* A pair is a link if its true distance is not 1: graphs and labels. */
smerf_status sm_curves_find(const sm_scored *pairs, sm_curves *curves, smerf_error *error);

#endif
