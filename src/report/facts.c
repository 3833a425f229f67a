/* facts.c - what a model is, fact by fact: see report.h. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>

static void give_text(const sm_fact_sink *to, const char *key, const char *value) { to->text(to->context, key, value); }
static void give_number(const sm_fact_sink *to, const char *key, double value) { to->number(to->context, key, value); }
static void give_count(const sm_fact_sink *to, const char *key, size_t value) { to->count(to->context, key, value); }

static void put_sample(const sm_fact_sink *to, const smerf_options *chosen) {
    char subsample[64];
    snprintf(subsample, sizeof subsample, "subsample:%.15g", chosen->sample_fraction);
    give_text(to, "sample",
              chosen->sample == SMERF_BOOTSTRAP   ? "bootstrap"
              : chosen->sample == SMERF_NO_SAMPLE ? "none"
                                                  : subsample);
}

/* What was chosen, what came of it, and where it is automatic what that follows from. */
static void put_shrinkage(const sm_fact_sink *to, const smerf_description *about) {
    const double chosen = about->options->shrink;
    if (chosen == SMERF_SHRINK_OFF) return;
    if (chosen == SMERF_SHRINK_AUTO)
        give_text(to, "shrink", "auto");
    else
        give_number(to, "shrink", chosen);
    give_number(to, "shrinkage", about->shrinkage);
    give_number(to, "mean distance", about->mean_distance);
    if (isnan(about->shrinkage_slope)) return;
    give_number(to, "out-of-bag slope", about->shrinkage_slope);
    give_number(to, "slope error", about->shrinkage_error);
}

static void put_forest(const sm_fact_sink *to, const smerf_description *about) {
    const smerf_options *chosen = about->options;
    give_count(to, "trees", chosen->n_trees);
    give_count(to, "first tree", chosen->first_tree);
    give_count(to, "nodes", about->n_nodes);
    give_count(to, "leaves", about->n_leaves);
    give_text(to, "splits", chosen->splits == SMERF_AXIS ? "axis" : "oblique");
    give_count(to, "candidates", chosen->candidates);
    if (chosen->splits == SMERF_OBLIQUE) give_number(to, "density", chosen->density);
    give_count(to, "min-parent", chosen->min_parent);
    if (chosen->max_depth != SMERF_NO_LIMIT)
        give_count(to, "max-depth", chosen->max_depth);
    else
        to->none(to->context, "max-depth");
    put_sample(to, chosen);
    give_text(to, "oob-rule", chosen->oob_rule == SMERF_OOB_BOTH ? "both" : "either");
    if (chosen->self_distance == SMERF_SELF_VALUE)
        give_number(to, "self-distance", chosen->self_value);
    else
        give_text(to, "self-distance", chosen->self_distance == SMERF_SELF_GIVEN ? "given" : "exclude");
    put_shrinkage(to, about);
}

static void put_boost(const sm_fact_sink *to, const smerf_boost_options *boost) {
    static const char *const losses[] = {"auto", "squared", "absolute", "huber", "logistic"};
    static const char *const features[] = {"auto", "difference", "ends", "items", "all"};
    give_text(to, "loss", losses[boost->loss]);
    give_text(to, "pair-features", features[boost->pair_features]);
    give_text(to, "base", boost->base == SMERF_BASE_FOREST ? "forest" : "none");
    give_number(to, "learning-rate", boost->learning_rate);
    give_count(to, "leaves", boost->n_leaves);
    give_count(to, "min-leaf", boost->min_leaf);
}

static void put_method(const sm_fact_sink *to, const smerf_model *model, const smerf_options *chosen) {
    if (chosen->method == SMERF_METHOD_EPM || chosen->method == SMERF_METHOD_NARM) {
        give_count(to, "factors", chosen->baselines->n_factors);
        give_count(to, "burn", chosen->baselines->n_burn);
        give_count(to, "draws", chosen->baselines->n_draws);
    }
    if (chosen->method == SMERF_METHOD_BOOST) put_boost(to, chosen->boost);
    for (size_t k = 0; k < smerf_model_n_diagnostics(model); k++) {
        double value;
        const char *name = smerf_model_diagnostic(model, k, &value);
        give_number(to, name, value);
    }
}

static void put_target(const sm_fact_sink *to, const smerf_description *about) {
    const smerf_options *chosen = about->options;
    give_text(to, "target", about->target);
    if (about->n_target_columns > 0)
        to->list(to->context, "target columns", about->target_columns, about->n_target_columns);
    if (about->from_similarities) give_number(to, "similarity max", about->largest_similarity);
    if (about->are_log_odds)
        give_text(to, "unit",
                  "log-odds: i is nearer to an anchor than j with the odds exp(d(anchor, j) - d(anchor, i))");
    if (chosen->rank > 0) {
        give_count(to, "rank", chosen->rank);
        if (isnan(about->rank_fraction)) /* there are too many eigenvalues to know them all */
            give_number(to, "share of the squared spectrum kept", about->rank_fraction_of_squares);
        else
            give_number(to, "share of the spectrum kept", about->rank_fraction);
    }
    if (chosen->complete > 0) give_count(to, "completed to rank", chosen->complete);
}

void sm_facts_tell(const smerf_model *model, const sm_fact_sink *to) {
    smerf_description about = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &about, NULL);
    give_text(to, "method", about.method);
    put_target(to, &about);
    give_count(to, "items", about.n_items);
    give_count(to, "features", about.n_features);
    if (about.options->method == SMERF_METHOD_FOREST)
        put_forest(to, &about);
    else
        put_method(to, model, about.options);
    give_count(to, "seed", (size_t)about.options->seed);
    to->features(to->context, "feature names", model, about.n_features);
    if (about.id_column != NULL) give_text(to, "id column", about.id_column);
    if (about.weight_column != NULL) give_text(to, "item weights", about.weight_column);
    if (about.n_ignored > 0) to->list(to->context, "ignored columns", about.ignored, about.n_ignored);
}
