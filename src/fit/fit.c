/* fit.c - the front door of learning: smerf_fit, and the choice whether missing pairs are filled in before a forest grows. */
#include <math.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "fit/shrinkage_measure.h"
#include "fit/train_method.h"
#include "target/completed/completed.h"
#include "target/links/pairs.h"
#include "train/grow/problem.h"

smerf_status smerf_fit(const smerf_items *items, smerf_target *target, const smerf_options *options,
                       const smerf_run *run, smerf_model **out, smerf_error *error) {
    sm_full_options full;
    smerf_status status = sm_options_read(options, &full, error);
    if (status != SMERF_OK) return status;
    SM_READ_RUN(run, error);
    options = &full.options;
    if (options->method >= SMERF_N_METHODS) return sm_fail(error, SMERF_BAD_INPUT, "{method}: there is no such method");
    if (options->method != SMERF_METHOD_FOREST) return sm_method_fit(items, target, options, run, out, error);
    smerf_options chosen = *options;
    status = sm_choose_completion(items, target, options, run, &chosen.complete, error);
    smerf_model *model = NULL;
    if (status == SMERF_OK) status = sm_fit(items, target, &chosen, run, &model, error);
    if (status == SMERF_OK) status = sm_measure_shrinkage(model, items, target, run, error);
    if (status == SMERF_OK)
        *out = model;
    else
        smerf_model_free(model);
    return status;
}

/* ---- whether missing pairs are filled in ---- */

/* And to which rank.
 *
 * A tenth of the known pairs is held out. A completion of the others says which rank predicts them best
 * (target/completed/completion_choice.c); and two small forests, one grown on the known pairs only and one on the completed ones,
 * say whether completing helps: the one that predicts the held-out pairs better wins. Both predict out of bag, as they
 * would predict items that they have never seen. A handful of held-out pairs says nothing: then nothing is filled in. */

enum { FEW_TREES = 50, FEWER_TREES = 10, MANY_ENTRIES = 4000000, MOST_QUERY = 200000, FEWEST_QUERY = 20 };

typedef struct held_out {
    const sm_links *links;
    bool *left_out;         /* [links->n] */
    uint32_t *left, *right; /* [n] pairs that are predicted */
    double *truth, *predicted[2];
    size_t n;
} held_out;

static void free_held_out(held_out *out) {
    sm_free(out->left_out);
    sm_free(out->left);
    sm_free(out->right);
    sm_free(out->truth);
    sm_free(out->predicted[0]);
    sm_free(out->predicted[1]);
}

static bool hold_out(held_out *out, uint64_t seed) {
    const sm_links *links = out->links;
    out->left_out = sm_array(links->n, sizeof *out->left_out);
    if (out->left_out == NULL) return false;
    size_t most = sm_completion_hold_out(links, seed, out->left_out);
    if (most > MOST_QUERY) most = MOST_QUERY;
    out->left = sm_array(most, sizeof *out->left);
    out->right = sm_array(most, sizeof *out->right);
    out->truth = sm_array(most, sizeof *out->truth);
    for (int side = 0; side < 2; side++) out->predicted[side] = sm_array(most, sizeof **out->predicted);
    if (out->left == NULL || out->right == NULL || out->truth == NULL || out->predicted[0] == NULL ||
        out->predicted[1] == NULL)
        return false;
    for (uint32_t i = 0; i < links->n_items; i++)
        for (size_t e = links->first[i]; e < links->first[i + 1] && out->n < most; e++) {
            if (!out->left_out[e] || links->partner[e] < i) continue;
            out->left[out->n] = i;
            out->right[out->n] = links->partner[e];
            out->truth[out->n++] = sm_links_value(links, e);
        }
    return true;
}

/* The pairs that are not held out, as a target of their own. (Fitting holds some of these out once more, by another draw,
 * to choose its shrinkage.) */
static smerf_status keep_others(const smerf_target *target, const held_out *out, smerf_target **kept,
                                smerf_error *error) {
    const sm_known_pairs *pairs = sm_known_pairs_of(target);
    const sm_links *links = out->links;
    size_t n = links->n / 2 + links->n_items, k = 0;
    uint32_t *left = sm_array(n, sizeof *left), *right = sm_array(n, sizeof *right);
    double *value = sm_array(n, sizeof *value), *weight = sm_array(n, sizeof *weight);
    smerf_status status = SMERF_OK;
    if (left == NULL || right == NULL || value == NULL || weight == NULL)
        status = sm_no_memory(error, "holding out pairs");
    for (uint32_t i = 0; i < links->n_items && status == SMERF_OK; i++) {
        left[k] = right[k] = i;
        value[k] = sm_known_self(pairs, i);
        weight[k++] = 1;
        for (size_t e = links->first[i]; e < links->first[i + 1]; e++) {
            if (out->left_out[e] || links->partner[e] < i) continue;
            left[k] = i;
            right[k] = links->partner[e];
            value[k] = sm_links_value(links, e);
            weight[k++] = sm_links_weight(links, e);
        }
    }
    const smerf_pair_list list = {.n = k, .left = left, .right = right, .value = value, .weight = weight};
    if (status == SMERF_OK) status = smerf_target_new_pairs(&list, links->n_items, kept, error);
    sm_free(left);
    sm_free(right);
    sm_free(value);
    sm_free(weight);
    return status;
}

