/* binned.c - see binned.h.
 *   1. the values of a feature become bins       bin_number, bin_category
 *   2. for every two of these bins and every column, the value of the pair        list_pairs
 *   3. sorted, they become the bins of the column, and these fill the table       bin_column */
#include "method/boost/fit/binned.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

/* ---- cutting ---- */

size_t sm_cut_into_bins(const double *weight, size_t n, size_t most, size_t *end) {
    size_t n_bins = 0;
    double rest = 0, sum = 0;
    for (size_t k = 0; k < n; k++) rest += weight[k];
    for (size_t k = 0; k < n; k++) {
        sum += weight[k];
        bool is_forced = n - k - 1 < most - n_bins; /* as many values as bins are left: one each */
        bool is_full = n_bins + 1 < most && sum >= rest / (double)(most - n_bins);
        if (!is_forced && !is_full && k + 1 < n) continue;
        end[n_bins++] = k + 1;
        rest -= sum;
        sum = 0;
    }
    return n_bins;
}

double sm_threshold_between(double a, double b) {
    double middle = a + (b - a) / 2;
    return middle < b ? middle : a;
}

/* ---- values in order ---- */

/* Numbers with weights, sorted and each once. */
typedef struct sorted_values {
    double *value, *weight; /* [n] */
    size_t n;
} sorted_values;

/* A value, and where it came from. */
typedef struct pair_value {
    double value, weight;
    uint32_t index;
} pair_value;

static int by_value(const void *a, const void *b) {
    const pair_value *left = a, *right = b;
    if (left->value != right->value) return left->value < right->value ? -1 : 1;
    return (left->index > right->index) - (left->index < right->index);
}

/* What has no weight does not occur, and is left out.   listed  [n], sorted here */
static void sort_values(pair_value *listed, size_t n, sorted_values *sorted) {
    qsort(listed, n, sizeof *listed, by_value);
    sorted->n = 0;
    for (size_t k = 0; k < n; k++) {
        if (!(listed[k].weight > 0)) continue;
        if (sorted->n == 0 || sorted->value[sorted->n - 1] < listed[k].value) {
            sorted->value[sorted->n] = listed[k].value;
            sorted->weight[sorted->n++] = 0;
        }
        sorted->weight[sorted->n - 1] += listed[k].weight;
    }
}

/* ---- 1. the items ---- */

/* What is needed while a feature is looked at. */
typedef struct binning {
    sm_arena arena;
    pair_value *listed; /* [most of items and pairs of bins] */
    sorted_values sorted;
    double middle[SM_MOST_BINS], count[SM_MOST_BINS]; /* the value that stands for a bin, and its items */
    double threshold[SM_MOST_BINS];                   /* behind each bin of the items */
    size_t n_values, end[SM_MOST_BINS];               /* bins of values; where each ends among the sorted */
    bool has_missing;
} binning;

static bool start_binning(binning *work, size_t n_items) {
    size_t n_pairs = (size_t)SM_MOST_BINS * SM_MOST_BINS, most = n_items > n_pairs ? n_items : n_pairs;
    work->arena = (sm_arena){0};
    work->listed = sm_arena_take(&work->arena, most, sizeof *work->listed);
    work->sorted.value = sm_arena_take(&work->arena, most, sizeof *work->sorted.value);
    work->sorted.weight = sm_arena_take(&work->arena, most, sizeof *work->sorted.weight);
    return !work->arena.has_failed;
}

/* Bins of sorted values, and thresholds between them; the last one is infinite.   threshold  [most] out */
static size_t cut_sorted(const sorted_values *sorted, size_t most, size_t *end, double *threshold) {
    size_t n = sm_cut_into_bins(sorted->weight, sorted->n, most, end);
    for (size_t b = 0; b < n; b++)
        threshold[b] = b + 1 < n ? sm_threshold_between(sorted->value[end[b] - 1], sorted->value[end[b]]) : INFINITY;
    return n;
}

static void bin_number(binning *work, const sm_numbers *numbers, size_t n_items, uint8_t *bin) {
    size_t n = 0;
    for (size_t i = 0; i < n_items; i++) {
        double value = sm_number_at(numbers, i);
        if (!isnan(value)) work->listed[n++] = (pair_value){value == 0 ? 0 : value, 1, (uint32_t)i};
    }
    work->has_missing = n < n_items;
    sort_values(work->listed, n, &work->sorted);
    work->n_values = cut_sorted(&work->sorted, SM_MOST_BINS - work->has_missing, work->end, work->threshold);
    for (size_t b = 0, from = 0; b < work->n_values; from = work->end[b++]) {
        work->middle[b] = work->sorted.value[(from + work->end[b] - 1) / 2];
        work->count[b] = 0;
        for (size_t k = from; k < work->end[b]; k++) work->count[b] += work->sorted.weight[k];
    }
    for (size_t i = 0; i < n_items && work->has_missing; i++) bin[i] = (uint8_t)work->n_values;
    for (size_t k = 0, b = 0; k < n; k++) {
        while (work->listed[k].value > work->threshold[b]) b++;
        bin[work->listed[k].index] = (uint8_t)b;
    }
}

