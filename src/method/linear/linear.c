/* linear.c - predictions of mahalanobis and bilinear from W = F^T F, and their arrays in a file: see linear.h. */
#include "method/linear/linear.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/methods.h"

void sm_linear_free(sm_learned *learned) {
    if (learned == NULL) return;
    sm_design_free(&learned->design);
    sm_free(learned->factor);
    sm_free(learned);
}

/* ---- predicting ---- */

/* Columns of a query stand in panels of so many, so that their distances are summed side by side. */
enum { PANEL = 8, ITEMS_AT_ONCE = 256 };

struct sm_predictor {
    const sm_learned *learned;
    size_t n_rows, n_columns, rank;
    double *rows;   /* [n_rows][rank] */
    double *panels; /* [n_columns / PANEL, rounded up][rank][PANEL] */
};

void sm_linear_predictor_free(sm_predictor *predictor) {
    if (predictor == NULL) return;
    sm_free(predictor->rows);
    sm_free(predictor->panels);
    sm_free(predictor);
}

/* The numbers of some items: a block of rows, or of columns. */
typedef struct projection {
    const sm_learned *learned;
    const sm_view *view;
    double *x; /* [n_threads][n_columns] scratch */
    double *out;
    bool is_panels;
} projection;

static void project_item(const projection *job, size_t item, double *x) {
    const sm_learned *learned = job->learned;
    const sm_design *design = &learned->design;
    size_t rank = learned->rank;
    sm_design_row(design, job->view, item, x);
    for (size_t c = 0; c < design->n_columns && sm_linear_is_centred(learned); c++) x[c] -= design->mean[c];
    for (size_t k = 0; k < rank; k++) {
        const double *factor = learned->factor + k * design->n_columns;
        double sum = 0;
        for (size_t c = 0; c < design->n_columns; c++) sum += factor[c] * x[c];
        job->out[job->is_panels ? (item / PANEL * rank + k) * PANEL + item % PANEL : item * rank + k] = sum;
    }
}

static smerf_status project_block(void *context, size_t task, size_t thread, smerf_error *error) {
    const projection *job = context;
    (void)error;
    size_t end = (task + 1) * ITEMS_AT_ONCE < job->view->n_items ? (task + 1) * ITEMS_AT_ONCE : job->view->n_items;
    for (size_t i = task * ITEMS_AT_ONCE; i < end; i++)
        project_item(job, i, job->x + thread * job->learned->design.n_columns);
    return SMERF_OK;
}

static smerf_status project_items(projection *job, sm_pool *pool, const sm_features *features, smerf_error *error) {
    smerf_status status = sm_design_check(features, job->view, error);
    if (status != SMERF_OK) return status;
    job->x = sm_array(sm_size(pool->n_threads, job->learned->design.n_columns, 0), sizeof *job->x);
    if (job->x == NULL) return sm_no_memory(error, "projecting items");
    status = sm_pool_run(pool, (job->view->n_items + ITEMS_AT_ONCE - 1) / ITEMS_AT_ONCE, project_block, job, error);
    sm_free(job->x);
    return status;
}

smerf_status sm_linear_predictor_new(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
                                     sm_predictor **out, smerf_error *error) {
    size_t rank = learned->rank, n_rows = sides->rows.view->n_items, n_columns = sides->columns.view->n_items;
    size_t n_panels = (n_columns + PANEL - 1) / PANEL;
    sm_predictor *predictor = sm_zeros(1, sizeof *predictor);
    if (predictor == NULL) return sm_no_memory(error, "projecting items");
    *predictor = (sm_predictor){.learned = learned, .n_rows = n_rows, .n_columns = n_columns, .rank = rank};
    predictor->rows = sm_array(sm_size(n_rows, rank, 0), sizeof *predictor->rows);
    predictor->panels = sm_zeros(sm_size(n_panels, sm_size(rank, PANEL, 0), 0), sizeof *predictor->panels);
    smerf_status status = SMERF_OK;
    if (predictor->rows == NULL || predictor->panels == NULL) status = sm_no_memory(error, "projecting items");
    projection rows = {.learned = learned, .view = sides->rows.view, .out = predictor->rows};
    projection columns = {.learned = learned, .view = sides->columns.view, .out = predictor->panels, .is_panels = true};
    if (status == SMERF_OK) status = project_items(&rows, pool, sides->features, error);
    if (status == SMERF_OK) status = project_items(&columns, pool, sides->features, error);
    if (status == SMERF_OK)
        *out = predictor;
    else
        sm_linear_predictor_free(predictor);
    return status;
}

static void answer_panel(const sm_predictor *predictor, const double *y, size_t panel, double sums[PANEL]) {
    const double *x = predictor->panels + panel * predictor->rank * PANEL, intercept = predictor->learned->intercept;
    for (size_t lane = 0; lane < PANEL; lane++) sums[lane] = 0;
    if (predictor->learned->is_of_differences) {
        for (size_t k = 0; k < predictor->rank; k++, x += PANEL)
            for (size_t lane = 0; lane < PANEL; lane++) sums[lane] += (y[k] - x[lane]) * (y[k] - x[lane]);
        for (size_t lane = 0; lane < PANEL; lane++) sums[lane] += intercept;
    } else {
        for (size_t k = 0; k < predictor->rank; k++, x += PANEL)
            for (size_t lane = 0; lane < PANEL; lane++) sums[lane] += y[k] * x[lane];
        for (size_t lane = 0; lane < PANEL; lane++) sums[lane] = intercept - sums[lane];
    }
}

