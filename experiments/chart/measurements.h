/* measurements.h - what experiments measure, a row each, and the means of repeats. */
#ifndef SM_CHART_MEASUREMENTS_H
#define SM_CHART_MEASUREMENTS_H

#include "base/output.h"
#include "chart/chart.h"

/* One number. Rows that differ in nothing but repeat, seed and value are repeats of each other. Texts are borrowed. */
typedef struct sm_measurement {
    const char *data;   /* the data set */
    const char *split;  /* what was learned from and scored, where that is a choice; else NULL */
    const char *method; /* who */
    const char *metric; /* what is measured */
    double at;          /* where on the horizontal axis: a number of items, a fraction */
    size_t repeat;      /* from 1 */
    uint64_t seed;      /* of the data and of what was learned from them */
    double value;       /* NaN: the data cannot say; does not count */
} sm_measurement;

typedef struct sm_measurements {
    const char *at_name; /* of the column: "n", "share" */
    sm_measurement *rows;
    size_t n, capacity;
} sm_measurements;

smerf_status sm_measurements_add(sm_measurements *all, const sm_measurement *row, smerf_error *error);
void sm_measurements_free(sm_measurements *all); /* fine on one filled with zeros */

typedef struct sm_summary {
    size_t n;         /* repeats that count */
    double mean;      /* NaN: there are none */
    double deviation; /* standard deviation of one repeat, with n - 1; NaN below two */
    double error;     /* standard error of the mean */
} sm_summary;

#define SM_MOST_REPEATS 1000

sm_summary sm_summarise(const double *values, size_t n);

/* The repeats of one measurement. */
sm_summary sm_measurements_summary(const sm_measurements *all, const sm_measurement *like);

/* Tidy CSV: data[,split],AT,repeat,seed,method,metric,value; the summary: data[,split],AT,method,metric,repeats,mean,sd,se
 * in the order of first appearance. The column of splits is there if the first row has one. */
void sm_measurements_write(const sm_measurements *all, sm_output *output);
void sm_measurements_write_summary(const sm_measurements *all, sm_output *output);

typedef enum sm_error_bar { SM_STANDARD_ERROR, SM_STANDARD_DEVIATION } sm_error_bar;

/* The means along the axis, of rows that are like this one but for where they are.
 *   points  [most], the caller's
 * Returns how many there are. */
size_t sm_measurements_points(const sm_measurements *all, const sm_measurement *like, sm_error_bar bar,
                              sm_point *points, size_t most);

#endif
