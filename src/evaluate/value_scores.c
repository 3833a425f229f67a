/* value_scores.c - how well labels and responses themselves are predicted: accuracy, log-loss and confusion, or R^2.
 *
 * Items are gone through in order, on one thread: predicting them is the work (predict/values.c). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "predict/query.h"
#include "target/labels/labels.h"
#include "target/vectors/vectors.h"

typedef struct value_job {
    const smerf_target *model_target, *truth;
    uint32_t *row;        /* [n] of the truth */
    size_t n, n_values;   /* items; classes or columns */
    const double *values; /* [n][n_values] */
    smerf_value_scores *scores;
} value_job;

static bool is_scored(const value_job *job, size_t i) { return !isnan(job->values[i * job->n_values]); }

/* ---- labels ---- */

/* The model's number of each class of the truth; SMERF_MISSING: it has none.   class_of  [classes of the truth] out */
static void match_classes(const value_job *job, uint32_t *class_of) {
    const sm_strings *known = sm_labels_of(job->model_target)->classes, *given = sm_labels_of(job->truth)->classes;
    size_t k = 0;
    for (size_t c = 0; c < given->n; c++) { /* both are in bytewise order */
        while (k < known->n && strcmp(known->text[k], given->text[c]) < 0) k++;
        class_of[c] = k < known->n && strcmp(known->text[k], given->text[c]) == 0 ? (uint32_t)k : SMERF_MISSING;
    }
}

static size_t largest_of(const double *fractions, size_t n) {
    size_t best = 0;
    for (size_t c = 1; c < n; c++)
        if (fractions[c] > fractions[best]) best = c;
    return best;
}

static void guess_by_chance(const size_t *n_of_class, size_t n_classes, smerf_value_scores *scores) {
    double n = (double)scores->n_items;
    scores->accuracy_by_chance = scores->log_loss_by_chance = 0;
    for (size_t c = 0; c < n_classes; c++) {
        double fraction = (double)n_of_class[c] / n;
        scores->accuracy_by_chance = fmax(scores->accuracy_by_chance, fraction);
        if (fraction > 0) scores->log_loss_by_chance -= fraction * log(fraction);
    }
}

/*   class_of, n_of_class  [classes of the truth] the second filled with zeros */
static void score_labels(const value_job *job, const uint32_t *class_of, size_t *n_of_class) {
    const sm_labels *truth = sm_labels_of(job->truth);
    smerf_value_scores *scores = job->scores;
    size_t n_right = 0, n_classes = job->n_values;
    double log_loss = 0;
    if (scores->confusion != NULL)
        memset(scores->confusion, 0, (n_classes + 1) * n_classes * sizeof *scores->confusion);
    for (size_t i = 0; i < job->n; i++) {
        if (!is_scored(job, i)) continue;
        const double *fractions = job->values + i * n_classes;
        const uint32_t own = truth->class_of[job->row[i]], label = class_of[own];
        size_t predicted = largest_of(fractions, n_classes);
        n_of_class[own]++;
        n_right += predicted == label;
        log_loss -= log(fmax(label != SMERF_MISSING ? fractions[label] : 0, DBL_EPSILON));
        if (scores->confusion != NULL)
            scores->confusion[(label != SMERF_MISSING ? label : n_classes) * n_classes + predicted]++;
    }
    if (scores->n_items == 0) return;
    scores->accuracy = (double)n_right / (double)scores->n_items;
    scores->log_loss = log_loss / (double)scores->n_items;
    guess_by_chance(n_of_class, truth->classes->n, scores);
}

static smerf_status find_label_scores(const value_job *job, smerf_error *error) {
    size_t n = sm_labels_of(job->truth)->classes->n;
    uint32_t *class_of = sm_array(n, sizeof *class_of);
    size_t *n_of_class = sm_zeros(n, sizeof *n_of_class);
    bool has_memory = class_of != NULL && n_of_class != NULL;
    if (has_memory) {
        match_classes(job, class_of);
        score_labels(job, class_of, n_of_class);
    }
    sm_free(class_of);
    sm_free(n_of_class);
    return has_memory ? SMERF_OK : sm_no_memory(error, "scoring labels");
}

/* ---- a response ---- */

