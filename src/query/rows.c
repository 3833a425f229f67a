/* rows.c - the average over the trees of the distance between leaves, Eq. (3), for a panel of rows.
 *
 * For each group of trees, threads take chunks of rows and go through the trees in order: for each leaf that a row of
 * the chunk falls into, its distances to all leaves are formed once and spread over the columns by their leaves. Every
 * pair is added up in the order of the trees by one thread at a time, so that the result depends neither on how rows
 * and trees were dealt out nor on how large panels and chunks are. */
#include "query/rows.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "query/answers.h"
#include "query/settle.h"

/* The distances of one leaf to all others serve every row of a chunk that falls into it. */
enum { MOST_CHUNK_ROWS = 32 };

/* Few columns in a tree of many leaves: their leaves are asked for one by one. */
enum { LEAVES_A_COLUMN = 16 };

/* ---- room ---- */

static size_t rows_that_fit(double bytes, double row_bytes) {
    double n_rows = bytes / row_bytes;
    return n_rows < 1 ? 1 : n_rows < 1e9 ? (size_t)n_rows : (size_t)1e9;
}

/* Many groups: every panel needs all trees made ready anew, so there should be few of them. */
static size_t panel_rows(const sm_asked *asked, double row_bytes, bool wants_all, size_t n_threads) {
    const sm_limits *limits = asked->limits;
    double n_cells = (double)asked->rows.n * (double)sm_asked_columns(asked)->n;
    size_t fitting = rows_that_fit(limits->panel_bytes, row_bytes), busy = n_threads * MOST_CHUNK_ROWS;
    size_t most = rows_that_fit(limits->most_panel_bytes, row_bytes);
    if (fitting < busy) fitting = busy < most ? busy : most;
    if (asked->n_groups > 1 && fitting < most) fitting = most;
    if (wants_all && n_cells * sizeof(double) <= limits->whole_bytes) fitting = asked->rows.n;
    return fitting < asked->rows.n ? fitting : asked->rows.n;
}

static smerf_status take_room(sm_panel *panel, bool wants_all, smerf_error *error) {
    const sm_asked *asked = panel->asked;
    size_t n_columns = sm_asked_columns(asked)->n, cell_bytes = sizeof *panel->distances;
    if (!sm_asked_all_speak(asked)) cell_bytes += sizeof *panel->n_spoken;
    panel->most_rows = panel_rows(asked, (double)n_columns * (double)cell_bytes, wants_all, panel->n_threads);
    size_t fair = (panel->most_rows + panel->n_threads - 1) / panel->n_threads;
    panel->chunk_rows = fair < 1 ? 1 : fair < MOST_CHUNK_ROWS ? fair : MOST_CHUNK_ROWS;

    size_t n_cells = sm_size(panel->most_rows, n_columns, 0);
    smerf_status status = sm_check_memory((double)n_cells * (double)cell_bytes, "predicting", error);
    if (status != SMERF_OK) return status;
    panel->distances = sm_array(n_cells, sizeof *panel->distances);
    panel->rooms = sm_leaf_rooms_new(asked->model, panel->n_threads);
    bool has_room = panel->distances != NULL && panel->rooms != NULL;
    if (has_room && !sm_asked_all_speak(asked)) {
        panel->n_spoken = sm_array(n_cells, sizeof *panel->n_spoken);
        has_room = panel->n_spoken != NULL;
    }
    return has_room ? SMERF_OK : sm_no_memory(error, "predicting");
}

smerf_status sm_panel_start(sm_panel *panel, sm_asked *asked, bool wants_all, const sm_crew *crew, smerf_error *error) {
    *panel = (sm_panel){.asked = asked, .n_threads = crew->n_threads};
    atomic_init(&panel->is_unsettled, false);
    smerf_status status = sm_asked_plan(asked, false, true, error);
    if (status == SMERF_OK) status = take_room(panel, wants_all, error);
    if (status != SMERF_OK) sm_panel_free(panel);
    return status;
}

void sm_panel_free(sm_panel *panel) {
    sm_free(panel->distances);
    sm_free(panel->n_spoken);
    sm_leaf_rooms_free(panel->rooms, panel->n_threads);
    panel->distances = NULL;
    panel->n_spoken = NULL;
    panel->rooms = NULL;
}

/* ---- adding up ---- */

