/* predict.c - distances of all pairs, row by row: the average over the trees of the distance between leaves, Eq. (3).
 *
 *   smerf_predict_rows     a panel of rows after the other, each handed to the sink
 *   sm_panel_predict       one panel, Eq. (3): for each group of trees, and in it for each batch that fits into the cache,
 *   add_batch              threads take blocks of rows and go through the trees in order: sm_block_add (block.c) adds the
 *                          distances between leaves, and sm_block_divide makes means of the sums at the last tree
 *   redo_undefined         pairs that every tree leaves undefined are predicted once more (undefined.c)
 * Every pair is added up in the order of the trees by one thread at a time, so that the result depends neither on how rows
 * and trees were dealt out nor on how large panels are. Where the columns are the rows, (j, i) is (i, j) if both are in the
 * panel. Listed pairs are pairs.c. */
#include "predict/predict.h"

#include <string.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "predict/block.h"
#include "predict/predictor.h"

/* Whether (j, i) will be (i, j): the columns are the rows, all of them. */
static bool mirrors(const sm_panel *panel) {
    return panel->query->is_square && panel->columns.end - panel->columns.first == panel->query->rows.n;
}

static size_t width(const sm_panel *panel) { return panel->columns.end - panel->columns.first; }

/* ---- memory ---- */

static size_t rows_that_fit(double bytes, double row_bytes) {
    double n_rows = bytes / row_bytes;
    return n_rows < 1 ? 1 : n_rows < 1e9 ? (size_t)n_rows : (size_t)1e9;
}

/* Many groups: every panel needs all trees made ready anew, so there should be few of them. */
static size_t panel_rows(const sm_query *query, double row_bytes, bool wants_all, size_t n_threads) {
    const sm_limits *limits = query->limits;
    double n_cells = (double)query->rows.n * (double)sm_query_columns(query)->n;
    size_t fitting = rows_that_fit(limits->panel_bytes, row_bytes), busy = n_threads * SM_BLOCK_ROWS;
    size_t most = rows_that_fit(limits->most_panel_bytes, row_bytes);
    if (fitting < busy) fitting = busy < most ? busy : most;
    if (query->n_groups > 1 && fitting < most) fitting = most;
    if (wants_all && n_cells * sizeof(double) <= limits->whole_bytes) fitting = query->rows.n;
    return fitting < query->rows.n ? fitting : query->rows.n;
}

static bool start_scratches(sm_panel *panel, size_t most_columns) {
    panel->scratches = sm_zeros(panel->n_threads, sizeof *panel->scratches);
    for (size_t t = 0; t < panel->n_threads && panel->scratches != NULL; t++)
        if (!sm_block_scratch_start(&panel->scratches[t], panel->query, most_columns)) return false;
    return panel->scratches != NULL;
}

static smerf_status reserve_panel(sm_panel *panel, size_t n_columns, bool wants_all, smerf_error *error) {
    const sm_query *query = panel->query;
    bool is_forest = query->model->method == NULL;
    size_t cell_bytes = sizeof *panel->distances;
    if (!sm_query_uses_all_trees(query)) cell_bytes += sizeof *panel->n_predicting;
    bool may_mirror = is_forest || query->model->method->mirrors_rows;
    wants_all = wants_all || (may_mirror && mirrors(panel)); /* then half of them need not be predicted */
    panel->most_rows = panel_rows(query, (double)n_columns * (double)cell_bytes, wants_all, panel->n_threads);

    size_t n_cells = sm_size(panel->most_rows, n_columns, 0);
    double bytes = (double)n_cells * (double)cell_bytes;
    if (is_forest) bytes += (double)panel->n_threads * sm_block_scratch_bytes(query, n_columns);
    smerf_status status = sm_check_memory(bytes, "predicting", error);
    if (status != SMERF_OK) return status;
    panel->distances = sm_array(n_cells, sizeof *panel->distances);
    bool has_memory = panel->distances != NULL && (!is_forest || start_scratches(panel, n_columns));
    if (has_memory && !sm_query_uses_all_trees(query)) {
        panel->n_predicting = sm_array(n_cells, sizeof *panel->n_predicting);
        has_memory = panel->n_predicting != NULL;
    }
    return has_memory ? SMERF_OK : sm_no_memory(error, "predicting");
}

smerf_status sm_panel_start(sm_panel *panel, sm_query *query, size_t most_columns, bool wants_all, const sm_pool *pool,
                            smerf_error *error) {
    *panel = (sm_panel){.query = query, .n_threads = pool->n_threads, .columns = {0, most_columns}};
    atomic_init(&panel->has_undefined, false);
    smerf_status status = sm_query_plan(query, false, true, error);
    if (status == SMERF_OK) status = reserve_panel(panel, most_columns, wants_all, error);
    if (status == SMERF_OK && query->base != NULL) {
        panel->base = sm_zeros(1, sizeof *panel->base);
        status = panel->base != NULL ? sm_panel_start(panel->base, query->base, most_columns, false, pool, error)
                                     : sm_no_memory(error, "predicting");
    }
    if (status != SMERF_OK) sm_panel_free(panel);
    return status;
}

