/* block.c - predicts a block of rows: Eq. (2) for each tree, added up to Eq. (3): see block.h. */
#include "predict/block.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* Few columns in a tree of many leaves: their leaves are asked for one by one. */
enum { LEAVES_A_COLUMN = 16 };

/* What most targets read of a leaf, and a fair part of a cache that threads share. */
enum { BYTES_A_LEAF = 24, BATCH_BYTES = 6000000 };

/* ---- memory ---- */

/* A table of more leaves is never made. */
static size_t most_leaves(const sm_query *query, size_t most_columns) {
    size_t n_leaves = sm_model_most_leaves(query->model),
           most = sm_size(most_columns, LEAVES_A_COLUMN, LEAVES_A_COLUMN);
    return n_leaves < most ? n_leaves : most;
}

static bool has_item_table(const sm_query *query) { return query->model->target->kind->predicting.item_block != NULL; }

double sm_block_scratch_bytes(const sm_query *query, size_t most_columns) {
    double n = (double)most_columns, n_leaves = (double)most_leaves(query, most_columns);
    double bytes = (n + n_leaves) * SM_BLOCK_ROWS * sizeof(double);
    if (query->model->target->kind->predicting.leaf_block == NULL) bytes += n_leaves * SM_BLOCK_ROWS * sizeof(double);
    if (!sm_query_uses_all_trees(query)) bytes += (n + n_leaves) * SM_BLOCK_ROWS * sizeof(uint32_t);
    if (has_item_table(query)) bytes += (double)query->model->n_items * SM_BLOCK_ROWS * sizeof(float);
    return bytes;
}

bool sm_block_scratch_start(sm_block_scratch *scratch, const sm_query *query, size_t most_columns) {
    size_t n_cells = sm_size(most_columns, SM_BLOCK_ROWS, 0),
           n_entries = sm_size(most_leaves(query, most_columns), SM_BLOCK_ROWS, 0);
    const sm_target_kind *kind = query->model->target->kind;
    *scratch = (sm_block_scratch){.kernels = sm_kernels_select(SMERF_KERNELS_AUTO)->blocks};
    if (!sm_leaf_scratch_start(&scratch->leaf, query->model)) return false;
    scratch->sums = sm_arena_take(&scratch->arena, n_cells, sizeof *scratch->sums);
    scratch->table = sm_arena_take(&scratch->arena, n_entries, sizeof *scratch->table);
    if (kind->predicting.leaf_block != NULL)
        scratch->scratch = sm_arena_take_zeros(&scratch->arena, kind->predicting.n_block_numbers(query->model->target),
                                               sizeof *scratch->scratch);
    else
        scratch->rows = sm_arena_take(&scratch->arena, n_entries, sizeof *scratch->rows);
    if (has_item_table(query))
        scratch->items =
            sm_arena_take(&scratch->arena, sm_size(query->model->n_items, SM_BLOCK_ROWS, 0), sizeof *scratch->items);
    if (!sm_query_uses_all_trees(query)) {
        scratch->counts = sm_arena_take(&scratch->arena, n_cells, sizeof *scratch->counts);
        scratch->marks = sm_arena_take(&scratch->arena, n_entries, sizeof *scratch->marks);
        scratch->columns = sm_arena_take(&scratch->arena, most_columns, sizeof *scratch->columns);
    }
    bool has_memory = !scratch->arena.has_failed;
    if (!has_memory) sm_block_scratch_free(scratch);
    return has_memory;
}

void sm_block_scratch_free(sm_block_scratch *scratch) {
    sm_leaf_scratch_free(&scratch->leaf);
    sm_arena_free(&scratch->arena);
    *scratch = (sm_block_scratch){0};
}

size_t sm_block_n_columns(const sm_block *block) {
    size_t n = 0;
    for (size_t s = 0; s < block->n_spans; s++) n += block->span[s].end - block->span[s].first;
    return n;
}

void sm_block_clear(const sm_block *block, sm_block_scratch *scratch) {
    size_t n_cells = sm_block_n_columns(block) * SM_BLOCK_ROWS;
    memset(scratch->sums, 0, n_cells * sizeof *scratch->sums);
    if (scratch->counts != NULL) memset(scratch->counts, 0, n_cells * sizeof *scratch->counts);
}

/* ---- one tree ---- */

/* A tree as a block meets it. */
typedef struct meeting {
    const sm_query *query;
    const sm_block *block;
    const sm_ready *ready;
    const uint32_t *column_leaf;
    const bool *is_out;           /* or NULL */
    uint32_t leaf[SM_BLOCK_ROWS]; /* of the rows; the last one again where there are fewer */
} meeting;

