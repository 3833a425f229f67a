/* linear.c - predictions of mahalanobis and bilinear from W = F^T F: see linear.h. */
#include "method/linear/linear.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "method/methods.h"
#include "model/model.h"

void sm_linear_map_free(sm_linear_map *map) {
    sm_free(map->factor);
    *map = (sm_linear_map){0};
}

void sm_linear_free(sm_learned *learned) {
    if (learned == NULL) return;
    for (size_t b = 0; b < sm_n_bags(learned->n_groups) && learned->bags != NULL; b++)
        sm_linear_map_free(&learned->bags[b]);
    sm_linear_map_free(&learned->all);
    sm_design_free(&learned->design);
    sm_free(learned->group_of);
    sm_free(learned->bags);
    sm_free(learned);
}

smerf_status sm_linear_check_bags(const sm_learned *learned, smerf_error *error) {
    if (learned->n_groups > 0) return SMERF_OK;
    return sm_fail(error, SMERF_BAD_INPUT,
                   "the model was fitted without bags ({bags 0}, or on fewer than 4 items): nothing is out of bag");
}

/* ---- one item, and two ---- */

void sm_linear_project(const sm_learned *learned, const sm_linear_map *map, const sm_view *view, size_t item, double *x,
                       double *y) {
    const sm_design *design = &learned->design;
    sm_design_row(design, view, item, x);
    for (size_t c = 0; c < design->n_columns && sm_linear_is_centred(learned); c++) x[c] -= design->mean[c];
    for (size_t k = 0; k < map->rank; k++) {
        const double *factor = map->factor + k * design->n_columns;
        y[k] = 0;
        for (size_t c = 0; c < design->n_columns; c++) y[k] += factor[c] * x[c];
    }
}

double sm_linear_distance(const sm_learned *learned, const sm_linear_map *map, const double *y, const double *other) {
    double sum = 0;
    if (learned->is_of_differences) {
        for (size_t k = 0; k < map->rank; k++) sum += (y[k] - other[k]) * (y[k] - other[k]);
        return sum + map->intercept;
    }
    for (size_t k = 0; k < map->rank; k++) sum += y[k] * other[k];
    return map->intercept - sum;
}

/* ---- predicting ---- */

/* Columns of a query stand in panels of so many, so that their distances are summed side by side. */
enum { PANEL = 8, ITEMS_AT_ONCE = 256 };

struct sm_predictor {
    const sm_learned *learned;
    const uint32_t *training_row; /* out of bag; else NULL, and what is below is that of bags */
    double *by_bag;  /* [n_rows][n_groups][largest rank]: items in the coordinates of the bags that have left out
                                     their own group and another one; that with their own is not used */
    size_t bag_rank; /* the largest */
    size_t n_rows, n_columns, rank;
    double *rows;   /* [n_rows][rank] */
    double *panels; /* [n_columns / PANEL, rounded up][rank][PANEL] */
};

void sm_linear_predictor_free(sm_predictor *predictor) {
    if (predictor == NULL) return;
    sm_free(predictor->rows);
    sm_free(predictor->panels);
    sm_free(predictor->by_bag);
    sm_free(predictor);
}

/* The numbers of some items: a block of rows, or of columns. */
typedef struct projection {
    const sm_learned *learned;
    const sm_view *view;
    double *x; /* [n_threads][n_columns + rank] scratch */
    double *out;
    bool is_panels;
} projection;

static size_t projection_scratch(const sm_learned *learned) { return learned->design.n_columns + learned->all.rank; }

static void project_item(const projection *job, size_t item, double *x) {
    const sm_learned *learned = job->learned;
    size_t rank = learned->all.rank;
    double *y = x + learned->design.n_columns;
    sm_linear_project(learned, &learned->all, job->view, item, x, y);
    for (size_t k = 0; k < rank; k++)
        job->out[job->is_panels ? (item / PANEL * rank + k) * PANEL + item % PANEL : item * rank + k] = y[k];
}

static smerf_status project_block(void *context, size_t task, size_t thread, smerf_error *error) {
    const projection *job = context;
    (void)error;
    size_t end = (task + 1) * ITEMS_AT_ONCE < job->view->n_items ? (task + 1) * ITEMS_AT_ONCE : job->view->n_items;
    for (size_t i = task * ITEMS_AT_ONCE; i < end; i++)
        project_item(job, i, job->x + thread * projection_scratch(job->learned));
    return SMERF_OK;
}

