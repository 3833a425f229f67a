/* losses.c - see losses.h. */
#include "method/boost/fit/losses.h"

#include <stdlib.h>

#include "base/memory.h"

bool sm_loss_has_hessians(smerf_boost_loss loss, bool has_weights) {
    return has_weights || loss == SMERF_LOSS_LOGISTIC;
}

/* ---- one pair ---- */

double sm_loss_gradient(smerf_boost_loss loss, double z, double score, double delta, double *hessian) {
    double rest = z - score;
    *hessian = 1;
    switch (loss) {
    case SMERF_LOSS_ABSOLUTE: return (double)((rest > 0) - (rest < 0));
    case SMERF_LOSS_HUBER: return rest > delta ? delta : rest < -delta ? -delta : rest;
    case SMERF_LOSS_LOGISTIC: {
        double p = 1 / (1 + exp(-score));
        *hessian = p * (1 - p);
        return z - p;
    }
    default: return rest;
    }
}

double sm_loss_value(smerf_boost_loss loss, double z, double score) {
    switch (loss) {
    case SMERF_LOSS_ABSOLUTE:
    case SMERF_LOSS_HUBER: return fabs(z - score);
    case SMERF_LOSS_LOGISTIC: /* log(1 + exp(score)) - z score, without overflow */
        return (score > 0 ? score : 0) + log1p(exp(-fabs(score))) - z * score;
    default: return (z - score) * (z - score) / 2;
    }
}

static double weight_of(const sm_drawn_pairs *pairs, size_t pair) {
    return pairs->weight != NULL ? pairs->weight[pair] : 1;
}

/* ---- medians ---- */

typedef struct weighed {
    double value, weight;
} weighed;

static int by_weighed_value(const void *a, const void *b) {
    const weighed *left = a, *right = b;
    return (left->value > right->value) - (left->value < right->value);
}

/* The middle one, or the mean of the two next to the middle. Sorts. */
static double find_quantile(weighed *list, size_t n, double fraction) {
    double total = 0, sum = 0;
    qsort(list, n, sizeof *list, by_weighed_value);
    for (size_t k = 0; k < n; k++) total += list[k].weight;
    for (size_t k = 0; k < n; k++) {
        sum += list[k].weight;
        if (sum < fraction * total) continue;
        return sum > fraction * total || k + 1 == n ? list[k].value : list[k].value / 2 + list[k + 1].value / 2;
    }
    return n > 0 ? list[n - 1].value : 0;
}

/* ---- leaves and the start ---- */

static double newton_step(smerf_boost_loss loss, const sm_drawn_pairs *pairs, const uint32_t *order, size_t n,
                          double l2, double delta) {
    double gradients = 0, hessians = 0;
    for (size_t k = 0; k < n; k++) {
        double hessian, weight = weight_of(pairs, order[k]);
        gradients += weight * sm_loss_gradient(loss, pairs->z[order[k]], pairs->score[order[k]], delta, &hessian);
        hessians += weight * hessian;
    }
    return hessians + l2 > 0 ? gradients / (hessians + l2) : 0;
}

double sm_loss_leaf(smerf_boost_loss loss, const sm_drawn_pairs *pairs, const uint32_t *order, size_t n, double l2,
                    double delta, double *scratch) {
    if (loss != SMERF_LOSS_ABSOLUTE) return newton_step(loss, pairs, order, n, l2, delta);
    weighed *list = (weighed *)(void *)scratch;
    for (size_t k = 0; k < n; k++)
        list[k] = (weighed){pairs->z[order[k]] - pairs->score[order[k]], weight_of(pairs, order[k])};
    return find_quantile(list, n, 0.5);
}

/* Most pairs are few enough to be sorted; of more, evenly spread ones will do. */
enum { MOST_SORTED = 200000 };

static weighed *list_some(const sm_drawn_pairs *pairs, bool is_rest, size_t *n) {
    size_t step = pairs->n / MOST_SORTED + 1;
    weighed *list = sm_array(pairs->n / step + 1, sizeof *list);
    *n = 0;
    for (size_t k = 0; k < pairs->n && list != NULL; k += step)
        list[(*n)++] = (weighed){is_rest ? fabs(pairs->z[k] - pairs->score[k]) : pairs->z[k], weight_of(pairs, k)};
    return list;
}

