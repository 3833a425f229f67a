/* strip.c - see strip.h. */
#include "predict/strip.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* Few columns in a tree of many leaves: their leaves are asked for one by one. */
enum { LEAVES_A_COLUMN = 16 };

/* What most targets read of a leaf, and a fair part of a cache that threads share. */
enum { BYTES_A_LEAF = 24, BATCH_BYTES = 6000000 };

/* ---- room ---- */

/* A table of more leaves is never made. */
static size_t most_leaves(const sm_query *query, size_t most_columns) {
    size_t n_leaves = sm_model_most_leaves(query->model),
           most = sm_size(most_columns, LEAVES_A_COLUMN, LEAVES_A_COLUMN);
    return n_leaves < most ? n_leaves : most;
}

static bool has_item_table(const sm_query *query) { return query->model->target->kind->predicting.item_strip != NULL; }

double sm_strip_scratch_bytes(const sm_query *query, size_t most_columns) {
    double n = (double)most_columns, n_leaves = (double)most_leaves(query, most_columns);
    double bytes = (n + n_leaves) * SM_BLOCK_ROWS * sizeof(double);
    if (query->model->target->kind->predicting.leaf_strip == NULL) bytes += n_leaves * SM_BLOCK_ROWS * sizeof(double);
    if (!sm_query_uses_all_trees(query)) bytes += (n + n_leaves) * SM_BLOCK_ROWS * sizeof(uint32_t);
    if (has_item_table(query)) bytes += (double)query->model->n_items * SM_BLOCK_ROWS * sizeof(float);
    return bytes;
}

bool sm_strip_scratch_start(sm_strip_scratch *room, const sm_query *query, size_t most_columns) {
    size_t n_cells = sm_size(most_columns, SM_BLOCK_ROWS, 0),
           n_entries = sm_size(most_leaves(query, most_columns), SM_BLOCK_ROWS, 0);
    const sm_target_kind *kind = query->model->target->kind;
    *room = (sm_strip_scratch){.kernels = sm_kernels_select(SMERF_KERNELS_AUTO)->blocks};
    if (!sm_leaf_scratch_start(&room->leaf, query->model)) return false;
    room->sums = sm_arena_take(&room->arena, n_cells, sizeof *room->sums);
    room->table = sm_arena_take(&room->arena, n_entries, sizeof *room->table);
    if (kind->predicting.leaf_strip != NULL)
        room->scratch = sm_arena_take_zeros(&room->arena, kind->predicting.n_strip_numbers(query->model->target),
                                            sizeof *room->scratch);
    else
        room->rows = sm_arena_take(&room->arena, n_entries, sizeof *room->rows);
    if (has_item_table(query))
        room->items =
            sm_arena_take(&room->arena, sm_size(query->model->n_items, SM_BLOCK_ROWS, 0), sizeof *room->items);
    if (!sm_query_uses_all_trees(query)) {
        room->counts = sm_arena_take(&room->arena, n_cells, sizeof *room->counts);
        room->marks = sm_arena_take(&room->arena, n_entries, sizeof *room->marks);
        room->columns = sm_arena_take(&room->arena, most_columns, sizeof *room->columns);
    }
    bool has_room = !room->arena.has_failed;
    if (!has_room) sm_strip_scratch_free(room);
    return has_room;
}

void sm_strip_scratch_free(sm_strip_scratch *room) {
    sm_leaf_scratch_free(&room->leaf);
    sm_arena_free(&room->arena);
    *room = (sm_strip_scratch){0};
}

size_t sm_strip_n_columns(const sm_strip *strip) {
    size_t n = 0;
    for (size_t s = 0; s < strip->n_spans; s++) n += strip->span[s].end - strip->span[s].first;
    return n;
}

void sm_strip_clear(const sm_strip *strip, sm_strip_scratch *room) {
    size_t n_cells = sm_strip_n_columns(strip) * SM_BLOCK_ROWS;
    memset(room->sums, 0, n_cells * sizeof *room->sums);
    if (room->counts != NULL) memset(room->counts, 0, n_cells * sizeof *room->counts);
}

/* ---- one tree ---- */

