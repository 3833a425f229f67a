/* pairs.c - see pairs.h. Lines are read in pair_lines.c. */
#include "io/pairs/pairs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/pairs/market.h"
#include "io/pairs/pair_lines.h"

void sm_pairs_free(sm_pairs *pairs) {
    sm_free(pairs->left);
    sm_free(pairs->right);
    sm_free(pairs->value);
    sm_free(pairs->weight);
    sm_free(pairs->row);
    *pairs = (sm_pairs){0};
}

static smerf_status read_ids(sm_pair_lines *lines, smerf_status status, sm_pairs *pairs) {
    if (status == SMERF_OK) status = sm_pair_lines_read_header(lines);
    if (status == SMERF_OK) status = sm_pair_lines_read(lines);
    return sm_pair_lines_close(lines, status, pairs);
}

smerf_status sm_pairs_read(const char *path, const sm_matrix_side *rows, const sm_matrix_side *columns, sm_pairs *pairs,
                           smerf_error *error) {
    sm_pair_lines lines;
    smerf_status status = sm_pair_lines_open(&lines, path, &(sm_pairs_spec){.rows = *rows, .columns = *columns}, error);
    lines.ends = SM_ROW_THEN_COLUMN;
    return read_ids(&lines, status, pairs);
}

smerf_status sm_pairs_read_observed(const char *path, const sm_pairs_spec *spec, sm_pairs *pairs, smerf_error *error) {
    sm_pair_lines lines;
    smerf_status status = sm_pair_lines_open(&lines, path, spec, error);
    return read_ids(&lines, status, pairs);
}

/* ---- Pairs with numbers ---- */

/* Finds the column of the numbers where the wish does not name it. */
static smerf_status choose_value(sm_pair_lines *lines) {
    size_t distance, similarity;
    smerf_status status = sm_pair_lines_find(lines, "distance", &distance);
    if (status == SMERF_OK) status = sm_pair_lines_find(lines, "similarity", &similarity);
    if (status != SMERF_OK) return status;
    if (distance != SM_NO_CELL && similarity != SM_NO_CELL)
        return sm_source_fail(&lines->source, 0, lines->error,
                              "there is a distance and a similarity, and one is needed (--value COLUMN chooses one)");
    lines->pairs.are_similarities = similarity != SM_NO_CELL;
    lines->value = lines->pairs.are_similarities ? similarity : distance;
    if (lines->value != SM_NO_CELL) return SMERF_OK;
    size_t n_others = lines->n_cells - 2 - (lines->weight != SM_NO_CELL);
    if (n_others != 1)
        return sm_source_fail(&lines->source, 0, lines->error,
                              n_others == 0
                                  ? "there is no column with numbers: each pair needs a distance or a similarity"
                                  : "there are several columns after those of the ids, and none is called "
                                    "distance or similarity (--value COLUMN chooses one)");
    lines->value = lines->weight == 2 ? 3 : 2;
    return SMERF_OK;
}

static smerf_status choose_columns(sm_pair_lines *lines, const sm_pairs_spec *spec) {
    smerf_status status = sm_pair_lines_find(lines, "weight", &lines->weight);
    if (status != SMERF_OK) return status;
    if (spec->value_column == NULL) {
        status = choose_value(lines);
    } else {
        status = sm_pair_lines_need(lines, spec->value_column, &lines->value);
        lines->pairs.are_similarities = strcmp(spec->value_column, "similarity") == 0;
        if (lines->value == lines->weight) lines->weight = SM_NO_CELL; /* the wish knows better */
    }
    lines->value_noun = lines->pairs.are_similarities ? "similarity" : "distance";
    return status;
}

/* Turns similarities into distances. */
static smerf_status turn(sm_pair_lines *lines, double largest) {
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
    if (status == SMERF_OK) status = sm_pair_lines_read_header(&lines);
    if (status == SMERF_OK) status = choose_columns(&lines, spec);
    if (status == SMERF_OK) status = sm_pair_lines_read(&lines);
    if (status == SMERF_OK && lines.pairs.are_similarities) status = turn(&lines, spec->largest);
    return sm_pair_lines_close(&lines, status, pairs);
}

/* ---- Complaints ---- */

static size_t find_row(const sm_source *source, const void *row) {
    const size_t *wanted = row;
    return sm_market_is(source) ? sm_market_find_entry(source, *wanted) : sm_pair_lines_find_row(source, *wanted);
}

/* The library counts the entries that it was given. A line of the file says more, and where there is none to be told, the
 * row of the file: entries may have been left out. */
static void replace_entry(bool has_line, size_t row, smerf_error *error) {
    const smerf_error complaint = *error;
    char entry[48], place[48] = "";
    size_t n = (size_t)snprintf(entry, sizeof entry, "entry %zu: ", complaint.row);
    if (strncmp(complaint.message, entry, n) != 0) return;
    if (!has_line) snprintf(place, sizeof place, "row %zu: ", row);
    snprintf(error->message, sizeof error->message, "%s%s", place, complaint.message + n);
}

smerf_status sm_pairs_place(const char *path, size_t row, smerf_error *error) {
    replace_entry(sm_input_can_repeat(path), row, error);
    return sm_source_position(path, find_row, &row, error);
}
