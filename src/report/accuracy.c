/* accuracy.c - see accuracy.h: bins, and curves from pairs that are sorted once. */
#include "report/accuracy.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"

void sm_scored_moments(const sm_scored *pairs, double *mean, double *sd) {
    double running = 0, squares = 0;
    for (size_t p = 0; p < pairs->n; p++) {
        double step = pairs->truth[p] - running;
        running += step / (double)(p + 1);
        squares += step * (pairs->truth[p] - running);
    }
    *mean = pairs->n > 0 ? running : NAN;
    *sd = pairs->n > 0 ? sqrt(squares / (double)pairs->n) : NAN;
}

/* ---- density ---- */

sm_bins sm_bins_of(const double *values, size_t n_values) {
    sm_bins bins = {.n = 1};
    for (size_t p = 0; p < n_values; p++) {
        if (p == 0 || values[p] < bins.from) bins.from = values[p];
        if (p == 0 || values[p] > bins.to) bins.to = values[p];
    }
    if (bins.from < bins.to) bins.n = SM_DENSITY_BINS;
    return bins;
}

size_t sm_bin_of(const sm_bins *bins, double value) {
    if (bins->n == 1) return 0;
    double fraction = (value - bins->from) / (bins->to - bins->from);
    size_t bin = (size_t)(fraction * (double)bins->n);
    return bin < bins->n ? bin : bins->n - 1;
}

void sm_density_count(const sm_scored *pairs, const sm_bins *observed, const sm_bins *predicted, uint32_t *counts) {
    memset(counts, 0, observed->n * predicted->n * sizeof *counts);
    for (size_t p = 0; p < pairs->n; p++)
        counts[sm_bin_of(observed, pairs->truth[p]) * predicted->n + sm_bin_of(predicted, pairs->predicted[p])]++;
}

/* ---- pairs in order ---- */

typedef struct ordered {
    uint64_t *keys, *spare_keys; /* [n] equal numbers have equal keys */
    uint32_t *order, *spare_order;
} ordered;

static void free_order(ordered *pairs) {
    sm_free(pairs->keys);
    sm_free(pairs->spare_keys);
    sm_free(pairs->order);
    sm_free(pairs->spare_order);
}

static bool sort_values(const double *values, size_t n, ordered *pairs) {
    *pairs = (ordered){.keys = sm_array(n, sizeof *pairs->keys),
                       .spare_keys = sm_array(n, sizeof *pairs->spare_keys),
                       .order = sm_array(n, sizeof *pairs->order),
                       .spare_order = sm_array(n, sizeof *pairs->spare_order)};
    if (pairs->keys == NULL || pairs->spare_keys == NULL || pairs->order == NULL || pairs->spare_order == NULL) {
        free_order(pairs);
        return false;
    }
    for (size_t p = 0; p < n; p++) {
        pairs->keys[p] = sm_sort_key(values[p]);
        pairs->order[p] = (uint32_t)p;
    }
    sm_sort(pairs->keys, pairs->order, n, pairs->spare_keys, pairs->spare_order);
    return true;
}

/* ---- errors by distance ---- */

static sm_error_bin describe_bin(const sm_scored *pairs, const uint32_t *order, size_t n) {
    sm_error_bin bin = {.from = pairs->truth[order[0]], .to = pairs->truth[order[n - 1]], .n = n};
    for (size_t k = 0; k < n; k++) {
        double error = pairs->predicted[order[k]] - pairs->truth[order[k]];
        bin.bias += error;
        bin.rmse += error * error;
    }
    bin.bias /= (double)n;
    bin.rmse = sqrt(bin.rmse / (double)n);
    return bin;
}

smerf_status sm_errors_by_distance(const sm_scored *pairs, sm_error_bin *bins, size_t *n_bins, smerf_error *error) {
    ordered sorted;
    *n_bins = 0;
    if (!sort_values(pairs->truth, pairs->n, &sorted)) return sm_no_memory(error, "sorting distances");
    for (size_t first = 0, end; first < pairs->n; first = end) {
        size_t n_left = SM_ERROR_BINS - *n_bins, fair = (pairs->n - first + n_left - 1) / n_left;
        end = first + fair;
        while (end < pairs->n && sorted.keys[end] == sorted.keys[end - 1]) end++;
        bins[(*n_bins)++] = describe_bin(pairs, sorted.order + first, end - first);
    }
    free_order(&sorted);
    return SMERF_OK;
}

/* ---- curves ---- */

/* Adds a point where it differs to the eye from the one before, or must be there. */
static void add_point(double (*points)[2], size_t *n, double x, double y, bool must) {
    const double step = 1.0 / 400;
    bool is_same = *n > 0 && points[*n - 1][0] == x && points[*n - 1][1] == y;
    bool differs = *n == 0 || fabs(points[*n - 1][0] - x) >= step || fabs(points[*n - 1][1] - y) >= step;
    if (is_same || !(must || (differs && *n + 1 < SM_CURVE_POINTS))) return;
    points[*n][0] = x;
    points[(*n)++][1] = y;
}

static void draw_curves(const sm_scored *pairs, const ordered *sorted, size_t n_links, sm_curves *curves) {
    size_t n_found = 0; /* links among the nearest */
    add_point(curves->roc, &curves->n_roc, 0, 0, true);
    add_point(curves->pr, &curves->n_pr, 0, 1, true);
    for (size_t first = 0, end; first < pairs->n; first = end) {
        size_t n_before = n_found;
        for (end = first; end < pairs->n && sorted->keys[end] == sorted->keys[first]; end++)
            n_found += pairs->truth[sorted->order[end]] != 1;
        double recall = (double)n_found / (double)n_links;
        double false_fraction = (double)(end - n_found) / (double)(pairs->n - n_links);
        add_point(curves->roc, &curves->n_roc, false_fraction, recall, end == pairs->n);
        if (n_before < n_links) /* after the last link precision only falls */
            add_point(curves->pr, &curves->n_pr, recall, (double)n_found / (double)end, n_found == n_links);
    }
}

smerf_status sm_curves_find(const sm_scored *pairs, sm_curves *curves, smerf_error *error) {
    size_t n_links = 0;
    ordered sorted;
    *curves = (sm_curves){.fraction_of_links = NAN};
    for (size_t p = 0; p < pairs->n; p++) n_links += pairs->truth[p] != 1;
    if (pairs->n > 0) curves->fraction_of_links = (double)n_links / (double)pairs->n;
    if (n_links == 0 || n_links == pairs->n) return SMERF_OK;
    if (!sort_values(pairs->predicted, pairs->n, &sorted)) return sm_no_memory(error, "sorting distances");
    draw_curves(pairs, &sorted, n_links, curves);
    free_order(&sorted);
    return SMERF_OK;
}
