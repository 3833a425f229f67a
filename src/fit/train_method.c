/* train_method.c - learning with a method other than the forest: its options, what all methods refuse, the training set, the
 * model. */
#include "fit/train_method.h"

#include "base/memory.h"
#include "base/versioned.h"
#include "method/methods.h"

static const sm_trainer *const trainers[SMERF_N_METHODS] = {[SMERF_METHOD_EUCLIDEAN] = &sm_trainer_euclidean,
                                                            [SMERF_METHOD_MAHALANOBIS] = &sm_trainer_mahalanobis,
                                                            [SMERF_METHOD_BILINEAR] = &sm_trainer_bilinear,
                                                            [SMERF_METHOD_RFD] = &sm_trainer_rfd,
                                                            [SMERF_METHOD_PLUGIN] = &sm_trainer_plugin,
                                                            [SMERF_METHOD_EPM] = &sm_trainer_epm,
                                                            [SMERF_METHOD_NARM] = &sm_trainer_narm,
                                                            [SMERF_METHOD_MEAN] = &sm_trainer_mean,
                                                            [SMERF_METHOD_STANDARDIZED] = &sm_trainer_standardized,
                                                            [SMERF_METHOD_GOWER] = &sm_trainer_gower,
                                                            [SMERF_METHOD_BOOST] = &sm_trainer_boost};

/* ---- options ---- */

void smerf_baseline_options_fill(smerf_baseline_options *options, size_t size) {
    const smerf_baseline_options usual = {
        .size = sizeof usual, .n_pairs = 60000, .n_factors = 50, .n_burn = 1500, .n_draws = 1500, .n_chains = 2};
    sm_struct_fill(SM_STRUCT(smerf_baseline_options), &usual, options, size);
}

void smerf_boost_options_fill(smerf_boost_options *options, size_t size) {
    const smerf_boost_options usual = {.size = sizeof usual,
                                       .most_rounds = 1000,
                                       .n_leaves = 31,
                                       .min_leaf = 20,
                                       .learning_rate = 0.1,
                                       .n_bags = 10,
                                       .pairs_a_round = 2000000};
    sm_struct_fill(SM_STRUCT(smerf_boost_options), &usual, options, size);
}

smerf_status sm_options_read(const smerf_options *given, sm_full_options *full, smerf_error *error) {
    smerf_options_default(&full->options);
    smerf_baseline_options_default(&full->baselines);
    full->options.shrink = SMERF_SHRINK_OFF; /* what programs that do not know it want */
    smerf_status status = sm_struct_read(SM_STRUCT(smerf_options), given, &full->options, error);
    const smerf_baseline_options *baselines = full->options.baselines;
    if (status == SMERF_OK && baselines != NULL)
        status = sm_struct_read(SM_STRUCT(smerf_baseline_options), baselines, &full->baselines, error);
    smerf_boost_options_default(&full->boost);
    if (status == SMERF_OK && full->options.boost != NULL)
        status = sm_struct_read(SM_STRUCT(smerf_boost_options), full->options.boost, &full->boost, error);
    full->options.baselines = &full->baselines;
    full->options.boost = &full->boost;
    return status;
}

/* ---- checks ---- */

static smerf_status check_counts(const smerf_options *options, smerf_error *error) {
    const smerf_baseline_options *baselines = options->baselines;
    const struct {
        const char *name;
        size_t value;
    } counts[] = {{"sample_pairs", baselines->n_pairs}, {"factors", baselines->n_factors}, {"burn", baselines->n_burn},
                  {"draws", baselines->n_draws},        {"chains", baselines->n_chains},   {"trees", options->n_trees}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        if (counts[k].value < 1 || counts[k].value > UINT32_MAX)
            return sm_fail(error, SMERF_BAD_INPUT, "{%s}: %zu is not in 1 ... 2^32 - 1", counts[k].name,
                           counts[k].value);
    if (baselines->ridge != SMERF_RIDGE_AUTO && !(baselines->ridge >= 0 && baselines->ridge <= 1e12))
        return sm_fail(error, SMERF_BAD_INPUT, "{ridge}: %g is not in 0 ... 1e12", baselines->ridge);
    if (options->seed > INT64_MAX) return sm_fail(error, SMERF_BAD_INPUT, "{seed}: it must be in 0 ... 2^63 - 1");
    if (options->first_tree > 0)
        return sm_fail(error, SMERF_BAD_INPUT, "{trees}: parts are grown of forests only, the method is '%s'",
                       smerf_method_name(options->method));
    return SMERF_OK;
}

static smerf_status check_training(const smerf_items *items, const smerf_target *target, const smerf_options *options,
                                   smerf_error *error) {
    if (target->is_block)
        return sm_fail(error, SMERF_BAD_INPUT, "distances between two sets of items cannot be trained on");
    if (target->n_rows != items->n_items)
        return sm_fail(error, SMERF_BAD_INPUT, "there are %zu items, and the target is about %zu", items->n_items,
                       target->n_rows);
    if (items->n_items < 2) return sm_fail(error, SMERF_BAD_INPUT, "there is one item; a distance needs at least two");
    smerf_status status = SMERF_OK;
    if (!trainers[options->method]->takes_triplets)
        status = sm_target_check_distances(target, smerf_method_name(options->method), error);
    return status == SMERF_OK ? check_counts(options, error) : status;
}

/* ---- learning ---- */

static smerf_status train_model(const sm_training_set *training, smerf_model *model, smerf_error *error) {
    const sm_trainer *trainer = trainers[training->options->method];
    smerf_status status = trainer->check(training, error);
    if (status == SMERF_OK) status = trainer->fit(training, &model->learned, &model->diagnostics, error);
    return status;
}

smerf_status sm_method_check(const smerf_items *items, smerf_target *target, const smerf_options *options,
                             smerf_error *error) {
    sm_view view;
    sm_pool pool;
    smerf_status status = check_training(items, target, options, error);
    if (status == SMERF_OK) status = sm_view_match(&view, &items->features, items, error);
    if (status != SMERF_OK) return status;
    sm_pool_start(&pool, NULL);
    const sm_training_set training = {.items = items,
                                      .view = &view,
                                      .features = &items->features,
                                      .target = target,
                                      .weights = items->weights,
                                      .options = options,
                                      .pool = &pool};
    status = trainers[options->method]->check(&training, error);
    sm_view_free(&view);
    return status;
}

smerf_status sm_method_fit(const smerf_items *items, smerf_target *target, const smerf_options *options,
                           const smerf_run *run, smerf_model **out, smerf_error *error) {
    sm_view view;
    sm_pool pool;
    smerf_model *model = NULL;
    smerf_status status = check_training(items, target, options, error);
    if (status != SMERF_OK) return status;
    status = sm_view_match(&view, &items->features, items, error);
    if (status != SMERF_OK) return status;
    sm_pool_start(&pool, run);
    status = sm_model_new_for_method(items, &view, target, options, run, &model, error);
    if (status == SMERF_OK) {
        const sm_training_set training = {.items = items,
                                          .view = &view,
                                          .features = &model->features,
                                          .target = target,
                                          .weights = model->weights,
                                          .options = options,
                                          .chosen = &model->boost,
                                          .pool = &pool};
        status = train_model(&training, model, error);
    }
    sm_view_free(&view);
    if (status == SMERF_OK)
        *out = model;
    else
        smerf_model_free(model);
    return status;
}
