/* pairs.c - see pairs.h. Lines are read in pair_lines.c. */
#include "io/pairs/pairs.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "io/pairs/pair_lines.h"

void sm_pairs_free(sm_pairs *pairs) {
    sm_free(pairs->left);
    sm_free(pairs->right);
    sm_free(pairs->third);
    sm_free(pairs->value);
    sm_free(pairs->weight);
    sm_free(pairs->row);
    sm_free(pairs->judge);
    sm_free(pairs->judges);
    *pairs = (sm_pairs){0};
}

static smerf_status read_ids(sm_pair_lines *lines, const sm_pairs_spec *spec, smerf_status status, sm_pairs *pairs) {
    if (status == SMERF_OK) status = sm_pair_lines_read_header(lines, spec, SM_IDS_ALONE);
    if (status == SMERF_OK) status = sm_pair_lines_read(lines);
    return sm_pair_lines_close(lines, status, pairs);
}

smerf_status sm_pairs_read(const char *path, const sm_pairs_spec *spec, sm_pairs *pairs, smerf_error *error) {
    sm_pair_lines lines;
    sm_pairs_spec of_two = *spec;
    of_two.is_square = false;
    smerf_status status = sm_pair_lines_open(&lines, path, &of_two, error);
    lines.ends = SM_ROW_THEN_COLUMN;
    return read_ids(&lines, &of_two, status, pairs);
}

smerf_status sm_pairs_read_observed(const char *path, const sm_pairs_spec *spec, sm_pairs *pairs, smerf_error *error) {
    sm_pair_lines lines;
    smerf_status status = sm_pair_lines_open(&lines, path, spec, error);
    return read_ids(&lines, spec, status, pairs);
}

/* ---- Pairs with numbers ---- */

/* Turns similarities into distances. */
static smerf_status turn_similarities(sm_pair_lines *lines, double largest) {
    sm_pairs *pairs = &lines->pairs;
    if (isnan(largest)) largest = lines->largest_value > 1 ? lines->largest_value : 1;
    pairs->largest = largest;
    for (size_t k = 0; k < pairs->n; k++) {
        double q = pairs->value[k];
        pairs->value[k] = largest - q;
        if (!isfinite(pairs->value[k]))
            return sm_source_fail(&lines->source,
                                  sm_pair_lines_find_row(&lines->source, pairs->row != NULL ? pairs->row[k] : k),
                                  lines->error, "the similarity %g is too far from the largest, %g", q, largest);
    }
    return SMERF_OK;
}

smerf_status sm_pairs_read_values(const char *path, const sm_pairs_spec *spec, sm_pairs *pairs, smerf_error *error) {
    sm_pair_lines lines;
    smerf_status status = sm_pair_lines_open(&lines, path, spec, error);
    if (status == SMERF_OK) status = sm_pair_lines_read_header(&lines, spec, SM_RATINGS);
    lines.value_noun = lines.pairs.are_similarities ? "similarity" : "distance";
    if (status == SMERF_OK) status = sm_pair_lines_read(&lines);
    if (status == SMERF_OK && lines.pairs.are_similarities) status = turn_similarities(&lines, spec->largest);
    return sm_pair_lines_close(&lines, status, pairs);
}

/* ---- Triplets ---- */

smerf_status sm_triplets_read(const char *path, const sm_pairs_spec *spec, sm_pairs *triplets, smerf_error *error) {
    sm_pair_lines lines;
    smerf_status status = sm_pair_lines_open(&lines, path, spec, error);
    lines.noun = "triplet";
    lines.has_loops = false;
    lines.n_ids = 3;
    if (status == SMERF_OK) status = sm_triplet_header_read(&lines, spec);
    if (status == SMERF_OK) status = sm_pair_lines_read(&lines);
    return sm_pair_lines_close(&lines, status, triplets);
}

/* ---- Complaints ---- */

static size_t find_row(const sm_source *source, const void *row) {
    const size_t *wanted = row;
    return sm_market_is(source) ? sm_market_find_entry(source, *wanted) : sm_pair_lines_find_row(source, *wanted);
}

/* The library counts the entries that it was given. A line of the file says more, and where there is none to name, the
 * row of the file: entries may have been left out. */
