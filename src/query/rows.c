/* rows.c - the average over the trees of the distance between leaves, Eq. (3), for a chunk of rows.
 *
 * One tree at a time: for each leaf that a row of the chunk falls into, its distances to all leaves are formed once and
 * spread over the columns by their leaves. Every pair is added up in the order of the trees by one thread, so that the
 * result does not depend on how rows were dealt out. */
#include "query/rows.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static bool all_trees_speak(const sm_asked *asked) {
    const smerf_model *model = asked->model;
    return !asked->is_out_of_bag && model->options.self_distance != SMERF_SELF_EXCLUDE &&
           !model->target->kind->may_be_silent;
}

bool sm_chunk_start(sm_chunk *chunk, const sm_asked *asked) {
    *chunk = (sm_chunk){0};
    if (!all_trees_speak(asked)) {
        chunk->n_spoken = sm_array(sm_size(asked->n_columns, SM_CHUNK_ROWS, 0), sizeof *chunk->n_spoken);
        if (chunk->n_spoken == NULL) return false;
    }
    return sm_leaf_room_start(&chunk->leaf, asked->model);
}

void sm_chunk_free(sm_chunk *chunk) {
    sm_leaf_room_free(&chunk->leaf);
    sm_free(chunk->n_spoken);
    *chunk = (sm_chunk){0};
}

static void spread(const double *leaf_row, const uint32_t *column_leaf, size_t n_columns, double *sums) {
    for (size_t j = 0; j < n_columns; j++) sums[j] += leaf_row[column_leaf[j]];
}

/* The same, where not every tree speaks for every pair. */
static void spread_some(const sm_asked *asked, size_t b, size_t row, const double *leaf_row, double *sums,
                        uint32_t *n_spoken) {
    const uint32_t *column_leaf = asked->column_leaf + b * asked->n_columns;
    const bool *is_out = asked->is_out_of_bag ? asked->row_is_out + b * asked->n_rows : NULL;
    for (size_t j = 0; j < asked->n_columns; j++) {
        double distance = leaf_row[column_leaf[j]];
        if (isnan(distance) || (is_out != NULL && !sm_asked_may_speak(asked, is_out[row], is_out[j]))) continue;
        sums[j] += distance;
        n_spoken[j]++;
    }
}

static void add_tree(const sm_asked *asked, size_t b, size_t first, size_t end, sm_chunk *chunk, double *sums) {
    const smerf_model *model = asked->model;
    const uint32_t *row_leaf = asked->row_leaf + b * asked->n_rows;
    size_t n_columns = asked->n_columns;
    bool is_done[SM_CHUNK_ROWS] = {false};
    const sm_ready *ready = &asked->ready[b];
    for (size_t i = first; i < end; i++) {
        if (is_done[i - first]) continue;
        uint32_t leaf = row_leaf[i];
        model->target->kind->leaf_row(model->target, &ready->leaves, leaf, chunk->leaf.row, chunk->leaf.scratch);
        if (ready->self != NULL) chunk->leaf.row[leaf] = ready->self[leaf];
        for (size_t other = i; other < end; other++) {
            if (row_leaf[other] != leaf) continue;
            size_t place = (other - first) * n_columns;
            is_done[other - first] = true;
            if (chunk->n_spoken == NULL)
                spread(chunk->leaf.row, asked->column_leaf + b * n_columns, n_columns, sums + place);
            else
                spread_some(asked, b, other, chunk->leaf.row, sums + place, chunk->n_spoken + place);
        }
    }
}

double sm_rows_with_self(const sm_asked *asked, size_t row, size_t column) {
    const smerf_model *model = asked->model;
    double sum = 0;
    for (size_t b = 0; b < asked->n_trees; b++) {
        sum += model->target->kind->leaf_pair(model->target, &asked->ready[b].leaves,
                                              asked->row_leaf[b * asked->n_rows + row],
                                              asked->column_leaf[b * asked->n_columns + column]);
    }
    return sum / (double)asked->n_trees;
}

void sm_rows_predict(const sm_asked *asked, size_t first, size_t end, sm_chunk *chunk, double *distances) {
    size_t n_cells = (end - first) * asked->n_columns;
    memset(distances, 0, n_cells * sizeof *distances);
    if (chunk->n_spoken != NULL) memset(chunk->n_spoken, 0, n_cells * sizeof *chunk->n_spoken);
    for (size_t b = 0; b < asked->n_trees; b++) add_tree(asked, b, first, end, chunk, distances);
    for (size_t cell = 0; cell < n_cells; cell++) {
        if (chunk->n_spoken == NULL)
            distances[cell] /= (double)asked->n_trees;
        else if (chunk->n_spoken[cell] > 0)
            distances[cell] /= chunk->n_spoken[cell];
        else if (asked->is_out_of_bag)
            distances[cell] = NAN;
        else
            distances[cell] = sm_rows_with_self(asked, first + cell / asked->n_columns, cell % asked->n_columns);
    }
}
