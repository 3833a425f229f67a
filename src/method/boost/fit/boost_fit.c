/* boost_fit.c - learns by boosting on pairs.
 *   1. options are resolved: which loss, which pairs           resolve_loss, start_source
 *   2. items are dealt out to groups, and put in bins          start_learning, sm_binned_start
 *   3. if nothing is said, a few bags say which features of pairs are best          choose_pair_features
 *   4. all bags, and the sum of trees for new items, go on until no round has been the best for a while     learn_all
 *   5. each keeps as many trees as are best for all bags together */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "method/boost/fit/bags.h"
#include "method/boost/fit/base.h"
#include "target/links/graph.h"
#include "target/links/pairs.h"

/* ---- what it takes ---- */

static bool is_listed_target(const smerf_target *target) {
    return target->kind == &sm_target_pairs || target->kind == &sm_target_observed;
}

/* Whether every known distance is 0 or 1. */
static bool is_alike_or_not(const smerf_target *target) {
    if (target->kind == &sm_target_labels) return true;
    if (target->kind != &sm_target_graph && target->kind != &sm_target_observed) return false;
    const sm_links *links =
        target->kind == &sm_target_graph ? sm_graph_of(target)->links : sm_known_pairs_of(target)->links;
    for (size_t e = 0; e < links->n; e++)
        if (sm_links_value(links, e) != 0 && sm_links_value(links, e) != 1) return false;
    return true;
}

static smerf_status check_ranges(const smerf_boost_options *boost, smerf_error *error) {
    const struct {
        const char *name;
        size_t value, least, most;
    } counts[] = {{"rounds", boost->n_rounds, 0, UINT32_MAX},
                  {"most_rounds", boost->most_rounds, 1, UINT32_MAX},
                  {"leaves", boost->n_leaves, 2, 256},
                  {"min_leaf", boost->min_leaf, 1, UINT32_MAX},
                  {"pairs_a_round", boost->pairs_a_round, 100, SM_MOST_BOOST_PAIRS}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (counts[k].value < counts[k].least || counts[k].value > counts[k].most)
            return sm_fail(error, SMERF_BAD_INPUT, "{%s}: %zu is not in %zu ... %zu", counts[k].name, counts[k].value,
                           counts[k].least, counts[k].most);
    if (!(boost->learning_rate > 0 && boost->learning_rate <= 1))
        return sm_fail(error, SMERF_BAD_INPUT, "{learning_rate}: %g is not in (0, 1]", boost->learning_rate);
    if (!(boost->l2 >= 0 && isfinite(boost->l2)))
        return sm_fail(error, SMERF_BAD_INPUT, "{l2}: %g is not a number >= 0", boost->l2);
    if (boost->loss > SMERF_LOSS_LOGISTIC || boost->pair_features > SMERF_PAIRS_ALL || boost->base > SMERF_BASE_FOREST)
        return sm_fail(error, SMERF_BAD_INPUT, "there is no such {loss}, {pair_features} or {base}");
    return SMERF_OK;
}

static smerf_status check_boost(const sm_training_set *training, smerf_error *error) {
    const smerf_boost_options *boost = training->options->boost;
    smerf_status status = check_ranges(boost, error);
    if (status != SMERF_OK) return status;
    if (boost->n_bags > 0 && sm_groups_of_bags(boost->n_bags) == 0)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{bags}: %zu is not 0, 3, 6, 10, 15, ...: one for every two of 3, 4, 5, 6, ... groups of items",
                       boost->n_bags);
    if (boost->n_bags == 0 && boost->n_rounds == 0)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{bags}: with 0 of them nothing is held out to choose the number of {rounds} by: give it");
    if (boost->n_bags == 0 && boost->pair_features == SMERF_PAIRS_AUTO)
        return sm_fail(
            error, SMERF_BAD_INPUT,
            "{bags}: with 0 of them nothing is held out to choose {pair_features} by: give difference, ends, items "
            "or all");
    if (is_listed_target(training->target) && sm_known_pairs_of(training->target)->links->n == 0)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "no distance of two different items is known; boosting needs at least one");
    if (boost->loss == SMERF_LOSS_LOGISTIC && !is_alike_or_not(training->target))
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{loss}: logistic is for labels, and for graphs without weights; the target is '%s'",
                       sm_target_public_name(training->target));
    return SMERF_OK;
}

/* ---- 1. and 2. ---- */

typedef struct learning {
    const sm_training_set *training;
    smerf_boost_options options; /* as resolved */
    sm_pair_source source;
    double *weight;
    sm_learned *learned;
    sm_binned binned;
    sm_boosting boosting;
    sm_diagnostics *diagnostics;
} learning;