static void replace_entry(bool has_line, size_t row, smerf_error *error) {
    const smerf_error complaint = *error;
    char entry[48], position[48] = "";
    size_t n = (size_t)snprintf(entry, sizeof entry, "entry %zu: ", complaint.row);
    if (strncmp(complaint.message, entry, n) != 0) return;
    if (!has_line) snprintf(position, sizeof position, "row %zu: ", row);
    snprintf(error->message, sizeof error->message, "%s%s", position, complaint.message + n);
}

smerf_status sm_pairs_position(const char *path, size_t row, smerf_error *error) {
    replace_entry(sm_input_can_repeat(path), row, error);
    return sm_source_position(path, find_row, &row, error);
}

/* ---- edges ---- */

static smerf_status read_market(const sm_source *source, const sm_pairs_spec *spec, sm_pairs *edges,
                                smerf_error *error) {
    if (spec->value_column != NULL || spec->id_columns[0] != NULL)
        return sm_fail(error, SMERF_BAD_INPUT, "%s: a Matrix Market file has no columns of which %s could choose one",
                       source->name, spec->value_column != NULL ? "--value" : "--pair-columns");
    if (spec->is_square) return sm_market_read(source, spec->rows.n, edges, error);
    return sm_fail(error, SMERF_BAD_INPUT,
                   "%s: a Matrix Market file has no ids, and edges between two sets of items need them: "
                   "CSV with source,target has",
                   source->name);
}

static smerf_status read_edge_lines(sm_pair_lines *lines, const sm_pairs_spec *spec) {
    lines->noun = "edge";
    lines->value_noun = "weight";
    lines->has_loops = false;
    if (lines->source.n_bytes > 0 && lines->source.bytes[0] == '%')
        return sm_source_fail(&lines->source, 0, lines->error,
                              "\"%%\" opens no CSV file, and Matrix Market starts with %%%%MatrixMarket");
    smerf_status status = sm_pair_lines_read_header(lines, spec, SM_EDGES);
    return status == SMERF_OK ? sm_pair_lines_read(lines) : status;
}

/* Weights beyond float32 stay as they are: no target takes them. */
static void scale_weights(sm_pairs *edges, double divisor) {
    if (isnan(divisor)) {
        divisor = 1;
        for (size_t k = 0; k < edges->n && edges->value != NULL; k++) divisor = fmax(divisor, edges->value[k]);
        if (divisor > (double)FLT_MAX) divisor = 1;
    }
    edges->largest = divisor;
    for (size_t k = 0; k < edges->n && edges->value != NULL && divisor != 1; k++) edges->value[k] /= divisor;
}

smerf_status sm_edges_read(const char *path, const sm_pairs_spec *spec, sm_pairs *edges, smerf_error *error) {
    sm_pair_lines lines;
    smerf_status status = sm_pair_lines_open(&lines, path, spec, error);
    if (status == SMERF_OK && sm_market_is(&lines.source))
        status = read_market(&lines.source, spec, &lines.pairs, error);
    else if (status == SMERF_OK)
        status = read_edge_lines(&lines, spec);
    if (status == SMERF_OK) scale_weights(&lines.pairs, spec->largest);
    return sm_pair_lines_close(&lines, status, edges);
}

/* ---- pairs that repeat each other ---- */

uint64_t sm_pairs_key(const sm_pairs *pairs, size_t k) {
    uint32_t left = pairs->left[k], right = pairs->right[k];
    return left < right ? (uint64_t)left << 32 | right : (uint64_t)right << 32 | left;
}

void sm_sorted_pairs_free(sm_sorted_pairs *order) {
    sm_free(order->keys);
    sm_free(order->spare_keys);
    sm_free(order->indices);
    sm_free(order->spare_indices);
    *order = (sm_sorted_pairs){0};
}

