/* euclidean.c - squared Euclidean distance of the features as given: the sum of squared differences of the numbers, and
 * 1 for each category that differs. Nothing is learned but what stands for a missing value (design.h).
 *
 * A category counts as half the squared distance of its columns, which of two levels is exactly 1. A missing one has the
 * shares s of the levels in these columns: its distance to level a is ((1 - s_a)^2 + sum over the others of s^2) / 2. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/linear/design.h"
#include "method/methods.h"

struct sm_learned {
    sm_design design;
};

/* Borrows the views, and knows the distance of each level to the shares. */
struct sm_answers {
    const sm_design *design;
    const sm_view *rows, *columns;
    double *to_shares; /* [design->n_columns]; of a number: not used */
};

static smerf_status check(const sm_lesson *lesson, smerf_error *error) {
    (void)lesson, (void)error;
    return SMERF_OK;
}

static void free_learned(sm_learned *learned) {
    if (learned == NULL) return;
    sm_design_free(&learned->design);
    sm_free(learned);
}

static smerf_status fit(const sm_lesson *lesson, sm_learned **out, sm_findings *findings, smerf_error *error) {
    (void)findings;
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "learning");
    smerf_status status = sm_design_learn(&learned->design, lesson->features, lesson->view, error);
    if (status == SMERF_OK) status = sm_crew_report(lesson->crew, 1, error);
    if (status == SMERF_OK)
        *out = learned;
    else
        free_learned(learned);
    return status;
}

/* ---- questions ---- */

static void answers_free(sm_answers *answers) {
    if (answers == NULL) return;
    sm_free(answers->to_shares);
    sm_free(answers);
}

static void measure_shares(const sm_design *design, double *to_shares) {
    for (size_t f = 0; f < design->n_features; f++)
        for (size_t own = design->first[f]; own < design->first[f + 1]; own++) {
            double sum = (1 - design->mean[own]) * (1 - design->mean[own]);
            for (size_t c = design->first[f]; c < design->first[f + 1]; c++)
                if (c != own) sum += design->mean[c] * design->mean[c];
            to_shares[own] = sum / 2;
        }
}

static smerf_status ask(const sm_learned *learned, const sm_asked_sides *sides, sm_crew *crew, sm_answers **out,
                        smerf_error *error) {
    (void)crew;
    smerf_status status = sm_design_check(sides->features, sides->rows.view, error);
    if (status == SMERF_OK) status = sm_design_check(sides->features, sides->columns.view, error);
    if (status != SMERF_OK) return status;
    sm_answers *answers = sm_zeros(1, sizeof *answers);
    if (answers == NULL) return sm_no_memory(error, "comparing items");
    *answers = (sm_answers){.design = &learned->design, .rows = sides->rows.view, .columns = sides->columns.view};
    answers->to_shares = sm_array(learned->design.n_columns, sizeof *answers->to_shares);
    if (answers->to_shares == NULL) {
        answers_free(answers);
        return sm_no_memory(error, "comparing items");
    }
    measure_shares(&learned->design, answers->to_shares);
    *out = answers;
    return SMERF_OK;
}

static double value_of(const sm_answers *answers, const sm_view *view, size_t feature, size_t item) {
    double value = sm_number_at(&view->numbers[feature], item);
    return isnan(value) ? answers->design->mean[answers->design->first[feature]] : value;
}

static double category_distance(const sm_answers *answers, size_t feature, uint32_t code, uint32_t other) {
    const double *to_shares = answers->to_shares + answers->design->first[feature];
    if (code == other) return 0;
    if (code == SMERF_MISSING) return to_shares[other];
    return other == SMERF_MISSING ? to_shares[code] : 1;
}

/* Adds what one feature brings to the distances of a row. */
static void add_feature(const sm_answers *answers, size_t feature, size_t row, const uint32_t *columns, size_t n,
                        double *distances) {
    if (!sm_are_numbers(&answers->rows->numbers[feature])) {
        const uint32_t own = answers->rows->codes[feature][row], *codes = answers->columns->codes[feature];
        for (size_t j = 0; j < n; j++)
            distances[j] += category_distance(answers, feature, own, codes[columns != NULL ? columns[j] : j]);
        return;
    }
    double own = value_of(answers, answers->rows, feature, row);
    for (size_t j = 0; j < n; j++) {
        double apart = own - value_of(answers, answers->columns, feature, columns != NULL ? columns[j] : j);
        distances[j] += apart * apart;
    }
}

static void answer(sm_answers *answers, size_t row, const uint32_t *columns, size_t n, size_t thread,
                   double *distances) {
    (void)thread;
    memset(distances, 0, n * sizeof *distances);
    for (size_t f = 0; f < answers->design->n_features; f++) add_feature(answers, f, row, columns, n, distances);
}

/* ---- files ---- */

static smerf_status save(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    return sm_design_save(&learned->design, tensors, error);
}

static smerf_status load(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                         smerf_error *error) {
    (void)n_items;
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "loading a model");
    smerf_status status = sm_design_load(&learned->design, features, tensors, error);
    if (status == SMERF_OK)
        *out = learned;
    else
        free_learned(learned);
    return status;
}

const sm_method sm_method_euclidean = {
    .name = "euclidean",
    .check = check,
    .fit = fit,
    .free = free_learned,
    .ask = ask,
    .answers_free = answers_free,
    .answer = answer,
    .save = save,
    .load = load,
};
