/* histogram.c - see histogram.h. Two ways, by how many pairs there are:
 *   few   the bins of a pair are looked up in the feature's table, all columns next to each other, and added to
 *   many  pairs are first added up by the bins of their two items, once for all columns; the sums of the 64 k pairs of bins then go
 *         to the columns */
#include "method/boost/fit/histogram.h"

#include <string.h>

/* Pairs are gathered so many at a time, and then stay in the nearest cache for all features. */
enum { GATHERED = 1024 };

typedef struct gathered_pairs {
    size_t n;
    uint32_t left[GATHERED], right[GATHERED];
    sm_cell cell[GATHERED];
} gathered_pairs;

static void gather(const sm_pair_slice *pairs, size_t from, gathered_pairs *some) {
    some->n = pairs->n - from < GATHERED ? pairs->n - from : GATHERED;
    for (size_t k = 0; k < some->n; k++) {
        size_t pair = pairs->order[from + k];
        some->left[k] = pairs->left[pair];
        some->right[k] = pairs->right[pair];
        some->cell[k] = sm_cell_of(pairs, pair);
    }
}

sm_cell sm_cells_sum(const sm_pair_slice *pairs) {
    sm_cell sum = {0, 0};
    for (size_t k = 0; k < pairs->n; k++) sum += sm_cell_of(pairs, pairs->order[k]);
    return sum;
}

/* ---- few pairs ---- */

/* With a number of columns that the compiler knows. */
__attribute__((always_inline)) static inline void
add_to_columns(const sm_binned_feature *feature, const gathered_pairs *some, sm_cell *const *column, size_t n_columns) {
    const uint8_t *bin = feature->bin, *table = feature->table;
    for (size_t k = 0; k < some->n; k++) {
        const uint8_t *at = table + ((size_t)bin[some->left[k]] << 8 | bin[some->right[k]]) * n_columns;
        for (size_t c = 0; c < n_columns; c++) column[c][at[c]] += some->cell[k];
    }
}

static void add_directly(const sm_binned *binned, size_t f, const gathered_pairs *some, sm_cell *cells) {
    const sm_binned_feature *feature = &binned->features[f];
    sm_cell *column[SM_MOST_PAIR_KINDS];
    for (size_t c = 0; c < feature->n_columns; c++)
        column[c] = cells + binned->columns[feature->first_column + c].first;
    switch (feature->n_columns) {
    case 1: add_to_columns(feature, some, column, 1); break;
    case 2: add_to_columns(feature, some, column, 2); break;
    case 3: add_to_columns(feature, some, column, 3); break;
    case 4: add_to_columns(feature, some, column, 4); break;
    default: add_to_columns(feature, some, column, feature->n_columns); break;
    }
}

/* ---- many pairs ---- */

static void add_jointly(const sm_binned_feature *feature, const gathered_pairs *some, sm_cell *joint) {
    const uint8_t *bin = feature->bin;
    for (size_t k = 0; k < some->n; k++) joint[(size_t)bin[some->left[k]] << 8 | bin[some->right[k]]] += some->cell[k];
}

/* The sums by two bins go to the columns, and are 0 again. */
static void fold(const sm_binned *binned, size_t f, sm_cell *joint, sm_cell *cells) {
    const sm_binned_feature *feature = &binned->features[f];
    size_t n_columns = feature->n_columns;
    for (size_t a = 0; a < feature->n_bins; a++) {
        sm_cell *row = joint + (a << 8);
        const uint8_t *table = feature->table + (a << 8) * n_columns;
        for (size_t c = 0; c < n_columns; c++) {
            sm_cell *column = cells + binned->columns[feature->first_column + c].first;
            for (size_t b = 0; b < feature->n_bins; b++) column[table[b * n_columns + c]] += row[b];
        }
        memset(row, 0, feature->n_bins * sizeof *row);
    }
}

/* ---- all ---- */

/* The column of what boosting starts from is one of pairs, not of items. */
static void add_base(const sm_binned *binned, const sm_pair_slice *pairs, sm_cell *cells) {
    sm_cell *column = cells + binned->columns[binned->n_columns - 1].first;
    for (size_t k = 0; k < pairs->n; k++)
        column[pairs->base_bin[pairs->order[k]]] += sm_cell_of(pairs, pairs->order[k]);
}

static void clear_columns(const sm_binned *binned, size_t first, size_t end, sm_cell *cells) {
    for (size_t c = 0; c < binned->n_columns; c++) {
        const sm_pair_column *column = &binned->columns[c];
        if (column->feature >= first && column->feature < end)
            memset(cells + column->first, 0, column->n_bins * sizeof *cells);
    }
}

/* Whether it is quicker by way of two bins: an addition a pair saved for each further column, against a few for each two bins. */
static bool is_for_joint(const sm_binned_feature *feature, size_t n_pairs) {
    return feature->n_columns > 1 && n_pairs * (feature->n_columns - 1) > 4 * feature->n_bins * feature->n_bins;
}

static void fill_some(const sm_binned *binned, const sm_pair_slice *pairs, size_t first, size_t end, sm_cell *cells,
                      sm_cell *joint) {
    gathered_pairs some;
    const size_t n_joint = (size_t)SM_MOST_BINS * SM_MOST_BINS;
    for (size_t from = 0; from < pairs->n; from += some.n) {
        gather(pairs, from, &some);
        for (size_t f = first; f < end; f++)
            if (is_for_joint(&binned->features[f], pairs->n))
                add_jointly(&binned->features[f], &some, joint + (f - first) * n_joint);
            else
                add_directly(binned, f, &some, cells);
    }
    for (size_t f = first; f < end; f++)
        if (is_for_joint(&binned->features[f], pairs->n)) fold(binned, f, joint + (f - first) * n_joint, cells);
}

void sm_histogram_fill(const sm_binned *binned, const sm_pair_slice *pairs, size_t first, size_t end, sm_cell *cells,
                       sm_cell *joint) {
    size_t last = end < binned->n_features ? end : binned->n_features;
    clear_columns(binned, first, end, cells);
    for (size_t f = first; f < last; f += SM_JOINT_FEATURES)
        fill_some(binned, pairs, f, last - f < SM_JOINT_FEATURES ? last : f + SM_JOINT_FEATURES, cells, joint);
    if (end > binned->n_features && pairs->base_bin != NULL) add_base(binned, pairs, cells);
}

void sm_histogram_fill_plainly(const sm_binned *binned, const sm_pair_slice *pairs, size_t first, size_t end,
                               sm_cell *cells) {
    clear_columns(binned, first, end, cells);
    for (size_t k = 0; k < pairs->n; k++) {
        size_t pair = pairs->order[k];
        for (size_t c = 0; c < binned->n_columns; c++) {
            const sm_pair_column *column = &binned->columns[c];
            if (column->feature < first || column->feature >= end) continue;
            size_t bin = column->kind == SM_PAIR_BASE
                             ? pairs->base_bin[pair]
                             : sm_pair_bins(&binned->features[column->feature], pairs->left[pair],
                                            pairs->right[pair])[c - binned->features[column->feature].first_column];
            cells[column->first + bin] += sm_cell_of(pairs, pair);
        }
    }
}