smerf_status sm_pairs_sort(const sm_pairs *pairs, sm_sorted_pairs *order, smerf_error *error) {
    *order = (sm_sorted_pairs){0};
    if (pairs->n >= SMERF_MISSING) return sm_fail(error, SMERF_BAD_INPUT, "more pairs than can be counted in 32 bits");
    order->keys = sm_array(pairs->n, sizeof *order->keys);
    order->spare_keys = sm_array(pairs->n, sizeof *order->spare_keys);
    order->indices = sm_array(pairs->n, sizeof *order->indices);
    order->spare_indices = sm_array(pairs->n, sizeof *order->spare_indices);
    if (order->keys == NULL || order->spare_keys == NULL || order->indices == NULL || order->spare_indices == NULL) {
        sm_sorted_pairs_free(order);
        return sm_no_memory(error, "sorting pairs");
    }
    for (size_t k = 0; k < pairs->n; k++) {
        order->keys[k] = sm_pairs_key(pairs, k);
        order->indices[k] = (uint32_t)k;
    }
    sm_sort(order->keys, order->indices, pairs->n, order->spare_keys, order->spare_indices);
    return SMERF_OK;
}

smerf_status sm_pairs_number(const sm_pairs *pairs, uint32_t *number, size_t *n_different, smerf_error *error) {
    sm_sorted_pairs order;
    smerf_status status = sm_pairs_sort(pairs, &order, error);
    if (status != SMERF_OK) return status;
    *n_different = 0;
    for (size_t k = 0, end; k < pairs->n; k = end) {
        uint32_t index = order.indices[k];
        bool is_self = pairs->left[index] == pairs->right[index];
        for (end = k; end < pairs->n && order.keys[end] == order.keys[k]; end++)
            number[order.indices[end]] = is_self ? SMERF_MISSING : (uint32_t)*n_different;
        *n_different += !is_self;
    }
    sm_sorted_pairs_free(&order);
    return SMERF_OK;
}

/* Sets is_kept, in the order of the file, for all edges whose key is there. */
static void mark_known(const sm_sorted_pairs *edges, size_t n_edges, const sm_sorted_pairs *others, size_t n_others,
                       bool *is_kept, size_t *n_kept, size_t *n_left_out) {
    *n_kept = *n_left_out = 0;
    for (size_t k = 0, end, other = 0; k < n_edges; k = end) {
        while (other < n_others && others->keys[other] < edges->keys[k]) other++;
        bool is_there = other < n_others && others->keys[other] == edges->keys[k];
        for (end = k; end < n_edges && edges->keys[end] == edges->keys[k]; end++)
            is_kept[edges->indices[end]] = is_there;
        ++*(is_there ? n_kept : n_left_out);
    }
}

static void keep_marked(sm_pairs *edges, const bool *is_kept, size_t *row) {
    size_t n = 0;
    for (size_t k = 0; k < edges->n; k++) {
        if (!is_kept[k]) continue;
        edges->left[n] = edges->left[k];
        edges->right[n] = edges->right[k];
        if (edges->value != NULL) edges->value[n] = edges->value[k];
        if (edges->weight != NULL) edges->weight[n] = edges->weight[k];
        row[n++] = edges->row != NULL ? edges->row[k] : k;
    }
    sm_free(edges->row);
    edges->row = row;
    edges->n = n;
}

smerf_status sm_pairs_keep_among(sm_pairs *edges, const sm_pairs *others, size_t *n_kept, size_t *n_left_out,
                                 smerf_error *error) {
    sm_sorted_pairs of_edges = {0}, of_others = {0};
    bool *is_kept = sm_array(edges->n, sizeof *is_kept);
    size_t *row = sm_array(edges->n, sizeof *row);
    smerf_status status = is_kept != NULL && row != NULL ? SMERF_OK : sm_no_memory(error, "comparing pairs");
    if (status == SMERF_OK) status = sm_pairs_sort(edges, &of_edges, error);
    if (status == SMERF_OK) status = sm_pairs_sort(others, &of_others, error);
    if (status == SMERF_OK) {
        mark_known(&of_edges, edges->n, &of_others, others->n, is_kept, n_kept, n_left_out);
        keep_marked(edges, is_kept, row);
        row = NULL; /* now the edges' */
    }
    sm_sorted_pairs_free(&of_edges);
    sm_sorted_pairs_free(&of_others);
    sm_free(is_kept);
    sm_free(row);
    return status;
}