/* A tree as a strip meets it. */
typedef struct meeting {
    const sm_query *query;
    const sm_strip *strip;
    const sm_ready *ready;
    const uint32_t *column_leaf;
    const bool *is_out;           /* or NULL */
    uint32_t leaf[SM_BLOCK_ROWS]; /* of the rows; the last one again where there are fewer */
} meeting;

static bool row_is_out(const meeting *at, size_t r) {
    return r < at->strip->end - at->strip->first && at->is_out[at->strip->first + r];
}

/* The table from whole rows, for targets that know nothing better. */
static void table_from_rows(const smerf_target *target, const sm_ready *ready, const uint32_t *leaf,
                            sm_strip_scratch *room) {
    const sm_leaves *leaves = &ready->leaves;
    const double *row[SM_BLOCK_ROWS];
    for (size_t r = 0; r < SM_BLOCK_ROWS && ready->rows != NULL; r++) row[r] = ready->rows + leaf[r] * leaves->n;
    for (size_t r = 0; r < SM_BLOCK_ROWS && ready->rows == NULL; r++) {
        row[r] = room->rows + r * leaves->n;
        for (size_t before = 0; before < r; before++)
            if (leaf[before] == leaf[r]) row[r] = row[before];
        if (row[r] == room->rows + r * leaves->n)
            target->kind->predicting.leaf_row(target, leaves, leaf[r], room->rows + r * leaves->n, room->leaf.scratch);
    }
    for (size_t l = 0; l < leaves->n; l++)
        for (size_t r = 0; r < SM_BLOCK_ROWS; r++) room->table[l * SM_BLOCK_ROWS + r] = row[r][l];
}

/* Fills room->items, if it can. */
static bool make_item_table(const smerf_target *target, const sm_ready *ready, const uint32_t *leaf,
                            sm_strip_scratch *room) {
    const sm_leaf_strip strip = {.leaf = leaf, .kernels = room->kernels};
    return room->items != NULL && target->kind->predicting.item_strip(target, &ready->leaves, &strip, room->items);
}

static void table_from_items(const sm_leaves *leaves, sm_strip_scratch *room) {
    for (size_t l = 0; l < leaves->n; l++)
        for (size_t r = 0; r < SM_BLOCK_ROWS; r++)
            room->table[l * SM_BLOCK_ROWS + r] = (double)room->items[leaves->item[l] * SM_BLOCK_ROWS + r];
}

void sm_strip_table(const smerf_target *target, const sm_ready *ready, const uint32_t *leaf, sm_strip_scratch *room) {
    const sm_leaf_strip strip = {.leaf = leaf, .kernels = room->kernels, .scratch = room->scratch};
    if (make_item_table(target, ready, leaf, room))
        table_from_items(&ready->leaves, room);
    else if (target->kind->predicting.leaf_strip != NULL)
        target->kind->predicting.leaf_strip(target, &ready->leaves, &strip, room->table);
    else
        table_from_rows(target, ready, leaf, room);
}

static void make_table(const meeting *at, sm_strip_scratch *room) {
    sm_strip_table(at->query->model->target, at->ready, at->leaf, room);
    for (size_t r = 0; r < SM_BLOCK_ROWS && at->ready->self != NULL; r++)
        room->table[at->leaf[r] * SM_BLOCK_ROWS + r] = at->ready->self[at->leaf[r]];
}

/* Without a table, if the target can and the columns are few. */
static bool add_directly(const meeting *at, sm_strip_scratch *room) {
    const smerf_target *target = at->query->model->target;
    const sm_leaves *leaves = &at->ready->leaves;
    const sm_leaf_strip strip = {.leaf = at->leaf, .kernels = room->kernels, .scratch = room->scratch};
    double *sums = room->sums;
    if (target->kind->predicting.add_strip == NULL || sm_strip_n_columns(at->strip) > leaves->n) return false;
    for (size_t s = 0; s < at->strip->n_spans; s++) {
        size_t first = at->strip->span[s].first, n = at->strip->span[s].end - first;
        if (!target->kind->predicting.add_strip(target, leaves, &strip, at->column_leaf + first, n, sums)) return false;
        sums += n * SM_BLOCK_ROWS;
    }
    return true;
}

