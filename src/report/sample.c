/* sample.c - some of the items, drawn by the model's seed, and what is true of them. */
#include <string.h>

#include "base/memory.h"
#include "report/sections.h"
#include "smerf_study.h"

smerf_status sm_items_of(const sm_reporter *reporter, const uint32_t *rows, size_t n, smerf_items **out,
                         smerf_error *error) {
    smerf_status status = smerf_items_take(reporter->wanted->items, rows, n, out, error);
    if (status != SMERF_OK) return status;
    status = smerf_items_set_rows(*out, rows, error);
    if (status == SMERF_OK) return status;
    smerf_items_free(*out);
    *out = NULL;
    return status;
}

smerf_status sm_picked_draw(const sm_reporter *reporter, size_t most, sm_draw purpose, sm_picked *sample,
                            smerf_error *error) {
    size_t n = reporter->n, n_taken = n < most ? n : most;
    uint64_t seed = (reporter->about.options->seed ^ (uint64_t)purpose << 32) & INT64_MAX;
    *sample = (sm_picked){.n = n_taken,
                          .rows = sm_array(n_taken, sizeof *sample->rows),
                          .is_taken = sm_zeros(n, sizeof *sample->is_taken)};
    smerf_status status = sample->rows != NULL && sample->is_taken != NULL ? SMERF_OK : sm_no_memory(error, "sampling");
    if (status == SMERF_OK && n_taken == n)
        memset(sample->is_taken, true, n * sizeof *sample->is_taken);
    else if (status == SMERF_OK)
        status = smerf_split(n, n_taken, seed, sample->is_taken, error);
    for (size_t i = 0, k = 0; i < n && status == SMERF_OK; i++)
        if (sample->is_taken[i]) sample->rows[k++] = (uint32_t)i;
    if (status == SMERF_OK) status = sm_items_of(reporter, sample->rows, n_taken, &sample->items, error);
    if (status != SMERF_OK) sm_picked_free(sample);
    return status;
}

void sm_picked_free(sm_picked *sample) {
    sm_free(sample->rows);
    sm_free(sample->is_taken);
    smerf_items_free(sample->items);
    *sample = (sm_picked){0};
}

/* ---- what is scored ---- */

bool sm_exam_is_possible(const sm_reporter *reporter, const char **why_not) {
    const sm_report *wanted = reporter->wanted;
    *why_not = NULL;
    if (reporter->n < 2)
        *why_not = "There is one item, and so no pair to score.";
    else if (wanted->truth != NULL)
        return true;
    else if (!reporter->are_training)
        *why_not = "These are not the items that the model was trained on, and no target was given to score against.";
    else if (!reporter->is_forest)
        *why_not = "The method has no notion of out of bag, and no target was given to score against.";
    else if (!reporter->is_out_of_bag)
        *why_not =
            "Every tree has seen every item, so that nothing is out of bag, and no target was given to score against.";
    else if (smerf_model_target(wanted->model) == NULL)
        *why_not = "The model keeps only a low-rank form of its target, and no target was given to score against.";
    return *why_not == NULL;
}

smerf_status sm_exam_start(const sm_reporter *reporter, size_t most, sm_exam *exam, smerf_error *error) {
    const smerf_target *truth = reporter->wanted->truth;
    *exam = (sm_exam){0};
    smerf_status status = sm_picked_draw(reporter, most, SM_DRAW_SCORED, &exam->sample, error);
    if (status == SMERF_OK && truth != NULL)
        status = smerf_target_take(truth, exam->sample.rows, exam->sample.n, &exam->truth, error);
    exam->request = SMERF_INIT(smerf_request, .rows = exam->sample.items, .out_of_bag = reporter->is_out_of_bag);
    if (status != SMERF_OK) sm_exam_free(exam);
    return status;
}

void sm_exam_free(sm_exam *exam) {
    sm_picked_free(&exam->sample);
    smerf_target_free(exam->truth);
    *exam = (sm_exam){0};
}
