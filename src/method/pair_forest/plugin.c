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

static smerf_status check(const sm_training_set *training, smerf_error *error) {
    if (training->target->kind != &sm_target_response)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "plugin: needs a response, the number itself and not distances; the target is '%s'",
                       sm_target_public_name(training->target));
    if (training->options->sample == SMERF_NO_SAMPLE)
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
static double mean_residual(const sm_training_set *training, const double *predicted, size_t n_values) {
    const sm_vectors *response = sm_columns_vectors(training->target);
    double sum = 0, total = 0;
    for (size_t i = 0; i < response->n_items; i++) {
        double square = 0, weight = training->weights != NULL ? training->weights[i] : 1;
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

static smerf_status find_residual(const sm_training_set *training, const smerf_model *model, double *residual,
                                  smerf_error *error) {
    size_t n_values = smerf_model_n_values(model);
    const smerf_request request = {.rows = training->items, .out_of_bag = true};
    const smerf_run run = {.n_threads = training->pool->n_threads};
    double *predicted = sm_array(sm_size(training->items->n_items, n_values, 0), sizeof *predicted);
    if (predicted == NULL) return sm_no_memory(error, "predicting responses");
    smerf_status status = smerf_predict_values(model, &request, &run, predicted, error);
    if (status == SMERF_OK) *residual = mean_residual(training, predicted, n_values);
    sm_free(predicted);
    if (status == SMERF_OK && !isfinite(*residual))
        return sm_fail(error, SMERF_BAD_INPUT,
                       "plugin: every tree has seen every item, so there are no residuals; take more trees");
    return status;
}

static smerf_status fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                        smerf_error *error) {
    static const double most_of_it[2] = {0, 0.98};
    const smerf_options options = sm_inner_options(training->options);
    smerf_model *model = NULL;
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    smerf_status status = learned != NULL ? SMERF_OK : sm_no_memory(error, "learning");
    if (status == SMERF_OK)
        status = sm_inner_fit(training->items, training->target, &options, training->pool, most_of_it, &model, error);
    if (status == SMERF_OK) status = find_residual(training, model, &learned->residual, error);
    if (status == SMERF_OK)
        status = sm_value_forest_start(&learned->forest, options.n_trees, smerf_model_n_values(model), error);
    if (status == SMERF_OK) status = sm_value_forest_take(&learned->forest, 0, model, 1, error);
    if (status == SMERF_OK) {
        sm_diagnostics_add(diagnostics, "residual variance", learned->residual);
        *out = learned;
        learned = NULL;
    }
    smerf_model_free(model);
    free_learned(learned);
    return status;
}

/* ---- predicting ---- */

struct sm_predictor {
    const sm_learned *learned;
    size_t n_values;
    double *rows, *others; /* [n_items][n_values]; others: NULL if the columns are the rows */
    const double *columns;
};

static void predictor_free(sm_predictor *predictor) {
    if (predictor == NULL) return;
    sm_free(predictor->rows);
    sm_free(predictor->others);
    sm_free(predictor);
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
static smerf_status predict(const sm_value_forest *forest, const sm_view *view, sm_pool *pool, double **values,
                            smerf_error *error) {
    *values = sm_array(sm_size(view->n_items, forest->n_values, 0), sizeof **values);
    if (*values == NULL) return sm_no_memory(error, "predicting responses");
    predict_job job = {.forest = forest, .view = view, .values = *values};
    return sm_pool_run(pool, (view->n_items + ITEMS_A_TASK - 1) / ITEMS_A_TASK, predict_some, &job, error);
}

static smerf_status ask(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool, sm_predictor **out,
                        smerf_error *error) {
    sm_predictor *predictor = sm_zeros(1, sizeof *predictor);
    if (predictor == NULL) return sm_no_memory(error, "predicting");
    predictor->learned = learned;
    predictor->n_values = learned->forest.n_values;
    smerf_status status = predict(&learned->forest, sides->rows.view, pool, &predictor->rows, error);
    if (status == SMERF_OK && !sides->is_square)
        status = predict(&learned->forest, sides->columns.view, pool, &predictor->others, error);
    predictor->columns = sides->is_square ? predictor->rows : predictor->others;
    if (status == SMERF_OK)
        *out = predictor;
    else
        predictor_free(predictor);
    return status;
}

static void answer(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n, size_t thread,
                   double *distances) {
    size_t n_values = predictor->n_values;
    const double *left = predictor->rows + row * n_values;
    (void)thread;
    for (size_t k = 0; k < n; k++) {
        const double *right = predictor->columns + (columns != NULL ? columns[k] : k) * n_values;
        double square = 0;
        for (size_t v = 0; v < n_values; v++) square += (left[v] - right[v]) * (left[v] - right[v]);
        distances[k] = square / 2 + predictor->learned->residual;
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
                                    .predictor_free = predictor_free,
                                    .answer = answer,
                                    .save = save,
                                    .load = load};