/* 1 - squared errors / squared deviations of one column; NaN: it does not vary. */
static double explained(const value_job *job, const double *truth, size_t column) {
    double mean = 0, deviations = 0, errors = 0;
    size_t n = 0;
    bool varies = false;
    double first = NAN;
    for (size_t i = 0; i < job->n; i++) {
        if (!is_scored(job, i)) continue;
        double value = truth[job->row[i] * job->n_values + column], step = value - mean;
        double error = job->values[i * job->n_values + column] - value;
        if (n == 0) first = value;
        varies = varies || value != first;
        mean += step / (double)++n;
        deviations += step * (value - mean);
        errors += error * error;
    }
    return varies ? 1 - errors / deviations : NAN;
}

static void score_response(const value_job *job) {
    const double *truth = sm_columns_vectors(job->truth)->u;
    double sum = 0;
    for (size_t c = 0; c < job->n_values; c++) sum += explained(job, truth, c);
    job->scores->r_squared = sum / (double)job->n_values;
}

/* ---- both ---- */

static smerf_status check_value_truth(const smerf_model *model, const smerf_request *request, const smerf_target *truth,
                                      smerf_error *error) {
    if (truth == NULL && !request->out_of_bag)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "evaluating needs a target, but for out-of-bag scores of the model's own");
    if (truth == NULL) return SMERF_OK;
    if (truth->kind != model->target->kind)
        return sm_fail(error, SMERF_BAD_INPUT, "the model predicts a target of kind '%s', and this one is '%s'",
                       sm_target_public_name(model->target), sm_target_public_name(truth));
    if (truth->n_rows != request->rows->n_items)
        return sm_fail(error, SMERF_BAD_INPUT, "there are %zu items, and the target is about %zu",
                       request->rows->n_items, truth->n_rows);
    if (truth->kind == &sm_target_response && truth->columns.n != smerf_model_n_values(model))
        return sm_fail(error, SMERF_BAD_INPUT, "the model predicts %zu columns, and the target has %zu",
                       smerf_model_n_values(model), truth->columns.n);
    return SMERF_OK;
}

static smerf_status find_value_rows(const smerf_model *model, const smerf_request *request, const smerf_target *truth,
                                    uint32_t *row, smerf_error *error) {
    if (truth == NULL) return smerf_model_training_rows(model, request->rows, row, error);
    for (size_t i = 0; i < truth->n_rows; i++) row[i] = (uint32_t)i;
    return SMERF_OK;
}

smerf_status smerf_evaluate_values(const smerf_model *model, const smerf_request *request, const smerf_target *truth,
                                   const smerf_run *run, smerf_value_scores *scores, smerf_error *error) {
    SM_READ(smerf_request, request, error);
    SM_READ_RUN(run, error);
    SM_READ_RESULT(smerf_value_scores, scores, found, error);
    smerf_status status = sm_model_check_forest(model, "labels and responses", error);
    if (status == SMERF_OK && smerf_model_n_values(model) == 0)
        status = sm_fail(error, SMERF_BAD_INPUT,
                         "the model was fitted on distances: only labels and responses can be predicted");
    if (status == SMERF_OK) status = check_value_truth(model, request, truth, error);
    if (status != SMERF_OK) return status;
    value_job job = {.model_target = model->target,
                     .truth = truth != NULL ? truth : model->target,
                     .n = request->rows->n_items,
                     .n_values = smerf_model_n_values(model),
                     .scores = &found};
    found = (smerf_value_scores){.size = sizeof found,
                                 .confusion = found.confusion,
                                 .accuracy = NAN,
                                 .accuracy_by_chance = NAN,
                                 .log_loss = NAN,
                                 .log_loss_by_chance = NAN,
                                 .r_squared = NAN};
    double *values = sm_array(sm_size(job.n, job.n_values, 0), sizeof *values);
    job.row = sm_array(job.n, sizeof *job.row);
    if (values == NULL || job.row == NULL) status = sm_no_memory(error, "scoring values");
    if (status == SMERF_OK) status = sm_predict_values(model, request, &sm_usual_limits, run, values, error);
    if (status == SMERF_OK) status = find_value_rows(model, request, truth, job.row, error);
    if (status == SMERF_OK) {
        job.values = values;
        for (size_t i = 0; i < job.n; i++) found.n_items += is_scored(&job, i);
        found.n_unpredicted = job.n - found.n_items;
        if (job.truth->kind == &sm_target_labels)
            status = find_label_scores(&job, error);
        else
            score_response(&job);
    }
    sm_free(values);
    sm_free(job.row);
    SM_WRITE(smerf_value_scores, found, scores);
    return status;
}