/* The commonest levels have bins of their own.   level_bin  [n_levels] out */
static void bin_levels(binning *work, const uint32_t *codes, size_t n_items, size_t n_levels, uint8_t *level_bin) {
    pair_value *listed = work->listed; /* the value is how rare it is */
    for (size_t c = 0; c < n_levels; c++) listed[c] = (pair_value){0, 1, (uint32_t)c};
    for (size_t i = 0; i < n_items; i++)
        if (codes[i] != SMERF_MISSING) listed[codes[i]].value--;
    if (n_levels > SM_MOST_LEVEL_BINS) qsort(listed, n_levels, sizeof *listed, by_value);
    for (size_t k = 0; k < n_levels; k++)
        level_bin[listed[k].index] = (uint8_t)(k < SM_MOST_LEVEL_BINS ? k + 1 : SM_MOST_LEVEL_BINS);
}

static void bin_category(binning *work, const uint32_t *codes, size_t n_items, const uint8_t *level_bin, uint8_t *bin) {
    work->has_missing = false;
    work->n_values = 1; /* SM_BIN_DIFFERENT is no bin of an item */
    for (size_t i = 0; i < n_items; i++) {
        bool is_missing = codes[i] == SMERF_MISSING;
        bin[i] = is_missing ? SM_BIN_MISSING : level_bin[codes[i]];
        work->has_missing |= is_missing;
        if (!is_missing && bin[i] >= work->n_values) work->n_values = (size_t)bin[i] + 1;
    }
}

/* ---- 2. and 3. the pairs ---- */

static uint8_t *cell_of(const sm_binned_feature *feature, size_t a, size_t b, size_t column) {
    return feature->table + (a << 8 | b) * feature->n_columns + column;
}

/* All pairs of bins of values, and how many pairs of items each is. */
static size_t list_pairs(binning *work, sm_pair_kind kind) {
    size_t n = 0;
    for (size_t a = 0; a < work->n_values; a++)
        for (size_t b = a; b < work->n_values; b++)
            work->listed[n++] =
                (pair_value){sm_pair_value(kind, work->middle[a], work->middle[b]),
                             a == b ? work->count[a] * (work->count[a] - 1) / 2 : work->count[a] * work->count[b],
                             (uint32_t)(a << 8 | b)};
    return n;
}

/* Missing has the bin behind the others. */
static void fill_missing(const binning *work, const sm_binned_feature *feature, size_t column, size_t missing_bin) {
    for (size_t a = 0; a <= work->n_values && work->has_missing; a++) {
        *cell_of(feature, a, work->n_values, column) = (uint8_t)missing_bin;
        *cell_of(feature, work->n_values, a, column) = (uint8_t)missing_bin;
    }
}

static bool set_thresholds(sm_pair_column *column, const double *threshold, size_t n_values, bool has_missing) {
    column->has_missing = has_missing;
    column->n_bins = n_values + has_missing;
    column->threshold = sm_copy(threshold, n_values, sizeof *threshold);
    return column->threshold != NULL;
}

/* A symmetric column of a number. */
static bool bin_column(binning *work, const sm_binned_feature *feature, size_t which, sm_pair_column *column) {
    double threshold[SM_MOST_BINS];
    size_t end[SM_MOST_BINS], n = list_pairs(work, column->kind);
    sort_values(work->listed, n, &work->sorted);
    size_t n_bins = cut_sorted(&work->sorted, SM_MOST_BINS - work->has_missing, end, threshold);
    if (n_bins == 0) threshold[n_bins++] = INFINITY; /* no two items have it */
    for (size_t k = 0, b = 0; k < n; k++) {
        size_t pair = work->listed[k].index;
        while (work->listed[k].value > threshold[b]) b++;
        *cell_of(feature, pair >> 8, pair & 255, which) = *cell_of(feature, pair & 255, pair >> 8, which) = (uint8_t)b;
    }
    fill_missing(work, feature, which, n_bins);
    return set_thresholds(column, threshold, n_bins, work->has_missing);
}

/* What one of the items has. */
static bool bin_own_column(const binning *work, const sm_binned_feature *feature, size_t which,
                           sm_pair_column *column) {
    size_t n = work->n_values + work->has_missing;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            *cell_of(feature, a, b, which) = (uint8_t)(column->kind == SM_PAIR_FIRST ? a : b);
    return set_thresholds(column, work->threshold, work->n_values, work->has_missing);
}