static bool row_is_out(const meeting *at, size_t r) {
    return r < at->block->end - at->block->first && at->is_out[at->block->first + r];
}

/* The table from whole rows, for targets that know nothing better. */
static void table_from_rows(const smerf_target *target, const sm_ready *ready, const uint32_t *leaf,
                            sm_block_scratch *scratch) {
    const sm_leaves *leaves = &ready->leaves;
    const double *row[SM_BLOCK_ROWS];
    for (size_t r = 0; r < SM_BLOCK_ROWS && ready->rows != NULL; r++) row[r] = ready->rows + leaf[r] * leaves->n;
    for (size_t r = 0; r < SM_BLOCK_ROWS && ready->rows == NULL; r++) {
        row[r] = scratch->rows + r * leaves->n;
        for (size_t before = 0; before < r; before++)
            if (leaf[before] == leaf[r]) row[r] = row[before];
        if (row[r] == scratch->rows + r * leaves->n)
            target->kind->predicting.leaf_row(target, leaves, leaf[r], scratch->rows + r * leaves->n,
                                              scratch->leaf.scratch);
    }
    for (size_t l = 0; l < leaves->n; l++)
        for (size_t r = 0; r < SM_BLOCK_ROWS; r++) scratch->table[l * SM_BLOCK_ROWS + r] = row[r][l];
}

/* Fills room->items, if it can. */
static bool make_item_table(const smerf_target *target, const sm_ready *ready, const uint32_t *leaf,
                            sm_block_scratch *scratch) {
    const sm_leaf_block block = {.leaf = leaf, .kernels = scratch->kernels};
    return scratch->items != NULL &&
           target->kind->predicting.item_block(target, &ready->leaves, &block, scratch->items);
}

static void table_from_items(const sm_leaves *leaves, sm_block_scratch *scratch) {
    for (size_t l = 0; l < leaves->n; l++)
        for (size_t r = 0; r < SM_BLOCK_ROWS; r++)
            scratch->table[l * SM_BLOCK_ROWS + r] = (double)scratch->items[leaves->item[l] * SM_BLOCK_ROWS + r];
}

void sm_block_table(const smerf_target *target, const sm_ready *ready, const uint32_t *leaf,
                    sm_block_scratch *scratch) {
    const sm_leaf_block block = {.leaf = leaf, .kernels = scratch->kernels, .scratch = scratch->scratch};
    if (make_item_table(target, ready, leaf, scratch))
        table_from_items(&ready->leaves, scratch);
    else if (target->kind->predicting.leaf_block != NULL)
        target->kind->predicting.leaf_block(target, &ready->leaves, &block, scratch->table);
    else
        table_from_rows(target, ready, leaf, scratch);
}

static void make_table(const meeting *at, sm_block_scratch *scratch) {
    sm_block_table(at->query->model->target, at->ready, at->leaf, scratch);
    for (size_t r = 0; r < SM_BLOCK_ROWS && at->ready->self != NULL; r++)
        scratch->table[at->leaf[r] * SM_BLOCK_ROWS + r] = at->ready->self[at->leaf[r]];
}

/* Without a table, if the target can and the columns are few. */
static bool add_directly(const meeting *at, sm_block_scratch *scratch) {
    const smerf_target *target = at->query->model->target;
    const sm_leaves *leaves = &at->ready->leaves;
    const sm_leaf_block block = {.leaf = at->leaf, .kernels = scratch->kernels, .scratch = scratch->scratch};
    double *sums = scratch->sums;
    if (target->kind->predicting.add_block == NULL || sm_block_n_columns(at->block) > leaves->n) return false;
    for (size_t s = 0; s < at->block->n_spans; s++) {
        size_t first = at->block->span[s].first, n = at->block->span[s].end - first;
        if (!target->kind->predicting.add_block(target, leaves, &block, at->column_leaf + first, n, sums)) return false;
        sums += n * SM_BLOCK_ROWS;
    }
    return true;
}

