/* triplets_fit.c - mahalanobis from triplets: see triplets_fit.h.
 *
 * Distances are learned in log-odds: that i is nearer to an anchor than j is has the odds exp(d(anchor, j) - d(anchor, i)). No scale and
 * no unit is assumed: how far the answers are from chance is what sets them. */
#include "method/linear/fit/triplets_fit.h"

#include <string.h>

#include "base/memory.h"

/* Residual of the optimum. */
static const double fine = 1e-9;

/* The fraction of the work after which the ridge is known. */
static const double after_ridge = 0.8;

smerf_status sm_triplets_fit_check(const sm_training_set *training, smerf_error *error) {
    if (training->options->baselines->has_intercept)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{intercept}: triplets compare distances, and a constant that all have in common changes no "
                       "comparison; leave it out");
    if (training->options->baselines->n_bags > 0)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{bags}: nothing is known of triplets out of bag; score them on items that were held out");
    if (sm_triplets_of(training->target)->n == 0)
        return sm_fail(error, SMERF_BAD_INPUT, "there is no triplet among the items to learn from");
    return SMERF_OK;
}

/* ---- the frame ---- */

/* The compared pairs of some triplets, as a target whose distances are of no account. */
static smerf_status list_pairs(const sm_triplets *triplets, const bool *is_kept, size_t n_items, smerf_target **out,
                               smerf_error *error) {
    size_t n = triplets->n;
    uint32_t *left = sm_array(sm_size(2, n, 0), sizeof *left), *right = sm_array(sm_size(2, n, 0), sizeof *right);
    smerf_status status =
        left != NULL && right != NULL ? SMERF_OK : sm_no_memory(error, "listing the pairs that are compared");
    if (status == SMERF_OK) {
        smerf_pair_list list = {.left = left, .right = right};
        for (size_t t = 0; t < n; t++) {
            if (is_kept != NULL && !is_kept[t]) continue;
            left[list.n] = left[list.n + 1] = triplets->anchor[t];
            right[list.n++] = triplets->near[t];
            right[list.n++] = triplets->far[t];
        }
        status = smerf_target_new_pairs(&list, n_items, out, error);
    }
    sm_free(left);
    sm_free(right);
    return status;
}

smerf_status sm_triplets_frame(const sm_training_set *training, const sm_learned *learned, const bool *is_kept,
                               sm_frame *frame, smerf_error *error) {
    sm_training_set of_pairs = *training;
    sm_training_pairs pairs = {0};
    of_pairs.target = NULL;
    of_pairs.weights = NULL; /* the frame only makes the problem well conditioned */
    smerf_status status =
        list_pairs(sm_triplets_of(training->target), is_kept, training->items->n_items, &of_pairs.target, error);
    if (status == SMERF_OK) status = sm_training_pairs_start(&pairs, &of_pairs, error);
    if (status == SMERF_OK) status = sm_frame_new(frame, &of_pairs, learned, &pairs, error);
    sm_training_pairs_free(&pairs);
    smerf_target_free(of_pairs.target);
    return status;
}

/* ---- learning ---- */

smerf_status sm_triplets_learn(const sm_training_set *training, const sm_learned *learned, const sm_frame *frame,
                               double *a, sm_triplets_fit *fit, smerf_error *error) {
    const sm_triplets *triplets = sm_triplets_of(training->target);
    sm_pool *pool = training->pool;
    sm_triplets_loss loss = {0};
    double from = pool->fraction_from, to = pool->fraction_to;
    *fit = (sm_triplets_fit){.n_triplets = (double)triplets->n};
    memset(a, 0, frame->rank * frame->rank * sizeof *a);
    pool->fraction_to = from + after_ridge * (to - from);
    double given =
        training->options->baselines->ridge; /* 0, where nothing is said, is chosen here: answers may part all items */
    smerf_status status = SMERF_OK;
    if (given > 0)
        fit->ridge = (sm_ridge_choice){.ridge = given};
    else
        status = sm_ridge_choose(training, learned, &fit->ridge, error);
    pool->fraction_from = pool->fraction_to = from + after_ridge * (to - from);
    if (status == SMERF_OK)
        status = sm_triplets_loss_start(&loss, triplets, training->weights, NULL, frame, pool, error);
    pool->fraction_to = to;
    loss.ridge = fit->ridge.ridge;
    if (status == SMERF_OK) status = sm_triplets_minimise(&loss, pool, fine, a, &fit->solution, error);
    sm_triplets_loss_free(&loss);
    return status;
}

void sm_triplets_tell(const sm_triplets_fit *fit, sm_diagnostics *diagnostics) {
    const sm_ridge_choice *ridge = &fit->ridge;
    sm_diagnostics_add(diagnostics, "ridge", ridge->ridge);
    if (!ridge->is_chosen) return;
    sm_diagnostics_add(diagnostics, "chosen on held-out items", ridge->by_items);
    sm_diagnostics_add(diagnostics, "held-out triplets", (double)ridge->n_held_out);
    sm_diagnostics_add(diagnostics, "held-out log-loss", ridge->log_loss);
    sm_diagnostics_add(diagnostics, "held-out in order", ridge->in_order);
}
