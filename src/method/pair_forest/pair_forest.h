/* pair_forest.h - what rfd and plugin have learned, and what a forest on pairs sees of two items.
 *
 * That is, for every number x of an item, the difference |x - x'| and the mean (x + x') / 2 (Xiong, Johnson, Xu & Corso
 * 2012). Both are the same to the last bit for (x, x') and (x', x).
 *
 * A category enters by the indicators of its levels: their difference is 1 if one of the two items has the level, their
 * mean tells that none, one or both have it. Two levels need one indicator. A pair feature is missing if the number is
 * missing in either item. */
#ifndef SM_METHOD_PAIR_FOREST_H
#define SM_METHOD_PAIR_FOREST_H

#include <math.h>

#include "method/pair_forest/value_forest.h"
#include "model/method.h"

struct sm_learned {
    sm_value_forest forest;
    double residual; /* plugin: the residual variance s */
};

void sm_pair_forest_free(sm_learned *learned);

/* Items as numbers: indicators in place of categories. */
typedef struct sm_item_numbers {
    size_t n_items, n; /* numbers an item */
    double *values;    /* [n_items][n], NaN: missing */
} sm_item_numbers;

/* How many numbers an item is described by. */
size_t sm_item_numbers_count(const sm_features *features);

smerf_status sm_item_numbers_start(sm_item_numbers *numbers, const sm_view *view, const sm_features *features,
                                   smerf_error *error);
void sm_item_numbers_free(sm_item_numbers *numbers);

static inline const double *sm_item_numbers_of(const sm_item_numbers *numbers, size_t item) {
    return numbers->values + item * numbers->n;
}

/* Pair feature 2 k is the difference of number k, pair feature 2 k + 1 its mean. Numbers are small enough that neither
 * leaves the range of a double. Which of the two a tree wants, branch prediction could not know: both are formed, and one
 * is picked. */
static inline double sm_pair_feature(const double *x, const double *y, size_t feature) {
    double a = x[feature / 2], b = y[feature / 2];
    const double either[2] = {fabs(a - b), (a + b) / 2};
    return either[feature % 2];
}

#endif