static void spread(const double *leaf_row, const uint32_t *column_leaf, size_t n_columns, double *sums) {
    for (size_t j = 0; j < n_columns; j++) sums[j] += leaf_row[column_leaf[j]];
}

/* The same, where not every tree speaks for every pair. */
static void spread_some(const sm_asked *asked, size_t b, size_t row, const double *leaf_row,
                        const uint32_t *column_leaf, double *sums, uint32_t *n_spoken) {
    const bool *is_out = sm_asked_is_out(asked, b);
    size_t n_columns = sm_asked_columns(asked)->n;
    for (size_t j = 0; j < n_columns; j++) {
        double distance = leaf_row[column_leaf[j]];
        if (is_out != NULL && !sm_asked_may_speak(asked, is_out[row], is_out[j])) continue;
        n_spoken[j] |= SM_MAY_SPEAK;
        if (isnan(distance)) continue;
        sums[j] += distance;
        n_spoken[j]++;
    }
}

/* Distances of one leaf, to those leaves at least that columns fall into. */
static void fill_leaf_row(const smerf_target *target, const sm_ready *ready, uint32_t leaf, const uint32_t *column_leaf,
                          size_t n_columns, sm_leaf_room *room) {
    if (n_columns < ready->leaves.n / LEAVES_A_COLUMN)
        for (size_t j = 0; j < n_columns; j++)
            room->row[column_leaf[j]] = target->kind->leaf_pair(target, &ready->leaves, leaf, column_leaf[j]);
    else
        target->kind->leaf_row(target, &ready->leaves, leaf, room->row, room->scratch);
    if (ready->self != NULL) room->row[leaf] = ready->self[leaf];
}

static void add_tree(const sm_panel *panel, size_t b, size_t first, size_t end, sm_leaf_room *room) {
    const sm_asked *asked = panel->asked;
    const uint32_t *column_leaf = sm_asked_leaves(asked, sm_asked_columns(asked), b);
    size_t n_columns = sm_asked_columns(asked)->n;
    const bool *is_out = sm_asked_is_out(asked, b);
    uint32_t row_leaf[MOST_CHUNK_ROWS];
    bool is_done[MOST_CHUNK_ROWS];
    sm_asked_row_leaves(asked, b, first, end, row_leaf);
    for (size_t i = first; i < end; i++) /* a tree that has no say in any pair of a row is done with it */
        is_done[i - first] = is_out != NULL && !sm_asked_may_speak(asked, is_out[i], true);
    for (size_t i = first; i < end; i++) {
        if (is_done[i - first]) continue;
        uint32_t leaf = row_leaf[i - first];
        fill_leaf_row(asked->model->target, sm_asked_ready(asked, b), leaf, column_leaf, n_columns, room);
        for (size_t other = i; other < end; other++) {
            if (row_leaf[other - first] != leaf || is_done[other - first]) continue;
            size_t place = (other - panel->first) * n_columns;
            is_done[other - first] = true;
            if (panel->n_spoken == NULL)
                spread(room->row, column_leaf, n_columns, panel->distances + place);
            else
                spread_some(asked, b, other, room->row, column_leaf, panel->distances + place, panel->n_spoken + place);
        }
    }
}

/* ---- from sums to means ---- */

static void divide(double *distances, size_t n_cells, double n_trees) {
    for (size_t cell = 0; cell < n_cells; cell++) distances[cell] /= n_trees;
}

/* The same, where not every tree has spoken. A pair that is left to sm_settle keeps the count SM_MAY_SPEAK. */
static void divide_some(sm_panel *panel, size_t from, size_t to) {
    double fallback = panel->asked->fallback;
    bool is_unsettled = false;
    for (size_t cell = from; cell < to; cell++) {
        uint32_t count = panel->n_spoken[cell];
        if (SM_N_SPOKEN(count) > 0)
            panel->distances[cell] /= SM_N_SPOKEN(count);
        else
            panel->distances[cell] = count == SM_MAY_SPEAK ? fallback : NAN;
        is_unsettled = is_unsettled || count == SM_MAY_SPEAK;
    }
    if (is_unsettled && sm_settles(panel->asked)) atomic_store(&panel->is_unsettled, true);
}

