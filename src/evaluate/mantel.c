/* mantel.c - correlation of predicted and true distances over all pairs, each once, and Mantel's test of it.
 *   1. draw some of the items, where there are too many
 *   2. keep both distances of every pair that counts
 *   3. correlate these, and their ranks
 *   4. permute the items of the truth again and again, and count how often that correlates as well
 *
 * Permuting moves the distances of an item together. It needs all of them: a pair that is not known has no place to go. The mean
 * and the deviations of all pairs stay the same, so that only the sum of products is formed anew. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "data/items.h"
#include "evaluate/metrics.h"
#include "predict/predict.h"

enum { USUAL_ITEMS = 4000, FEWEST_PAIRS = 3 };

#define ROUNDING 1e-11

/* Items that were drawn from one side of the request. */
typedef struct drawn_side {
    const smerf_items *items;
    smerf_items *own_items;
    uint32_t *truth_row; /* [n] */
    size_t n;
} drawn_side;

/* Distances, and then deviations from their mean. */
typedef struct mantel_pairs {
    double *predicted, *truth;           /* [n] */
    double *predicted_rank, *truth_rank; /* [n] */
    size_t n;
} mantel_pairs;

typedef struct mantel_job {
    const smerf_target *truth;
    drawn_side rows, columns; /* the second is empty if they are the rows */
    double *truth_of_row;     /* [columns of the truth] */
    mantel_pairs pairs;
    double *square, *rank_square; /* [rows.n][rows.n] of the truth, to be permuted */
    uint32_t *permuted;           /* [n_threads][rows.n] */
    double product, rank_product; /* of the pairs as they are */
    bool *is_as_high;             /* [2][n_permutations] */
    const smerf_correlation *wanted;
} mantel_job;

/* ---- drawing items ---- */

static smerf_status draw_side(const smerf_items *items, size_t most, uint64_t seed, uint32_t stream_index,
                              drawn_side *side, smerf_error *error) {
    sm_random random;
    size_t n = items->n_items, n_wanted = n < most ? n : most;
    *side = (drawn_side){.items = items, .n = n_wanted, .truth_row = sm_array(n_wanted, sizeof *side->truth_row)};
    if (side->truth_row == NULL) return sm_no_memory(error, "correlating");
    sm_random_start(&random, seed, stream_index, SM_STREAM_MANTEL);
    for (size_t i = 0, k = 0; i < n && k < n_wanted; i++)
        if (n == n_wanted || sm_random_below_64(&random, n - i) < n_wanted - k) side->truth_row[k++] = (uint32_t)i;
    if (n == n_wanted) return SMERF_OK;
    smerf_status status = smerf_items_take(items, side->truth_row, n_wanted, &side->own_items, error);
    side->items = side->own_items;
    if (status == SMERF_OK) status = smerf_items_set_rows(side->own_items, side->truth_row, error);
    if (status == SMERF_OK && items->rows != NULL) /* without ids, training items are known by their rows */
        for (size_t k = 0; k < n_wanted; k++) side->own_items->rows[k] = items->rows[side->truth_row[k]];
    return status;
}

static void free_side(drawn_side *side) {
    smerf_items_free(side->own_items);
    sm_free(side->truth_row);
}

/* ---- keeping pairs ---- */

static int keep_row(void *context, size_t row, const double *distances, size_t n_columns) {
    mantel_job *job = context;
    const drawn_side *columns = job->columns.items != NULL ? &job->columns : &job->rows;
    mantel_pairs *pairs = &job->pairs;
    smerf_target_row(job->truth, job->rows.truth_row[row], job->truth_of_row);
    for (size_t j = columns == &job->rows ? row + 1 : 0; j < n_columns; j++) {
        double truth = job->truth_of_row[columns->truth_row[j]];
        if (isnan(truth) || isnan(distances[j])) continue;
        pairs->predicted[pairs->n] = distances[j];
        pairs->truth[pairs->n++] = truth;
    }
    return 0;
}

