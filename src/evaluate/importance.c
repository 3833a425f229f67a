/* importance.c - which features matter: by the gains of the splits on them, by how much worse trees predict when they are shuffled,
 * and which matter together. */
#include <string.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "evaluate/shuffles.h"
#include "model/model.h"

/* ---- by gain: the paper's appendix, "Estimation of Feature Importance" ---- */

static void add_gains_of_trees(const smerf_model *model, double *importance) {
    for (size_t b = 0; b < model->options.n_trees; b++) {
        const sm_tree *tree = &model->trees[b];
        for (size_t s = 0; s < tree->n_splits; s++) {
            size_t from = tree->first_term[s], to = tree->first_term[s + 1];
            for (size_t t = from; t < to; t++) importance[tree->term_feature[t]] += tree->gain[s] / (double)(to - from);
        }
    }
}

smerf_status smerf_importance_gain(const smerf_model *model, double *importance, smerf_error *error) {
    size_t n_features = model->features.n;
    bool has_method_gains = model->method != NULL && model->method->importance != NULL;
    smerf_status status = has_method_gains ? SMERF_OK : sm_model_check_forest(model, "gains", error);
    if (status != SMERF_OK) return status;
    memset(importance, 0, n_features * sizeof *importance);
    if (has_method_gains)
        model->method->importance(model->learned, importance);
    else
        add_gains_of_trees(model, importance);
    double largest = 0;
    for (size_t f = 0; f < n_features; f++)
        if (importance[f] > largest) largest = importance[f];
    for (size_t f = 0; f < n_features && largest > 0; f++) importance[f] /= largest;
    return SMERF_OK;
}

static const double worth_telling = 0.1; /* of the largest importance: less misleads nobody */
enum { OVERSTATED_LEVELS = 16, SAFE_ITEMS_A_LEVEL = 50 };

void smerf_importance_overstated(const smerf_model *model, const double *importance, bool *is_overstated) {
    double largest = 0;
    for (size_t f = 0; f < model->features.n; f++)
        if (importance[f] > largest) largest = importance[f];
    for (size_t f = 0; f < model->features.n; f++) {
        size_t n_levels = model->features.feature[f].levels.n;
        is_overstated[f] = model->features.feature[f].kind == SMERF_CATEGORY && n_levels >= OVERSTATED_LEVELS &&
                           model->n_items / SAFE_ITEMS_A_LEVEL < n_levels && largest > 0 &&
                           importance[f] >= worth_telling * largest;
    }
}

/* ---- by permutation ----
 *
 * Importance of features one by one: how much worse the trees predict when each is shuffled (shuffles.h).
 * The importance is the mean of the increase over the trees that have a pair out of bag, the standard error that of this
 * mean. */

typedef struct permutation_job {
    const sm_shuffles *shuffles;
    size_t n_features;
    double *increase; /* [n_trees][n_features]; NaN: the tree has no pair */
} permutation_job;

static smerf_status shuffle_one_by_one(void *argument, size_t b, size_t thread, smerf_error *error) {
    permutation_job *job = argument;
    sm_shuffled_tree at;
    if (!sm_shuffled_start(&at, job->shuffles, b, thread)) return sm_no_memory(error, "shuffling features");
    for (uint32_t f = 0; f < job->n_features; f++)
        job->increase[b * job->n_features + f] = sm_shuffled_increase(&at, &f, 1);
    sm_shuffled_free(&at);
    return SMERF_OK;
}

smerf_status smerf_importance_permutation(const smerf_model *model, const smerf_items *items, const smerf_target *truth,
                                          const smerf_run *run, double *importance, double *standard_error,
                                          smerf_error *error) {
    SM_READ_RUN(run, error);
    sm_pool pool;
    sm_shuffles shuffles;
    size_t n_trees = model->options.n_trees, n = model->features.n;
    sm_pool_start(&pool, run);
    smerf_status status = sm_shuffles_start(&shuffles, model, items, truth, pool.n_threads, error);
    if (status != SMERF_OK) return status;
    permutation_job job = {.shuffles = &shuffles, .n_features = n};
    job.increase = sm_array(sm_size(n_trees, n, 0), sizeof *job.increase);
    status = job.increase != NULL ? sm_pool_run(&pool, n_trees, shuffle_one_by_one, &job, error)
                                  : sm_no_memory(error, "shuffling features");
    for (size_t f = 0; f < n && status == SMERF_OK; f++)
        sm_mean_over_trees(job.increase + f, n_trees, n, &importance[f], &standard_error[f]);
    sm_free(job.increase);
    sm_shuffles_free(&shuffles);
    return status;
}

