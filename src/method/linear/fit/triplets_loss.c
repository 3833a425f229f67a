/* triplets_loss.c - the logistic loss of triplets, its gradient, and the sums that these need: see triplets_loss.h.
 *
 * Threads take blocks of items or of triplets; each number is summed by one thread in one order, so that bits do not depend on how many
 * there are. */
#include "method/linear/fit/triplets_loss.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "factor/tall.h"

enum { ITEMS_AT_ONCE = 64, TRIPLETS_AT_ONCE = 1024 };

void sm_triplets_loss_free(sm_triplets_loss *loss) {
    void *arrays[] = {loss->anchor, loss->near, loss->far,    loss->weight, loss->first,     loss->ya,
                      loss->u,      loss->q,    loss->margin, loss->step,   loss->curvature, loss->factor};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) sm_free(arrays[k]);
    *loss = (sm_triplets_loss){0};
}

/* ---- which triplets ---- */

static smerf_status reserve_loss(sm_triplets_loss *loss, size_t n, smerf_error *error) {
    size_t n_items = loss->frame->n_items, yn = sm_size(n_items, loss->frame->rank, 0);
    smerf_status status =
        sm_check_memory((double)n * 60 + (double)yn * 2 * sizeof(double), "what triplets are learned with", error);
    if (status != SMERF_OK) return status;
    loss->anchor = sm_array(n, sizeof *loss->anchor);
    loss->near = sm_array(n, sizeof *loss->near);
    loss->far = sm_array(n, sizeof *loss->far);
    loss->weight = sm_array(n, sizeof *loss->weight);
    loss->first = sm_zeros(n_items + 1, sizeof *loss->first);
    loss->ya = sm_array(yn, sizeof *loss->ya);
    loss->u = sm_array(yn, sizeof *loss->u);
    loss->q = sm_array(n_items, sizeof *loss->q);
    loss->margin = sm_array(n, sizeof *loss->margin);
    loss->step = sm_array(n, sizeof *loss->step);
    loss->curvature = sm_array(n, sizeof *loss->curvature);
    loss->factor = sm_array(n, sizeof *loss->factor);
    const void *arrays[] = {loss->anchor, loss->near, loss->far,    loss->weight, loss->first,     loss->ya,
                            loss->u,      loss->q,    loss->margin, loss->step,   loss->curvature, loss->factor};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        if (arrays[k] == NULL) return sm_no_memory(error, "learning from triplets");
    return SMERF_OK;
}

/* Of a triplet: its weight times those of its items, as a number below 1 and a power of two, so that nothing overflows. */
static double weigh_triplet(const sm_triplets *triplets, const double *item_weight, size_t t, int *exponent) {
    const uint32_t items[] = {triplets->anchor[t], triplets->near[t], triplets->far[t]};
    double weight = frexp(triplets->weight[t], exponent);
    for (size_t k = 0; k < 3 && item_weight != NULL; k++) {
        int more;
        weight *= frexp(item_weight[items[k]], &more);
        *exponent += more;
    }
    return weight;
}

/* To a sum of 1. Triplets beside which others weigh 1e300 times as much would be left with 0: then they weigh the same. */
static void scale_weights(sm_triplets_loss *loss) {
    for (size_t t = 0; t < loss->n; t++) loss->total += loss->weight[t];
    for (size_t t = 0; t < loss->n; t++)
        loss->weight[t] = loss->total > 0 ? loss->weight[t] / loss->total : 1 / (double)loss->n;
}