static bool bin_missing_column(const binning *work, const sm_binned_feature *feature, size_t which, bool is_category,
                               sm_pair_column *column) {
    static const double threshold[3] = {0.5, 1.5, INFINITY};
    size_t missing_bin = is_category ? SM_BIN_MISSING : work->n_values;
    for (size_t a = 0; a < feature->n_bins; a++)
        for (size_t b = 0; b < feature->n_bins; b++)
            *cell_of(feature, a, b, which) = (uint8_t)((a == missing_bin) + (b == missing_bin));
    return set_thresholds(column, threshold, 3, false);
}

/* A column of a category: bins are those of pair_feature.h. */
static void bin_levels_column(const binning *work, const sm_binned_feature *feature, size_t which,
                              sm_pair_column *column) {
    column->n_bins = feature->n_bins;
    column->has_missing = work->has_missing;
    for (size_t a = 0; a < feature->n_bins; a++)
        for (size_t b = 0; b < feature->n_bins; b++) {
            bool is_missing = a == SM_BIN_MISSING || b == SM_BIN_MISSING;
            size_t both = is_missing ? SM_BIN_MISSING : a == b ? a : SM_BIN_DIFFERENT;
            *cell_of(feature, a, b, which) = (uint8_t)(column->kind == SM_PAIR_FIRST    ? a
                                                       : column->kind == SM_PAIR_SECOND ? b
                                                                                        : both);
        }
}

/* ---- all features ---- */

typedef struct binned_job {
    sm_binned *binned;
    const sm_view *view;
    const sm_features *features;
    smerf_pair_features wanted;
} binned_job;

/* The kinds of columns that a feature has.   kinds  [SM_MOST_PAIR_KINDS] out */
static size_t choose_kinds(smerf_pair_features wanted, bool is_category, bool has_missing, sm_pair_kind *kinds) {
    size_t n = 0;
    bool has_differences = wanted == SMERF_PAIRS_DIFFERENCE || wanted == SMERF_PAIRS_ALL;
    bool has_items = wanted == SMERF_PAIRS_ITEMS || wanted == SMERF_PAIRS_ALL;
    if (is_category) kinds[n++] = SM_PAIR_BOTH;
    if (!is_category && has_differences) {
        kinds[n++] = SM_PAIR_DIFFERENCE;
        kinds[n++] = SM_PAIR_MEAN;
    }
    if (!is_category && wanted == SMERF_PAIRS_ENDS) {
        kinds[n++] = SM_PAIR_SMALLER;
        kinds[n++] = SM_PAIR_LARGER;
    }
    if (has_items) {
        kinds[n++] = SM_PAIR_FIRST;
        kinds[n++] = SM_PAIR_SECOND;
    }
    if (has_missing) kinds[n++] = SM_PAIR_N_MISSING;
    return n;
}

static bool bin_feature_columns(binning *work, sm_binned_feature *feature, bool is_category, sm_pair_column *columns) {
    bool has_memory = true;
    for (size_t c = 0; c < feature->n_columns && has_memory; c++) {
        sm_pair_column *column = &columns[c];
        if (column->kind == SM_PAIR_N_MISSING)
            has_memory = bin_missing_column(work, feature, c, is_category, column);
        else if (is_category)
            bin_levels_column(work, feature, c, column);
        else if (sm_pair_is_directed(column->kind))
            has_memory = bin_own_column(work, feature, c, column);
        else
            has_memory = bin_column(work, feature, c, column);
    }
    return has_memory;
}

static bool bin_feature(binning *work, const binned_job *job, size_t f) {
    sm_binned_feature *feature = &job->binned->features[f];
    const sm_feature *known = &job->features->feature[f];
    size_t n_items = job->binned->n_items;
    bool is_category = known->kind == SMERF_CATEGORY;
    sm_pair_kind kinds[SM_MOST_PAIR_KINDS];
    feature->bin = sm_zeros(n_items, sizeof *feature->bin);
    if (is_category) feature->level_bin = sm_array(known->levels.n, sizeof *feature->level_bin);
    if (feature->bin == NULL || (is_category && feature->level_bin == NULL)) return false;
    if (is_category) {
        bin_levels(work, job->view->codes[f], n_items, known->levels.n, feature->level_bin);
        bin_category(work, job->view->codes[f], n_items, feature->level_bin, feature->bin);
    } else {
        bin_number(work, &job->view->numbers[f], n_items, feature->bin);
    }
    feature->n_bins = is_category && work->has_missing ? SM_MOST_BINS
                      : is_category                    ? work->n_values
                                                       : work->n_values + work->has_missing;
    feature->n_columns = choose_kinds(job->wanted, is_category, work->has_missing, kinds);
    feature->table = sm_zeros(feature->n_bins << 8, feature->n_columns);
    sm_pair_column *columns = job->binned->columns + f * SM_MOST_PAIR_KINDS;
    for (size_t c = 0; c < feature->n_columns; c++)
        columns[c] = (sm_pair_column){.feature = (uint32_t)f, .kind = kinds[c]};
    return feature->table != NULL && bin_feature_columns(work, feature, is_category, columns);
}