void sm_panel_free(sm_panel *panel) {
    sm_free(panel->distances);
    sm_free(panel->n_predicting);
    sm_free(panel->leaf_rows);
    for (size_t t = 0; t < panel->n_threads && panel->scratches != NULL; t++)
        sm_block_scratch_free(&panel->scratches[t]);
    sm_free(panel->scratches);
    if (panel->base != NULL) sm_panel_free(panel->base);
    sm_free(panel->base);
    panel->base = NULL;
    panel->distances = NULL;
    panel->n_predicting = NULL;
    panel->leaf_rows = NULL;
    panel->scratches = NULL;
}

/* ---- blocks of a panel ---- */

/* The rows of a task, and the columns to predict: all, or those up to the rows themselves and those beyond the panel. */
static sm_block block_of(const sm_panel *panel, size_t task) {
    size_t first = panel->first + task * SM_BLOCK_ROWS,
           end = panel->end - first < SM_BLOCK_ROWS ? panel->end : first + SM_BLOCK_ROWS;
    if (!mirrors(panel)) return (sm_block){first, end, 1, {panel->columns}};
    return (sm_block){first, end, 2, {{0, end}, {panel->end, panel->columns.end}}};
}

/* Columns whose part of a block stays in the nearest cache while it is turned into rows. */
enum { COLUMNS_AT_A_TIME = 64 };

/* Sums of some columns on their way between a block and the panel's rows.   cell  where they start in the block */
static void carry(const sm_panel *panel, const sm_block *block, sm_span columns, size_t cell, bool to_panel,
                  const sm_block_scratch *scratch) {
    size_t n = columns.end - columns.first;
    for (size_t r = 0; r < block->end - block->first; r++) {
        size_t cell_index = (block->first - panel->first + r) * width(panel) + columns.first - panel->columns.first;
        double *row = panel->distances + cell_index, *sums = scratch->sums + cell + r;
        for (size_t j = 0; j < n && to_panel; j++) row[j] = sums[j * SM_BLOCK_ROWS];
        for (size_t j = 0; j < n && !to_panel; j++) sums[j * SM_BLOCK_ROWS] = row[j];
        if (scratch->counts == NULL) continue;
        uint32_t *predicting = panel->n_predicting + cell_index, *counts = scratch->counts + cell + r;
        for (size_t j = 0; j < n && to_panel; j++) predicting[j] = counts[j * SM_BLOCK_ROWS];
        for (size_t j = 0; j < n && !to_panel; j++) counts[j * SM_BLOCK_ROWS] = predicting[j];
    }
}

static void carry_all(const sm_panel *panel, const sm_block *block, bool to_panel, const sm_block_scratch *scratch) {
    size_t cell = 0;
    for (size_t s = 0; s < block->n_spans; s++)
        for (size_t first = block->span[s].first, end; first < block->span[s].end; first = end) {
            end = block->span[s].end - first < COLUMNS_AT_A_TIME ? block->span[s].end : first + COLUMNS_AT_A_TIME;
            carry(panel, block, (sm_span){first, end}, cell, to_panel, scratch);
            cell += (end - first) * SM_BLOCK_ROWS;
        }
}

/* The same pairs the other way round, where they are in the panel: columns of other rows. */
static void mirror(const sm_panel *panel, const sm_block *block, const sm_block_scratch *scratch) {
    size_t n_columns = width(panel), n_rows = block->end - block->first;
    for (size_t j = panel->first; j < block->first; j++) {
        size_t cell_index = (j - panel->first) * n_columns + block->first;
        for (size_t r = 0; r < n_rows; r++) panel->distances[cell_index + r] = scratch->sums[j * SM_BLOCK_ROWS + r];
        for (size_t r = 0; r < n_rows && scratch->counts != NULL; r++)
            panel->n_predicting[cell_index + r] = scratch->counts[j * SM_BLOCK_ROWS + r];
    }
}

static smerf_status add_batch(void *argument, size_t task, size_t thread, smerf_error *error) {
    sm_panel *panel = argument;
    const sm_query *query = panel->query;
    sm_block_scratch *scratch = &panel->scratches[thread];
    sm_block block = block_of(panel, task);
    (void)error;
    if (panel->first_tree == 0)
        sm_block_clear(&block, scratch);
    else
        carry_all(panel, &block, false, scratch);
    sm_block_add(query, &block, panel->first_tree, panel->end_tree, scratch);
    bool is_last = panel->end_tree == query->n_trees;
    if (is_last && sm_block_divide(query, &block, scratch) && sm_redoes_undefined(query))
        atomic_store(&panel->has_undefined, true);
    carry_all(panel, &block, true, scratch);
    if (is_last && mirrors(panel)) mirror(panel, &block, scratch);
    return SMERF_OK;
}