static size_t count_pairs(const mantel_job *job) {
    size_t n = job->rows.n;
    if (job->columns.items != NULL) return sm_size(n, job->columns.n, 0);
    return n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
}

static smerf_status start_pairs(mantel_job *job, size_t n_threads, smerf_error *error) {
    mantel_pairs *pairs = &job->pairs;
    size_t n = count_pairs(job), n_permutations = job->wanted->n_permutations,
           n_square = sm_size(job->rows.n, job->rows.n, 0);
    double bytes = (double)n * (4 * sizeof(double) + 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t));
    if (n_permutations > 0) bytes += (double)n_square * 2 * sizeof(double);
    smerf_status status = sm_check_memory(bytes, "correlating all pairs", error);
    if (status != SMERF_OK) return status;
    *pairs = (mantel_pairs){.predicted = sm_array(n, sizeof(double)),
                            .truth = sm_array(n, sizeof(double)),
                            .predicted_rank = sm_array(n, sizeof(double)),
                            .truth_rank = sm_array(n, sizeof(double))};
    job->truth_of_row = sm_array(job->truth->n_columns, sizeof *job->truth_of_row);
    bool has_memory = pairs->predicted != NULL && pairs->truth != NULL && pairs->predicted_rank != NULL &&
                      pairs->truth_rank != NULL && job->truth_of_row != NULL;
    if (has_memory && n_permutations > 0) {
        job->square = sm_array(n_square, sizeof *job->square);
        job->rank_square = sm_array(n_square, sizeof *job->rank_square);
        job->permuted = sm_array(sm_size(n_threads, job->rows.n, 0), sizeof *job->permuted);
        job->is_as_high = sm_zeros(sm_size(n_permutations, 2, 0), sizeof *job->is_as_high);
        has_memory =
            job->square != NULL && job->rank_square != NULL && job->permuted != NULL && job->is_as_high != NULL;
    }
    return has_memory ? SMERF_OK : sm_no_memory(error, "correlating all pairs");
}

static void free_mantel(mantel_job *job) {
    free_side(&job->rows);
    free_side(&job->columns);
    sm_free(job->truth_of_row);
    sm_free(job->pairs.predicted);
    sm_free(job->pairs.truth);
    sm_free(job->pairs.predicted_rank);
    sm_free(job->pairs.truth_rank);
    sm_free(job->square);
    sm_free(job->rank_square);
    sm_free(job->permuted);
    sm_free(job->is_as_high);
}

/* ---- correlating ---- */

/* Ranks, equal values sharing their mean, as deviations from the mean of all ranks. */
static smerf_status rank_pairs(const double *values, size_t n, double *ranks, smerf_error *error) {
    uint64_t *keys = sm_array(n, sizeof *keys), *spare_keys = sm_array(n, sizeof *spare_keys);
    uint32_t *order = sm_array(n, sizeof *order), *spare_order = sm_array(n, sizeof *spare_order);
    bool has_memory = keys != NULL && spare_keys != NULL && order != NULL && spare_order != NULL;
    if (has_memory) {
        for (size_t k = 0; k < n; k++) {
            keys[k] = sm_sort_key(values[k]);
            order[k] = (uint32_t)k;
        }
        sm_sort(keys, order, n, spare_keys, spare_order);
        sm_centred_ranks(keys, order, n, ranks);
    }
    sm_free(keys);
    sm_free(spare_keys);
    sm_free(order);
    sm_free(spare_order);
    return has_memory ? SMERF_OK : sm_no_memory(error, "correlating all pairs");
}

/* Deviations from the mean; those of equal values are exactly 0. */
static void centre(double *values, size_t n) {
    double sum = 0, first = n > 0 ? values[0] : 0;
    for (size_t k = 0; k < n; k++) sum += values[k] - first;
    for (size_t k = 0; k < n; k++) values[k] -= first + sum / (double)n;
}