static smerf_status bin_one(void *argument, size_t f, size_t thread, smerf_error *error) {
    const binned_job *job = argument;
    binning *work = sm_zeros(1, sizeof *work);
    (void)thread;
    size_t n_levels = job->features->feature[f].levels.n, n = job->binned->n_items;
    bool has_memory = work != NULL && start_binning(work, n > n_levels ? n : n_levels) && bin_feature(work, job, f);
    if (work != NULL) sm_arena_free(&work->arena);
    sm_free(work);
    return has_memory ? SMERF_OK : sm_no_memory(error, "putting features in bins");
}

/* Columns of all features stand one after the other. */
static void number_columns(sm_binned *binned) {
    size_t n = 0;
    binned->n_cells = 0;
    for (size_t f = 0; f < binned->n_features; f++) {
        sm_binned_feature *feature = &binned->features[f];
        feature->first_column = n;
        for (size_t c = 0; c < feature->n_columns; c++, n++) {
            binned->columns[n] = binned->columns[f * SM_MOST_PAIR_KINDS + c];
            if (n != f * SM_MOST_PAIR_KINDS + c)
                binned->columns[f * SM_MOST_PAIR_KINDS + c] = (sm_pair_column){0}; /* one owner of the thresholds */
            binned->columns[n].first = binned->n_cells;
            binned->n_cells += binned->columns[n].n_bins;
            binned->is_directed |= sm_pair_is_directed(binned->columns[n].kind);
        }
    }
    binned->n_columns = n;
}

smerf_status sm_binned_start(sm_binned *binned, const sm_view *view, const sm_features *features,
                             smerf_pair_features wanted, sm_pool *pool, smerf_error *error) {
    *binned = (sm_binned){.n_items = view->n_items, .n_features = features->n};
    binned->features = sm_zeros(features->n, sizeof *binned->features);
    /* and one for what boosting starts from */
    binned->columns = sm_zeros(sm_size(features->n, SM_MOST_PAIR_KINDS, 1), sizeof *binned->columns);
    if (binned->features == NULL || binned->columns == NULL) return sm_no_memory(error, "putting features in bins");
    binned->n_columns = features->n * SM_MOST_PAIR_KINDS; /* to be freed, until they are numbered */
    binned_job job = {.binned = binned, .view = view, .features = features, .wanted = wanted};
    smerf_status status = sm_pool_run(pool, features->n, bin_one, &job, error);
    if (status == SMERF_OK) number_columns(binned);
    return status;
}

smerf_status sm_binned_add_base(sm_binned *binned, const double *values, size_t n, smerf_error *error) {
    double threshold[SM_MOST_BINS];
    size_t end[SM_MOST_BINS], n_known = 0;
    binning work = {0};
    sm_pair_column *column = &binned->columns[binned->n_columns];
    *column = (sm_pair_column){.feature = (uint32_t)binned->n_features, .kind = SM_PAIR_BASE, .first = binned->n_cells};
    bool has_memory = start_binning(&work, n);
    for (size_t k = 0; k < n && has_memory; k++)
        if (!isnan(values[k])) work.listed[n_known++] = (pair_value){values[k], 1, (uint32_t)k};
    if (has_memory) {
        sort_values(work.listed, n_known, &work.sorted);
        size_t n_bins = cut_sorted(&work.sorted, SM_MOST_BINS - 1, end, threshold);
        if (n_bins == 0) threshold[n_bins++] = INFINITY;
        has_memory = set_thresholds(column, threshold, n_bins, true);
    }
    sm_arena_free(&work.arena);
    if (!has_memory) return sm_no_memory(error, "putting features in bins");
    binned->n_columns++;
    binned->n_cells += column->n_bins;
    return SMERF_OK;
}

void sm_binned_free(sm_binned *binned) {
    for (size_t f = 0; f < binned->n_features && binned->features != NULL; f++) {
        sm_free(binned->features[f].bin);
        sm_free(binned->features[f].table);
        sm_free(binned->features[f].level_bin);
    }
    for (size_t c = 0; c < binned->n_columns && binned->columns != NULL; c++) sm_free(binned->columns[c].threshold);
    sm_free(binned->features);
    sm_free(binned->columns);
    *binned = (sm_binned){0};
}
