/* training_pairs.c - see training_pairs.h. The second half is what Z does to vectors. */
#include "method/fit/training_pairs.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "factor/factor.h"
#include "kernels/matrices.h"
#include "target/dense/distances.h"
#include "target/labels/labels.h"
#include "target/links/graph.h"
#include "target/links/pairs.h"
#include "target/vectors/vectors.h"

static bool is_listed(const smerf_target *target) {
    return target->kind == &sm_target_pairs || target->kind == &sm_target_observed;
}

double sm_training_self(const sm_training_pairs *pairs, size_t item) {
    const smerf_target *target = pairs->target;
    if (is_listed(target)) return sm_known_self(sm_known_pairs_of(target), item);
    if (target->kind == &sm_target_graph) return sm_graph_of(target)->self;
    if (target->kind == &sm_target_distances) return sm_distances_self(sm_distances_of(target), item);
    if (target->kind == &sm_target_labels) return sm_labels_of(target)->column.diagonal;
    if (target->kind != &sm_target_response && target->kind != &sm_target_product) return 0; /* absolute */
    const sm_vectors *vectors = sm_columns_vectors(target);
    return vectors->self != NULL ? vectors->self[item] : sm_vectors_pair(vectors, item, item);
}

/* All pairs: weights that add up to 1, so that their products do, too. */
static void weigh_all(sm_training_pairs *pairs) {
    double sum = 0, n = (double)pairs->n_items;
    for (size_t i = 0; i < pairs->n_items; i++) sum += pairs->weight[i];
    for (size_t i = 0; i < pairs->n_items; i++) pairs->weight[i] /= sum;
    for (size_t i = 0; i < pairs->n_items && !pairs->target->has_no_diagonal; i++)
        pairs->self_weight[i] = pairs->weight[i] * pairs->weight[i];
    pairs->scale = 1;
    pairs->n_pairs = n * (n - 1) / 2;
    pairs->n_selves = pairs->target->has_no_diagonal ? 0 : n;
}

static void weigh_listed(sm_training_pairs *pairs) {
    const sm_known_pairs *known = sm_known_pairs_of(pairs->target);
    double sum = 0;
    pairs->scale = 1;
    for (size_t i = 0; i < pairs->n_items; i++) {
        for (size_t e = known->links->first[i]; e < known->links->first[i + 1]; e++)
            sum += sm_listed_weight(pairs, i, e);
        if (known->self_weight == NULL || !(known->self_weight[i] > 0)) continue;
        pairs->self_weight[i] = known->self_weight[i] * pairs->weight[i] * pairs->weight[i];
        sum += pairs->self_weight[i];
        pairs->n_selves++;
    }
    pairs->scale = sum > 0 ? 1 / sum : 0;
    for (size_t i = 0; i < pairs->n_items; i++) pairs->self_weight[i] *= pairs->scale;
    pairs->n_pairs = (double)(known->links->n / 2);
}

smerf_status sm_training_pairs_start(sm_training_pairs *pairs, const sm_training_set *training, smerf_error *error) {
    size_t n = training->items->n_items;
    double largest = 0;
    *pairs = (sm_training_pairs){.target = training->target, .n_items = n};
    pairs->weight = sm_array(n, sizeof *pairs->weight);
    pairs->self_weight = sm_zeros(n, sizeof *pairs->self_weight);
    if (pairs->weight == NULL || pairs->self_weight == NULL) {
        sm_training_pairs_free(pairs);
        return sm_no_memory(error, "weighing pairs");
    }
    for (size_t i = 0; i < n; i++) pairs->weight[i] = training->weights != NULL ? training->weights[i] : 1;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, pairs->weight[i]);
    for (size_t i = 0; i < n; i++) pairs->weight[i] /= largest; /* whatever their size, products do not overflow */
    if (is_listed(training->target)) {
        pairs->links = sm_known_pairs_of(training->target)->links;
        weigh_listed(pairs);
    } else {
        weigh_all(pairs);
    }
    return SMERF_OK;
}