/* Of deviations; NaN where one of both does not vary.
 *   product  out: what a permutation's is compared with, less rounding: one that changes nothing is as high */
static double correlate(const double *a, const double *b, size_t n, double *product) {
    double squares_a = 0, squares_b = 0;
    *product = 0;
    for (size_t k = 0; k < n; k++) {
        *product += a[k] * b[k];
        squares_a += a[k] * a[k];
        squares_b += b[k] * b[k];
    }
    if (n < FEWEST_PAIRS || squares_a == 0 || squares_b == 0) return NAN;
    double scale = sqrt(squares_a) * sqrt(squares_b), r = fmax(-1, fmin(1, *product / scale));
    *product -= ROUNDING * scale;
    return r;
}

/* ---- permuting ---- */

static void fill_square(const double *pairs, size_t n, double *square) {
    for (size_t i = 0, k = 0; i < n; i++) {
        square[i * n + i] = 0;
        for (size_t j = i + 1; j < n; j++) square[i * n + j] = square[j * n + i] = pairs[k++];
    }
}

static double permuted_product(const double *predicted, const double *square, const uint32_t *permuted, size_t n) {
    double product = 0;
    for (size_t i = 0; i < n; i++) {
        const double *row = square + permuted[i] * n;
        double of_row = 0;
        for (size_t j = i + 1; j < n; j++) of_row += *predicted++ * row[permuted[j]];
        product += of_row;
    }
    return product;
}

static smerf_status permute_once(void *argument, size_t task, size_t thread, smerf_error *error) {
    mantel_job *job = argument;
    size_t n = job->rows.n;
    uint32_t *permuted = job->permuted + thread * n;
    sm_random random;
    (void)error;
    for (size_t i = 0; i < n; i++) permuted[i] = (uint32_t)i;
    sm_random_start(&random, job->wanted->seed, (uint32_t)task, SM_STREAM_MANTEL + (1 << 8));
    sm_random_shuffle(&random, permuted, n);
    job->is_as_high[2 * task] = permuted_product(job->pairs.predicted, job->square, permuted, n) >= job->product;
    job->is_as_high[2 * task + 1] =
        permuted_product(job->pairs.predicted_rank, job->rank_square, permuted, n) >= job->rank_product;
    return SMERF_OK;
}

static smerf_status test_pairs(mantel_job *job, sm_pool *pool, smerf_correlation *result, smerf_error *error) {
    size_t n_as_high = 0, n_ranked_as_high = 0, n = result->n_permutations;
    fill_square(job->pairs.truth, job->rows.n, job->square);
    fill_square(job->pairs.truth_rank, job->rows.n, job->rank_square);
    smerf_status status = sm_pool_run(pool, n, permute_once, job, error);
    if (status != SMERF_OK) return status;
    for (size_t k = 0; k < n; k++) {
        n_as_high += job->is_as_high[2 * k];
        n_ranked_as_high += job->is_as_high[2 * k + 1];
    }
    if (!isnan(result->pearson)) result->p_pearson = (double)(n_as_high + 1) / (double)(n + 1);
    if (!isnan(result->spearman)) result->p_spearman = (double)(n_ranked_as_high + 1) / (double)(n + 1);
    return SMERF_OK;
}

/* ---- all together ---- */

static smerf_status find_truth_rows(const smerf_model *model, const smerf_target *truth, drawn_side *rows,
                                    smerf_error *error) {
    if (truth != NULL) return SMERF_OK;
    smerf_status status = smerf_model_training_rows(model, rows->items, rows->truth_row, error);
    for (size_t k = 0; k < rows->n && status == SMERF_OK; k++)
        if (rows->truth_row[k] == SMERF_MISSING)
            status =
                sm_fail(error, SMERF_BAD_INPUT, "out of bag: these are not the items that the model was trained on");
    return status;
}