/* ---- batches of trees ---- */

/* All distances between the leaves of a tree, if it is to have them. */
static smerf_status fill_leaf_rows(void *argument, size_t task, size_t thread, smerf_error *error) {
    sm_panel *panel = argument;
    sm_query *query = panel->query;
    size_t n_rows = panel->end - panel->first, from = 0, b = panel->first_tree + task;
    (void)error;
    for (size_t before = panel->first_tree; before < b; before++) from += sm_block_n_leaf_rows(query, before, n_rows);
    sm_ready *ready = &query->ready[b - query->first];
    if (sm_block_n_leaf_rows(query, b, n_rows) == 0) return SMERF_OK;
    for (size_t leaf = 0; leaf < ready->leaves.n; leaf++)
        query->model->target->kind->predicting.leaf_row(query->model->target, &ready->leaves, leaf,
                                                        panel->leaf_rows + from + leaf * ready->leaves.n,
                                                        panel->scratches[thread].leaf.scratch);
    ready->rows = panel->leaf_rows + from;
    return SMERF_OK;
}

static smerf_status make_leaf_rows(sm_panel *panel, sm_pool *pool, smerf_error *error) {
    size_t n = 0;
    for (size_t b = panel->first_tree; b < panel->end_tree; b++)
        n += sm_block_n_leaf_rows(panel->query, b, panel->end - panel->first);
    if (n == 0) return SMERF_OK;
    if (panel->leaf_rows == NULL) panel->leaf_rows = sm_array(SM_MOST_LEAF_ROWS, sizeof *panel->leaf_rows);
    if (panel->leaf_rows == NULL) return sm_no_memory(error, "predicting");
    return sm_pool_run(pool, panel->end_tree - panel->first_tree, fill_leaf_rows, panel, error);
}

/*   whole  the part of the job that all trees are */
static void set_fractions(const sm_panel *panel, const double whole[2], size_t first, size_t end, sm_pool *pool) {
    double n_trees = (double)panel->query->n_trees;
    pool->fraction_from = whole[0] + (whole[1] - whole[0]) * ((double)first / n_trees);
    pool->fraction_to = whole[0] + (whole[1] - whole[0]) * ((double)end / n_trees);
}

static smerf_status add_trees(sm_panel *panel, size_t first, size_t n_blocks, const double whole[2], sm_pool *pool,
                              smerf_error *error) {
    sm_query *query = panel->query;
    panel->first_tree = first;
    panel->end_tree = sm_block_batch_end(query, first, panel->end - panel->first, width(panel));
    set_fractions(panel, whole, first, first, pool); /* leaves are quick */
    smerf_status status = make_leaf_rows(panel, pool, error);
    set_fractions(panel, whole, first, panel->end_tree, pool);
    if (status == SMERF_OK) status = sm_pool_run(pool, n_blocks, add_batch, panel, error);
    for (size_t b = first; b < panel->end_tree; b++) query->ready[b - query->first].rows = NULL;
    return status;
}

/* Lists the pairs that are not settled, and puts in what comes of them. */
static smerf_status redo_undefined(sm_panel *panel, sm_pool *pool, smerf_error *error) {
    size_t n_columns = width(panel), n_cells = (panel->end - panel->first) * n_columns, n = 0;
    sm_arena arena = {0};
    for (size_t cell = 0; cell < n_cells; cell++) n += panel->n_predicting[cell] == SM_IS_ELIGIBLE;
    uint32_t *row = sm_arena_take(&arena, n, sizeof *row), *column = sm_arena_take(&arena, n, sizeof *column);
    double *distance = sm_arena_take(&arena, n, sizeof *distance);
    smerf_status status = arena.has_failed ? sm_no_memory(error, "predicting") : SMERF_OK;
    for (size_t cell = 0, k = 0; cell < n_cells && status == SMERF_OK; cell++)
        if (panel->n_predicting[cell] == SM_IS_ELIGIBLE) {
            row[k] = (uint32_t)(panel->first + cell / n_columns);
            column[k++] = (uint32_t)(panel->columns.first + cell % n_columns);
        }
    if (status == SMERF_OK) status = sm_predict_undefined(panel->query, row, column, n, distance, pool, error);
    for (size_t cell = 0, k = 0; cell < n_cells && status == SMERF_OK; cell++)
        if (panel->n_predicting[cell] == SM_IS_ELIGIBLE) panel->distances[cell] = distance[k++];
    sm_arena_free(&arena);
    atomic_store(&panel->has_undefined, false);
    return status;
}

