/* facts.c - see facts.h. */
#include "report/facts.h"

#include <math.h>
#include <stdio.h>

static void text(const sm_fact_sink *to, const char *key, const char *value) { to->text(to->context, key, value); }
static void number(const sm_fact_sink *to, const char *key, double value) { to->number(to->context, key, value); }
static void count(const sm_fact_sink *to, const char *key, size_t value) { to->count(to->context, key, value); }

static void tell_sample(const sm_fact_sink *to, const smerf_options *chosen) {
    char share[64];
    snprintf(share, sizeof share, "subsample:%.15g", chosen->sample_fraction);
    text(to, "sample",
         chosen->sample == SMERF_BOOTSTRAP   ? "bootstrap"
         : chosen->sample == SMERF_NO_SAMPLE ? "none"
                                             : share);
}

static void tell_forest(const sm_fact_sink *to, const smerf_description *about) {
    const smerf_options *chosen = about->options;
    count(to, "trees", chosen->n_trees);
    count(to, "first tree", chosen->first_tree);
    count(to, "nodes", about->n_nodes);
    count(to, "leaves", about->n_leaves);
    text(to, "splits", chosen->splits == SMERF_AXIS ? "axis" : "oblique");
    count(to, "candidates", chosen->candidates);
    if (chosen->splits == SMERF_OBLIQUE) number(to, "density", chosen->density);
    count(to, "min-parent", chosen->min_parent);
    if (chosen->max_depth != SMERF_NO_LIMIT)
        count(to, "max-depth", chosen->max_depth);
    else
        to->none(to->context, "max-depth");
    tell_sample(to, chosen);
    text(to, "oob-rule", chosen->oob_rule == SMERF_OOB_BOTH ? "both" : "either");
    if (chosen->self_distance == SMERF_SELF_VALUE)
        number(to, "self-distance", chosen->self_value);
    else
        text(to, "self-distance", chosen->self_distance == SMERF_SELF_GIVEN ? "given" : "exclude");
}

static void tell_method(const sm_fact_sink *to, const smerf_model *model, const smerf_options *chosen) {
    if (chosen->method == SMERF_METHOD_EPM || chosen->method == SMERF_METHOD_NARM) {
        count(to, "factors", chosen->baselines->n_factors);
        count(to, "burn", chosen->baselines->n_burn);
        count(to, "draws", chosen->baselines->n_draws);
    }
    for (size_t k = 0; k < smerf_model_n_diagnostics(model); k++) {
        double value;
        const char *name = smerf_model_diagnostic(model, k, &value);
        number(to, name, value);
    }
}

static void tell_target(const sm_fact_sink *to, const smerf_description *about) {
    const smerf_options *chosen = about->options;
    text(to, "target", about->target);
    if (about->n_target_columns > 0)
        to->list(to->context, "target columns", about->target_columns, about->n_target_columns);
    if (about->from_similarities) number(to, "similarity max", about->largest_similarity);
    if (chosen->rank > 0) {
        count(to, "rank", chosen->rank);
        if (isnan(about->rank_fraction)) /* there are too many eigenvalues to know them all */
            number(to, "share of the squared spectrum kept", about->rank_fraction_of_squares);
        else
            number(to, "share of the spectrum kept", about->rank_fraction);
    }
    if (chosen->complete > 0) count(to, "completed to rank", chosen->complete);
}

void sm_facts_tell(const smerf_model *model, const sm_fact_sink *to) {
    smerf_description about = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &about, NULL);
    text(to, "method", about.method);
    tell_target(to, &about);
    count(to, "items", about.n_items);
    count(to, "features", about.n_features);
    if (about.options->method == SMERF_METHOD_FOREST)
        tell_forest(to, &about);
    else
        tell_method(to, model, about.options);
    count(to, "seed", (size_t)about.options->seed);
    to->features(to->context, "feature names", model, about.n_features);
    if (about.id_column != NULL) text(to, "id column", about.id_column);
    if (about.weight_column != NULL) text(to, "item weights", about.weight_column);
    if (about.n_ignored > 0) to->list(to->context, "ignored columns", about.ignored, about.n_ignored);
}
