/* plugin.c - "plugin", the estimate that the paper holds its forest against (its eq: ghat): where the response itself is
 * known, put a regression forest m and its residual variance s into the Bayes distance,
 *     g(x, x') = (m(x) - m(x'))^2 / 2 + s,   s = the mean of (m(x_i) - y_i)^2 over the training items,
 * summed over the columns of the response. Two responses differ by two independent errors, half of whose squared difference
 * is s on average: it enters once, and the same for an item and itself, of which x = x' would be two draws.
 *
 * The paper does not say which m its s is taken from. Trees that have seen y_i come too close to it: we take those that
 * have not, out of bag. */
#include <math.h>

#include "base/memory.h"
#include "method/methods.h"
#include "method/pair_forest/pair_forest.h"

enum { ITEMS_A_TASK = 64 };

void sm_pair_forest_free(sm_learned *learned) {
    if (learned == NULL) return;
    sm_value_forest_free(&learned->forest);
    sm_free(learned);
}

/* ---- predicting ---- */

struct sm_predictor {
    const sm_learned *learned;
    size_t n_values;
    double *rows, *others; /* [n_items][n_values]; others: NULL if the columns are the rows */
    const double *columns;
};

static void free_plugin_predictor(sm_predictor *predictor) {
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

static smerf_status predict_some_responses(void *argument, size_t task, size_t thread, smerf_error *error) {
    const predict_job *job = argument;
    (void)thread;
    (void)error;
    size_t first = task * ITEMS_A_TASK, n = job->view->n_items,
           end = n - first < ITEMS_A_TASK ? n : first + ITEMS_A_TASK;
    sm_value_forest_predict(job->forest, job->view, first, end, job->values + first * job->forest->n_values);
    return SMERF_OK;
}

/* m(x) of all items, to be freed. */
static smerf_status predict_responses(const sm_value_forest *forest, const sm_view *view, sm_pool *pool,
                                      double **values, smerf_error *error) {
    *values = sm_array(sm_size(view->n_items, forest->n_values, 0), sizeof **values);
    if (*values == NULL) return sm_no_memory(error, "predicting responses");
    predict_job job = {.forest = forest, .view = view, .values = *values};
    return sm_pool_run(pool, (view->n_items + ITEMS_A_TASK - 1) / ITEMS_A_TASK, predict_some_responses, &job, error);
}

static smerf_status new_plugin_predictor(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
                                         sm_predictor **out, smerf_error *error) {
    sm_predictor *predictor = sm_zeros(1, sizeof *predictor);
    if (predictor == NULL) return sm_no_memory(error, "predicting");
    predictor->learned = learned;
    predictor->n_values = learned->forest.n_values;
    smerf_status status = predict_responses(&learned->forest, sides->rows.view, pool, &predictor->rows, error);
    if (status == SMERF_OK && !sides->is_square)
        status = predict_responses(&learned->forest, sides->columns.view, pool, &predictor->others, error);
    predictor->columns = sides->is_square ? predictor->rows : predictor->others;
    if (status == SMERF_OK)
        *out = predictor;
    else
        free_plugin_predictor(predictor);
    return status;
}

static void predict_plugin_row(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n, size_t thread,
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

static smerf_status save_plugin(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    smerf_status status = sm_tensors_add(tensors, "learned.residual", SM_F64, &learned->residual, 1, error);
    if (status == SMERF_OK) status = sm_value_forest_save(&learned->forest, tensors, error);
    return status;
}

/* As many as each leaf has. */
static size_t n_plugin_values(const sm_tensors *tensors) {
    const sm_tensor *values = sm_tensors_find(tensors, "learned.value");
    const sm_tensor *splits = sm_tensors_find(tensors, "learned.threshold");
    const sm_tensor *trees = sm_tensors_find(tensors, "learned.n_leaves");
    if (values == NULL || splits == NULL || trees == NULL || splits->n + trees->n == 0) return 1;
    size_t n_values = values->n / (splits->n + trees->n); /* a tree has one leaf more than splits */
    return n_values > 0 ? n_values : 1;
}

static smerf_status load_plugin(const sm_tensors *tensors, const sm_features *features, size_t n_items,
                                sm_learned **out, smerf_error *error) {
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
        status = sm_value_forest_load(&learned->forest, tensors, features, n_plugin_values(tensors), error);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_pair_forest_free(learned);
    return status;
}

const sm_method sm_method_plugin = {.name = "plugin",
                                    .free = sm_pair_forest_free,
                                    .predictor_new = new_plugin_predictor,
                                    .predictor_free = free_plugin_predictor,
                                    .predict_row = predict_plugin_row,
                                    .save = save_plugin,
                                    .load = load_plugin};
