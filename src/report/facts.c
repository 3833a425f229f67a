/* facts.c - what a model is, fact by fact, and a whole forest as JSON: see report.h. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "io/text/text.h"

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

/* ---- a whole forest, for other programs ---- */

static void put_forest_features(sm_output *output, const smerf_model *model, size_t n_features) {
    sm_output_print(output, "{\"features\": [");
    for (size_t f = 0; f < n_features; f++) {
        smerf_column column;
        smerf_model_feature(model, f, &column);
        sm_output_print(output, "%s{\"name\": ", f == 0 ? "" : ", ");
        sm_put_json_string(output, column.name);
        sm_output_print(output, ", \"kind\": \"%s\"", column.kind == SMERF_NUMBER ? "number" : "category");
        if (column.kind == SMERF_CATEGORY) {
            sm_output_print(output, ", \"levels\": [");
            for (size_t i = 0; i < column.n_levels; i++) {
                sm_output_print(output, "%s", i == 0 ? "" : ", ");
                sm_put_json_string(output, column.levels[i]);
            }
            sm_output_print(output, "]");
        }
        sm_output_print(output, "}");
    }
    sm_output_print(output, "],\n\"trees\": [");
}

static void put_terms(sm_output *output, const smerf_model *model, const smerf_tree_view *tree, size_t split) {
    sm_output_print(output, "{\"split\": [");
    for (size_t t = tree->first_term[split]; t < tree->first_term[split + 1]; t++) {
        sm_output_print(output, "%s[%u, %d", t == tree->first_term[split] ? "" : ", ", tree->term_feature[t],
                        tree->term_weight[t]);
        if (tree->term_level != NULL && tree->term_level[t] != SMERF_MISSING) {
            smerf_column column;
            smerf_model_feature(model, tree->term_feature[t], &column);
            sm_output_print(output, ", ");
            sm_put_json_string(output, column.levels[tree->term_level[t]]);
        }
        sm_output_print(output, "]");
    }
    sm_output_print(output, "], ");
}

static void put_cut(sm_output *output, const smerf_model *model, const smerf_tree_view *tree, size_t split) {
    if (!tree->is_category[split]) {
        sm_output_print(output, "\"threshold\": ");
        sm_put_json_number(output, tree->threshold[split]);
        return;
    }
    smerf_column column;
    smerf_model_feature(model, tree->term_feature[tree->first_term[split]], &column);
    sm_output_print(output, "\"categories\": [");
    size_t next = tree->first_left[split], end = tree->first_left[split + 1], n_put = 0;
    bool lists_right = next < end && tree->left_level[next] == SMERF_MISSING;
    if (lists_right) next++;
    for (size_t level = 0; level < column.n_levels; level++) {
        bool is_listed = next < end && tree->left_level[next] == level;
        if (is_listed) next++;
        if (is_listed == lists_right) continue;
        sm_output_print(output, "%s", n_put++ == 0 ? "" : ", ");
        sm_put_json_string(output, column.levels[level]);
    }
    sm_output_print(output, "]");
}

static void put_leaf(sm_output *output, const smerf_tree_view *tree, size_t leaf) {
    sm_output_print(output, "{\"leaf\": %zu, \"members\": [", leaf);
    for (size_t m = tree->first_member[leaf]; m < tree->first_member[leaf + 1]; m++)
        sm_output_print(output, "%s[%u, %u]", m == tree->first_member[leaf] ? "" : ", ", tree->member_item[m],
                        tree->member_draws[m]);
    sm_output_print(output, "]}");
}

static void put_node(sm_output *output, const smerf_model *model, const smerf_tree_view *tree, size_t node,
                     double weight) {
    size_t index = tree->index[node];
    if (tree->is_leaf[node]) {
        put_leaf(output, tree, index);
        return;
    }
    put_terms(output, model, tree, index);
    put_cut(output, model, tree, index);
    sm_output_print(output, ", \"missing\": \"%s\", \"left\": %zu, \"right\": %u, \"gain\": ",
                    tree->missing_left[index] ? "left" : "right", node + 1, tree->right[index]);
    sm_put_json_number(output, tree->gain[index]);
    sm_output_print(output, ", \"weight\": ");
    sm_put_json_number(output, weight);
    sm_output_print(output, "}");
}

static smerf_status put_tree(sm_output *output, const smerf_model *model, size_t number, smerf_error *error) {
    smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
    smerf_status status = smerf_model_tree(model, number, &tree, error);
    if (status != SMERF_OK) return status;
    double *weights = sm_array(tree.n_nodes, sizeof *weights);
    if (weights == NULL) return sm_no_memory(error, "exporting a forest");
    smerf_model_node_weights(model, number, weights);
    sm_output_print(output, "%s\n{\"nodes\": [", number == 0 ? "" : ",");
    for (size_t node = 0; node < tree.n_nodes; node++) {
        sm_output_print(output, "%s", node == 0 ? "" : ",\n  ");
        put_node(output, model, &tree, node, weights[node]);
    }
    sm_output_print(output, "]}");
    sm_free(weights);
    return SMERF_OK;
}

smerf_status sm_forest_write(const smerf_model *model, sm_output *output, smerf_error *error) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_status status = smerf_model_describe(model, &description, error);
    if (status != SMERF_OK) return status;
    put_forest_features(output, model, description.n_features);
    for (size_t b = 0; b < description.options->n_trees && status == SMERF_OK && !sm_output_has_failed(output); b++)
        status = put_tree(output, model, b, error);
    sm_output_print(output, "]}\n");
    return status;
}
