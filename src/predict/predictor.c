/* predictor.c - rows and pairs from a model that is no forest: see predictor.h. */
#include "predict/predictor.h"

#include "base/memory.h"

/* Many pairs at a time: enough that what a method has learned is read once for many of them. */
enum { PAIRS_AT_A_TIME = 16384 };

/* A thread's list of pairs. */
struct sm_answer_list {
    uint32_t left[PAIRS_AT_A_TIME], right[PAIRS_AT_A_TIME];
    double distance[PAIRS_AT_A_TIME];
    size_t n;
};

/* ---- making ready ---- */

/* Which of the items are training items. By row alone, two files that happen to hold the same features in some row would
 * be mixed up: without ids, items are known again only if they are all the training items in their order, or who asks says
 * which rows they are. */
static smerf_status look_up(const smerf_model *model, sm_side *side, smerf_error *error) {
    const smerf_items *items = side->items;
    side->training_row = sm_array(items->n_items, sizeof *side->training_row);
    if (side->training_row == NULL) return sm_no_memory(error, "looking up items");
    smerf_status status = sm_model_look_up(model, items, &side->view, side->training_row, error);
    if (status != SMERF_OK || (model->ids.n > 0 && items->ids.n > 0) || items->rows != NULL) return status;
    bool is_all = items->n_items == model->n_items;
    for (size_t i = 0; i < items->n_items; i++) is_all = is_all && side->training_row[i] != SMERF_MISSING;
    for (size_t i = 0; i < items->n_items && !is_all; i++) side->training_row[i] = SMERF_MISSING;
    return SMERF_OK;
}

/*   known  rows of the training items, if the query has found them: out of bag */
static sm_query_items describe(const sm_side *side, const uint32_t *known) {
    return (sm_query_items){
        .view = &side->view, .training_row = known != NULL ? known : side->training_row, .items = side->items};
}

smerf_status sm_predictor_start(sm_query *query, sm_pool *pool, smerf_error *error) {
    const smerf_model *model = query->model;
    smerf_status status = SMERF_OK;
    if (query->predictor != NULL) return SMERF_OK;
    if (model->method->knows_items) status = look_up(model, &query->rows, error);
    if (model->method->knows_items && !query->is_square && status == SMERF_OK)
        status = look_up(model, &query->others, error);
    if (model->method->predict_pairs != NULL && status == SMERF_OK) {
        query->lists = sm_array(pool->n_threads, sizeof *query->lists);
        if (query->lists == NULL) status = sm_no_memory(error, "predicting");
    }
    if (model->method->mirrors_rows && query->is_square && status == SMERF_OK) {
        query->every_column = sm_array(query->rows.n, sizeof *query->every_column);
        if (query->every_column == NULL) status = sm_no_memory(error, "predicting");
        for (size_t j = 0; j < query->rows.n && status == SMERF_OK; j++) query->every_column[j] = (uint32_t)j;
    }
    if (status != SMERF_OK) return status;
    query->sides =
        (sm_query_sides){.features = &model->features,
                         .n_trained = model->n_items,
                         .rows = describe(&query->rows, query->training_row),
                         .columns = describe(query->is_square ? &query->rows : &query->others, query->training_row),
                         .is_square = query->is_square,
                         .is_out_of_bag = query->is_out_of_bag,
                         .n_threads = pool->n_threads};
    return model->method->predictor_new(model->learned, &query->sides, pool, &query->predictor, error);
}

void sm_predictor_free(sm_query *query) {
    if (query->predictor != NULL) query->model->method->predictor_free(query->predictor);
    sm_free(query->rows.training_row);
    sm_free(query->others.training_row);
    sm_free(query->lists);
    sm_free(query->every_column);
}

/* ---- whole rows ---- */

/* Whether (i, j) will be (j, i). */
static bool is_mirrored(const sm_query *query, size_t panel_first, size_t i, size_t j) {
    return query->is_square && j >= panel_first && j < i;
}

/* Answers the list, puts the distances where they belong, and empties it. */
static void answer_list(const sm_query *query, sm_answer_list *list, size_t panel_first, double *distances) {
    size_t n_columns = sm_query_columns(query)->n;
    query->model->method->predict_pairs(query->predictor, list->left, list->right, list->n, list->distance);
    for (size_t k = 0; k < list->n; k++)
        distances[(list->left[k] - panel_first) * n_columns + list->right[k]] = list->distance[k];
    list->n = 0;
}