static smerf_status project_items(projection *job, sm_pool *pool, const sm_features *features, smerf_error *error) {
    smerf_status status = sm_design_check(features, job->view, error);
    if (status != SMERF_OK) return status;
    job->x = sm_array(sm_size(pool->n_threads, projection_scratch(job->learned), 0), sizeof *job->x);
    if (job->x == NULL) return sm_no_memory(error, "projecting items");
    status = sm_pool_run(pool, (job->view->n_items + ITEMS_AT_ONCE - 1) / ITEMS_AT_ONCE, project_block, job, error);
    sm_free(job->x);
    return status;
}

/* ---- out of bag ---- */

static double *row_in_bag(const sm_predictor *predictor, size_t row, size_t other_group) {
    return predictor->by_bag + (row * predictor->learned->n_groups + other_group) * predictor->bag_rank;
}

static size_t group_of_row(const sm_predictor *predictor, size_t row) {
    return predictor->learned->group_of[predictor->training_row[row]];
}

typedef struct bag_projection {
    const sm_predictor *predictor;
    const sm_view *view;
    double *x; /* [n_threads][n_columns] scratch */
} bag_projection;

static smerf_status project_into_bags(void *context, size_t task, size_t thread, smerf_error *error) {
    const bag_projection *job = context;
    const sm_learned *learned = job->predictor->learned;
    size_t n = job->view->n_items, end = (task + 1) * ITEMS_AT_ONCE < n ? (task + 1) * ITEMS_AT_ONCE : n;
    (void)error;
    for (size_t i = task * ITEMS_AT_ONCE; i < end; i++)
        for (size_t g = 0, own = group_of_row(job->predictor, i); g < learned->n_groups; g++)
            if (g != own)
                sm_linear_project(learned, &learned->bags[sm_bag_without(learned->n_groups, own, g)], job->view, i,
                                  job->x + thread * learned->design.n_columns, row_in_bag(job->predictor, i, g));
    return SMERF_OK;
}

static smerf_status make_ready_out_of_bag(sm_predictor *predictor, const sm_query_sides *sides, sm_pool *pool,
                                          smerf_error *error) {
    const sm_learned *learned = predictor->learned;
    size_t n = sides->rows.view->n_items, n_tasks = (n + ITEMS_AT_ONCE - 1) / ITEMS_AT_ONCE;
    predictor->training_row = sides->rows.training_row;
    for (size_t b = 0; b < sm_n_bags(learned->n_groups); b++)
        if (learned->bags[b].rank > predictor->bag_rank) predictor->bag_rank = learned->bags[b].rank;
    predictor->by_bag = sm_array(sm_size(n, learned->n_groups * predictor->bag_rank, 0), sizeof *predictor->by_bag);
    bag_projection job = {.predictor = predictor, .view = sides->rows.view};
    job.x = sm_array(sm_size(pool->n_threads, learned->design.n_columns, 0), sizeof *job.x);
    smerf_status status = predictor->by_bag != NULL && job.x != NULL ? SMERF_OK : sm_no_memory(error, "predicting");
    if (status == SMERF_OK) status = sm_design_check(sides->features, sides->rows.view, error);
    if (status == SMERF_OK) status = sm_pool_run(pool, n_tasks, project_into_bags, &job, error);
    sm_free(job.x);
    return status;
}

/* The mean over the bags that have left out both; NaN: none of them has learned anything. */
static double answer_out_of_bag(const sm_predictor *predictor, size_t row, size_t column) {
    const sm_learned *learned = predictor->learned;
    size_t a = group_of_row(predictor, row), b = group_of_row(predictor, column), n = 0;
    double sum = 0;
    for (size_t g = 0; g < learned->n_groups; g++) {
        if (!sm_bag_leaves_out_both(a, b, g)) continue;
        const sm_linear_map *map = &learned->bags[sm_bag_without(learned->n_groups, a, g)];
        if (isnan(map->intercept)) continue;
        sum += sm_linear_distance(learned, map, row_in_bag(predictor, row, g),
                                  row_in_bag(predictor, column, a != b ? a : g));
        n++;
    }
    return n > 0 ? sum / (double)n : NAN;
}

/* ---- a query ---- */