static void add_all(const meeting *at, sm_strip_scratch *room) {
    const sm_leaves *leaves = &at->ready->leaves;
    double *sums = room->sums;
    if (add_directly(at, room)) return;
    bool by_item = make_item_table(at->query->model->target, at->ready, at->leaf, room);
    if (!by_item) make_table(at, room);
    for (size_t s = 0; s < at->strip->n_spans; s++) {
        size_t first = at->strip->span[s].first, n = at->strip->span[s].end - first;
        if (by_item)
            room->kernels->add_items(room->items, leaves->item, at->column_leaf + first, n, sums);
        else
            room->kernels->add(room->table, at->column_leaf + first, n, sums);
        sums += n * SM_BLOCK_ROWS;
    }
}

/* ---- where not every tree speaks for every pair ---- */

/* What rows that may not speak would say, and silence, become 0, and marks tell them apart.
 *   may_speak  [SM_BLOCK_ROWS] */
static void mark_table(const sm_leaves *leaves, const bool *may_speak, sm_strip_scratch *room) {
    uint32_t may[SM_BLOCK_ROWS];
    for (size_t r = 0; r < SM_BLOCK_ROWS; r++) may[r] = may_speak[r] ? SM_IS_ELIGIBLE | 1 : 0;
    for (size_t l = 0; l < leaves->n; l++) {
        double *distance = room->table + l * SM_BLOCK_ROWS;
        uint32_t *mark = room->marks + l * SM_BLOCK_ROWS;
        for (size_t r = 0; r < SM_BLOCK_ROWS; r++) {
            bool is_known = distance[r] == distance[r];
            mark[r] = is_known ? may[r] : may[r] & SM_IS_ELIGIBLE;
            distance[r] = is_known && may[r] != 0 ? distance[r] : 0;
        }
    }
}

/* The same for a table that has been marked for all rows. */
static void silence_seen_rows(const sm_leaves *leaves, const bool *may_speak, sm_strip_scratch *room) {
    for (size_t l = 0; l < leaves->n; l++)
        for (size_t r = 0; r < SM_BLOCK_ROWS; r++) {
            size_t k = l * SM_BLOCK_ROWS + r;
            room->table[k] = may_speak[r] ? room->table[k] : 0;
            room->marks[k] = may_speak[r] ? room->marks[k] : 0;
        }
}

/* Adds the table to the columns that the tree has not seen, or to those that it has; to all where that does not matter. */
static void add_columns(const meeting *at, bool wanted, sm_strip_scratch *room) {
    size_t place = 0;
    for (size_t s = 0; s < at->strip->n_spans; s++) {
        sm_span span = at->strip->span[s];
        size_t n_columns = span.end - span.first, n = 0;
        for (size_t j = 0; j < n_columns; j++) {
            room->columns[n] = (uint32_t)j;
            n += at->is_out == NULL || at->is_out[span.first + j] == wanted;
        }
        room->kernels->add_marked(room->table, room->marks, at->column_leaf + span.first, room->columns, n,
                                  room->sums + place * SM_BLOCK_ROWS, room->counts + place * SM_BLOCK_ROWS);
        place += n_columns;
    }
}

/* Out of bag, a column that the tree has seen goes with rows that it has not, if either is enough. */
static void add_some(const meeting *at, sm_strip_scratch *room) {
    const sm_leaves *leaves = &at->ready->leaves;
    bool is_any_out = false, either = at->is_out != NULL && at->query->rule == SMERF_OOB_EITHER;
    bool is_out[SM_BLOCK_ROWS], all[SM_BLOCK_ROWS] = {true, true, true, true, true, true, true, true};
    for (size_t r = 0; r < SM_BLOCK_ROWS && at->is_out != NULL; r++) {
        is_out[r] = row_is_out(at, r);
        is_any_out = is_any_out || is_out[r];
    }
    if (at->is_out != NULL && !either && !is_any_out) return; /* it has no say in any pair */
    make_table(at, room);
    mark_table(leaves, at->is_out == NULL || either ? all : is_out, room);
    add_columns(at, true, room);
    if (!either) return;
    silence_seen_rows(leaves, is_out, room);
    add_columns(at, false, room);
}

/* ---- few columns, many leaves ---- */