void sm_training_pairs_drop_selves(sm_training_pairs *pairs) {
    memset(pairs->self_weight, 0, pairs->n_items * sizeof *pairs->self_weight);
    pairs->n_selves = 0;
}

void sm_training_pairs_free(sm_training_pairs *pairs) {
    sm_free(pairs->weight);
    sm_free(pairs->self_weight);
    *pairs = (sm_training_pairs){0};
}

/* ---- products with the targets ---- */

/* Z X for targets that know all pairs: a pass over a matrix, and less for all others. */

enum { ROWS_AT_ONCE = 32 };

typedef struct times_job {
    const smerf_target *target;
    const sm_operator *matrix; /* distances, graphs */
    const double *x;
    size_t n, m;
    double *out;
    double *rows; /* [n_threads][n] a row of Z each */
} times_job;

static smerf_status run_times(times_job *job, sm_pool *pool, sm_task task, smerf_error *error) {
    return sm_pool_run(pool, (job->n + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, task, job, error);
}

static size_t end_of_task(const times_job *job, size_t task) {
    return (task + 1) * ROWS_AT_ONCE < job->n ? (task + 1) * ROWS_AT_ONCE : job->n;
}

/* [m] out: the sums of the columns of X, each row times its factor.   factor  [n], `stride` apart, or NULL: 1 */
static void sum_columns(const times_job *job, const double *factor, size_t stride, double *out) {
    memset(out, 0, job->m * sizeof *out);
    for (size_t i = 0; i < job->n; i++)
        for (size_t c = 0; c < job->m; c++)
            out[c] += (factor != NULL ? factor[i * stride] : 1) * job->x[i * job->m + c];
}

/* out row += factor * x */
static void add_scaled_row(double *out, double factor, const double *x, size_t m) {
    for (size_t c = 0; c < m; c++) out[c] += factor * x[c];
}

/* ---- a matrix, a graph ---- */

static smerf_status operator_rows(void *context, size_t task, size_t thread, smerf_error *error) {
    times_job *job = context;
    (void)thread, (void)error;
    size_t first = task * ROWS_AT_ONCE;
    job->matrix->rows(job->matrix->context, first, end_of_task(job, task), job->x, job->m, job->out + first * job->m);
    return SMERF_OK;
}

static smerf_status times_operator(times_job *job, sm_pool *pool, const sm_operator *matrix, smerf_error *error) {
    sm_arena arena = {0};
    double *sum = sm_arena_take(&arena, job->m, sizeof *sum);
    if (arena.has_failed) {
        sm_arena_free(&arena);
        return sm_no_memory(error, "multiplying distances");
    }
    job->matrix = matrix;
    smerf_status status = run_times(job, pool, operator_rows, error);
    sum_columns(job, NULL, 0, sum);
    for (size_t i = 0; i < job->n && status == SMERF_OK && matrix->base != 0; i++)
        add_scaled_row(job->out + i * job->m, matrix->base, sum, job->m);
    sm_arena_free(&arena);
    return status;
}

static smerf_status times_graph(times_job *job, sm_pool *pool, smerf_error *error) {
    const sm_graph *graph = sm_graph_of(job->target);
    sm_arena arena = {0};
    double *self = sm_arena_take(&arena, job->n, sizeof *self);
    if (arena.has_failed) {
        sm_arena_free(&arena);
        return sm_no_memory(error, "multiplying distances");
    }
    for (size_t i = 0; i < job->n; i++) self[i] = graph->self;
    const sm_listed_pairs listed = {.n_items = job->n,
                                    .first = graph->links->first,
                                    .partner = graph->links->partner,
                                    .value = graph->links->value,
                                    .common = graph->links->common,
                                    .elsewhere = 1,
                                    .self = self};
    const sm_operator matrix = sm_operator_listed(&listed);
    smerf_status status = times_operator(job, pool, &matrix, error);
    sm_arena_free(&arena);
    return status;
}

/* ---- labels: the sum over all, less that over the item's class ---- */

static smerf_status times_labels(times_job *job, smerf_error *error) {
    const sm_labels *labels = sm_labels_of(job->target);
    size_t m = job->m;
    sm_arena arena = {0};
    double *sum = sm_arena_take(&arena, m, sizeof *sum);
    double *of_class = sm_arena_take_zeros(&arena, sm_size(labels->classes->n, m, 0), sizeof *of_class);
    if (arena.has_failed) {
        sm_arena_free(&arena);
        return sm_no_memory(error, "multiplying distances");
    }
    sum_columns(job, NULL, 0, sum);
    for (size_t i = 0; i < job->n; i++) add_scaled_row(of_class + labels->class_of[i] * m, 1, job->x + i * m, m);
    for (size_t i = 0; i < job->n; i++) {
        double *out = job->out + i * m;
        memcpy(out, sum, m * sizeof *out);
        add_scaled_row(out, -1, of_class + labels->class_of[i] * m, m);
        add_scaled_row(out, labels->column.diagonal, job->x + i * m, m);
    }
    sm_arena_free(&arena);
    return SMERF_OK;
}

/* ---- vectors: z_ij = a_i + a_j - 2 sum over r of scale_r u_ir u_jr ---- */

/* Where the form is a difference, it is taken from the mean, so that little cancels.
 *   u  [n][rank] out    a  [n] out */
static void centre_vectors(const sm_vectors *vectors, double *u, double *a) {
    size_t n = vectors->n_items, rank = vectors->rank;
    for (size_t r = 0; r < rank; r++) {
        double mean = 0;
        for (size_t i = 0; i < n && vectors->a == NULL; i++) mean += vectors->u[i * rank + r] / (double)n;
        for (size_t i = 0; i < n; i++) u[i * rank + r] = vectors->u[i * rank + r] - mean;
    }
    for (size_t i = 0; i < n; i++) {
        a[i] = vectors->a != NULL ? vectors->a[i] : 0;
        for (size_t r = 0; r < rank && vectors->a == NULL; r++)
            a[i] += vectors->scale[r] * u[i * rank + r] * u[i * rank + r];
    }
}

static smerf_status times_vectors(times_job *job, const sm_vectors *vectors, smerf_error *error) {
    size_t n = job->n, m = job->m, rank = vectors->rank;
    sm_arena arena = {0};
    double *u = sm_arena_take(&arena, sm_size(n, rank, 0), sizeof *u), *a = sm_arena_take(&arena, n, sizeof *a);
    double *sum = sm_arena_take(&arena, m, sizeof *sum), *by_a = sm_arena_take(&arena, m, sizeof *by_a);
    double *by_u = sm_arena_take(&arena, sm_size(rank, m, 0), sizeof *by_u);
    if (arena.has_failed) {
        sm_arena_free(&arena);
        return sm_no_memory(error, "multiplying distances");
    }
    centre_vectors(vectors, u, a);
    sum_columns(job, NULL, 0, sum);
    sum_columns(job, a, 1, by_a);
    for (size_t r = 0; r < rank; r++) sum_columns(job, u + r, rank, by_u + r * m);
    for (size_t i = 0; i < n; i++) {
        double *out = job->out + i * m;
        double overruled = vectors->self != NULL ? vectors->self[i] - sm_vectors_pair(vectors, i, i) : 0;
        memcpy(out, by_a, m * sizeof *out);
        add_scaled_row(out, a[i], sum, m);
        for (size_t r = 0; r < rank; r++)
            add_scaled_row(out, -2 * vectors->scale[r] * u[i * rank + r], by_u + r * m, m);
        add_scaled_row(out, overruled, job->x + i * m, m);
    }
    sm_arena_free(&arena);
    return SMERF_OK;
}

/* ---- anything else: row by row ---- */

static smerf_status plain_rows(void *context, size_t task, size_t thread, smerf_error *error) {
    times_job *job = context;
    (void)error;
    double *z = job->rows + thread * job->n;
    for (size_t i = task * ROWS_AT_ONCE; i < end_of_task(job, task); i++) {
        double *out = job->out + i * job->m;
        job->target->kind->data.true_row(job->target, i, z);
        memset(out, 0, job->m * sizeof *out);
        for (size_t j = 0; j < job->n; j++) add_scaled_row(out, z[j], job->x + j * job->m, job->m);
    }
    return SMERF_OK;
}

static smerf_status times_rows(times_job *job, sm_pool *pool, smerf_error *error) {
    sm_arena arena = {0};
    job->rows = sm_arena_take(&arena, sm_size(pool->n_threads, job->n, 0), sizeof *job->rows);
    smerf_status status =
        arena.has_failed ? sm_no_memory(error, "multiplying distances") : run_times(job, pool, plain_rows, error);
    sm_arena_free(&arena);
    return status;
}

smerf_status sm_training_times(const sm_training_pairs *pairs, sm_pool *pool, const double *x, size_t m, double *out,
                               smerf_error *error) {
    times_job job = {.target = pairs->target, .x = x, .n = pairs->n_items, .m = m, .out = out};
    const sm_target_kind *kind = pairs->target->kind;
    if (kind == &sm_target_distances) {
        const sm_operator matrix = sm_operator_distances(sm_distances_of(pairs->target));
        return times_operator(&job, pool, &matrix, error);
    }
    if (kind == &sm_target_graph) return times_graph(&job, pool, error);
    if (kind == &sm_target_labels) return times_labels(&job, error);
    if (kind == &sm_target_response || kind == &sm_target_product)
        return times_vectors(&job, sm_columns_vectors(pairs->target), error);
    return times_rows(&job, pool, error);
}

/* ---- the mean ---- */

static void sum_listed(const sm_training_pairs *pairs, double *weight, double *sum) {
    for (size_t i = 0; i < pairs->n_items; i++)
        for (size_t e = pairs->links->first[i]; e < pairs->links->first[i + 1]; e++) {
            double own = sm_listed_weight(pairs, i, e);
            *weight += own;
            *sum += own * sm_links_value(pairs->links, e);
        }
}

/* w' Z w, less what items have with themselves. */
static smerf_status sum_all(const sm_training_pairs *pairs, sm_pool *pool, double *weight, double *sum,
                            smerf_error *error) {
    size_t n = pairs->n_items, m = SM_PANEL_COLUMNS;
    const double *w = pairs->weight;
    double *x = sm_zeros(sm_size(n, m, 0), sizeof *x), *zx = sm_array(sm_size(n, m, 0), sizeof *zx);
    smerf_status status = x != NULL && zx != NULL ? SMERF_OK : sm_no_memory(error, "multiplying distances");
    for (size_t i = 0; i < n && status == SMERF_OK; i++) x[i * m] = w[i];
    if (status == SMERF_OK) status = sm_training_times(pairs, pool, x, m, zx, error);
    *weight = 1;
    for (size_t i = 0; i < n && status == SMERF_OK; i++) {
        *weight -= w[i] * w[i];
        *sum += w[i] * zx[i * m] - w[i] * w[i] * sm_training_self(pairs, i);
    }
    sm_free(x);
    sm_free(zx);
    return status;
}

smerf_status sm_training_pairs_mean(const sm_training_pairs *pairs, sm_pool *pool, sm_training_mean *mean,
                                    smerf_error *error) {
    double sum = 0;
    smerf_status status = SMERF_OK;
    *mean = (sm_training_mean){0};
    if (pairs->links != NULL)
        sum_listed(pairs, &mean->weight, &sum);
    else
        status = sum_all(pairs, pool, &mean->weight, &sum, error);
    if (mean->weight > 0) mean->distance = sum / mean->weight;
    return status;
}