smerf_status sm_loss_start(smerf_boost_loss loss, const sm_drawn_pairs *pairs, double *start, smerf_error *error) {
    double sum = 0, total = 0;
    if (loss == SMERF_LOSS_ABSOLUTE || loss == SMERF_LOSS_HUBER) {
        size_t n;
        weighed *list = list_some(pairs, false, &n);
        if (list == NULL) return sm_no_memory(error, "boosting");
        *start = find_quantile(list, n, 0.5);
        sm_free(list);
        return SMERF_OK;
    }
    for (size_t k = 0; k < pairs->n; k++) {
        sum += weight_of(pairs, k) * pairs->z[k];
        total += weight_of(pairs, k);
    }
    double mean = total > 0 ? sum / total : 0, least = 0.5 / ((double)pairs->n + 1);
    *start = mean;
    if (loss != SMERF_LOSS_LOGISTIC) return SMERF_OK;
    if (mean < least) mean = least; /* all alike: far away, and finite */
    if (mean > 1 - least) mean = 1 - least;
    *start = log(mean / (1 - mean));
    return SMERF_OK;
}

/* ---- all pairs ---- */

enum { PAIRS_A_TASK = 1 << 16 };

typedef struct gradient_job {
    smerf_boost_loss loss;
    const sm_drawn_pairs *pairs;
    sm_gradients *found;
    double *largest; /* [tasks][2] */
} gradient_job;

static size_t end_of_gradients(const gradient_job *job, size_t task) {
    return (task + 1) * PAIRS_A_TASK < job->pairs->n ? (task + 1) * PAIRS_A_TASK : job->pairs->n;
}

static double gradient_of(const gradient_job *job, size_t k, double *hessian) {
    double weight = weight_of(job->pairs, k);
    double gradient = sm_loss_gradient(job->loss, job->pairs->z[k], job->pairs->score[k], job->found->delta, hessian);
    *hessian *= weight;
    return weight * gradient;
}

static smerf_status find_largest(void *argument, size_t task, size_t thread, smerf_error *error) {
    gradient_job *job = argument;
    double most[2] = {0, 0}, hessian;
    (void)thread, (void)error;
    for (size_t k = task * PAIRS_A_TASK; k < end_of_gradients(job, task); k++) {
        double gradient = fabs(gradient_of(job, k, &hessian));
        if (gradient > most[0]) most[0] = gradient;
        if (hessian > most[1]) most[1] = hessian;
    }
    job->largest[2 * task] = most[0];
    job->largest[2 * task + 1] = most[1];
    return SMERF_OK;
}

static smerf_status make_whole(void *argument, size_t task, size_t thread, smerf_error *error) {
    gradient_job *job = argument;
    sm_gradients *found = job->found;
    double scale = found->unit > 0 ? 1 / found->unit : 0, hessian;
    (void)thread, (void)error;
    for (size_t k = task * PAIRS_A_TASK; k < end_of_gradients(job, task); k++) {
        double gradient = gradient_of(job, k, &hessian);
        found->gradient[k] = (int32_t)lrint(gradient * scale);
        if (found->hessian != NULL)
            found->hessian[k] = found->hessian_unit > 0 ? (uint32_t)lrint(hessian / found->hessian_unit) : 0;
    }
    return SMERF_OK;
}

static smerf_status find_delta(const sm_drawn_pairs *pairs, double *delta, smerf_error *error) {
    size_t n;
    weighed *list = list_some(pairs, true, &n);
    if (list == NULL) return sm_no_memory(error, "boosting");
    *delta = find_quantile(list, n, 0.9);
    sm_free(list);
    return SMERF_OK;
}

smerf_status sm_loss_gradients(smerf_boost_loss loss, const sm_drawn_pairs *pairs, sm_gradients *found, sm_pool *pool,
                               smerf_error *error) {
    size_t n_tasks = (pairs->n + PAIRS_A_TASK - 1) / PAIRS_A_TASK;
    gradient_job job = {.loss = loss, .pairs = pairs, .found = found};
    double largest[2] = {0, 0};
    smerf_status status = loss == SMERF_LOSS_HUBER ? find_delta(pairs, &found->delta, error) : SMERF_OK;
    if (status != SMERF_OK) return status;
    job.largest = sm_zeros(2 * n_tasks, sizeof *job.largest);
    if (job.largest == NULL) return sm_no_memory(error, "boosting");
    status = sm_pool_run(pool, n_tasks, find_largest, &job, error);
    for (size_t k = 0; k < 2 * n_tasks && status == SMERF_OK; k++)
        if (job.largest[k] > largest[k % 2]) largest[k % 2] = job.largest[k];
    found->unit = ldexp(largest[0], -SM_GRADIENT_BITS);
    found->hessian_unit = found->hessian != NULL ? largest[1] / ((1 << SM_HESSIAN_UNIT_BITS) - 1) : 1;
    if (status == SMERF_OK) status = sm_pool_run(pool, n_tasks, make_whole, &job, error);
    sm_free(job.largest);
    return status;
}