static void add_pair(const meeting *at, size_t r, size_t column, size_t cell, sm_strip_scratch *room) {
    const sm_query *query = at->query;
    const smerf_target *target = query->model->target;
    uint32_t a = at->leaf[r], b = at->column_leaf[column];
    if (at->is_out != NULL && !sm_query_may_use_tree(query, row_is_out(at, r), at->is_out[column])) return;
    double distance = a == b && at->ready->self != NULL
                          ? at->ready->self[a]
                          : target->kind->predicting.leaf_pair(target, &at->ready->leaves, a, b);
    if (room->counts != NULL) {
        room->counts[cell] |= SM_IS_ELIGIBLE;
        if (isnan(distance)) return;
        room->counts[cell]++;
    }
    room->sums[cell] += distance;
}

static void add_pairs(const meeting *at, sm_strip_scratch *room) {
    size_t cell = 0, n_rows = at->strip->end - at->strip->first;
    for (size_t s = 0; s < at->strip->n_spans; s++)
        for (size_t j = at->strip->span[s].first; j < at->strip->span[s].end; j++, cell += SM_BLOCK_ROWS)
            for (size_t r = 0; r < n_rows; r++) add_pair(at, r, j, cell + r, room);
}

/* ---- all trees ---- */

/* Strips that make tables from rows ask for those of eight leaves each, and most leaves come up again and again. */
size_t sm_strip_n_leaf_rows(const sm_query *query, size_t b, size_t n_rows) {
    const sm_target_kind *kind = query->model->target->kind;
    const sm_tree *tree = &query->model->trees[b];
    bool is_by_item = kind->predicting.item_strip != NULL && sm_tree_n_members(tree) == tree->n_leaves;
    if (kind->predicting.leaf_strip != NULL || is_by_item || tree->n_leaves > n_rows / 2) return 0;
    size_t n = sm_size(tree->n_leaves, tree->n_leaves, 0);
    return n <= SM_MOST_LEAF_ROWS ? n : 0;
}

size_t sm_strip_batch_end(const sm_query *query, size_t first, size_t n_rows, size_t n_columns) {
    double bytes = 0;
    size_t n_leaf_rows = 0;
    for (size_t b = first; b < query->end; b++) {
        bytes += (double)n_columns * sizeof(uint32_t);
        bytes += (double)query->model->trees[b].n_leaves * BYTES_A_LEAF;
        n_leaf_rows += sm_strip_n_leaf_rows(query, b, n_rows);
        if ((bytes > BATCH_BYTES || n_leaf_rows > SM_MOST_LEAF_ROWS) && b > first) return b;
    }
    return query->end;
}

void sm_strip_add(const sm_query *query, const sm_strip *strip, size_t first, size_t end, sm_strip_scratch *room) {
    size_t n_columns = sm_strip_n_columns(strip), n_rows = strip->end - strip->first;
    for (size_t b = first; b < end; b++) {
        meeting at = {.query = query, .strip = strip, .ready = sm_query_ready(query, b)};
        at.column_leaf = sm_query_leaves(query, sm_query_columns(query), b);
        at.is_out = sm_query_is_out(query, b);
        sm_query_row_leaves(query, b, strip->first, strip->end, at.leaf);
        for (size_t r = n_rows; r < SM_BLOCK_ROWS; r++) at.leaf[r] = at.leaf[n_rows - 1];
        if (n_columns < at.ready->leaves.n / LEAVES_A_COLUMN)
            add_pairs(&at, room);
        else if (room->counts == NULL)
            add_all(&at, room);
        else
            add_some(&at, room);
    }
}

bool sm_strip_divide(const sm_query *query, const sm_strip *strip, sm_strip_scratch *room) {
    size_t n_cells = sm_strip_n_columns(strip) * SM_BLOCK_ROWS, n_rows = strip->end - strip->first;
    bool is_unsettled = false;
    for (size_t cell = 0; cell < n_cells && room->counts == NULL; cell++) room->sums[cell] /= (double)query->n_trees;
    for (size_t cell = 0; cell < n_cells && room->counts != NULL; cell++) {
        uint32_t count = room->counts[cell];
        if (SM_N_PREDICTING(count) > 0)
            room->sums[cell] /= SM_N_PREDICTING(count);
        else
            room->sums[cell] = count == SM_IS_ELIGIBLE ? query->fallback : NAN;
        is_unsettled = is_unsettled || (count == SM_IS_ELIGIBLE && cell % SM_BLOCK_ROWS < n_rows);
    }
    return is_unsettled;
}