static smerf_status start_source(learning *work, smerf_error *error) {
    const sm_training_set *training = work->training;
    size_t n = training->items->n_items;
    double largest = 0;
    work->source = (sm_pair_source){
        .training = training,
        .links = is_listed_target(training->target) ? sm_known_pairs_of(training->target)->links : NULL,
        .keeps_links = work->options.loss == SMERF_LOSS_LOGISTIC && training->target->kind == &sm_target_graph,
        .group_of = work->learned->group_of,
        .n_groups = work->learned->n_groups};
    if (training->weights == NULL) return SMERF_OK;
    work->weight = sm_copy(training->weights, n, sizeof *work->weight);
    if (work->weight == NULL) return sm_no_memory(error, "boosting on pairs");
    for (size_t i = 0; i < n; i++) largest = fmax(largest, work->weight[i]);
    for (size_t i = 0; i < n; i++) work->weight[i] /= largest; /* whatever their size, products do not overflow */
    work->source.weight = work->weight;
    return SMERF_OK;
}

static smerf_status start_learning(learning *work, smerf_error *error) {
    const sm_training_set *training = work->training;
    size_t n = training->items->n_items;
    work->options = *training->options->boost;
    if (work->options.loss == SMERF_LOSS_AUTO)
        work->options.loss = is_alike_or_not(training->target) ? SMERF_LOSS_LOGISTIC : SMERF_LOSS_SQUARED;
    size_t n_groups = sm_groups_choose(work->options.n_bags, n);
    if (n_groups == 0 && work->options.n_rounds == 0) work->options.n_rounds = 100;
    if (n_groups == 0 && work->options.pair_features == SMERF_PAIRS_AUTO) work->options.pair_features = SMERF_PAIRS_ALL;
    work->learned = sm_boost_learned_new(training->features, n, n_groups);
    if (work->learned == NULL) return sm_no_memory(error, "boosting on pairs");
    work->learned->is_logistic = work->options.loss == SMERF_LOSS_LOGISTIC;
    if (n_groups > 0) sm_groups_deal(work->learned->group_of, n, n_groups, training->options->seed);
    return start_source(work, error);
}

static void free_learning(learning *work) {
    sm_boost_learned_free(work->learned);
    sm_binned_free(&work->binned);
    sm_free(work->weight);
}

enum { MOST_BINNED_BY = 100000 };

/* Bins of what the base predicts, by some pairs. */
static smerf_status bin_base(learning *work, smerf_error *error) {
    const sm_pair_choice some = {.held = {SM_NO_GROUP, SM_NO_GROUP}, .most = MOST_BINNED_BY};
    sm_drawn_pairs pairs;
    bool is_drawn;
    smerf_status status = sm_pairs_choose(&work->source, &some, &pairs, &is_drawn, error);
    if (status == SMERF_OK) status = sm_base_predict(work->learned->base, work->training->items, &pairs, error);
    if (status == SMERF_OK) status = sm_binned_add_base(&work->binned, pairs.base, pairs.n, error);
    sm_drawn_pairs_free(&pairs);
    return status;
}

/* The forest that it starts from, in the first tenth of the time. */
static smerf_status grow_base(learning *work, smerf_error *error) {
    static const double part[2] = {0, 0.1};
    if (work->options.base == SMERF_BASE_NONE) return SMERF_OK;
    smerf_status status = sm_base_grow(work->training, part, &work->learned->base, error);
    work->training->pool->fraction_from = part[1];
    return status;
}

/* Bins for one choice of pair features. */
static smerf_status make_bins(learning *work, smerf_pair_features features, smerf_error *error) {
    const sm_training_set *training = work->training;
    sm_learned *learned = work->learned;
    sm_binned_free(&work->binned);
    sm_pool pool = *training->pool; /* quick: no progress */
    pool.progress = NULL;
    smerf_status status = sm_binned_start(&work->binned, training->view, training->features, features, &pool, error);
    if (status == SMERF_OK && learned->base != NULL) status = bin_base(work, error);
    if (status != SMERF_OK) return status;
    for (size_t f = 0; f < learned->n_features; f++)
        if (work->binned.features[f].level_bin != NULL)
            memcpy(learned->level_bin + learned->first_level[f], work->binned.features[f].level_bin,
                   training->features->feature[f].levels.n);
    learned->is_directed = work->source.is_directed = work->binned.is_directed;
    work->boosting = (sm_boosting){.source = &work->source,
                                   .binned = &work->binned,
                                   .options = &work->options,
                                   .plan = {.binned = &work->binned,
                                            .n_leaves = work->options.n_leaves,
                                            .min_leaf = work->options.min_leaf,
                                            .l2 = work->options.l2,
                                            .least_hessian = learned->is_logistic ? 1e-3 : 0},
                                   .learned = learned,
                                   .view = training->view};
    return SMERF_OK;
}

/* ---- 3. features of pairs ---- */

/* Bags that hold out every group about as often: (0, 1), (1, 2), (2, 3), ... */
enum { BAGS_TO_CHOOSE_BY = 3 };

