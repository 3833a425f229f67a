/* cmd_info.c - smerf info MODEL */
#include <math.h>
#include <stdio.h>

#include "commands.h"
#include "common.h"
#include "fit_options.h"

static const cli_option own_options[] = {
    {"--json", NULL, "as JSON"}, {"-o", "FILE", "where the result goes (default: standard output)"}, {0}};
static const cli_option *const options[] = {own_options, cli_general_options, NULL};

/* The same facts go to both forms: a key, and a value that is a number or a text. */
typedef struct writer {
    sm_output *output;
    bool is_json, is_first;
} writer;

/* "first tree" is what people read, "first_tree" what programs do. */
static void put_key(writer *to, const char *key) {
    if (!to->is_json) {
        sm_output_print(to->output, "%-16s ", key);
        return;
    }
    sm_output_print(to->output, "%s\"", to->is_first ? "{" : ", ");
    for (const char *c = key; *c != '\0'; c++) sm_output_print(to->output, "%c", *c == ' ' || *c == '-' ? '_' : *c);
    sm_output_print(to->output, "\": ");
    to->is_first = false;
}

static void put_text(writer *to, const char *key, const char *text) {
    put_key(to, key);
    if (to->is_json)
        sm_put_json_string(to->output, text);
    else
        sm_output_print(to->output, "%s\n", text);
}

static void put_number(writer *to, const char *key, double value) {
    put_key(to, key);
    sm_put_json_number(to->output, value);
    if (!to->is_json) sm_output_print(to->output, "\n");
}

static void put_count(writer *to, const char *key, size_t count) {
    put_key(to, key);
    sm_output_print(to->output, to->is_json ? "%zu" : "%zu\n", count);
}

static void put_sample(writer *to, const smerf_options *chosen) {
    char text[64];
    snprintf(text, sizeof text, "subsample:%.15g", chosen->sample_share);
    put_text(to, "sample",
             chosen->sample == SMERF_BOOTSTRAP   ? "bootstrap"
             : chosen->sample == SMERF_NO_SAMPLE ? "none"
                                                 : text);
}

static void put_self(writer *to, const smerf_options *chosen) {
    if (chosen->self_distance == SMERF_SELF_VALUE)
        put_number(to, "self-distance", chosen->self_value);
    else
        put_text(to, "self-distance", chosen->self_distance == SMERF_SELF_GIVEN ? "given" : "exclude");
}

static void put_list(writer *to, const char *key, const char *const *names, size_t n) {
    put_key(to, key);
    for (size_t i = 0; i < n; i++) {
        sm_output_print(to->output, "%s", i > 0 ? ", " : to->is_json ? "[" : "");
        if (to->is_json)
            sm_put_json_string(to->output, names[i]);
        else
            sm_output_print(to->output, "%s", names[i]);
    }
    sm_output_print(to->output, to->is_json ? "]" : "\n");
}

static void put_columns(writer *to, const smerf_model *model, const smerf_description *description) {
    put_key(to, "feature names");
    for (size_t f = 0; f < description->n_features; f++) {
        smerf_column column;
        smerf_model_feature(model, f, &column);
        sm_output_print(to->output, "%s", f > 0 ? ", " : to->is_json ? "[" : "");
        if (to->is_json) {
            sm_put_json_string(to->output, column.name);
        } else {
            sm_output_print(to->output, "%s", column.name);
            if (column.kind == SMERF_CATEGORY) sm_output_print(to->output, " (%zu levels)", column.n_levels);
        }
    }
    sm_output_print(to->output, to->is_json ? "]" : "\n");
    if (description->id_column != NULL) put_text(to, "id column", description->id_column);
    if (description->weight_column != NULL) put_text(to, "item weights", description->weight_column);
    if (description->n_ignored > 0) put_list(to, "ignored columns", description->ignored, description->n_ignored);
}

static void put_findings(writer *to, const smerf_model *model) {
    for (size_t k = 0; k < smerf_model_n_findings(model); k++) {
        double value;
        const char *name = smerf_model_finding(model, k, &value);
        put_number(to, name, value);
    }
}

static void put_forest(writer *to, const smerf_description *description) {
    const smerf_options *chosen = &description->options;
    put_count(to, "trees", chosen->n_trees);
    put_count(to, "first tree", chosen->first_tree);
    put_count(to, "nodes", description->n_nodes);
    put_count(to, "leaves", description->n_leaves);
    put_text(to, "splits", cli_splits_name(chosen->splits));
    put_count(to, "candidates", chosen->candidates);
    if (chosen->splits == SMERF_OBLIQUE) put_number(to, "density", chosen->density);
    put_count(to, "min-parent", chosen->min_parent);
    if (chosen->max_depth != SMERF_NO_LIMIT)
        put_count(to, "max-depth", chosen->max_depth);
    else if (to->is_json)
        put_number(to, "max-depth", NAN); /* null */
    else
        put_text(to, "max-depth", "none");
    put_sample(to, chosen);
    put_text(to, "oob-rule", cli_oob_rule_name(chosen->oob_rule));
    put_self(to, chosen);
}

static void put_method(writer *to, const smerf_model *model, const smerf_options *chosen) {
    if (chosen->method == SMERF_METHOD_EPM || chosen->method == SMERF_METHOD_NARM) {
        put_count(to, "factors", chosen->n_factors);
        put_count(to, "burn", chosen->n_burn);
        put_count(to, "draws", chosen->n_draws);
    }
    put_findings(to, model);
}

static void put_all(writer *to, const smerf_model *model) {
    smerf_description description;
    smerf_model_describe(model, &description);
    const smerf_options *chosen = &description.options;
    put_text(to, "method", description.method);
    put_text(to, "target", description.target);
    if (description.n_target_columns > 0)
        put_list(to, "target columns", description.target_columns, description.n_target_columns);
    if (description.from_similarities) put_number(to, "similarity max", description.largest_similarity);
    if (chosen->rank > 0) {
        put_count(to, "rank", chosen->rank);
        if (isnan(description.rank_share)) /* there are too many eigenvalues to know them all */
            put_number(to, "share of the squared spectrum kept", description.rank_share_of_squares);
        else
            put_number(to, "share of the spectrum kept", description.rank_share);
    }
    if (chosen->complete > 0) put_count(to, "completed to rank", chosen->complete);
    put_count(to, "items", description.n_items);
    put_count(to, "features", description.n_features);
    if (chosen->method == SMERF_METHOD_FOREST)
        put_forest(to, &description);
    else
        put_method(to, model, chosen);
    put_count(to, "seed", (size_t)chosen->seed);
    put_columns(to, model, &description);
    if (to->is_json) sm_output_print(to->output, "}\n");
}

static smerf_status run_info(const cli_args *args, smerf_error *error) {
    smerf_model *model = NULL;
    writer to = {.is_json = cli_has(args, "--json"), .is_first = true};
    smerf_status status = smerf_model_load(args->words[0], &model, error);
    if (status == SMERF_OK) status = sm_output_open(cli_has(args, "-o") ? cli_get(args, "-o") : "-", &to.output, error);
    if (status == SMERF_OK) {
        put_all(&to, model);
        status = sm_output_finish(to.output, error);
    }
    smerf_model_free(model);
    return status;
}

const cli_command cli_info = {.name = "info",
                              .usage = "info MODEL [--json]",
                              .summary = "what a model is",
                              .fewest_words = 1,
                              .most_words = 1,
                              .option_groups = options,
                              .run = run_info};