static smerf_status gather(const smerf_model *model, const smerf_request *request, mantel_job *job,
                           sm_progress_part part, smerf_error *error) {
    smerf_request drawn = *request;
    drawn.rows = job->rows.items;
    drawn.columns = job->columns.items;
    smerf_run run = sm_progress_part_run(&part);
    smerf_status status = sm_predict_rows(model, &drawn, &sm_usual_limits, &run, keep_row, job, error);
    if (status != SMERF_OK) return status;
    status = rank_pairs(job->pairs.predicted, job->pairs.n, job->pairs.predicted_rank, error);
    if (status == SMERF_OK) status = rank_pairs(job->pairs.truth, job->pairs.n, job->pairs.truth_rank, error);
    centre(job->pairs.predicted, job->pairs.n);
    centre(job->pairs.truth, job->pairs.n);
    return status;
}

static smerf_status correlate_all(mantel_job *job, const smerf_run *run, smerf_correlation *result,
                                  smerf_error *error) {
    const mantel_pairs *pairs = &job->pairs;
    sm_progress_part part = {.run = run, .from = 0.5, .to = 1};
    const smerf_run rest = sm_progress_part_run(&part);
    sm_pool pool;
    result->pearson = correlate(pairs->predicted, pairs->truth, pairs->n, &job->product);
    result->spearman = correlate(pairs->predicted_rank, pairs->truth_rank, pairs->n, &job->rank_product);
    if (result->n_permutations == 0 || pairs->n < count_pairs(job)) return SMERF_OK;
    sm_pool_start(&pool, &rest);
    return test_pairs(job, &pool, result, error);
}

static smerf_status check_correlation(const smerf_correlation *wanted, const smerf_request *request,
                                      smerf_error *error) {
    if (wanted->n_permutations > 0 && request->columns != NULL)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{permutations}: the pairs between two sets of items cannot be permuted");
    if (wanted->n_permutations > UINT32_MAX)
        return sm_fail(error, SMERF_BAD_INPUT, "{permutations}: %zu are more than 2^32 - 1", wanted->n_permutations);
    if (wanted->seed > INT64_MAX) return sm_fail(error, SMERF_BAD_INPUT, "{seed}: it is not in 0 ... 2^63 - 1");
    return SMERF_OK;
}

smerf_status smerf_correlate(const smerf_model *model, const smerf_request *request, const smerf_target *truth,
                             const smerf_run *run, smerf_correlation *result, smerf_error *error) {
    SM_READ(smerf_request, request, error);
    SM_READ_RUN(run, error);
    SM_READ_RESULT(smerf_correlation, result, found, error);
    smerf_status status = check_correlation(&found, request, error);
    if (status == SMERF_OK) status = sm_truth_check(model, request, truth, error);
    if (status != SMERF_OK) return status;
    mantel_job job = {.truth = truth != NULL ? truth : model->target, .wanted = &found};
    sm_pool pool; /* to know how many threads there are */
    sm_pool_start(&pool, run);
    if (found.most_items == 0) found.most_items = USUAL_ITEMS;
    found.pearson = found.spearman = found.p_pearson = found.p_spearman = NAN;
    status = draw_side(request->rows, found.most_items, found.seed, 0, &job.rows, error);
    if (status == SMERF_OK && request->columns != NULL)
        status = draw_side(request->columns, found.most_items, found.seed, 1, &job.columns, error);
    if (status == SMERF_OK) status = find_truth_rows(model, truth, &job.rows, error);
    if (status == SMERF_OK) status = start_pairs(&job, pool.n_threads, error);
    if (status == SMERF_OK) status = gather(model, request, &job, (sm_progress_part){.run = run, .to = 0.5}, error);
    if (status == SMERF_OK) status = correlate_all(&job, run, &found, error);
    found.n_rows = job.rows.n;
    found.n_columns = request->columns != NULL ? job.columns.n : job.rows.n;
    found.n_pairs = job.pairs.n;
    free_mantel(&job);
    SM_WRITE(smerf_correlation, found, result);
    return status;
}
