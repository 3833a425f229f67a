/* rows.c - see rows.h.
 *   1. for a model: the leaves of every tree from left to right, and those on each split's left side      number_leaves
 *   2. for the columns: the rank of each number, 16 bits                                                  rank_columns
 *   3. for a row: which splits are left, and the interval of ranks that each sends left                   specialise
 *   4. for some columns and every tree: the leaf                                                          add_trees */
#include "method/boost/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_LEAVES = 32, LANES = 8, COLUMNS_AT_A_TIME = 256, RANK_MISSING = 65535 };

/* Sixteen bytes, which every x86-64 has registers for; comparisons are signed, which it has instructions for. */
typedef uint16_t eight __attribute__((vector_size(2 * LANES)));
typedef int16_t signed_eight __attribute__((vector_size(2 * LANES)));

/* The numbers of a feature in all columns. */
typedef struct ranked_feature {
    uint16_t *rank; /* [n and LANES more] of the numbers, or the code of a level; RANK_MISSING */
    double *value;  /* [n_values] ascending; NULL: levels */
    size_t n_values;
    bool has_missing;
} ranked_feature;

/* A split that some columns answer in one way and some in the other. */
typedef struct row_split {
    const uint16_t *rank;
    uint32_t kept; /* leaves that a column keeps which does not go left */
    uint16_t low, width;
    uint16_t missing_left; /* all bits set, or none */
    bool has_missing;
} row_split;

/* What a thread knows of its row. */
typedef struct row_scratch {
    row_split *splits; /* [n_splits] of all trees, one after the other */
    uint32_t *end;     /* [n_trees] */
    uint32_t *alive;   /* [n_trees] leaves that are left before any column is looked at */
} row_scratch;

struct sm_boost_rows {
    const sm_boost *boost;
    const sm_learned *learned;
    const sm_view *rows;
    size_t n, n_threads;
    sm_arena arena;
    uint32_t *left_leaves;    /* [n_splits] leaves on the left, a bit each, from left to right */
    double *value;            /* [n_trees][MOST_LEAVES] from left to right */
    ranked_feature *features; /* [n_features] rank is NULL: no split is about it */
    row_scratch *scratches;   /* [n_threads] */
};

/* ---- 1. leaves from left to right ---- */

/* Children come after their parent, so that from the end on every subtree is known. Returns the leaves below. */
static void count_leaves(const sm_boost_split *splits, size_t n_splits, uint32_t *below) {
    for (size_t s = n_splits; s-- > 0;) {
        below[s] = 0;
        for (size_t side = 0; side < 2; side++) {
            uint32_t child = side == 0 ? splits[s].left : splits[s].right;
            below[s] += (child & SM_BOOST_LEAF) != 0 ? 1 : below[child];
        }
    }
}

static uint32_t bits_of(uint32_t first, uint32_t n) { return (uint32_t)((((uint64_t)1 << n) - 1) << first); }

static void number_leaves(sm_boost_rows *rows, size_t tree) {
    const sm_boost *boost = rows->boost;
    size_t from = boost->first[tree], n_splits = boost->first[tree + 1] - from;
    const sm_boost_split *splits = boost->splits + from;
    uint32_t below[MOST_LEAVES], first[MOST_LEAVES] = {0};
    count_leaves(splits, n_splits, below);
    for (size_t s = 0; s < n_splits; s++) {
        uint32_t at = first[s];
        for (size_t side = 0; side < 2; side++) {
            uint32_t child = side == 0 ? splits[s].left : splits[s].right;
            bool is_leaf = (child & SM_BOOST_LEAF) != 0;
            if (is_leaf)
                rows->value[tree * MOST_LEAVES + at] = sm_boost_leaves(boost, tree)[child & ~SM_BOOST_LEAF];
            else
                first[child] = at;
            uint32_t n = is_leaf ? 1 : below[child];
            if (side == 0) rows->left_leaves[from + s] = bits_of(at, n);
            at += n;
        }
    }
}

/* ---- 2. ranks ---- */

