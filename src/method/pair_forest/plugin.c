/* plugin.c - "plugin", the estimate that the paper holds its forest against (its eq: ghat): where the response itself is
 * known, put a regression forest m and its residual variance s into the Bayes distance,
 *     g(x, x') = (m(x) - m(x'))^2 / 2 + s,   s = the mean of (m(x_i) - y_i)^2 over the training items,
 * summed over the columns of the response. Two responses differ by two independent errors, half of whose squared difference
 * is s on average: it enters once, and the same for an item and itself, of which x = x' would be two draws.
 *
 * The paper does not say which m its s is taken from. Trees that have seen y_i come too close to it: we ask those that
 * have not, out of bag. */
#include <math.h>

#include "base/memory.h"
#include "method/methods.h"
#include "method/pair_forest/inner_fit.h"
#include "method/pair_forest/value_forest.h"
#include "target/vectors/vectors.h"

enum { ITEMS_A_TASK = 64 };

struct sm_learned {
    sm_value_forest forest;
    double residual; /* s */
};

static smerf_status check(const sm_lesson *lesson, smerf_error *error) {
    if (lesson->target->kind != &sm_target_response)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "plugin: needs a response, the number itself and not distances; the target is '%s'",
                       sm_target_told_name(lesson->target));
    if (lesson->options->sample == SMERF_NO_SAMPLE)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "plugin: sample 'none' leaves no item out of a tree, and so no residuals; take 'bootstrap'");
    return SMERF_OK;
}

static void free_learned(sm_learned *learned) {
    if (learned == NULL) return;
    sm_value_forest_free(&learned->forest);
    sm_free(learned);
}

/* ---- learning ---- */

/* By item weights, as everything in the forest. Items that every tree has seen do not count. */
static double mean_residual(const sm_lesson *lesson, const double *predicted, size_t n_values) {
    const sm_vectors *response = sm_columns_vectors(lesson->target);
    double sum = 0, total = 0;
    for (size_t i = 0; i < response->n_items; i++) {
        double square = 0, weight = lesson->weights != NULL ? lesson->weights[i] : 1;
        for (size_t v = 0; v < n_values; v++) {
            double difference = predicted[i * n_values + v] - response->u[i * n_values + v];
            square += difference * difference;
        }
        if (isnan(square)) continue;
        sum += weight * square;
        total += weight;
    }
    return sum / total;
}

static smerf_status find_residual(const sm_lesson *lesson, const smerf_model *model, double *residual,
                                  smerf_error *error) {
    size_t n_values = smerf_model_n_values(model);
    const smerf_question question = {.rows = lesson->items, .out_of_bag = true};
    const smerf_run run = {.n_threads = lesson->crew->n_threads};
    double *predicted = sm_array(sm_size(lesson->items->n_items, n_values, 0), sizeof *predicted);
    if (predicted == NULL) return sm_no_memory(error, "predicting responses");
    smerf_status status = smerf_predict_values(model, &question, &run, predicted, error);
    if (status == SMERF_OK) *residual = mean_residual(lesson, predicted, n_values);
    sm_free(predicted);
    if (status == SMERF_OK && !isfinite(*residual))
        return sm_fail(error, SMERF_BAD_INPUT,
                       "plugin: every tree has seen every item, so there are no residuals; take more trees");
    return status;
}

static smerf_status fit(const sm_lesson *lesson, sm_learned **out, sm_findings *findings, smerf_error *error) {
    static const double most_of_it[2] = {0, 0.98};
    const smerf_options options = sm_inner_options(lesson->options);
    smerf_model *model = NULL;
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    smerf_status status = learned != NULL ? SMERF_OK : sm_no_memory(error, "learning");
    if (status == SMERF_OK)
        status = sm_inner_fit(lesson->items, lesson->target, &options, lesson->crew, most_of_it, &model, error);
    if (status == SMERF_OK) status = find_residual(lesson, model, &learned->residual, error);
    if (status == SMERF_OK)
        status = sm_value_forest_start(&learned->forest, options.n_trees, smerf_model_n_values(model), error);
    if (status == SMERF_OK) status = sm_value_forest_take(&learned->forest, 0, model, 1, error);
    if (status == SMERF_OK) {
        sm_findings_add(findings, "residual variance", learned->residual);
        *out = learned;
        learned = NULL;
    }
    smerf_model_free(model);
    free_learned(learned);
    return status;
}

/* ---- predicting ---- */

struct sm_answers {
    const sm_learned *learned;
    size_t n_values;
    double *rows, *others; /* [n_items][n_values]; others: NULL if the columns are the rows */
    const double *columns;
};