smerf_status sm_linear_predictor_new(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
                                     sm_predictor **out, smerf_error *error) {
    size_t rank = learned->all.rank, n_rows = sides->rows.view->n_items, n_columns = sides->columns.view->n_items;
    size_t n_panels = (n_columns + PANEL - 1) / PANEL;
    sm_predictor *predictor = sm_zeros(1, sizeof *predictor);
    if (predictor == NULL) return sm_no_memory(error, "projecting items");
    *predictor = (sm_predictor){.learned = learned, .n_rows = n_rows, .n_columns = n_columns, .rank = rank};
    if (sides->is_out_of_bag) {
        smerf_status made = make_ready_out_of_bag(predictor, sides, pool, error);
        if (made == SMERF_OK)
            *out = predictor;
        else
            sm_linear_predictor_free(predictor);
        return made;
    }
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
    const double *x = predictor->panels + panel * predictor->rank * PANEL,
                 intercept = predictor->learned->all.intercept;
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
        return predictor->learned->all.intercept - sum;
    }
    for (size_t k = 0; k < predictor->rank; k++) sum += (y[k] - x[k * PANEL]) * (y[k] - x[k * PANEL]);
    return sum + predictor->learned->all.intercept;
}

void sm_linear_predict_row(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n, size_t thread,
                           double *distances) {
    (void)thread;
    for (size_t j = 0; j < n && predictor->training_row != NULL; j++)
        distances[j] = answer_out_of_bag(predictor, row, columns != NULL ? columns[j] : j);
    if (predictor->training_row != NULL) return;
    const double *y = predictor->rows + row * predictor->rank;
    for (size_t j = 0; j < n && columns != NULL; j++) distances[j] = answer_one(predictor, y, columns[j]);
    for (size_t j = 0; j < n && columns == NULL; j += PANEL) {
        double sums[PANEL];
        answer_panel(predictor, y, j / PANEL, sums);
        memcpy(distances + j, sums, (n - j < PANEL ? n - j : PANEL) * sizeof *sums);
    }
}

/* ---- to look at ---- */

smerf_status smerf_model_linear(const smerf_model *model, smerf_linear *linear, smerf_error *error) {
    SM_READ_RESULT(smerf_linear, linear, full, error);
    if (model->method != &sm_method_mahalanobis && model->method != &sm_method_bilinear)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "the model was made by the method '%s'; mahalanobis and bilinear learn a matrix",
                       smerf_method_name(model->options.method));
    const sm_learned *learned = model->learned;
    full = (smerf_linear){.size = sizeof full,
                          .n_components = learned->all.rank,
                          .n_columns = learned->design.n_columns,
                          .components = learned->all.factor,
                          .means = learned->design.mean,
                          .first_column = learned->design.first,
                          .intercept = learned->all.intercept};
    SM_WRITE(smerf_linear, full, linear);
    return SMERF_OK;
}

smerf_status smerf_model_linear_matrix(const smerf_model *model, double *w, smerf_error *error) {
    smerf_linear linear = SMERF_INIT(smerf_linear);
    smerf_status status = smerf_model_linear(model, &linear, error);
    size_t n = linear.n_columns;
    for (size_t i = 0; i < n && status == SMERF_OK; i++) {
        for (size_t j = i; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < linear.n_components; k++)
                sum += linear.components[k * n + i] * linear.components[k * n + j];
            w[i * n + j] = w[j * n + i] = sum;
        }
    }
    return status;
}

/* ---- the two methods ---- */

static smerf_status mahalanobis_load(const sm_tensors *tensors, const sm_features *features, size_t n_items,
                                     sm_learned **out, smerf_error *error) {
    return sm_linear_load(true, tensors, features, n_items, out, error);
}

static smerf_status bilinear_load(const sm_tensors *tensors, const sm_features *features, size_t n_items,
                                  sm_learned **out, smerf_error *error) {
    return sm_linear_load(false, tensors, features, n_items, out, error);
}

const sm_method sm_method_mahalanobis = {.name = "mahalanobis",
                                         .learns_log_odds = true,
                                         .free = sm_linear_free,
                                         .predictor_new = sm_linear_predictor_new,
                                         .predictor_free = sm_linear_predictor_free,
                                         .predict_row = sm_linear_predict_row,
                                         .check_out_of_bag = sm_linear_check_bags,
                                         .save = sm_linear_save,
                                         .load = mahalanobis_load};

const sm_method sm_method_bilinear = {.name = "bilinear",
                                      .free = sm_linear_free,
                                      .predictor_new = sm_linear_predictor_new,
                                      .predictor_free = sm_linear_predictor_free,
                                      .predict_row = sm_linear_predict_row,
                                      .check_out_of_bag = sm_linear_check_bags,
                                      .save = sm_linear_save,
                                      .load = bilinear_load};