static void gather_triplets(sm_triplets_loss *loss, const sm_triplets *triplets, const double *item_weight,
                            const bool *is_kept) {
    int most = INT_MIN, exponent;
    for (size_t t = 0; t < triplets->n; t++) {
        weigh_triplet(triplets, item_weight, t, &exponent);
        most = exponent > most ? exponent : most;
    }
    for (size_t t = 0; t < triplets->n; t++) {
        if (is_kept != NULL && !is_kept[t]) continue;
        double weight = weigh_triplet(triplets, item_weight, t, &exponent);
        loss->anchor[loss->n] = triplets->anchor[t];
        loss->near[loss->n] = triplets->near[t];
        loss->far[loss->n] = triplets->far[t];
        loss->weight[loss->n++] = ldexp(weight, exponent - most);
        loss->first[triplets->anchor[t] + 1]++;
    }
    for (size_t i = 0; i < loss->frame->n_items; i++) loss->first[i + 1] += loss->first[i];
    scale_weights(loss);
}

smerf_status sm_triplets_loss_start(sm_triplets_loss *loss, const sm_triplets *triplets, const double *item_weight,
                                    const bool *is_kept, const sm_frame *frame, sm_pool *pool, smerf_error *error) {
    size_t n = 0, rank = frame->rank;
    for (size_t t = 0; t < triplets->n; t++) n += is_kept == NULL || is_kept[t];
    *loss = (sm_triplets_loss){.frame = frame};
    double *slope = sm_array(sm_size(rank, rank, 0), sizeof *slope);
    smerf_status status = slope != NULL ? reserve_loss(loss, n, error) : sm_no_memory(error, "learning from triplets");
    if (status == SMERF_OK) {
        gather_triplets(loss, triplets, item_weight, is_kept);
        for (size_t t = 0; t < n; t++) loss->factor[t] = loss->weight[t] * sm_triplet_slope(0);
        status = sm_triplets_pull(loss, pool, loss->factor, slope, error);
    }
    if (status == SMERF_OK) loss->size = sm_symmetric_norm(slope, rank * rank);
    sm_free(slope);
    if (status != SMERF_OK) sm_triplets_loss_free(loss);
    return status;
}

/* ---- margins ---- */

typedef struct margins_job {
    sm_triplets_loss *loss;
    const double *a;
    double *margin;
} margins_job;

static size_t end_of(size_t task, size_t at_once, size_t n) {
    return (task + 1) * at_once < n ? (task + 1) * at_once : n;
}

/* Rows of Y A, and q. */
static smerf_status multiply_items(void *context, size_t task, size_t thread, smerf_error *error) {
    const margins_job *job = context;
    const sm_frame *frame = job->loss->frame;
    size_t rank = frame->rank;
    (void)thread, (void)error;
    for (size_t i = task * ITEMS_AT_ONCE; i < end_of(task, ITEMS_AT_ONCE, frame->n_items); i++) {
        const double *y = frame->y + i * rank;
        double *ya = job->loss->ya + i * rank, q = 0;
        memset(ya, 0, rank * sizeof *ya);
        for (size_t k = 0; k < rank; k++)
            for (size_t l = 0; l < rank; l++) ya[l] += y[k] * job->a[k * rank + l];
        for (size_t k = 0; k < rank; k++) q += y[k] * ya[k];
        job->loss->q[i] = q;
    }
    return SMERF_OK;
}

static smerf_status margin_some(void *context, size_t task, size_t thread, smerf_error *error) {
    const margins_job *job = context;
    const sm_triplets_loss *loss = job->loss;
    size_t rank = loss->frame->rank;
    (void)thread, (void)error;
    for (size_t t = task * TRIPLETS_AT_ONCE; t < end_of(task, TRIPLETS_AT_ONCE, loss->n); t++) {
        const double *ya = loss->ya + loss->anchor[t] * rank;
        const double *near = loss->frame->y + loss->near[t] * rank, *far = loss->frame->y + loss->far[t] * rank;
        double sum = 0;
        for (size_t k = 0; k < rank; k++) sum += ya[k] * (far[k] - near[k]);
        job->margin[t] = loss->q[loss->far[t]] - loss->q[loss->near[t]] - 2 * sum;
    }
    return SMERF_OK;
}

