/* triplet_scores.c - how often predicted distances are in the order that triplets say. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "model/model.h"
#include "target/triplets/triplets.h"

/* What the triplets of one comparison come to. */
typedef struct tally {
    double weight, in_order, loss; /* sums by weight */
} tally;

/* The sums over all comparisons. */
typedef struct tallies {
    size_t n, n_ties, n_unpredicted;
    double weight, in_order, loss;
} tallies;

/*   to_near, to_far  predicted distances of the anchors, by triplet */
static tally tally_comparison(const sm_triplets *triplets, size_t first, size_t end, const double *to_near,
                              const double *to_far) {
    tally found = {0};
    for (size_t t = first; t < end; t++) {
        double margin = to_far[t] - to_near[t], weight = triplets->weight[t];
        found.weight += weight;
        found.in_order += weight * (margin > 0 ? 1 : margin < 0 ? 0 : 0.5);
        found.loss += weight * sm_triplet_loss(margin);
    }
    return found;
}

static bool is_predicted(size_t t, const double *to_near, const double *to_far) {
    return !isnan(to_near[t]) && !isnan(to_far[t]);
}

static tallies tally_all(const sm_triplets *triplets, const double *to_near, const double *to_far) {
    tallies all = {0};
    for (size_t t = 0, end; t < triplets->n; t = end) {
        end = sm_comparison_end(triplets, t);
        if (!is_predicted(t, to_near, to_far)) {
            all.n_unpredicted++;
            continue;
        }
        tally found = tally_comparison(triplets, t, end, to_near, to_far);
        all.n++;
        all.n_ties += to_near[t] == to_far[t];
        all.weight += found.weight;
        all.in_order += found.in_order;
        all.loss += found.loss;
    }
    return all;
}

/* Of a weighted mean over comparisons, which are drawn one by one: the answers to one comparison belong together. */
static double standard_error(const sm_triplets *triplets, const tallies *all, double mean, const double *to_near,
                             const double *to_far) {
    double squares = 0, n = (double)all->n;
    for (size_t t = 0, end; t < triplets->n; t = end) {
        end = sm_comparison_end(triplets, t);
        if (!is_predicted(t, to_near, to_far)) continue;
        tally found = tally_comparison(triplets, t, end, to_near, to_far);
        double apart = (found.in_order - mean * found.weight) / all->weight;
        squares += apart * apart;
    }
    return all->n > 1 ? sqrt(squares * n / (n - 1)) : NAN;
}

static void fill_scores(const sm_triplets *triplets, const double *to_near, const double *to_far, bool are_log_odds,
                        smerf_triplet_scores *scores) {
    const tallies all = tally_all(triplets, to_near, to_far);
    scores->n_comparisons = all.n;
    scores->n_ties = all.n_ties;
    scores->n_unpredicted = all.n_unpredicted;
    scores->in_order = all.n > 0 ? all.in_order / all.weight : NAN;
    scores->standard_error = standard_error(triplets, &all, scores->in_order, to_near, to_far);
    scores->log_loss = all.n > 0 && are_log_odds ? all.loss / all.weight : NAN;
}

/* The two distances of each triplet.   distance  [2][triplets->n] out: to the near items, to the far ones */
static smerf_status predict_triplets(const smerf_model *model, const smerf_request *request,
                                     const sm_triplets *triplets, const smerf_run *run, double *distance,
                                     smerf_error *error) {
    size_t n = triplets->n;
    uint32_t *left = sm_array(sm_size(2, n, 0), sizeof *left), *right = sm_array(sm_size(2, n, 0), sizeof *right);
    if (left == NULL || right == NULL) {
        sm_free(left);
        sm_free(right);
        return sm_no_memory(error, "evaluating");
    }
    for (size_t part = 0; part < 2; part++) {
        memcpy(left + part * n, triplets->anchor, n * sizeof *left);
        memcpy(right + part * n, part == 0 ? triplets->near : triplets->far, n * sizeof *right);
    }
    const smerf_pair_list pairs = {.n = 2 * n, .left = left, .right = right};
    const smerf_pair_result result = SMERF_INIT(smerf_pair_result, .distance = distance);
    smerf_status status = smerf_predict_pairs(model, request, &pairs, run, &result, error);
    sm_free(left);
    sm_free(right);
    return status;
}

static smerf_status check_truth(const smerf_request *request, const smerf_target *truth, smerf_error *error) {
    if (truth == NULL || truth->kind != &sm_target_triplets)
        return sm_fail(error, SMERF_BAD_INPUT, "a target of triplets is needed to score the order of distances");
    if (request->columns != NULL)
        return sm_fail(error, SMERF_BAD_INPUT, "triplets are about the items of one set: leave out the columns");
    if (request->rows->n_items == truth->n_rows) return SMERF_OK;
    return sm_fail(error, SMERF_BAD_INPUT, "there are %zu items, and the target is about %zu", request->rows->n_items,
                   truth->n_rows);
}

smerf_status smerf_evaluate_triplets(const smerf_model *model, const smerf_request *request, const smerf_target *truth,
                                     const smerf_run *run, smerf_triplet_scores *scores, smerf_error *error) {
    SM_READ(smerf_request, request, error);
    SM_READ_RUN(run, error);
    SM_READ_RESULT(smerf_triplet_scores, scores, found, error);
    smerf_description about = SMERF_INIT(smerf_description);
    smerf_status status = check_truth(request, truth, error);
    if (status == SMERF_OK) status = smerf_model_describe(model, &about, error);
    if (status != SMERF_OK) return status;
    const sm_triplets *triplets = sm_triplets_of(truth);
    double *distance = sm_array(sm_size(2, triplets->n, 0), sizeof *distance);
    if (distance == NULL) return sm_no_memory(error, "evaluating");
    status = predict_triplets(model, request, triplets, run, distance, error);
    if (status == SMERF_OK) {
        fill_scores(triplets, distance, distance + triplets->n, about.are_log_odds, &found);
        SM_WRITE(smerf_triplet_scores, found, scores);
    }
    sm_free(distance);
    return status;
}
