/* answers.c - see answers.h. */
#include "query/answers.h"

#include "base/memory.h"

/* ---- making ready ---- */

/* Which of the items are training items. By row alone, two files that happen to hold the same features in some row would
 * be mixed up: without ids, items are known again only if they are all the training items in their order. */
static smerf_status look_up(const smerf_model *model, sm_side *side, smerf_error *error) {
    const smerf_items *items = side->items;
    side->place = sm_array(items->n_items, sizeof *side->place);
    if (side->place == NULL) return sm_no_memory(error, "looking up items");
    smerf_status status = sm_model_look_up(model, items, &side->view, side->place, error);
    if (status != SMERF_OK || (model->ids.n > 0 && items->ids.n > 0)) return status;
    bool is_all = items->n_items == model->n_items;
    for (size_t i = 0; i < items->n_items; i++) is_all = is_all && side->place[i] != SMERF_MISSING;
    for (size_t i = 0; i < items->n_items && !is_all; i++) side->place[i] = SMERF_MISSING;
    return SMERF_OK;
}

static sm_asked_items describe(const sm_side *side) {
    return (sm_asked_items){.view = &side->view, .place = side->place, .items = side->items};
}

smerf_status sm_answers_start(sm_asked *asked, sm_crew *crew, smerf_error *error) {
    const smerf_model *model = asked->model;
    smerf_status status = SMERF_OK;
    if (asked->answers != NULL) return SMERF_OK;
    if (model->method->knows_items) status = look_up(model, &asked->rows, error);
    if (model->method->knows_items && !asked->is_square && status == SMERF_OK)
        status = look_up(model, &asked->others, error);
    if (status != SMERF_OK) return status;
    asked->sides = (sm_asked_sides){.features = &model->features,
                                    .n_trained = model->n_items,
                                    .rows = describe(&asked->rows),
                                    .columns = describe(asked->is_square ? &asked->rows : &asked->others),
                                    .is_square = asked->is_square,
                                    .n_threads = crew->n_threads};
    return model->method->ask(model->learned, &asked->sides, crew, &asked->answers, error);
}

void sm_answers_free(sm_asked *asked) {
    if (asked->answers != NULL) asked->model->method->answers_free(asked->answers);
    sm_free(asked->rows.place);
    sm_free(asked->others.place);
}

/* ---- listed pairs ---- */

enum { PAIRS_A_TASK = 1024 };

typedef struct pairs_job {
    sm_asked *asked;
    const uint32_t *left, *right;
    size_t n_pairs;
    double *distance;
} pairs_job;

/* Pairs of one row that stand next to each other are answered together. */
static smerf_status answer_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    const pairs_job *job = argument;
    const sm_method *method = job->asked->model->method;
    (void)error;
    size_t first = task * PAIRS_A_TASK,
           last = first + PAIRS_A_TASK < job->n_pairs ? first + PAIRS_A_TASK : job->n_pairs;
    for (size_t p = first, end; p < last; p = end) {
        for (end = p + 1; end < last && job->left[end] == job->left[p];) end++;
        method->answer(job->asked->answers, job->left[p], job->right + p, end - p, thread, job->distance + p);
    }
    return SMERF_OK;
}

smerf_status sm_answer_pairs(sm_asked *asked, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                             sm_crew *crew, double *distance, smerf_error *error) {
    pairs_job job = {.asked = asked, .left = left, .right = right, .n_pairs = n_pairs, .distance = distance};
    smerf_status status = sm_answers_start(asked, crew, error);
    if (status != SMERF_OK) return status;
    return sm_crew_do(crew, (n_pairs + PAIRS_A_TASK - 1) / PAIRS_A_TASK, answer_some, &job, error);
}