/* A few trees, as many whatever the options say, so that parts of a forest choose as the whole does. */
static smerf_options options_of_few(const smerf_options *options, const held_out *out, size_t complete) {
    smerf_options few = *options;
    few.first_tree = 0;
    few.n_trees = out->links->n > MANY_ENTRIES ? FEWER_TREES : FEW_TREES;
    few.complete = complete;
    return few;
}

static smerf_status predict_held_out(const smerf_items *items, smerf_target *kept, const smerf_options *few,
                                     const smerf_run *run, const held_out *out, double *predicted, smerf_error *error) {
    smerf_model *model = NULL;
    smerf_status status = sm_fit(items, kept, few, run, &model, error);
    if (status != SMERF_OK) return status;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = items, .out_of_bag = few->sample != SMERF_NO_SAMPLE,
                                             .oob_rule = SMERF_OOB_EITHER);
    const smerf_pair_list pairs = {.n = out->n, .left = out->left, .right = out->right};
    const smerf_pair_result result = SMERF_INIT(smerf_pair_result, .distance = predicted);
    status = smerf_predict_pairs(model, &request, &pairs, run, &result, error);
    smerf_model_free(model);
    return status;
}

/* Whether the second prediction is better than the first. */
static bool second_is_better(const held_out *out) {
    double squares[2] = {0, 0};
    for (size_t p = 0; p < out->n; p++) {
        if (isnan(out->predicted[0][p]) || isnan(out->predicted[1][p])) continue;
        for (int side = 0; side < 2; side++) {
            double miss = out->predicted[side][p] - out->truth[p];
            squares[side] += miss * miss;
        }
    }
    return squares[1] < squares[0];
}

/* The caller may cancel, but hears of no progress: the forest is still to come. */
static int cancel_only(void *context, double fraction_done) {
    const smerf_run *run = context;
    (void)fraction_done;
    return run->progress(run->context, 0);
}

static smerf_status choose_rank(const smerf_items *items, smerf_target *target, const smerf_options *options,
                                const smerf_run *run, size_t *complete, smerf_error *error) {
    held_out out = {.links = sm_known_pairs_of(target)->links};
    smerf_target *kept = NULL;
    sm_pool pool;
    size_t rank = SMERF_COMPLETE_AUTO, n_steps;
    *complete = SMERF_COMPLETE_OFF;
    sm_pool_start(&pool, run);
    smerf_options
        resolved; /* the small forests are of the kind of the whole, although their target is a list of pairs */
    smerf_status status = sm_options_resolve(options, items, target, &resolved, error);
    if (status == SMERF_OK && !hold_out(&out, ~options->seed)) status = sm_no_memory(error, "holding out pairs");
    if (status == SMERF_OK && out.n >= FEWEST_QUERY)
        status = sm_completion_choose(out.links, out.left_out, options->seed, &rank, &n_steps, &pool, error);
    if (status == SMERF_OK && out.n >= FEWEST_QUERY && rank > 0) {
        status = keep_others(target, &out, &kept, error);
        for (size_t side = 0; side < 2 && status == SMERF_OK; side++) {
            const smerf_options few = options_of_few(&resolved, &out, side == 0 ? SMERF_COMPLETE_OFF : rank);
            status = predict_held_out(items, kept, &few, run, &out, out.predicted[side], error);
        }
        if (status == SMERF_OK && second_is_better(&out)) *complete = rank;
    }
    smerf_target_free(kept);
    free_held_out(&out);
    return status;
}

smerf_status sm_choose_completion(const smerf_items *items, smerf_target *target, const smerf_options *options,
                                  const smerf_run *run, size_t *complete, smerf_error *error) {
    bool has_pairs = target->kind == &sm_target_pairs || target->kind == &sm_target_observed;
    *complete = SMERF_COMPLETE_OFF;
    if (!has_pairs && options->complete != SMERF_COMPLETE_OFF && options->complete != SMERF_COMPLETE_AUTO)
        return sm_fail(error, SMERF_BAD_INPUT, "{complete}: a target of kind '%s' has no missing pairs to fill in",
                       target->kind->name);
    if (!has_pairs || options->complete == SMERF_COMPLETE_OFF || target->n_rows != items->n_items) return SMERF_OK;
    double n = (double)target->n_rows;
    if ((double)sm_known_pairs_of(target)->links->n >= n * (n - 1)) return SMERF_OK; /* nothing is missing */
    *complete = options->complete;
    if (options->complete != SMERF_COMPLETE_AUTO) return SMERF_OK;
    smerf_run own = run != NULL ? *run : SMERF_INIT(smerf_run);
    if (own.progress != NULL) {
        own.progress = cancel_only;
        own.context = (void *)run; /* which cancel_only does not change */
    }
    return choose_rank(items, target, options, &own, complete, error);
}