static smerf_status try_pair_features(learning *work, smerf_pair_features features, double *loss, smerf_error *error) {
    size_t which[BAGS_TO_CHOOSE_BY], n_groups = work->learned->n_groups;
    sm_bags bags = {0};
    for (size_t k = 0; k < BAGS_TO_CHOOSE_BY; k++) {
        size_t a = k % n_groups, b = (k + 1) % n_groups;
        which[k] = sm_bag_of(n_groups, a < b ? a : b, a < b ? b : a);
    }
    smerf_status status = make_bins(work, features, error);
    if (status == SMERF_OK)
        status = sm_bags_start(&bags, &work->boosting, which, BAGS_TO_CHOOSE_BY, false, work->training->pool, error);
    if (status == SMERF_OK) status = sm_bags_run(&bags, work->training->pool, error);
    *loss = bags.least_loss;
    sm_bags_free(&bags);
    return status;
}

static const smerf_pair_features tried_features[] = {SMERF_PAIRS_DIFFERENCE, SMERF_PAIRS_ITEMS, SMERF_PAIRS_ALL};

static smerf_status choose_pair_features(learning *work, smerf_error *error) {
    sm_pool *pool = work->training->pool;
    enum { N_TRIED = sizeof tried_features / sizeof *tried_features };
    const double from = pool->fraction_from;
    double least = INFINITY;
    smerf_status status = SMERF_OK;
    smerf_pair_features best = tried_features[0];
    if (work->options.pair_features != SMERF_PAIRS_AUTO) return SMERF_OK;
    for (size_t k = 0; k < N_TRIED && status == SMERF_OK; k++) {
        double loss;
        pool->fraction_from = from + 0.3 * (double)k / N_TRIED;
        pool->fraction_to = from + 0.3 * (double)(k + 1) / N_TRIED;
        status = try_pair_features(work, tried_features[k], &loss, error);
        if (!(loss < least)) continue;
        least = loss;
        best = tried_features[k];
    }
    pool->fraction_from = pool->fraction_to;
    work->options.pair_features = best;
    return status;
}

/* ---- 4. and 5. ---- */

static void tell(learning *work, const sm_bags *bags) {
    sm_diagnostics *to = work->diagnostics;
    const smerf_boost_options *options = &work->options;
    bool is_rmse = options->loss == SMERF_LOSS_SQUARED;
    sm_diagnostics_add(to, "rounds", (double)work->learned->all.n_trees);
    if (!isnan(bags->least_loss) && options->n_rounds == 0) {
        sm_diagnostics_add(to, is_rmse ? "held-out rmse" : "held-out loss",
                           is_rmse ? sqrt(2 * bags->least_loss) : bags->least_loss);
        sm_diagnostics_add(to, is_rmse ? "rmse without a tree" : "loss without a tree",
                           is_rmse ? sqrt(2 * bags->loss_at_start) : bags->loss_at_start);
    }
    sm_diagnostics_add(to, "bags", (double)sm_n_bags(work->learned->n_groups));
    sm_diagnostics_add(to, "features of a pair", (double)work->binned.n_columns);
    sm_diagnostics_add(to, "pairs a round", (double)bags->boosters[bags->n - 1].pairs.n);
}

static smerf_status learn_all(learning *work, smerf_error *error) {
    sm_learned *learned = work->learned;
    size_t n_bags = sm_n_bags(learned->n_groups);
    size_t *which = sm_array(n_bags, sizeof *which);
    sm_bags bags = {0};
    work->training->pool->fraction_to = 1;
    if (which == NULL) return sm_no_memory(error, "boosting on pairs");
    for (size_t b = 0; b < n_bags; b++) which[b] = b;
    smerf_status status = make_bins(work, work->options.pair_features, error);
    if (status == SMERF_OK)
        status = sm_bags_start(&bags, &work->boosting, which, n_bags, true, work->training->pool, error);
    if (status == SMERF_OK) status = sm_bags_run(&bags, work->training->pool, error);
    for (size_t b = 0; b < bags.n && status == SMERF_OK; b++)
        sm_booster_take(&bags.boosters[b], bags.best_round, b < n_bags ? &learned->bags[b] : &learned->all);
    if (status == SMERF_OK) {
        tell(work, &bags);
        *work->training->chosen = work->options;
    }
    sm_bags_free(&bags);
    sm_free(which);
    return status;
}

static smerf_status fit_boost(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                              smerf_error *error) {
    learning work = {.training = training, .diagnostics = diagnostics};
    smerf_status status = start_learning(&work, error);
    if (status == SMERF_OK) status = grow_base(&work, error);
    if (status == SMERF_OK) status = choose_pair_features(&work, error);
    if (status == SMERF_OK) status = learn_all(&work, error);
    if (status == SMERF_OK) {
        *out = work.learned;
        work.learned = NULL;
    }
    free_learning(&work);
    return status;
}

const sm_trainer sm_trainer_boost = {.check = check_boost, .fit = fit_boost};
