/* binned.h - items in bins, and the bin of every feature of a pair, found from the bins of its two items.
 *
 * A number has up to 256 bins among the items: one for each value, or where these are more, one for about as many items each, which
 * then stand for the value in their middle. The features of a pair are computed for every two bins of an item's feature, and put in
 * up to 256 bins in the same way, with a threshold midway between neighbouring ones: a table of 64 k bytes, whatever the number of
 * items, instead of a number for each pair. Where a number has no more values than bins, that is exact. */
#ifndef SM_BOOST_BINNED_H
#define SM_BOOST_BINNED_H

#include "base/parallel.h"
#include "method/boost/pair_feature.h"

enum { SM_MOST_BINS = 256, SM_MOST_PAIR_KINDS = 6 };

/* One feature of a pair. */
typedef struct sm_pair_column {
    uint32_t feature;
    sm_pair_kind kind;
    size_t n_bins;     /* with that of what is missing */
    bool has_missing;  /* the last bin is for that */
    double *threshold; /* [n_bins - 1] of numbers: what is in bin b or before is <= threshold[b] */
    size_t first;      /* of its bins among those of all columns */
} sm_pair_column;

/* A feature of the items, and the columns that are made of it. */
typedef struct sm_binned_feature {
    uint8_t *bin;       /* [n_items] */
    uint8_t *table;     /* [n_bins][256][n_columns] bins of the pair columns, by the bins of both items */
    uint8_t *level_bin; /* of a category: [levels]; see pair_feature.h */
    size_t n_bins, first_column, n_columns;
} sm_binned_feature;

typedef struct sm_binned {
    size_t n_items, n_features, n_columns, n_cells; /* n_cells: bins of all columns */
    sm_binned_feature *features;                    /* [n_features] */
    sm_pair_column *columns;                        /* [n_columns] */
    bool is_directed;                               /* some tell (i, j) from (j, i) */
} sm_binned;

/*   wanted  which columns are made of a feature: not auto */
smerf_status sm_binned_start(sm_binned *binned, const sm_view *view, const sm_features *features,
                             smerf_pair_features wanted, sm_pool *pool, smerf_error *error);

/* Adds a last column, SM_PAIR_BASE, whose bins are found from some of its values.   values  [n], NaN: missing */
smerf_status sm_binned_add_base(sm_binned *binned, const double *values, size_t n, smerf_error *error);
void sm_binned_free(sm_binned *binned); /* fine on one filled with zeros */

static inline const uint8_t *sm_pair_bins(const sm_binned_feature *feature, size_t i, size_t j) {
    return feature->table + ((size_t)feature->bin[i] << 8 | feature->bin[j]) * feature->n_columns;
}

/* Divides n values, ascending, into up to `most` bins of about equal weight; a value is never divided.
 *   end  [most] out: where each bin ends; returns how many there are */
size_t sm_cut_into_bins(const double *weight, size_t n, size_t most, size_t *end);

/* A threshold between two neighbours, a < b: a <= it < b. */
double sm_threshold_between(double a, double b);

#endif
