/* predict.c - distances of all pairs, row by row, and of listed pairs. */
#include <math.h>

#include "base/memory.h"
#include "query/rows.h"

/* ---- all pairs ---- */

/* A panel is as many chunks as the threads work on at once; its rows are then handed out in order. */
static const double most_panel_bytes = 64e6;

typedef struct panel_job {
    const sm_asked *asked;
    sm_chunk *chunks; /* [n_threads] */
    size_t first, end;
    double *distances; /* [panel rows][n_columns] */
} panel_job;

static smerf_status predict_chunk(void *argument, size_t task, size_t thread, smerf_error *error) {
    panel_job *job = argument;
    (void)error;
    size_t first = job->first + task * SM_CHUNK_ROWS;
    size_t end = first + SM_CHUNK_ROWS < job->end ? first + SM_CHUNK_ROWS : job->end;
    sm_rows_predict(job->asked, first, end, &job->chunks[thread],
                    job->distances + (first - job->first) * job->asked->n_columns);
    return SMERF_OK;
}

static size_t panel_rows(const sm_asked *asked, size_t n_threads) {
    double fitting = most_panel_bytes / ((double)asked->n_columns * sizeof(double));
    size_t n_chunks = (size_t)(fitting / SM_CHUNK_ROWS), smallest = n_threads;
    size_t n_rows = (n_chunks > smallest ? n_chunks : smallest) * SM_CHUNK_ROWS;
    return n_rows < asked->n_rows ? n_rows : asked->n_rows;
}

static smerf_status predict_panels(panel_job *job, sm_crew *crew, size_t step, smerf_row_sink sink, void *context,
                                   smerf_error *error) {
    const sm_asked *asked = job->asked;
    smerf_status status = SMERF_OK;
    for (job->first = 0; job->first < asked->n_rows && status == SMERF_OK; job->first += step) {
        job->end = job->first + step < asked->n_rows ? job->first + step : asked->n_rows;
        size_t n_chunks = (job->end - job->first + SM_CHUNK_ROWS - 1) / SM_CHUNK_ROWS;
        crew->share_from = (double)job->first / (double)asked->n_rows;
        crew->share_to = (double)job->end / (double)asked->n_rows;
        status = sm_crew_do(crew, n_chunks, predict_chunk, job, error);
        for (size_t i = job->first; i < job->end && status == SMERF_OK; i++)
            if (sink(context, i, job->distances + (i - job->first) * asked->n_columns, asked->n_columns) != 0)
                status = sm_fail(error, SMERF_CANCELLED, "cancelled");
    }
    return status;
}

smerf_status smerf_predict_rows(const smerf_model *model, const smerf_question *question, const smerf_run *run,
                                smerf_row_sink sink, void *context, smerf_error *error) {
    sm_crew crew;
    sm_asked asked;
    sm_crew_start(&crew, run);
    smerf_status status = sm_asked_start(&asked, model, question, &crew, error);
    if (status != SMERF_OK) return status;
    size_t step = panel_rows(&asked, crew.n_threads);
    panel_job job = {.asked = &asked, .chunks = sm_zeros(crew.n_threads, sizeof *job.chunks)};
    status = sm_check_memory((double)step * (double)asked.n_columns * sizeof *job.distances, "predicting", error);
    if (status == SMERF_OK) job.distances = sm_array(sm_size(step, asked.n_columns, 0), sizeof *job.distances);
    bool has_room = job.distances != NULL && job.chunks != NULL;
    for (size_t t = 0; t < crew.n_threads && has_room; t++) has_room = sm_chunk_start(&job.chunks[t], &asked);
    if (status == SMERF_OK)
        status = has_room ? predict_panels(&job, &crew, step, sink, context, error) : sm_no_memory(error, "predicting");
    for (size_t t = 0; t < crew.n_threads && job.chunks != NULL; t++) sm_chunk_free(&job.chunks[t]);
    sm_free(job.chunks);
    sm_free(job.distances);
    sm_asked_free(&asked);
    return status;
}

/* ---- listed pairs ---- */

enum { PAIRS_A_TASK = 1024, FEW_LEAVES = 128 };

typedef struct pairs_job {
    const sm_asked *asked;
    const uint32_t *left, *right;
    size_t n_pairs;
    double *distance, *spread;
    sm_leaf_room *rooms; /* [n_threads] */
    double *tables;      /* [n_threads][FEW_LEAVES][FEW_LEAVES] */
} pairs_job;

/* One pair over the trees: the sum, as for whole rows, and for the spread a running mean and sum of squared deviations
 * from it (Welford). */
typedef struct running {
    double sum, mean, squares;
    size_t n;
} running;