/* Columns before the panel, and from the row itself on: the others are mirrored. */
static void answer_row_by_halves(const sm_query *query, size_t panel_first, size_t row, size_t thread,
                                 double *distances) {
    const sm_method *method = query->model->method;
    size_t n = sm_query_columns(query)->n;
    if (panel_first > 0)
        method->predict_row(query->predictor, row, query->every_column, panel_first, thread, distances);
    method->predict_row(query->predictor, row, query->every_column + row, n - row, thread, distances + row);
}

void sm_answer_rows(const sm_query *query, size_t panel_first, size_t first, size_t end, size_t thread,
                    double *distances) {
    size_t n_columns = sm_query_columns(query)->n;
    const sm_method *method = query->model->method;
    for (size_t i = first; i < end && query->every_column != NULL; i++)
        answer_row_by_halves(query, panel_first, i, thread, distances + (i - panel_first) * n_columns);
    if (query->every_column != NULL) return;
    for (size_t i = first; i < end && method->predict_pairs == NULL; i++)
        method->predict_row(query->predictor, i, NULL, n_columns, thread, distances + (i - panel_first) * n_columns);
    if (method->predict_pairs == NULL) return;
    sm_answer_list *list = &query->lists[thread];
    list->n = 0;
    for (size_t i = first; i < end; i++)
        for (size_t j = 0; j < n_columns; j++) {
            if (is_mirrored(query, panel_first, i, j)) continue;
            list->left[list->n] = (uint32_t)i;
            list->right[list->n++] = (uint32_t)j;
            if (list->n == PAIRS_AT_A_TIME) answer_list(query, list, panel_first, distances);
        }
    answer_list(query, list, panel_first, distances);
}

void sm_predictor_mirror(const sm_query *query, size_t panel_first, size_t panel_end, double *distances) {
    size_t n_columns = sm_query_columns(query)->n;
    bool is_mirrored_at_all = query->model->method->predict_pairs != NULL || query->every_column != NULL;
    if (!is_mirrored_at_all || !query->is_square) return;
    for (size_t i = panel_first; i < panel_end; i++)
        for (size_t j = panel_first; j < i; j++)
            distances[(i - panel_first) * n_columns + j] = distances[(j - panel_first) * n_columns + i];
}

/* ---- listed pairs ---- */

enum { FEWEST_A_TASK = 1024 };

typedef struct pairs_job {
    sm_query *query;
    const uint32_t *left, *right;
    size_t n_pairs, n_a_task;
    double *distance;
} pairs_job;

/* Enough tasks for all threads, of no fewer pairs than are worth it. */
static size_t pairs_a_task(size_t n_pairs, size_t n_threads) {
    size_t fair = n_pairs / (4 * n_threads);
    return fair < FEWEST_A_TASK ? FEWEST_A_TASK : fair > PAIRS_AT_A_TIME ? PAIRS_AT_A_TIME : fair;
}

/* Pairs of one row that stand next to each other are answered together. */
static smerf_status answer_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    const pairs_job *job = argument;
    const sm_method *method = job->query->model->method;
    (void)error;
    size_t first = task * job->n_a_task, rest = job->n_pairs - first;
    size_t last = first + (rest < job->n_a_task ? rest : job->n_a_task);
    if (method->predict_pairs != NULL) {
        method->predict_pairs(job->query->predictor, job->left + first, job->right + first, last - first,
                              job->distance + first);
        return SMERF_OK;
    }
    for (size_t p = first, end; p < last; p = end) {
        for (end = p + 1; end < last && job->left[end] == job->left[p];) end++;
        method->predict_row(job->query->predictor, job->left[p], job->right + p, end - p, thread, job->distance + p);
    }
    return SMERF_OK;
}

smerf_status sm_answer_pairs(sm_query *query, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                             sm_pool *pool, double *distance, smerf_error *error) {
    pairs_job job = {.query = query, .left = left, .right = right, .n_pairs = n_pairs, .distance = distance};
    smerf_status status = sm_predictor_start(query, pool, error);
    if (status == SMERF_OK && query->base != NULL) {
        const smerf_pair_list list = {.n = n_pairs, .left = left, .right = right};
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = pool->n_threads);
        status = sm_predict_pairs(query->base->model, &SM_REQUEST_OF(query), query->limits, &list, &run,
                                  &SMERF_INIT(smerf_pair_result, .distance = distance), error);
    }
    if (status != SMERF_OK) return status;
    job.n_a_task = pairs_a_task(n_pairs, pool->n_threads);
    return sm_pool_run(pool, (n_pairs + job.n_a_task - 1) / job.n_a_task, answer_some, &job, error);
}