static void add_all(const meeting *at, sm_block_scratch *scratch) {
    const sm_leaves *leaves = &at->ready->leaves;
    double *sums = scratch->sums;
    bool has_selves = at->ready->self != NULL; /* which a table has room for */
    if (!has_selves && add_directly(at, scratch)) return;
    bool by_item = !has_selves && make_item_table(at->query->model->target, at->ready, at->leaf, scratch);
    if (!by_item) make_table(at, scratch);
    for (size_t s = 0; s < at->block->n_spans; s++) {
        size_t first = at->block->span[s].first, n = at->block->span[s].end - first;
        if (by_item)
            scratch->kernels->add_items(scratch->items, leaves->item, at->column_leaf + first, n, sums);
        else
            scratch->kernels->add(scratch->table, at->column_leaf + first, n, sums);
        sums += n * SM_BLOCK_ROWS;
    }
}

/* ---- where not every tree speaks for every pair ---- */

/* What rows that may not speak would say, and silence, become 0, and marks tell them apart.
 *   may_speak  [SM_BLOCK_ROWS] */
static void mark_table(const sm_leaves *leaves, const bool *may_speak, sm_block_scratch *scratch) {
    uint32_t may[SM_BLOCK_ROWS];
    for (size_t r = 0; r < SM_BLOCK_ROWS; r++) may[r] = may_speak[r] ? SM_IS_ELIGIBLE | 1 : 0;
    for (size_t l = 0; l < leaves->n; l++) {
        double *distance = scratch->table + l * SM_BLOCK_ROWS;
        uint32_t *mark = scratch->marks + l * SM_BLOCK_ROWS;
        for (size_t r = 0; r < SM_BLOCK_ROWS; r++) {
            bool is_known = distance[r] == distance[r];
            mark[r] = is_known ? may[r] : may[r] & SM_IS_ELIGIBLE;
            distance[r] = is_known && may[r] != 0 ? distance[r] : 0;
        }
    }
}

/* The same for a table that has been marked for all rows. */
static void silence_seen_rows(const sm_leaves *leaves, const bool *may_speak, sm_block_scratch *scratch) {
    for (size_t l = 0; l < leaves->n; l++)
        for (size_t r = 0; r < SM_BLOCK_ROWS; r++) {
            size_t k = l * SM_BLOCK_ROWS + r;
            scratch->table[k] = may_speak[r] ? scratch->table[k] : 0;
            scratch->marks[k] = may_speak[r] ? scratch->marks[k] : 0;
        }
}

/* Adds the table to the columns that the tree has not seen, or to those that it has; to all where that does not matter. */
static void add_columns(const meeting *at, bool wanted, sm_block_scratch *scratch) {
    size_t column = 0;
    for (size_t s = 0; s < at->block->n_spans; s++) {
        sm_span span = at->block->span[s];
        size_t n_columns = span.end - span.first, n = 0;
        for (size_t j = 0; j < n_columns; j++) {
            scratch->columns[n] = (uint32_t)j;
            n += at->is_out == NULL || at->is_out[span.first + j] == wanted;
        }
        scratch->kernels->add_marked(scratch->table, scratch->marks, at->column_leaf + span.first, scratch->columns, n,
                                     scratch->sums + column * SM_BLOCK_ROWS, scratch->counts + column * SM_BLOCK_ROWS);
        column += n_columns;
    }
}

/* Out of bag, a column that the tree has seen goes with rows that it has not, if either is enough. */
static void add_some(const meeting *at, sm_block_scratch *scratch) {
    const sm_leaves *leaves = &at->ready->leaves;
    bool is_any_out = false, either = at->is_out != NULL && at->query->rule == SMERF_OOB_EITHER;
    bool is_out[SM_BLOCK_ROWS], all[SM_BLOCK_ROWS] = {true, true, true, true, true, true, true, true};
    for (size_t r = 0; r < SM_BLOCK_ROWS && at->is_out != NULL; r++) {
        is_out[r] = row_is_out(at, r);
        is_any_out = is_any_out || is_out[r];
    }
    if (at->is_out != NULL && !either && !is_any_out) return; /* it has no say in any pair */
    make_table(at, scratch);
    mark_table(leaves, at->is_out == NULL || either ? all : is_out, scratch);
    add_columns(at, true, scratch);
    if (!either) return;
    silence_seen_rows(leaves, is_out, scratch);
    add_columns(at, false, scratch);
}

/* ---- few columns, many leaves ---- */

static void add_pair(const meeting *at, size_t r, size_t column, size_t cell, sm_block_scratch *scratch) {
    const sm_query *query = at->query;
    const smerf_target *target = query->model->target;
    uint32_t a = at->leaf[r], b = at->column_leaf[column];
    if (at->is_out != NULL && !sm_query_may_use_tree(query, row_is_out(at, r), at->is_out[column])) return;
    double distance = a == b && at->ready->self != NULL
                          ? at->ready->self[a]
                          : target->kind->predicting.leaf_pair(target, &at->ready->leaves, a, b);
    if (scratch->counts != NULL) {
        scratch->counts[cell] |= SM_IS_ELIGIBLE;
        if (isnan(distance)) return;
        scratch->counts[cell]++;
    }
    scratch->sums[cell] += distance;
}

