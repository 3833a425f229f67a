/* auc.c - see auc.h. */
#include "evaluate/auc.h"

#include <math.h>

#include "base/memory.h"
#include "base/sort.h"

enum { FIRST_CAPACITY = 4096, FEW_BINS = 1 << 16 };

/* ---- tallies ---- */

static void tally_free(sm_tally *tally) {
    sm_free(tally->keys);
    sm_free(tally->counts);
    *tally = (sm_tally){0};
}

static smerf_status tally_grow(sm_tally *tally, smerf_error *error) {
    size_t wanted = tally->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : sm_size(tally->capacity, 2, 0);
    size_t scratch[2] = {tally->capacity, tally->capacity}; /* for keys and for counts */
    smerf_status status = sm_check_memory((double)wanted * 2 * sizeof *tally->keys, "the distances of links", error);
    if (status != SMERF_OK) return status;
    if (!sm_grow((void **)&tally->keys, &scratch[0], wanted, sizeof *tally->keys) ||
        !sm_grow((void **)&tally->counts, &scratch[1], wanted, sizeof *tally->counts))
        return sm_no_memory(error, "collecting the distances of links");
    tally->capacity = wanted;
    return SMERF_OK;
}

/* Sorts by key and makes equal keys one. */
static smerf_status tally_sort(sm_tally *tally, smerf_error *error) {
    sm_arena arena = {0};
    size_t n = tally->n;
    uint32_t *order = sm_arena_take(&arena, n, sizeof *order), *spare_order = sm_arena_take(&arena, n, sizeof *order);
    uint64_t *spare = sm_arena_take(&arena, n, sizeof *spare);
    if (arena.has_failed || n > UINT32_MAX) {
        sm_arena_free(&arena);
        return sm_no_memory(error, "collecting the distances of links");
    }
    for (size_t k = 0; k < n; k++) order[k] = (uint32_t)k;
    sm_sort(tally->keys, order, n, spare, spare_order);
    for (size_t k = 0; k < n; k++) spare[k] = tally->counts[order[k]];
    tally->n = 0;
    for (size_t k = 0; k < n; k++) {
        if (k == 0 || tally->keys[k] != tally->keys[tally->n - 1]) {
            tally->keys[tally->n] = tally->keys[k];
            tally->counts[tally->n++] = 0;
        }
        tally->counts[tally->n - 1] += spare[k];
    }
    sm_arena_free(&arena);
    return SMERF_OK;
}

/* A full tally is sorted; if many of its keys are different, it gets more room, so that sorting stays rare. */
static smerf_status tally_add(sm_tally *tally, uint64_t key, uint64_t count, smerf_error *error) {
    if (tally->n == tally->capacity) {
        smerf_status status = tally_sort(tally, error);
        if (status == SMERF_OK && tally->n >= tally->capacity / 2) status = tally_grow(tally, error);
        if (status != SMERF_OK) return status;
    }
    tally->keys[tally->n] = key;
    tally->counts[tally->n++] = count;
    return SMERF_OK;
}

/* ---- the first round ---- */

smerf_status sm_auc_start(sm_auc *auc, size_t n_threads, smerf_error *error) {
    *auc = (sm_auc){.n_threads = n_threads, .links = sm_zeros(n_threads, sizeof *auc->links)};
    return auc->links != NULL ? SMERF_OK : sm_no_memory(error, "collecting the distances of links");
}

void sm_auc_free(sm_auc *auc) {
    for (size_t t = 0; t < auc->n_threads && auc->links != NULL; t++) tally_free(&auc->links[t]);
    sm_free(auc->links);
    sm_free(auc->bins);
    *auc = (sm_auc){0};
}

smerf_status sm_auc_collect(sm_auc *auc, const sm_auc_row *row, size_t thread, smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (size_t j = row->first; j < row->end && status == SMERF_OK; j++)
        if (!isnan(row->predicted[j]) && !isnan(row->truth[j]) && row->is_link(row->truth[j]))
            status = tally_add(&auc->links[thread], sm_sort_key(row->predicted[j]), 1, error);
    return status;
}

smerf_status sm_auc_sort(sm_auc *auc, smerf_error *error) {
    sm_tally *all = &auc->links[0];
    smerf_status status = SMERF_OK;
    for (size_t t = 1; t < auc->n_threads; t++) {
        sm_tally *part = &auc->links[t];
        for (size_t k = 0; k < part->n && status == SMERF_OK; k++)
            status = tally_add(all, part->keys[k], part->counts[k], error);
        tally_free(part);
    }
    if (status == SMERF_OK) status = tally_sort(all, error);
    if (status != SMERF_OK) return status;
    auc->n_bins = sm_size(all->n, 2, 1);
    auc->n_copies = auc->n_bins <= FEW_BINS ? auc->n_threads : 1; /* of few bins each thread has its own */
    size_t n = sm_size(auc->n_copies, auc->n_bins, 0);
    status = sm_check_memory((double)n * sizeof *auc->bins, "counting pairs", error);
    if (status != SMERF_OK) return status;
    auc->bins = sm_array(n, sizeof *auc->bins);
    if (auc->bins == NULL) return sm_no_memory(error, "counting pairs");
    for (size_t k = 0; k < n; k++) atomic_init(&auc->bins[k], 0);
    return SMERF_OK;
}

/* ---- the second round ---- */

static size_t find_bin(const sm_tally *links, uint64_t key) {
    size_t low = 0, high = links->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (links->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return 2 * low + (low < links->n && links->keys[low] == key);
}

void sm_auc_count(sm_auc *auc, const sm_auc_row *row, size_t thread) {
    atomic_uint_fast64_t *bins = auc->bins + thread % auc->n_copies * auc->n_bins;
    for (size_t j = row->first; j < row->end; j++) {
        if (isnan(row->predicted[j]) || isnan(row->truth[j]) || row->is_link(row->truth[j])) continue;
        size_t bin = find_bin(&auc->links[0], sm_sort_key(row->predicted[j]));
        atomic_fetch_add_explicit(&bins[bin], 1, memory_order_relaxed);
    }
}

static double n_in_bin(const sm_auc *auc, size_t bin) {
    uint64_t n = 0;
    for (size_t c = 0; c < auc->n_copies; c++) n += atomic_load(&auc->bins[c * auc->n_bins + bin]);
    return (double)n;
}

/* From near to far. Counts are exact in a double up to 2^53. */
void sm_auc_areas(const sm_auc *auc, double *roc, double *precision_recall, double *fraction_of_links) {
    const sm_tally *links = &auc->links[0];
    double n_links = 0, n_others = 0, links_so_far = 0, others_so_far = 0, above = 0, precision = 0;
    for (size_t k = 0; k < links->n; k++) n_links += (double)links->counts[k];
    for (size_t bin = 0; bin < auc->n_bins; bin++) n_others += n_in_bin(auc, bin);
    for (size_t k = 0; k < links->n; k++) {
        double here = (double)links->counts[k], ties = n_in_bin(auc, 2 * k + 1);
        links_so_far += here;
        others_so_far += n_in_bin(auc, 2 * k) + ties;
        above += here * (n_others - others_so_far + ties / 2);
        precision += here * (links_so_far / (links_so_far + others_so_far));
    }
    bool is_defined = n_links > 0 && n_others > 0;
    *roc = is_defined ? above / (n_links * n_others) : NAN;
    *precision_recall = is_defined ? precision / n_links : NAN;
    *fraction_of_links = n_links + n_others > 0 ? n_links / (n_links + n_others) : NAN;
}