static void add(running *over_trees, double value) {
    double step = value - over_trees->mean;
    over_trees->sum += value;
    over_trees->mean += step / (double)++over_trees->n;
    over_trees->squares += step * (value - over_trees->mean);
}

/* h(a, b) of one tree. Few leaves are large ones: then whole rows are formed, once. */
static double leaf_distance(const smerf_model *model, const sm_leaves *leaves, size_t a, size_t b, sm_leaf_room *room,
                            bool *has_row, double *table) {
    const sm_target_kind *kind = model->target->kind;
    if (leaves->n > FEW_LEAVES) return kind->leaf_pair(model->target, leaves, a, b);
    if (!has_row[a]) {
        kind->leaf_row(model->target, leaves, a, table + a * leaves->n, room->scratch);
        has_row[a] = true;
    }
    return table[a * leaves->n + b];
}

static void add_tree(const pairs_job *job, size_t b, size_t first, size_t end, sm_leaf_room *room, double *table,
                     running *over_trees) {
    const sm_asked *asked = job->asked;
    const smerf_model *model = asked->model;
    const bool *is_out = asked->is_out_of_bag ? asked->row_is_out + b * asked->n_rows : NULL;
    bool has_row[FEW_LEAVES] = {false};
    const sm_ready *ready = &asked->ready[b];
    for (size_t p = first; p < end; p++) {
        size_t i = job->left[p], j = job->right[p];
        if (is_out != NULL && !sm_asked_may_speak(asked, is_out[i], is_out[j])) continue;
        size_t from = asked->row_leaf[b * asked->n_rows + i], to = asked->column_leaf[b * asked->n_columns + j];
        double distance = from == to && ready->self != NULL
                              ? ready->self[from]
                              : leaf_distance(model, &ready->leaves, from, to, room, has_row, table);
        if (!isnan(distance)) add(&over_trees[p - first], distance);
    }
}

static smerf_status predict_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    pairs_job *job = argument;
    (void)error;
    running over_trees[PAIRS_A_TASK] = {0};
    size_t first = task * PAIRS_A_TASK;
    size_t end = first + PAIRS_A_TASK < job->n_pairs ? first + PAIRS_A_TASK : job->n_pairs;
    double *table = job->tables + thread * FEW_LEAVES * FEW_LEAVES;
    for (size_t b = 0; b < job->asked->n_trees; b++)
        add_tree(job, b, first, end, &job->rooms[thread], table, over_trees);
    for (size_t p = first; p < end; p++) {
        const running *pair = &over_trees[p - first];
        job->distance[p] = pair->n > 0 ? pair->sum / (double)pair->n : NAN;
        if (pair->n == 0 && !job->asked->is_out_of_bag)
            job->distance[p] = sm_rows_with_self(job->asked, job->left[p], job->right[p]);
        if (job->spread != NULL)
            job->spread[p] = pair->n == 0 ? NAN : pair->n == 1 ? 0 : sqrt(pair->squares / (double)(pair->n - 1));
    }
    return SMERF_OK;
}

static smerf_status check_pairs(const sm_asked *asked, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                                smerf_error *error) {
    for (size_t p = 0; p < n_pairs; p++)
        if (left[p] >= asked->n_rows || right[p] >= asked->n_columns)
            return sm_fail(error, SMERF_BAD_INPUT, "pair %zu is (%u, %u), and there are %zu and %zu items", p, left[p],
                           right[p], asked->n_rows, asked->n_columns);
    return SMERF_OK;
}

smerf_status smerf_predict_pairs(const smerf_model *model, const smerf_question *question, const uint32_t *left,
                                 const uint32_t *right, size_t n_pairs, const smerf_run *run, double *distance,
                                 double *spread, smerf_error *error) {
    sm_crew crew;
    sm_asked asked;
    sm_crew_start(&crew, run);
    smerf_status status = sm_asked_start(&asked, model, question, &crew, error);
    if (status != SMERF_OK) return status;
    status = check_pairs(&asked, left, right, n_pairs, error);
    pairs_job job = {.asked = &asked,
                     .left = left,
                     .right = right,
                     .n_pairs = n_pairs,
                     .distance = distance,
                     .spread = spread,
                     .rooms = sm_leaf_rooms_new(model, crew.n_threads),
                     .tables = sm_array(crew.n_threads, FEW_LEAVES * FEW_LEAVES * sizeof *job.tables)};
    if (status == SMERF_OK && (job.rooms == NULL || job.tables == NULL)) status = sm_no_memory(error, "predicting");
    if (status == SMERF_OK)
        status = sm_crew_do(&crew, (n_pairs + PAIRS_A_TASK - 1) / PAIRS_A_TASK, predict_some, &job, error);
    sm_leaf_rooms_free(job.rooms, crew.n_threads);
    sm_free(job.tables);
    sm_asked_free(&asked);
    return status;
}