/* A model that is no forest. */
static smerf_status answer_rows(void *argument, size_t task, size_t thread, smerf_error *error) {
    sm_panel *panel = argument;
    const sm_query *query = panel->query;
    (void)error;
    size_t first = panel->first + task * SM_BLOCK_ROWS;
    size_t end = panel->end - first < SM_BLOCK_ROWS ? panel->end : first + SM_BLOCK_ROWS;
    sm_answer_rows(query, panel->first, first, end, thread, panel->distances);
    return SMERF_OK;
}

/* What the model says that predictions start from. */
static smerf_status fill_from_base(sm_panel *panel, sm_pool *pool, smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (size_t first = panel->first; panel->base != NULL && first < panel->end && status == SMERF_OK;) {
        status = sm_panel_predict(panel->base, first, pool, error);
        size_t end = panel->base->end < panel->end ? panel->base->end : panel->end;
        if (status == SMERF_OK)
            memcpy(panel->distances + (first - panel->first) * width(panel), panel->base->distances,
                   (end - first) * width(panel) * sizeof *panel->distances);
        first = end;
    }
    return status;
}

smerf_status sm_panel_predict(sm_panel *panel, size_t first, sm_pool *pool, smerf_error *error) {
    sm_query *query = panel->query;
    smerf_status status = SMERF_OK;
    const double whole[2] = {pool->fraction_from, pool->fraction_to};
    panel->first = first;
    panel->end = query->rows.n - first < panel->most_rows ? query->rows.n : first + panel->most_rows;
    size_t n_blocks = (panel->end - first + SM_BLOCK_ROWS - 1) / SM_BLOCK_ROWS;
    if (query->model->method != NULL) {
        pool->fraction_to = pool->fraction_from; /* making ready is quick */
        status = sm_predictor_start(query, pool, error);
        if (status == SMERF_OK) status = fill_from_base(panel, pool, error);
        pool->fraction_from = whole[0];
        pool->fraction_to = whole[1];
        if (status == SMERF_OK) status = sm_pool_run(pool, n_blocks, answer_rows, panel, error);
        if (status == SMERF_OK) sm_predictor_mirror(query, panel->first, panel->end, panel->distances);
        return status;
    }
    for (size_t group = 0; group < query->n_groups && status == SMERF_OK; group++) {
        set_fractions(panel, whole, query->group_first[group], query->group_first[group + 1], pool);
        status = sm_query_turn(query, group, pool, error);
        for (size_t b = query->first; b < query->end && status == SMERF_OK; b = panel->end_tree)
            status = add_trees(panel, b, n_blocks, whole, pool, error);
    }
    if (status == SMERF_OK && atomic_load(&panel->has_undefined)) status = redo_undefined(panel, pool, error);
    pool->fraction_from = whole[0];
    pool->fraction_to = whole[1];
    return status;
}

/* ---- all rows ---- */

static smerf_status predict_panels(sm_panel *panel, sm_pool *pool, smerf_row_sink sink, void *context,
                                   smerf_error *error) {
    size_t n_rows = panel->query->rows.n, n_columns = sm_query_columns(panel->query)->n;
    smerf_status status = SMERF_OK;
    for (size_t first = 0; first < n_rows && status == SMERF_OK; first = panel->end) {
        size_t end = n_rows - first < panel->most_rows ? n_rows : first + panel->most_rows;
        pool->fraction_from = (double)first / (double)n_rows;
        pool->fraction_to = (double)end / (double)n_rows;
        status = sm_panel_predict(panel, first, pool, error);
        for (size_t i = first; i < end && status == SMERF_OK; i++)
            if (sink(context, i, panel->distances + (i - first) * n_columns, n_columns) != 0)
                status = sm_fail(error, SMERF_CANCELLED, "cancelled");
    }
    return status;
}

smerf_status sm_predict_rows(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                             const smerf_run *run, smerf_row_sink sink, void *context, smerf_error *error) {
    sm_pool pool;
    sm_query query;
    sm_panel panel;
    sm_pool_start(&pool, run);
    smerf_status status = sm_query_start(&query, model, request, limits, error);
    if (status != SMERF_OK) return status;
    status = sm_panel_start(&panel, &query, sm_query_columns(&query)->n, false, &pool, error);
    if (status == SMERF_OK) {
        status = predict_panels(&panel, &pool, sink, context, error);
        sm_panel_free(&panel);
    }
    sm_query_free(&query);
    return status;
}

smerf_status smerf_predict_rows(const smerf_model *model, const smerf_request *request, const smerf_run *run,
                                smerf_row_sink sink, void *context, smerf_error *error) {
    SM_READ(smerf_request, request, error);
    SM_READ_RUN(run, error);
    return sm_predict_rows(model, request, &sm_usual_limits, run, sink, context, error);
}