static void answers_free(sm_answers *answers) {
    if (answers == NULL) return;
    sm_free(answers->rows);
    sm_free(answers->others);
    sm_free(answers);
}

typedef struct predict_job {
    const sm_value_forest *forest;
    const sm_view *view;
    double *values;
} predict_job;

static smerf_status predict_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    const predict_job *job = argument;
    (void)thread;
    (void)error;
    size_t first = task * ITEMS_A_TASK, n = job->view->n_items,
           end = n - first < ITEMS_A_TASK ? n : first + ITEMS_A_TASK;
    sm_value_forest_predict(job->forest, job->view, first, end, job->values + first * job->forest->n_values);
    return SMERF_OK;
}

/* m(x) of all items, to be freed. */
static smerf_status predict(const sm_value_forest *forest, const sm_view *view, sm_crew *crew, double **values,
                            smerf_error *error) {
    *values = sm_array(sm_size(view->n_items, forest->n_values, 0), sizeof **values);
    if (*values == NULL) return sm_no_memory(error, "predicting responses");
    predict_job job = {.forest = forest, .view = view, .values = *values};
    return sm_crew_do(crew, (view->n_items + ITEMS_A_TASK - 1) / ITEMS_A_TASK, predict_some, &job, error);
}

static smerf_status ask(const sm_learned *learned, const sm_asked_sides *sides, sm_crew *crew, sm_answers **out,
                        smerf_error *error) {
    sm_answers *answers = sm_zeros(1, sizeof *answers);
    if (answers == NULL) return sm_no_memory(error, "predicting");
    answers->learned = learned;
    answers->n_values = learned->forest.n_values;
    smerf_status status = predict(&learned->forest, sides->rows.view, crew, &answers->rows, error);
    if (status == SMERF_OK && !sides->is_square)
        status = predict(&learned->forest, sides->columns.view, crew, &answers->others, error);
    answers->columns = sides->is_square ? answers->rows : answers->others;
    if (status == SMERF_OK)
        *out = answers;
    else
        answers_free(answers);
    return status;
}

static void answer(sm_answers *answers, size_t row, const uint32_t *columns, size_t n, size_t thread,
                   double *distances) {
    size_t n_values = answers->n_values;
    const double *left = answers->rows + row * n_values;
    (void)thread;
    for (size_t k = 0; k < n; k++) {
        const double *right = answers->columns + (columns != NULL ? columns[k] : k) * n_values;
        double square = 0;
        for (size_t v = 0; v < n_values; v++) square += (left[v] - right[v]) * (left[v] - right[v]);
        distances[k] = square / 2 + answers->learned->residual;
    }
}

/* ---- files ---- */

static smerf_status save(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    smerf_status status = sm_tensors_add(tensors, "learned.residual", SM_F64, &learned->residual, 1, error);
    if (status == SMERF_OK) status = sm_value_forest_save(&learned->forest, tensors, error);
    return status;
}

/* As many as each leaf has. */
static size_t n_values_of(const sm_tensors *tensors) {
    const sm_tensor *values = sm_tensors_find(tensors, "learned.value");
    const sm_tensor *splits = sm_tensors_find(tensors, "learned.threshold");
    const sm_tensor *trees = sm_tensors_find(tensors, "learned.n_leaves");
    if (values == NULL || splits == NULL || trees == NULL || splits->n + trees->n == 0) return 1;
    size_t n_values = values->n / (splits->n + trees->n); /* a tree has one leaf more than splits */
    return n_values > 0 ? n_values : 1;
}

static smerf_status load(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                         smerf_error *error) {
    const void *residual;
    (void)n_items;
    smerf_status status = sm_tensors_get(tensors, "learned.residual", SM_F64, 1, &residual, error);
    if (status != SMERF_OK) return status;
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "loading trees");
    learned->residual = *(const double *)residual;
    if (!(learned->residual >= 0 && isfinite(learned->residual)))
        status = sm_fail(error, SMERF_BAD_FILE, "the model's residual variance is %g", learned->residual);
    if (status == SMERF_OK)
        status = sm_value_forest_load(&learned->forest, tensors, features, n_values_of(tensors), error);
    if (status == SMERF_OK)
        *out = learned;
    else
        free_learned(learned);
    return status;
}

const sm_method sm_method_plugin = {.name = "plugin",
                                    .check = check,
                                    .fit = fit,
                                    .free = free_learned,
                                    .ask = ask,
                                    .answers_free = answers_free,
                                    .answer = answer,
                                    .save = save,
                                    .load = load};