static void add_pairs(const meeting *at, sm_block_scratch *scratch) {
    size_t cell = 0, n_rows = at->block->end - at->block->first;
    for (size_t s = 0; s < at->block->n_spans; s++)
        for (size_t j = at->block->span[s].first; j < at->block->span[s].end; j++, cell += SM_BLOCK_ROWS)
            for (size_t r = 0; r < n_rows; r++) add_pair(at, r, j, cell + r, scratch);
}

/* ---- all trees ---- */

/* Blocks that make tables from rows ask for those of eight leaves each, and most leaves come up again and again. */
size_t sm_block_n_leaf_rows(const sm_query *query, size_t b, size_t n_rows) {
    const sm_target_kind *kind = query->model->target->kind;
    const sm_tree *tree = &query->model->trees[b];
    bool is_by_item = kind->predicting.item_block != NULL && sm_tree_n_members(tree) == tree->n_leaves;
    if (kind->predicting.leaf_block != NULL || is_by_item || tree->n_leaves > n_rows / 2) return 0;
    size_t n = sm_size(tree->n_leaves, tree->n_leaves, 0);
    return n <= SM_MOST_LEAF_ROWS ? n : 0;
}

size_t sm_block_batch_end(const sm_query *query, size_t first, size_t n_rows, size_t n_columns) {
    double bytes = 0;
    size_t n_leaf_rows = 0;
    for (size_t b = first; b < query->end; b++) {
        bytes += (double)n_columns * sizeof(uint32_t);
        bytes += (double)query->model->trees[b].n_leaves * BYTES_A_LEAF;
        n_leaf_rows += sm_block_n_leaf_rows(query, b, n_rows);
        if ((bytes > BATCH_BYTES || n_leaf_rows > SM_MOST_LEAF_ROWS) && b > first) return b;
    }
    return query->end;
}

void sm_block_add(const sm_query *query, const sm_block *block, size_t first, size_t end, sm_block_scratch *scratch) {
    size_t n_columns = sm_block_n_columns(block), n_rows = block->end - block->first;
    for (size_t b = first; b < end; b++) {
        meeting at = {.query = query, .block = block, .ready = sm_query_ready(query, b)};
        at.column_leaf = sm_query_leaves(query, sm_query_columns(query), b);
        at.is_out = sm_query_is_out(query, b);
        sm_query_row_leaves(query, b, block->first, block->end, at.leaf);
        for (size_t r = n_rows; r < SM_BLOCK_ROWS; r++) at.leaf[r] = at.leaf[n_rows - 1];
        if (n_columns < at.ready->leaves.n / LEAVES_A_COLUMN)
            add_pairs(&at, scratch);
        else if (scratch->counts == NULL)
            add_all(&at, scratch);
        else
            add_some(&at, scratch);
    }
}

bool sm_block_divide(const sm_query *query, const sm_block *block, sm_block_scratch *scratch) {
    size_t n_cells = sm_block_n_columns(block) * SM_BLOCK_ROWS, n_rows = block->end - block->first;
    const sm_shrinkage *shrinkage = &query->model->shrinkage;
    bool has_undefined = false;
    for (size_t cell = 0; cell < n_cells && scratch->counts == NULL; cell++)
        scratch->sums[cell] /= (double)query->n_trees;
    for (size_t cell = 0; cell < n_cells && scratch->counts == NULL && shrinkage->scale < 1; cell++)
        scratch->sums[cell] = sm_shrunk(shrinkage, scratch->sums[cell]);
    for (size_t cell = 0; cell < n_cells && scratch->counts != NULL; cell++) {
        uint32_t count = scratch->counts[cell];
        if (SM_N_PREDICTING(count) > 0)
            scratch->sums[cell] = sm_shrunk(shrinkage, scratch->sums[cell] / SM_N_PREDICTING(count));
        else
            scratch->sums[cell] = count == SM_IS_ELIGIBLE ? query->fallback : NAN;
        has_undefined = has_undefined || (count == SM_IS_ELIGIBLE && cell % SM_BLOCK_ROWS < n_rows);
    }
    return has_undefined;
}