smerf_status sm_triplets_margins(sm_triplets_loss *loss, sm_pool *pool, const double *a, double *margin,
                                 smerf_error *error) {
    margins_job job = {.loss = loss, .a = a, .margin = margin};
    size_t n_tasks = (loss->frame->n_items + ITEMS_AT_ONCE - 1) / ITEMS_AT_ONCE;
    smerf_status status = sm_pool_run(pool, n_tasks, multiply_items, &job, error);
    if (status != SMERF_OK) return status;
    return sm_pool_run(pool, (loss->n + TRIPLETS_AT_ONCE - 1) / TRIPLETS_AT_ONCE, margin_some, &job, error);
}

/* ---- sums over triplets ---- */

typedef struct pull_job {
    sm_triplets_loss *loss;
    const double *factor;
} pull_job;

/* Rows of U; q holds what each item has as far and as near one. */
static smerf_status pull_anchors(void *context, size_t task, size_t thread, smerf_error *error) {
    const pull_job *job = context;
    const sm_triplets_loss *loss = job->loss;
    const double *y = loss->frame->y;
    size_t rank = loss->frame->rank;
    (void)thread, (void)error;
    for (size_t i = task * ITEMS_AT_ONCE; i < end_of(task, ITEMS_AT_ONCE, loss->frame->n_items); i++) {
        double *u = loss->u + i * rank;
        for (size_t k = 0; k < rank; k++) u[k] = loss->q[i] * y[i * rank + k] / 2;
        for (size_t t = loss->first[i]; t < loss->first[i + 1]; t++) {
            const double *near = y + loss->near[t] * rank, *far = y + loss->far[t] * rank;
            for (size_t k = 0; k < rank; k++) u[k] -= job->factor[t] * (far[k] - near[k]);
        }
    }
    return SMERF_OK;
}

smerf_status sm_triplets_pull(sm_triplets_loss *loss, sm_pool *pool, const double *factor, double *out,
                              smerf_error *error) {
    const sm_frame *frame = loss->frame;
    size_t n = frame->n_items, rank = frame->rank;
    pull_job job = {.loss = loss, .factor = factor};
    memset(loss->q, 0, n * sizeof *loss->q);
    for (size_t t = 0; t < loss->n; t++) {
        loss->q[loss->far[t]] += factor[t];
        loss->q[loss->near[t]] -= factor[t];
    }
    smerf_status status = sm_pool_run(pool, (n + ITEMS_AT_ONCE - 1) / ITEMS_AT_ONCE, pull_anchors, &job, error);
    if (status == SMERF_OK) status = sm_tall_inner(pool, frame->y, loss->u, n, rank, out, error);
    if (status != SMERF_OK) return status;
    for (size_t k = 0; k < rank; k++)
        for (size_t l = k; l < rank; l++) out[k * rank + l] = out[l * rank + k] = out[k * rank + l] + out[l * rank + k];
    return SMERF_OK;
}

/* ---- the objective ---- */

double sm_triplets_objective(const sm_triplets_loss *loss, const double *a, const double *margin) {
    size_t rank = loss->frame->rank;
    double sum = 0;
    for (size_t t = 0; t < loss->n; t++) sum += loss->weight[t] * sm_triplet_loss(margin[t]);
    return sum + loss->ridge / 2 * sm_symmetric_dot(a, a, rank * rank);
}

smerf_status sm_triplets_gradient(sm_triplets_loss *loss, sm_pool *pool, const double *a, const double *margin,
                                  double *gradient, smerf_error *error) {
    size_t rank = loss->frame->rank;
    for (size_t t = 0; t < loss->n; t++) loss->factor[t] = loss->weight[t] * sm_triplet_slope(margin[t]);
    smerf_status status = sm_triplets_pull(loss, pool, loss->factor, gradient, error);
    for (size_t k = 0; k < rank * rank && status == SMERF_OK; k++) gradient[k] += loss->ridge * a[k];
    return status;
}