static smerf_status add_group(void *argument, size_t task, size_t thread, smerf_error *error) {
    sm_panel *panel = argument;
    const sm_asked *asked = panel->asked;
    (void)error;
    size_t n_columns = sm_asked_columns(asked)->n, first = panel->first + task * panel->chunk_rows;
    size_t end = first + panel->chunk_rows < panel->end ? first + panel->chunk_rows : panel->end;
    size_t from = (first - panel->first) * n_columns, to = (end - panel->first) * n_columns;
    if (asked->first == 0) {
        memset(panel->distances + from, 0, (to - from) * sizeof *panel->distances);
        if (panel->n_spoken != NULL) memset(panel->n_spoken + from, 0, (to - from) * sizeof *panel->n_spoken);
    }
    for (size_t b = asked->first; b < asked->end; b++) add_tree(panel, b, first, end, &panel->rooms[thread]);
    if (asked->end < asked->n_trees) return SMERF_OK;
    if (panel->n_spoken == NULL)
        divide(panel->distances + from, to - from, (double)asked->n_trees);
    else
        divide_some(panel, from, to);
    return SMERF_OK;
}

/* Lists the pairs that are not settled, and puts in what comes of them. */
static smerf_status settle(sm_panel *panel, sm_crew *crew, smerf_error *error) {
    size_t n_columns = sm_asked_columns(panel->asked)->n, n_cells = (panel->end - panel->first) * n_columns, n = 0;
    sm_arena arena = {0};
    for (size_t cell = 0; cell < n_cells; cell++) n += panel->n_spoken[cell] == SM_MAY_SPEAK;
    uint32_t *row = sm_arena_take(&arena, n, sizeof *row), *column = sm_arena_take(&arena, n, sizeof *column);
    double *distance = sm_arena_take(&arena, n, sizeof *distance);
    smerf_status status = arena.has_failed ? sm_no_memory(error, "predicting") : SMERF_OK;
    for (size_t cell = 0, k = 0; cell < n_cells && status == SMERF_OK; cell++)
        if (panel->n_spoken[cell] == SM_MAY_SPEAK) {
            row[k] = (uint32_t)(panel->first + cell / n_columns);
            column[k++] = (uint32_t)(cell % n_columns);
        }
    if (status == SMERF_OK) status = sm_settle(panel->asked, row, column, n, distance, crew, error);
    for (size_t cell = 0, k = 0; cell < n_cells && status == SMERF_OK; cell++)
        if (panel->n_spoken[cell] == SM_MAY_SPEAK) panel->distances[cell] = distance[k++];
    sm_arena_free(&arena);
    atomic_store(&panel->is_unsettled, false);
    return status;
}

/* A model that is no forest. */
static smerf_status answer_rows(void *argument, size_t task, size_t thread, smerf_error *error) {
    sm_panel *panel = argument;
    const sm_asked *asked = panel->asked;
    (void)error;
    size_t first = panel->first + task * panel->chunk_rows;
    size_t end = first + panel->chunk_rows < panel->end ? first + panel->chunk_rows : panel->end;
    sm_answer_rows(asked, panel->first, first, end, thread, panel->distances);
    return SMERF_OK;
}

smerf_status sm_panel_predict(sm_panel *panel, size_t first, sm_crew *crew, smerf_error *error) {
    sm_asked *asked = panel->asked;
    smerf_status status = SMERF_OK;
    double from = crew->share_from, to = crew->share_to;
    panel->first = first;
    panel->end = asked->rows.n - first < panel->most_rows ? asked->rows.n : first + panel->most_rows;
    size_t n_chunks = (panel->end - first + panel->chunk_rows - 1) / panel->chunk_rows;
    if (asked->model->method != NULL) {
        status = sm_answers_start(asked, crew, error);
        if (status == SMERF_OK) status = sm_crew_do(crew, n_chunks, answer_rows, panel, error);
        if (status == SMERF_OK) sm_answers_mirror(asked, panel->first, panel->end, panel->distances);
        return status;
    }
    for (size_t group = 0; group < asked->n_groups && status == SMERF_OK; group++) {
        crew->share_from = from + (to - from) * (double)group / (double)asked->n_groups;
        crew->share_to = from + (to - from) * (double)(group + 1) / (double)asked->n_groups;
        status = sm_asked_turn(asked, group, crew, error);
        if (status == SMERF_OK) status = sm_crew_do(crew, n_chunks, add_group, panel, error);
    }
    if (status == SMERF_OK && atomic_load(&panel->is_unsettled)) status = settle(panel, crew, error);
    crew->share_from = from;
    crew->share_to = to;
    return status;
}