/* ---- interactions ----
 *
 * What features do together: how much more the trees' error grows when two are shuffled at the same time
 * than when each is shuffled alone, added up. The shuffles are those of permutation (shuffles.h), so that the three
 * increases of a tree differ by what the features do, and not by how they were dealt out. A tree that does not use both adds
 * exactly 0. */

typedef struct interaction_job {
    const sm_shuffles *shuffles;
    const uint32_t *features;
    size_t n_features, n_pairs;
    double *single;      /* [n_trees][n_features] increases */
    double *interaction; /* [n_trees][n_pairs]; NaN: the tree has no pair */
} interaction_job;

static smerf_status shuffle_by_twos(void *argument, size_t b, size_t thread, smerf_error *error) {
    interaction_job *job = argument;
    double *single = job->single + b * job->n_features, *interaction = job->interaction + b * job->n_pairs;
    sm_shuffled_tree at;
    if (!sm_shuffled_start(&at, job->shuffles, b, thread)) return sm_no_memory(error, "shuffling features");
    for (size_t k = 0; k < job->n_features; k++) single[k] = sm_shuffled_increase(&at, &job->features[k], 1);
    for (size_t k = 0; k < job->n_features; k++)
        for (size_t j = 0; j < k; j++) {
            const uint32_t both[2] = {job->features[j], job->features[k]};
            bool uses_both = sm_shuffled_uses(&at, both[0]) && sm_shuffled_uses(&at, both[1]);
            *interaction++ =
                uses_both ? sm_shuffled_increase(&at, both, 2) - (single[j] + single[k]) : at.before - at.before;
        }
    sm_shuffled_free(&at);
    return SMERF_OK;
}

static smerf_status check_features(const smerf_model *model, const uint32_t *features, size_t n_features,
                                   smerf_error *error) {
    if (n_features < 2)
        return sm_fail(error, SMERF_BAD_INPUT, "an interaction is between two features, and there are %zu", n_features);
    for (size_t k = 0; k < n_features; k++) {
        if (features[k] >= model->features.n)
            return sm_fail(error, SMERF_BAD_INPUT, "there is no feature %u: the model has %zu", features[k],
                           model->features.n);
        for (size_t j = 0; j < k; j++)
            if (features[j] == features[k])
                return sm_fail(error, SMERF_BAD_INPUT, "feature %u is listed twice", features[k]);
    }
    return SMERF_OK;
}

static void fill_square(const interaction_job *job, size_t n_trees, double *interaction, double *standard_error) {
    size_t n = job->n_features, pair = 0;
    for (size_t k = 0; k < n; k++) {
        interaction[k * n + k] = standard_error[k * n + k] = 0;
        for (size_t j = 0; j < k; j++, pair++) {
            sm_mean_over_trees(job->interaction + pair, n_trees, job->n_pairs, &interaction[k * n + j],
                               &standard_error[k * n + j]);
            interaction[j * n + k] = interaction[k * n + j];
            standard_error[j * n + k] = standard_error[k * n + j];
        }
    }
}

smerf_status smerf_importance_interaction(const smerf_model *model, const smerf_interactions *wanted,
                                          const smerf_run *run, double *interaction, double *standard_error,
                                          smerf_error *error) {
    SM_READ(smerf_interactions, wanted, error);
    SM_READ_RUN(run, error);
    const size_t n_features = wanted->n_features;
    sm_pool pool;
    sm_shuffles shuffles;
    size_t n_trees = model->options.n_trees;
    sm_pool_start(&pool, run);
    smerf_status status =
        sm_model_check_forest(model, "trees that have not seen an item, which shuffling needs", error);
    if (status == SMERF_OK) status = check_features(model, wanted->features, n_features, error);
    if (status == SMERF_OK)
        status = sm_shuffles_start(&shuffles, model, wanted->items, wanted->truth, pool.n_threads, error);
    if (status != SMERF_OK) return status;
    interaction_job job = {.shuffles = &shuffles,
                           .features = wanted->features,
                           .n_features = n_features,
                           .n_pairs = n_features * (n_features - 1) / 2};
    job.single = sm_array(sm_size(n_trees, n_features, 0), sizeof *job.single);
    job.interaction = sm_array(sm_size(n_trees, job.n_pairs, 0), sizeof *job.interaction);
    status = job.single != NULL && job.interaction != NULL ? sm_pool_run(&pool, n_trees, shuffle_by_twos, &job, error)
                                                           : sm_no_memory(error, "shuffling features");
    if (status == SMERF_OK) fill_square(&job, n_trees, interaction, standard_error);
    sm_free(job.single);
    sm_free(job.interaction);
    sm_shuffles_free(&shuffles);
    return status;
}