static int by_number(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint16_t rank_of(const ranked_feature *feature, double value) {
    size_t low = 0, high = feature->n_values;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (feature->value[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint16_t)low;
}

/* False: no memory, or too many values (n_values is then above RANK_MISSING). */
static bool rank_numbers(sm_boost_rows *rows, const sm_numbers *numbers, ranked_feature *feature) {
    size_t n = 0;
    feature->value = sm_arena_take(&rows->arena, rows->n, sizeof *feature->value);
    if (feature->value == NULL) return false;
    for (size_t j = 0; j < rows->n; j++)
        if (!isnan(sm_number_at(numbers, j))) feature->value[n++] = sm_number_at(numbers, j);
    feature->has_missing = n < rows->n;
    qsort(feature->value, n, sizeof *feature->value, by_number);
    for (size_t k = 0; k < n; k++)
        if (feature->n_values == 0 || feature->value[feature->n_values - 1] < feature->value[k])
            feature->value[feature->n_values++] = feature->value[k];
    if (feature->n_values >= RANK_MISSING) return false;
    for (size_t j = 0; j < rows->n; j++) {
        double value = sm_number_at(numbers, j);
        feature->rank[j] = isnan(value) ? RANK_MISSING : rank_of(feature, value);
    }
    return true;
}

static void rank_levels(sm_boost_rows *rows, const uint32_t *codes, ranked_feature *feature) {
    for (size_t j = 0; j < rows->n; j++) {
        feature->has_missing |= codes[j] == SMERF_MISSING;
        feature->rank[j] = codes[j] == SMERF_MISSING ? RANK_MISSING : (uint16_t)codes[j];
    }
}

/* The features that splits are about. */
static bool rank_columns(sm_boost_rows *rows, const sm_view *columns) {
    size_t n_padded = rows->n + LANES; /* whole registers are read from any column on */
    for (size_t s = 0; s < rows->boost->n_splits; s++) {
        size_t f = rows->boost->splits[s].feature;
        ranked_feature *feature = &rows->features[f];
        if (feature->rank != NULL) continue;
        feature->rank = sm_arena_take_zeros(&rows->arena, n_padded, sizeof *feature->rank);
        if (feature->rank == NULL) return false;
        if (!sm_are_numbers(&columns->numbers[f]))
            rank_levels(rows, columns->codes[f], feature);
        else if (!rank_numbers(rows, &columns->numbers[f], feature))
            return false;
    }
    return true;
}

/* ---- 3. one row ---- */

/* What a split asks of a column: ranks from low to low + width go left, and what is missing as it says. */
typedef struct interval {
    bool is_none, is_all; /* of what is not missing */
    bool missing_left;
    uint16_t low, width;
} interval;

static interval all_or_none(bool is_all, bool missing_left) {
    return (interval){.is_all = is_all, .is_none = !is_all, .missing_left = missing_left};
}

static interval ranks_from(const ranked_feature *feature, size_t first, size_t end, bool missing_left) {
    if (first >= end) return all_or_none(false, missing_left);
    if (first == 0 && end == feature->n_values) return all_or_none(true, missing_left);
    return (interval){.missing_left = missing_left, .low = (uint16_t)first, .width = (uint16_t)(end - 1 - first)};
}

/* The first rank in first .. end - 1 for which x <= threshold is what is `wanted`; before it, it is not.   kind  as it is computed */
static size_t find_rank(const ranked_feature *feature, const sm_boost_split *split, double x, size_t range[2],
                        bool wanted) {
    size_t low = range[0], high = range[1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        bool is_left = sm_pair_value((sm_pair_kind)split->kind, x, feature->value[middle]) <= split->threshold;
        if (is_left == wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Left of x the difference falls from rank to rank, right of it it rises. */
static interval difference_interval(const ranked_feature *feature, const sm_boost_split *split, double x) {
    size_t middle = rank_of(feature, x), before[2] = {0, middle}, after[2] = {middle, feature->n_values};
    return ranks_from(feature, find_rank(feature, split, x, before, true), find_rank(feature, split, x, after, false),
                      split->missing_left);
}

static interval number_interval(const ranked_feature *feature, const sm_boost_split *split, double x,
                                bool is_reversed) {
    sm_pair_kind kind = (sm_pair_kind)split->kind;
    size_t all[2] = {0, feature->n_values};
    if (kind == SM_PAIR_N_MISSING)
        return all_or_none((double)isnan(x) <= split->threshold, (double)(isnan(x) + 1) <= split->threshold);
    if (sm_pair_is_directed(kind)) {
        bool is_row = (kind == SM_PAIR_FIRST) != is_reversed;
        bool goes_left = isnan(x) ? split->missing_left : x <= split->threshold;
        if (is_row) return all_or_none(goes_left, goes_left);
        sm_boost_split of_column = *split;
        of_column.kind = SM_PAIR_SECOND; /* whichever it is, it is the column's number */
        return ranks_from(feature, 0, find_rank(feature, &of_column, x, all, false), split->missing_left);
    }
    if (isnan(x)) return all_or_none(split->missing_left, split->missing_left);
    if (kind == SM_PAIR_DIFFERENCE) return difference_interval(feature, split, x);
    return ranks_from(feature, 0, find_rank(feature, split, x, all, false), split->missing_left);
}

static interval level_interval(const sm_boost_rows *rows, const sm_boost_split *split, uint32_t code) {
    if (split->kind == SM_PAIR_N_MISSING) {
        double n = code == SMERF_MISSING;
        return all_or_none(n <= split->threshold, n + 1 <= split->threshold);
    }
    const uint32_t *set = rows->boost->sets + (size_t)split->set * SM_SET_WORDS;
    const uint8_t *level_bin = rows->learned->level_bin + rows->learned->first_level[split->feature];
    bool missing_left = sm_set_has(set, SM_BIN_MISSING), other_left = sm_set_has(set, SM_BIN_DIFFERENT);
    if (code == SMERF_MISSING) return all_or_none(missing_left, missing_left);
    bool same_left = sm_set_has(set, level_bin[code]);
    if (same_left == other_left) return all_or_none(same_left, missing_left);
    /* that level alone; or all but that, from the next one around to the one before it */
    return (interval){.missing_left = missing_left,
                      .low = (uint16_t)(same_left ? code : code + 1),
                      .width = same_left ? 0 : UINT16_MAX - 1};
}

static interval interval_of(const sm_boost_rows *rows, const sm_boost_split *split, size_t row, bool is_reversed) {
    const sm_numbers *numbers = &rows->rows->numbers[split->feature];
    if (!sm_are_numbers(numbers)) return level_interval(rows, split, rows->rows->codes[split->feature][row]);
    return number_interval(&rows->features[split->feature], split, sm_number_at(numbers, row), is_reversed);
}

/* Goes down from the root wherever some column may go, and lists what has to be asked of columns. */
static void specialise_tree(const sm_boost_rows *rows, size_t row, bool is_reversed, size_t tree,
                            row_scratch *scratch) {
    const sm_boost *boost = rows->boost;
    const size_t from = boost->first[tree];
    uint32_t waiting[MOST_LEAVES + 1], n_waiting = 1, n = tree > 0 ? scratch->end[tree - 1] : 0, alive = UINT32_MAX;
    waiting[0] = 0;
    while (n_waiting > 0) {
        uint32_t at = waiting[--n_waiting];
        if ((at & SM_BOOST_LEAF) != 0) continue;
        const sm_boost_split *split = &boost->splits[from + at];
        const ranked_feature *feature = &rows->features[split->feature];
        interval left = interval_of(rows, split, row, is_reversed);
        bool is_same = !feature->has_missing || left.missing_left == left.is_all;
        bool is_all = left.is_all && is_same, is_none = left.is_none && is_same;
        if (is_none) alive &= ~rows->left_leaves[from + at];
        if (!is_none) waiting[n_waiting++] = split->left;
        if (!is_all) waiting[n_waiting++] = split->right;
        if (is_all || is_none) continue;
        scratch->splits[n] = (row_split){.rank = feature->rank,
                                         .kept = ~rows->left_leaves[from + at],
                                         .low = left.low,
                                         .width = left.width,
                                         .missing_left = left.missing_left ? UINT16_MAX : 0,
                                         .has_missing = feature->has_missing};
        if (left.is_all) scratch->splits[n].width = UINT16_MAX;
        if (left.is_none) { /* only what is missing: no other rank is that */
            scratch->splits[n].low = RANK_MISSING;
            scratch->splits[n].width = 0;
        }
        n++;
    }
    scratch->end[tree] = n;
    scratch->alive[tree] = alive;
}

/* ---- 4. all columns ---- */

/* Whether unsigned numbers are above others, as bits: 0 ... 2^16 - 1 become -2^15 ... 2^15 - 1. */
static inline eight are_above(eight a, eight b) {
    const eight middle = (eight){0} + 0x8000;
    return (eight)((signed_eight)(a ^ middle) > (signed_eight)(b ^ middle));
}

/* Takes the leaves of the left side from the columns that go right. */
static void ask_split(const row_split *split, size_t first, size_t n_lanes, eight *low, eight *high) {
    const eight from = (eight){0} + split->low, width = (eight){0} + split->width, none = {0};
    const eight lost_low = none + (uint16_t)~split->kept, lost_high = none + (uint16_t)(~split->kept >> 16);
    const eight is_missing = none + RANK_MISSING, missing_right = none + (uint16_t)~split->missing_left;
    for (size_t v = 0; v < n_lanes; v++) {
        eight rank;
        memcpy(&rank, split->rank + first + v * LANES, sizeof rank);
        eight right = are_above(rank - from, width);
        if (split->has_missing) {
            eight missing = (eight)(rank == is_missing);
            right = (right & ~missing) | (missing & missing_right);
        }
        low[v] &= ~(right & lost_low);
        high[v] &= ~(right & lost_high);
    }
}

static void add_trees(const sm_boost_rows *rows, const row_scratch *scratch, size_t first, size_t n, double *score) {
    eight low[COLUMNS_AT_A_TIME / LANES], high[COLUMNS_AT_A_TIME / LANES];
    const size_t n_lanes = (n + LANES - 1) / LANES;
    for (size_t t = 0; t < rows->boost->n_trees; t++) {
        const double *value = rows->value + t * MOST_LEAVES;
        uint16_t alive[2] = {(uint16_t)scratch->alive[t], (uint16_t)(scratch->alive[t] >> 16)};
        for (size_t v = 0; v < n_lanes; v++) {
            low[v] = (eight){0} + alive[0];
            high[v] = (eight){0} + alive[1];
        }
        for (size_t s = t > 0 ? scratch->end[t - 1] : 0; s < scratch->end[t]; s++)
            ask_split(&scratch->splits[s], first, n_lanes, low, high);
        const uint16_t *lows = (const uint16_t *)low, *highs = (const uint16_t *)high;
        for (size_t j = 0; j < n; j++) score[j] += value[__builtin_ctz(lows[j] | (uint32_t)highs[j] << 16)];
    }
}

void sm_boost_rows_score(const sm_boost_rows *rows, size_t row, bool is_reversed, size_t thread, const size_t range[2],
                         double *score) {
    row_scratch *scratch = &rows->scratches[thread];
    for (size_t t = 0; t < rows->boost->n_trees; t++) specialise_tree(rows, row, is_reversed, t, scratch);
    for (size_t j = range[0]; j < range[1]; j++) score[j - range[0]] = rows->boost->start;
    for (size_t first = range[0]; first < range[1]; first += COLUMNS_AT_A_TIME) {
        size_t n = range[1] - first < COLUMNS_AT_A_TIME ? range[1] - first : COLUMNS_AT_A_TIME;
        add_trees(rows, scratch, first, n, score + first - range[0]);
    }
}

/* ---- making ready ---- */

static bool is_for_rows(const sm_boost *boost, const sm_learned *learned) {
    for (size_t t = 0; t < boost->n_trees; t++)
        if (boost->first[t + 1] - boost->first[t] >= MOST_LEAVES) return false;
    for (size_t s = 0; s < boost->n_splits; s++) {
        const sm_boost_split *split = &boost->splits[s];
        if (split->kind == SM_PAIR_BASE || (split->set != SMERF_MISSING && split->kind != SM_PAIR_BOTH)) return false;
    }
    return learned->base == NULL && learned->n_levels < RANK_MISSING;
}

static bool reserve_rows(sm_boost_rows *rows) {
    const sm_boost *boost = rows->boost;
    rows->left_leaves = sm_arena_take(&rows->arena, boost->n_splits, sizeof *rows->left_leaves);
    rows->value = sm_arena_take_zeros(&rows->arena, sm_size(boost->n_trees, MOST_LEAVES, 0), sizeof *rows->value);
    rows->features = sm_arena_take_zeros(&rows->arena, rows->learned->n_features, sizeof *rows->features);
    rows->scratches = sm_arena_take_zeros(&rows->arena, rows->n_threads, sizeof *rows->scratches);
    for (size_t t = 0; t < rows->n_threads && !rows->arena.has_failed; t++) {
        row_scratch *scratch = &rows->scratches[t];
        scratch->splits = sm_arena_take(&rows->arena, boost->n_splits, sizeof *scratch->splits);
        scratch->end = sm_arena_take(&rows->arena, boost->n_trees, sizeof *scratch->end);
        scratch->alive = sm_arena_take(&rows->arena, boost->n_trees, sizeof *scratch->alive);
    }
    return !rows->arena.has_failed;
}

smerf_status sm_boost_rows_new(const sm_boost *boost, const sm_learned *learned, const sm_view *rows,
                               const sm_view *columns, size_t n_threads, sm_boost_rows **out, smerf_error *error) {
    *out = NULL;
    if (!is_for_rows(boost, learned)) return SMERF_OK;
    sm_boost_rows *made = sm_zeros(1, sizeof *made);
    if (made == NULL) return sm_no_memory(error, "predicting");
    *made = (sm_boost_rows){
        .boost = boost, .learned = learned, .rows = rows, .n = columns->n_items, .n_threads = n_threads};
    bool is_ready = reserve_rows(made);
    for (size_t t = 0; t < boost->n_trees && is_ready; t++) number_leaves(made, t);
    is_ready = is_ready && rank_columns(made, columns);
    bool has_failed = made->arena.has_failed;
    if (is_ready)
        *out = made;
    else
        sm_boost_rows_free(made);
    return has_failed ? sm_no_memory(error, "predicting") : SMERF_OK;
}

void sm_boost_rows_free(sm_boost_rows *rows) {
    if (rows == NULL) return;
    sm_arena_free(&rows->arena);
    sm_free(rows);
}
