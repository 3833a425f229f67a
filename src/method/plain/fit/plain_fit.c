/* plain_fit.c - what `mean`, `standardized` and `gower` learn: a mean over pairs, or a scale for each feature. */
#include <math.h>

#include "base/memory.h"
#include "method/linear/design.h"
#include "method/plain/plain.h"
#include "method/trainer.h"

static smerf_status check_plain(const sm_training_set *training, smerf_error *error) {
    return sm_design_check(training->features, training->view, error);
}

/* ---- scales ---- */

typedef struct spread_of_numbers {
    size_t n;
    double least, largest, mean, deviations; /* sum of squared deviations from the mean */
} spread_of_numbers;

static spread_of_numbers find_spread(const sm_numbers *numbers, size_t n) {
    spread_of_numbers found = {.least = INFINITY, .largest = -INFINITY};
    for (size_t i = 0; i < n; i++) {
        double value = sm_number_at(numbers, i);
        if (isnan(value)) continue;
        double step = value - found.mean;
        found.least = fmin(found.least, value);
        found.largest = fmax(found.largest, value);
        found.mean += step / (double)++found.n;
        found.deviations += step * (value - found.mean);
    }
    return found;
}

static double scale_of(const sm_view *view, size_t feature, bool is_by_range) {
    if (!sm_are_numbers(&view->numbers[feature])) return 1;
    const spread_of_numbers found = find_spread(&view->numbers[feature], view->n_items);
    if (found.n < 2 || !(found.least < found.largest)) return 0;
    double spread = is_by_range ? found.largest - found.least : sqrt(found.deviations / (double)(found.n - 1));
    return isfinite(1 / spread) ? 1 / spread : 0;
}

static smerf_status learn_scales(const sm_training_set *training, bool is_by_range, sm_learned **out,
                                 smerf_error *error) {
    sm_learned *learned = sm_plain_new(training->features->n);
    if (learned == NULL) return sm_no_memory(error, "learning scales");
    for (size_t f = 0; f < learned->n_features; f++) learned->scale[f] = scale_of(training->view, f, is_by_range);
    sm_plain_count(learned);
    *out = learned;
    return SMERF_OK;
}

static smerf_status fit_standardized(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                                     smerf_error *error) {
    (void)diagnostics;
    return learn_scales(training, false, out, error);
}

static smerf_status fit_gower(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                              smerf_error *error) {
    (void)diagnostics;
    return learn_scales(training, true, out, error);
}

/* ---- the mean distance ---- */

typedef struct mean_job {
    const smerf_target *target;
    double *rows;    /* [n_threads][n_columns] scratch */
    double *sums;    /* [n_rows] of the pairs that a row counts, */
    size_t *n_pairs; /* [n_rows] which are these many */
} mean_job;

static smerf_status add_row(void *argument, size_t i, size_t thread, smerf_error *error) {
    mean_job *job = argument;
    double *row = job->rows + thread * job->target->n_columns;
    (void)error;
    job->target->kind->data.true_row(job->target, i, row);
    for (size_t j = i + 1; j < job->target->n_columns; j++) {
        if (isnan(row[j])) continue;
        job->sums[i] += row[j];
        job->n_pairs[i]++;
    }
    return SMERF_OK;
}

/* Each pair counts once, whatever its weight, as in the scores. */
static smerf_status fit_mean(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                             smerf_error *error) {
    size_t n = training->target->n_rows, n_pairs = 0;
    double sum = 0;
    mean_job job = {.target = training->target,
                    .rows = sm_array(sm_size(training->pool->n_threads, n, 0), sizeof *job.rows),
                    .sums = sm_zeros(n, sizeof *job.sums),
                    .n_pairs = sm_zeros(n, sizeof *job.n_pairs)};
    sm_learned *learned = sm_plain_new(training->features->n);
    bool has_memory = job.rows != NULL && job.sums != NULL && job.n_pairs != NULL && learned != NULL;
    smerf_status status =
        has_memory ? sm_pool_run(training->pool, n, add_row, &job, error) : sm_no_memory(error, "learning a mean");
    for (size_t i = 0; i < n && status == SMERF_OK; i++) {
        sum += job.sums[i];
        n_pairs += job.n_pairs[i];
    }
    if (status == SMERF_OK) {
        learned->mean = n_pairs > 0 ? sum / (double)n_pairs : 0;
        sm_diagnostics_add(diagnostics, "mean distance", learned->mean);
        *out = learned;
        learned = NULL;
    }
    sm_plain_free(learned);
    sm_free(job.rows);
    sm_free(job.sums);
    sm_free(job.n_pairs);
    return status;
}

const sm_trainer sm_trainer_mean = {.takes_triplets = true, .check = check_plain, .fit = fit_mean};
const sm_trainer sm_trainer_standardized = {.takes_triplets = true, .check = check_plain, .fit = fit_standardized};
const sm_trainer sm_trainer_gower = {.takes_triplets = true, .check = check_plain, .fit = fit_gower};
