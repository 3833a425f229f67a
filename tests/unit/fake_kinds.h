/* fake_kinds.h - a dense target that pretends to have what other kinds have: links, values, silent leaves, a summary. */
#ifndef TESTS_UNIT_FAKE_KINDS_H
#define TESTS_UNIT_FAKE_KINDS_H

#include "tests/unit/forests.h"

#include "base/memory.h"
#include "model/model.h"
#include "predict/limits.h"
#include "target/dense/distances.h"

enum { WITH_LINKS = 1, WITH_VALUES = 2, WITH_SILENCE = 4, AS_APPROXIMATE = 8, WITH_GAPS = 16 };

#define FAKE_FALLBACK 0.625
#define LINK_LENGTH 0.5

/* ---- links ---- */

static inline bool fake_is_link(double distance) { return distance < LINK_LENGTH; }

/* Some of the truth is not known. */
static inline bool fake_is_gap(size_t row, size_t column) { return (row + column) % 7 == 3; }

static inline void fake_true_row(const smerf_target *target, size_t row, double *out) {
    sm_target_distances.data.true_row(target, row, out);
    for (size_t j = 0; j < target->n_columns; j++)
        if (fake_is_gap(row, j)) out[j] = NAN;
}

/* ---- silence ---- */

/* Symmetric; about one pair of leaves in three, or all of a tree with an odd number of leaves. */
static inline bool fake_is_silent(size_t n_leaves, size_t a, size_t b) { return n_leaves % 2 == 1 || (a + b) % 3 == 1; }

static inline double fake_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b) {
    return fake_is_silent(leaves->n, a, b) ? NAN : sm_distances_leaf_pair(target, leaves, a, b);
}

static inline void fake_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row,
                                 double *scratch) {
    sm_distances_leaf_row(target, leaves, leaf, row, scratch);
    for (size_t l = 0; l < leaves->n; l++)
        if (fake_is_silent(leaves->n, leaf, l)) row[l] = NAN;
}

static inline double fake_fallback(const smerf_target *target) {
    (void)target;
    return FAKE_FALLBACK;
}

/* ---- values ---- */

enum { N_VALUES = 3 };

/* Three numbers that an item has. */
static inline double fake_value(size_t item, size_t value) { return sin((double)(item * N_VALUES + value)) + 2; }

static atomic_size_t n_summaries, most_summaries;

/* Sums over the members of each leaf. */
static inline void *fake_summarise(const smerf_target *target, const sm_leaves *leaves) {
    (void)target;
    double *sums = sm_zeros(leaves->n * N_VALUES, sizeof *sums);
    if (sums == NULL) return NULL;
    for (size_t l = 0; l < leaves->n; l++)
        for (size_t m = leaves->first[l]; m < leaves->first[l + 1]; m++)
            for (size_t v = 0; v < N_VALUES; v++)
                sums[l * N_VALUES + v] += leaves->weight[m] * fake_value(leaves->item[m], v);
    size_t n = atomic_fetch_add(&n_summaries, 1) + 1, most = atomic_load(&most_summaries);
    while (n > most && !atomic_compare_exchange_weak(&most_summaries, &most, n)) continue;
    return sums;
}

static inline void fake_summary_free(void *summary) {
    atomic_fetch_sub(&n_summaries, 1);
    sm_free(summary);
}

static inline size_t fake_summary_bytes(const smerf_target *target, size_t n_leaves) {
    (void)target;
    return n_leaves * N_VALUES * sizeof(double);
}

static inline size_t fake_n_values(const smerf_target *target) {
    (void)target;
    return N_VALUES;
}

static inline const char *fake_value_name(const smerf_target *target, size_t value) {
    static const char *const names[N_VALUES] = {"one", "two", "three"};
    (void)target;
    return names[value];
}

static inline void fake_leaf_values(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *values) {
    (void)target;
    const double *sums = leaves->summary;
    for (size_t v = 0; v < N_VALUES; v++) values[v] = sums[leaf * N_VALUES + v] / leaves->total[leaf];
}

/* ---- the pretence ---- */

/* From now on the target, and the models that share it, are of a kind that has these. */
static inline void pretend(smerf_target *target, unsigned what) {
    static sm_target_kind kinds[32];
    sm_target_kind *kind = &kinds[what];
    *kind = sm_target_distances;
    kind->name = "fake";
    kind->data.is_approximate = (what & AS_APPROXIMATE) != 0;
    if (what & WITH_LINKS) {
        kind->metrics |= SMERF_HAS(SMERF_AUC_ROC) | SMERF_HAS(SMERF_AUC_PR);
        kind->data.is_link = fake_is_link;
    }
    if (what & WITH_GAPS) kind->data.true_row = fake_true_row;
    if (what & WITH_SILENCE) {
        kind->predicting.may_be_undefined = true;
        kind->predicting.leaf_row = fake_leaf_row;
        kind->predicting.item_block = NULL;
        kind->predicting.leaf_pair = fake_leaf_pair;
        kind->predicting.fallback = fake_fallback;
    }
    if (what & WITH_VALUES) {
        kind->predicting.summary_bytes = fake_summary_bytes;
        kind->predicting.summarise = fake_summarise;
        kind->predicting.summary_free = fake_summary_free;
        kind->values.n_values = fake_n_values;
        kind->values.value_name = fake_value_name;
        kind->values.leaf_values = fake_leaf_values;
    }
    target->kind = kind;
}

/* ---- limits ---- */

enum { N_LIMITS = 5 };

/* One tree a group or a few; leaves kept or found again; one row a panel or a few; nothing or everything kept. */
static const sm_limits small_limits[N_LIMITS] = {
    {0, 0, 0, 0, 0},           {0, 1e9, 0, 3000, 0}, {12000, 0, 3000, 9000, 0}, {12000, 1e9, 1e9, 1e9, 1e9},
    {1e9, 0, 20000, 20000, 0},
};

#endif