/* One column, with the additions in the same order. */
static double answer_one(const sm_predictor *predictor, const double *y, size_t column) {
    const double *x = predictor->panels + column / PANEL * predictor->rank * PANEL + column % PANEL;
    double sum = 0;
    if (!predictor->learned->is_of_differences) {
        for (size_t k = 0; k < predictor->rank; k++) sum += y[k] * x[k * PANEL];
        return predictor->learned->intercept - sum;
    }
    for (size_t k = 0; k < predictor->rank; k++) sum += (y[k] - x[k * PANEL]) * (y[k] - x[k * PANEL]);
    return sum + predictor->learned->intercept;
}

void sm_linear_predict_row(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n, size_t thread,
                           double *distances) {
    const double *y = predictor->rows + row * predictor->rank;
    (void)thread;
    for (size_t j = 0; j < n && columns != NULL; j++) distances[j] = answer_one(predictor, y, columns[j]);
    for (size_t j = 0; j < n && columns == NULL; j += PANEL) {
        double sums[PANEL];
        answer_panel(predictor, y, j / PANEL, sums);
        memcpy(distances + j, sums, (n - j < PANEL ? n - j : PANEL) * sizeof *sums);
    }
}

/* ---- files ---- */

smerf_status sm_linear_save(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    smerf_status status = sm_design_save(&learned->design, tensors, error);
    if (status == SMERF_OK && learned->has_intercept)
        status = sm_tensors_add(tensors, "learned.intercept", SM_F64, &learned->intercept, 1, error);
    if (status != SMERF_OK) return status;
    return sm_tensors_add(tensors, "learned.factor", SM_F64, learned->factor, learned->rank * learned->design.n_columns,
                          error);
}

static smerf_status check_factor(const sm_tensor *factor, size_t n_columns, smerf_error *error) {
    if (factor == NULL || factor->type != SM_F64 || factor->n % n_columns != 0 || factor->n / n_columns > n_columns)
        return sm_fail(error, SMERF_BAD_FILE, "the model's factor of W does not fit its features");
    const double *values = factor->data;
    for (size_t k = 0; k < factor->n; k++)
        if (!isfinite(values[k])) return sm_fail(error, SMERF_BAD_FILE, "the model's W is not finite");
    return SMERF_OK;
}

/* Models without an intercept of their own have no such array. */
static smerf_status load_intercept(sm_learned *learned, const sm_tensors *tensors, smerf_error *error) {
    const void *data = NULL;
    learned->intercept = learned->is_of_differences ? 0 : 1;
    learned->has_intercept = sm_tensors_find(tensors, "learned.intercept") != NULL;
    if (!learned->has_intercept) return SMERF_OK;
    smerf_status status = sm_tensors_get(tensors, "learned.intercept", SM_F64, 1, &data, error);
    if (status != SMERF_OK) return status;
    memcpy(&learned->intercept, data, sizeof learned->intercept);
    if (isfinite(learned->intercept)) return SMERF_OK;
    return sm_fail(error, SMERF_BAD_FILE, "the model's intercept is not finite");
}

smerf_status sm_linear_load(bool is_of_differences, const sm_tensors *tensors, const sm_features *features,
                            sm_learned **out, smerf_error *error) {
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "loading a model");
    learned->is_of_differences = is_of_differences;
    const sm_tensor *factor = sm_tensors_find(tensors, "learned.factor");
    smerf_status status = sm_design_load(&learned->design, features, tensors, error);
    size_t n_columns = learned->design.n_columns;
    if (status == SMERF_OK && n_columns == 0)
        status = sm_fail(error, SMERF_BAD_FILE, "the model's features have no columns");
    if (status == SMERF_OK) status = check_factor(factor, n_columns, error);
    if (status == SMERF_OK) status = load_intercept(learned, tensors, error);
    if (status == SMERF_OK) {
        learned->rank = factor->n / n_columns;
        learned->factor = sm_copy(factor->data, factor->n, sizeof *learned->factor);
        if (learned->factor == NULL) status = sm_no_memory(error, "loading a model");
    }
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_linear_free(learned);
    return status;
}

/* ---- the two methods ---- */

static smerf_status mahalanobis_load(const sm_tensors *tensors, const sm_features *features, size_t n_items,
                                     sm_learned **out, smerf_error *error) {
    (void)n_items;
    return sm_linear_load(true, tensors, features, out, error);
}

static smerf_status bilinear_load(const sm_tensors *tensors, const sm_features *features, size_t n_items,
                                  sm_learned **out, smerf_error *error) {
    (void)n_items;
    return sm_linear_load(false, tensors, features, out, error);
}

const sm_method sm_method_mahalanobis = {.name = "mahalanobis",
                                         .free = sm_linear_free,
                                         .predictor_new = sm_linear_predictor_new,
                                         .predictor_free = sm_linear_predictor_free,
                                         .predict_row = sm_linear_predict_row,
                                         .save = sm_linear_save,
                                         .load = mahalanobis_load};

const sm_method sm_method_bilinear = {.name = "bilinear",
                                      .free = sm_linear_free,
                                      .predictor_new = sm_linear_predictor_new,
                                      .predictor_free = sm_linear_predictor_free,
                                      .predict_row = sm_linear_predict_row,
                                      .save = sm_linear_save,
                                      .load = bilinear_load};
