/* items.h - the items and their features as the library keeps them (smerf_items), and as a model needs them (sm_view).
 *
 * Numbers stay where the caller has them; categories are copied as codes of sorted levels. */
#ifndef SM_DATA_ITEMS_H
#define SM_DATA_ITEMS_H

#include "base/status.h"
#include "base/strings.h"

/* What training knows of a feature, and a model remembers: its name and the levels of a category. */
typedef struct sm_feature {
    char *name;
    smerf_kind kind;
    sm_strings levels; /* in bytewise order */
} sm_feature;

typedef struct sm_features {
    size_t n;
    sm_feature *feature;
} sm_features;

/* A column of numbers where the caller has it: doubles or floats; neither is a category. */
typedef struct sm_numbers {
    const double *doubles;
    const float *floats;
    size_t step; /* from one item's number to the next */
} sm_numbers;

static inline bool sm_are_numbers(const sm_numbers *numbers) {
    return numbers->doubles != NULL || numbers->floats != NULL;
}

static inline double sm_number_at(const sm_numbers *numbers, size_t item) {
    size_t at = item * numbers->step;
    return numbers->doubles != NULL ? numbers->doubles[at] : (double)numbers->floats[at];
}

/* Item weights beyond these would overflow when they are multiplied. */
#define SM_SMALLEST_WEIGHT 1e-100
#define SM_LARGEST_WEIGHT 1e100

struct smerf_items {
    size_t n_items;
    sm_features features;
    sm_numbers *numbers; /* [n_features] borrowed, but for own_values */
    double **own_values; /* [n_features] the same if they are ours; NULL: they are not */
    uint32_t **codes;    /* [n_features] owned, indices of the sorted levels; NULL for a number */
    sm_strings ids;      /* empty: items are called by their row */
    char *id_column;     /* NULL: likewise */
    uint32_t *rows;      /* [n_items] the rows by which they are called; NULL: their own */
    double *weights;     /* [n_items], or NULL: all 1 */
    char *weight_column;
    sm_strings ignored;
};

/* Refuses rows that are none of n_items, or taken twice.   rows  [n] */
smerf_status sm_rows_check(const uint32_t *rows, size_t n, size_t n_items, smerf_error *error);

/* Items in the order of a model's features, category codes in the model's numbering. */
typedef struct sm_view {
    size_t n_items, n_features;
    sm_numbers *numbers;    /* [n_features] borrowed */
    const uint32_t **codes; /* [n_features] see own_codes; NULL for a number */
    uint32_t **own_codes;   /* [n_features] those that had to be renumbered */
} sm_view;

bool sm_features_copy(sm_features *copy, const sm_features *features);
void sm_features_free(sm_features *features);
bool sm_features_equal(const sm_features *a, const sm_features *b);

/* Matches by name. A feature that the items lack, or have as the other kind, is refused. The items must outlive the
 * view. A level that the features do not list becomes SMERF_MISSING. */
smerf_status sm_view_match(sm_view *view, const sm_features *features, const smerf_items *items, smerf_error *error);
void sm_view_free(sm_view *view);

/* A hash of the features of each of the items first .. end - 1: equal items have equal hashes, whatever the file they come
 * from.
 *   hashes  [n_items] */
void sm_view_hash(const sm_view *view, const sm_features *features, size_t first, size_t end, uint64_t *hashes);

/* A sparse sum of features, in listed order; a category enters as the indicator of one level. */
typedef struct sm_projection {
    size_t n_terms;
    const uint32_t *feature;
    const int8_t *weight;  /* +1 or -1 */
    const uint32_t *level; /* NULL: all features are numbers */
} sm_projection;

/* Its value for one item: NaN if one of the features is missing, else finite (sums beyond the range of a double stop at
 * its ends). */
double sm_view_project(const sm_view *view, const sm_projection *projection, size_t item);

/* The same for n items, faster: feature by feature.   out  [n] */
void sm_view_project_all(const sm_view *view, const sm_projection *projection, const uint32_t *items, size_t n,
                         double *out);

#endif
