/* evaluate.c - scores of a model: rows are predicted and scored by the threads, and added up in order. */
#include <math.h>

#include "base/memory.h"
#include "query/metrics.h"
#include "query/rows.h"

typedef struct score_room {
    sm_arena arena; /* holds the arrays below */
    sm_chunk chunk;
    sm_scorer scorer;
    double *distances; /* [SM_CHUNK_ROWS][n_columns] */
    double *truth;     /* [n_columns] */
    double *all_truth; /* [n_items of the model] where the truth is the model's own */
} score_room;

typedef struct score_job {
    const sm_asked *asked; /* NULL: the predictions are given */
    const double *given;
    const smerf_target *truth;
    bool is_models_own; /* the truth is over the model's training items, in their order */
    size_t n_rows, n_columns;
    bool is_square;
    unsigned metrics;
    score_room *rooms;  /* [n_threads] */
    sm_row_score *rows; /* [n_rows] */
} score_job;

static bool start_room(score_room *room, const score_job *job) {
    size_t n_predicted = job->asked != NULL ? sm_size(job->n_columns, SM_CHUNK_ROWS, 0) : 0;
    room->truth = sm_arena_take(&room->arena, job->n_columns, sizeof *room->truth);
    room->all_truth = sm_arena_take(&room->arena, job->truth->n_columns, sizeof *room->all_truth);
    room->distances = sm_arena_take(&room->arena, n_predicted, sizeof *room->distances);
    if (room->arena.has_failed || !sm_scorer_start(&room->scorer, job->n_columns)) return false;
    return job->asked == NULL || sm_chunk_start(&room->chunk, job->asked);
}

static void free_room(score_room *room) {
    sm_chunk_free(&room->chunk);
    sm_scorer_free(&room->scorer);
    sm_arena_free(&room->arena);
}

static void find_truth(const score_job *job, score_room *room, size_t row) {
    if (!job->is_models_own) {
        job->truth->kind->true_row(job->truth, row, room->truth);
        return;
    }
    const uint32_t *place = job->asked->place;
    job->truth->kind->true_row(job->truth, place[row], room->all_truth);
    for (size_t j = 0; j < job->n_columns; j++) room->truth[j] = room->all_truth[place[j]];
}

static smerf_status score_chunk(void *argument, size_t task, size_t thread, smerf_error *error) {
    score_job *job = argument;
    score_room *room = &job->rooms[thread];
    (void)error;
    size_t first = task * SM_CHUNK_ROWS;
    size_t end = first + SM_CHUNK_ROWS < job->n_rows ? first + SM_CHUNK_ROWS : job->n_rows;
    if (job->asked != NULL) sm_rows_predict(job->asked, first, end, &room->chunk, room->distances);
    for (size_t i = first; i < end; i++) {
        const double *predicted =
            job->asked != NULL ? room->distances + (i - first) * job->n_columns : job->given + i * job->n_columns;
        find_truth(job, room, i);
        job->rows[i] =
            sm_scorer_row(&room->scorer, job->is_square ? i : SIZE_MAX, predicted, room->truth, job->metrics);
    }
    return SMERF_OK;
}

static smerf_status check_metrics(const smerf_target *truth, unsigned *metrics, smerf_error *error) {
    unsigned known = smerf_target_metrics(truth);
    if (*metrics == 0) *metrics = known;
    if (*metrics >> SMERF_N_METRICS != 0) return sm_fail(error, SMERF_BAD_INPUT, "there is no such metric");
    for (unsigned m = 0; m < SMERF_N_METRICS; m++)
        if ((*metrics & SMERF_HAS(m)) && !(known & SMERF_HAS(m)))
            return sm_fail(error, SMERF_BAD_INPUT, "%s needs a graph or labels: a target of kind '%s' has no links",
                           smerf_metric_name((smerf_metric)m), truth->kind->name);
    return SMERF_OK;
}

static smerf_status score(score_job *job, sm_crew *crew, smerf_scores *scores, smerf_error *error) {
    smerf_status status = SMERF_OK;
    size_t n_threads = crew->n_threads;
    job->rooms = sm_zeros(n_threads, sizeof *job->rooms);
    job->rows = sm_zeros(job->n_rows, sizeof *job->rows);
    bool has_room = job->rooms != NULL && job->rows != NULL;
    for (size_t t = 0; t < n_threads && has_room; t++) has_room = start_room(&job->rooms[t], job);
    if (has_room)
        status = sm_crew_do(crew, (job->n_rows + SM_CHUNK_ROWS - 1) / SM_CHUNK_ROWS, score_chunk, job, error);
    else
        status = sm_no_memory(error, "evaluating");
    if (status == SMERF_OK) sm_scores_sum(job->rows, job->n_rows, job->metrics, scores);
    for (size_t t = 0; t < n_threads && job->rooms != NULL; t++) free_room(&job->rooms[t]);
    sm_free(job->rooms);
    sm_free(job->rows);
    return status;
}

static smerf_status check_truth(const smerf_question *question, const smerf_target *truth, smerf_error *error) {
    bool is_square = question->columns == NULL;
    size_t n_rows = question->rows->n_items, n_columns = is_square ? n_rows : question->columns->n_items;
    if (truth->n_rows != n_rows || truth->n_columns != n_columns || truth->is_block == is_square)
        return sm_fail(error, SMERF_BAD_INPUT, "the items make %zu x %zu pairs, and the target has %zu x %zu", n_rows,
                       n_columns, truth->n_rows, truth->n_columns);
    return SMERF_OK;
}

smerf_status smerf_evaluate(const smerf_model *model, const smerf_question *question, const smerf_target *truth,
                            unsigned metrics, const smerf_run *run, smerf_scores *scores, smerf_error *error) {
    if (truth == NULL && !question->out_of_bag)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "evaluating needs a target, but for out-of-bag scores of the model's own");
    score_job job = {.truth = truth != NULL ? truth : model->target,
                     .is_models_own = truth == NULL,
                     .n_rows = question->rows->n_items,
                     .is_square = question->columns == NULL,
                     .metrics = metrics};
    job.n_columns = job.is_square ? job.n_rows : question->columns->n_items;
    smerf_status status = check_metrics(job.truth, &job.metrics, error);
    if (status == SMERF_OK && truth != NULL) status = check_truth(question, truth, error);
    if (status != SMERF_OK) return status;
    sm_crew crew;
    sm_asked asked;
    sm_crew_start(&crew, run);
    status = sm_asked_start(&asked, model, question, &crew, error);
    if (status != SMERF_OK) return status;
    job.asked = &asked;
    status = score(&job, &crew, scores, error);
    sm_asked_free(&asked);
    return status;
}

smerf_status smerf_score(const double *predicted, const smerf_target *truth, unsigned metrics, smerf_scores *scores,
                         smerf_error *error) {
    const smerf_run alone = {.n_threads = 1};
    sm_crew crew;
    sm_crew_start(&crew, &alone);
    score_job job = {.given = predicted,
                     .truth = truth,
                     .n_rows = truth->n_rows,
                     .n_columns = truth->n_columns,
                     .is_square = !truth->is_block,
                     .metrics = metrics};
    smerf_status status = check_metrics(truth, &job.metrics, error);
    return status == SMERF_OK ? score(&job, &crew, scores, error) : status;
}
